// The left side: the board to play on, and everything that makes another of it.

import { Problem, post } from "./api.js";
import { BoardView } from "./board.js";
import { byId, count, listed, make, mini, number, say } from "./dom.js";
import { lab, namedGoal, rowOf, written } from "./lab.js";
import { t } from "./language.js";
import { letters, offsets, wayOfTile } from "./moves.js";

/** @import { Checked, Report } from "./types.js" */

const SIZES = ["2x2", "2x3", "3x3", "3x4", "4x4", "4x5", "5x5", "6x6", "8x8"];

/** Whether the puzzle as it is can be solved. @type {Checked | null} */
let checkedLast = null;
export const verdict = () => checkedLast;
/** @type {BoardView} */
let view;
/** @type {string | null} */
let picture = null;
/** How much of a hint was given for the board as it is. */
let hinted = 0;
/** A way to the goal from a board. @type {{ moves: string, board: number[] } | null} */
let way = null;
/** Ends what was asked about another board. */
let asking = new AbortController();

/** Another solution is shown on the board, while it is not to be played. @type {number[] | null} */
let film = null;

/** @param {(tab: string) => void} open shows one of the panels */
export function controls(open) {
  view = new BoardView(byId("board"), t("The board"), { push, swap: exchange(false), say });
  const goalView = new BoardView(byId("goal-board"), t("Your goal"), { swap: exchange(true), say });
  goalView.arranging = true;
  fillSizes();
  const form = byId("enter");
  const text = /** @type {HTMLTextAreaElement} */ (byId("text"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(text.value);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      enter(text.value);
    }
  });
  text.addEventListener("paste", () => setTimeout(() => enter(text.value)));

  const anyway = /** @type {HTMLInputElement} */ (byId("anyway"));
  anyway.addEventListener("change", () => lab.keep({ an: anyway.checked ? "1" : "" }));
  lab.addEventListener("restored", () => { anyway.checked = lab.settings.an === "1"; });
  byId("undo").addEventListener("click", () => undo());
  byId("redo").addEventListener("click", () => redo());
  byId("again").addEventListener("click", () => {
    lab.startOver();
    say(t("Back at the start."));
  });
  byId("scramble").addEventListener("click", scramble);
  byId("hint").addEventListener("click", hint);
  byId("distance").addEventListener("click", distance);
  byId("size").addEventListener("change", resize);
  byId("blanks").addEventListener("change", resize);
  byId("goal").addEventListener("change", () => {
    const { value, selectedOptions } = /** @type {HTMLSelectElement} */ (byId("goal"));
    const name = selectedOptions[0]?.textContent ?? value;
    lab.set({ rows: lab.rows, cols: lab.cols, start: lab.board, goalName: value });
    say(value === "own" ? t("Arrange your goal below.") : t("The goal is {name}.", { name }));
  });
  byId("arrange").addEventListener("click", () => {
    view.arranging = !view.arranging;
    byId("arrange").setAttribute("aria-pressed", String(view.arranging));
    byId("arrange").textContent = view.arranging ? t("Done") : t("Arrange tiles");
    say(view.arranging ? t("Arrange the tiles: press two to exchange them, or type a number.") : t("Play."));
  });
  const file = /** @type {HTMLInputElement} */ (byId("picture-file"));
  byId("picture").addEventListener("click", () => (picture ? setPicture(null) : file.click()));
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) setPicture(URL.createObjectURL(chosen));
    file.value = "";
  });
  byId("numbers").addEventListener("change", () => {
    lab.keep({ nu: /** @type {HTMLInputElement} */ (byId("numbers")).checked ? "" : "0" });
    showPicture();
  });

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) undo();
    else if (key === "y" || key === "z") redo();
    else return;
    event.preventDefault();
  });

  const show = () => {
    film = null;
    view.show({ rows: lab.rows, cols: lab.cols, tiles: lab.board, goal: lab.goal });
    goalView.show({ rows: lab.rows, cols: lab.cols, tiles: lab.goal, goal: lab.goal });
    byId("moves").textContent = `${count(lab.moves, "move")}${lab.isSolved ? t(", solved") : ""}`;
    /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !lab.canUndo;
    /** @type {HTMLButtonElement} */ (byId("redo")).disabled = !lab.canRedo;
    if (document.activeElement !== text) text.value = written(lab.board, lab.cols);
    byId("goal-mini").replaceChildren(...(lab.cells <= 36 && lab.goalName !== "own" ? [t("goal"), mini(lab.goal, lab.cols)] : []));
    view.mark(null);
    asking.abort();
    asking = new AbortController();
    hinted = 0;
    way = way && after(way);
    note("");
    check(open);
  };
  lab.addEventListener("board", show);
  lab.addEventListener("puzzle", () => {
    byId("text-problem").hidden = true;
    byId("text").removeAttribute("aria-invalid");
    text.value = written(lab.board, lab.cols);
    fillSizes();
    /** @type {HTMLSelectElement} */ (byId("goal")).value = lab.goalName;
    byId("goal-editor").hidden = lab.goalName !== "own";
    show();
    showPicture();
  });
}

function undo() {
  say(lab.undo() ? t("Undone. {moves}.", { moves: count(lab.moves, "move") }) : t("Nothing to undo."));
}

function redo() {
  say(lab.redo() ? t("Redone. {moves}.", { moves: count(lab.moves, "move") }) : t("Nothing to redo."));
}

/** @param {number} cell */
function push(cell) {
  if (film) return lab.tell("board");
  const before = rowOf(cell, lab.cols);
  const column = cell % lab.cols;
  const tile = lab.board[cell] ?? 0;
  const moved = lab.push(cell);
  if (!moved) return note(t("Tile {tile} can't move.", { tile }));
  const now = lab.board.indexOf(tile);
  const way = rowOf(now, lab.cols) < before ? t("up") : rowOf(now, lab.cols) > before ? t("down") : now % lab.cols < column ? t("left") : t("right");
  const what = moved.length === 1 ? t("Tile {tile}", { tile }) : t("{moved} tiles", { moved: moved.length });
  say(lab.isSolved ? t("{what} {way}. Solved in {moves}!", { what, way, moves: count(lab.moves, "move") }) : `${what} ${way}. ${count(lab.moves, "move")}.`);
}

/** @param {boolean} isGoal */
const exchange = (isGoal) => (/** @type {number} */ a, /** @type {number} */ b) => {
  const tiles = [...(isGoal ? lab.goal : lab.board)];
  [tiles[a], tiles[b]] = [tiles[b] ?? 0, tiles[a] ?? 0];
  const puzzle = { rows: lab.rows, cols: lab.cols };
  if (isGoal) lab.set({ ...puzzle, start: lab.board, goal: tiles, goalName: "own" });
  else lab.set({ ...puzzle, start: tiles });
  say(t("Exchanged {a} and {b}.", { a: tiles[a] || t("the blank"), b: tiles[b] || t("the blank") }));
};

/** @param {string} text */
async function enter(text) {
  const problem = byId("text-problem");
  const { signal } = asking;
  try {
    const { rows, cols, board } = await post("convert", { board: text }, signal);
    if (signal.aborted) return;
    lab.set({ rows, cols, start: board });
    say(t("A board of {rows} by {cols}.", { rows, cols }));
  } catch (error) {
    if (signal.aborted) return;
    problem.textContent = error instanceof Problem ? error.text : String(error);
    problem.hidden = false;
    byId("text").setAttribute("aria-invalid", "true");
  }
}

/** Draws another board. */
export async function scramble() {
  const depth = /** @type {HTMLInputElement} */ (byId("depth")).value.trim();
  const blanks = lab.goal.filter((tile) => tile === 0).length;
  const asked = { size: `${lab.rows}x${lab.cols}`, blanks, goal: lab.goalName === "own" ? written(lab.goal, lab.cols) : lab.goalName };
  if (depth !== "" && !/^\d{1,4}$/.test(depth)) return note(t("The depth is a number of moves, or nothing for any board."));
  const { signal } = asking;
  if (depth !== "") note(t("Looking for a board .."));
  try {
    const drawn = await post("gen", depth === "" ? asked : { ...asked, depth: Number(depth) }, signal);
    if (signal.aborted) return;
    lab.set({ rows: lab.rows, cols: lab.cols, start: drawn.boards[0], draw: depth === "" ? "uniform" : `depth ${Number(depth)}` });
    say(depth === "" ? t("A random board.") : t("A board exactly {depth} from the goal.", { depth: count(Number(depth), "move") }));
  } catch (error) {
    if (signal.aborted) return;
    note(error instanceof Problem ? error.text : String(error));
  }
}

/** Which tile, and when asked again which move. */
async function hint() {
  if (lab.isSolved) return note(t("It is solved."));
  if (checkedLast?.reachable === false) return note(t("No move leads to the goal: the puzzle is unsolvable."));
  const { signal } = asking;
  try {
    if (!way) {
      note(t("Looking for a way .."));
      const report = /** @type {Report} */ (await post("solve", { puzzle: lab.puzzle, limits: { seconds: 5 } }, signal));
      if (signal.aborted) return;
      if (!report.moves) return note(t("No way was found in 5 seconds."));
      way = { moves: report.moves, board: [...lab.board] };
    }
  } catch (error) {
    // The board has changed: the answer is not needed any more.
    if (signal.aborted) return;
    return note(error instanceof Problem ? error.text : String(error));
  }
  const first = firstMove(way.moves);
  if (!first) return;
  hinted = Math.min(hinted + 1, 2);
  lab.dispatchEvent(new Event("helped"));
  view.mark(first.tile);
  note(hinted === 1 ? t("Tile {tile}. Ask again for the move.", { tile: first.tile }) : t("Tile {tile} goes {way}.", { tile: first.tile, way: first.way }));
}

/** The rest of a way whose first move was made. @param {{ moves: string, board: number[] }} way */
function after({ moves, board }) {
  const changed = board.flatMap((tile, cell) => (lab.board[cell] !== tile ? [cell] : []));
  if (board.length !== lab.board.length) return null;
  const [a = 0, b = 0] = changed;
  const [blank, tile] = board[a] === 0 ? [a, b] : [b, a];
  const [first = "", ...rest] = letters(moves);
  const named = first.slice(1);
  const follows = changed.length === 2 && lab.board[blank] === board[tile] && lab.board[tile] === 0 && tile === blank + (offsets(lab.cols)[first[0] ?? ""] ?? 0) && (!named || Number(named) === board[tile]);
  return follows && rest.length ? { moves: rest.join(" "), board: [...lab.board] } : changed.length === 0 ? { moves, board } : null;
}

/** The tile that a list of moves begins with. @param {string} moves */
function firstMove(moves) {
  const [first = ""] = letters(moves);
  const [letter = "", named] = [first[0], first.slice(1)];
  const tile = named && lab.blanks.length > 1 ? Number(named) : lab.board[(lab.blanks[0] ?? 0) + (offsets(lab.cols)[letter] ?? 0)];
  return tile ? { tile, way: wayOfTile(letter) } : null;
}

async function distance() {
  if (checkedLast?.reachable === false) return note(t("The goal can't be reached at all."));
  const { signal } = asking;
  note(t("Looking for the shortest way .."));
  try {
    const [report, { estimates }] = await Promise.all([
      /** @type {Promise<Report>} */ (post("solve", { puzzle: lab.puzzle, limits: { seconds: 5 } }, signal)),
      post("heuristic", { puzzle: lab.puzzle }, signal),
    ]);
    if (signal.aborted) return;
    const manhattan = estimates.find((/** @type {{ heuristic: string }} */ { heuristic }) => heuristic === "manhattan")?.estimate;
    const bounds = t("the tiles' distances add up to {manhattan}", { manhattan: number(manhattan) });
    lab.dispatchEvent(new Event("helped"));
    if (report.optimal) note(t("Exactly {cost} to the goal; {bounds}.", { cost: count(report.cost ?? 0, "move"), bounds }));
    else if (report.moves !== null) note(t("Between {lower_bound} (proven) and {cost} moves; {bounds}.", { lower_bound: number(report.lower_bound), cost: number(report.cost), bounds }));
    else note(t("At least {lower_bound} moves; {bounds}.", { lower_bound: number(report.lower_bound), bounds }));
  } catch (error) {
    if (signal.aborted) return;
    note(error instanceof Problem ? error.text : String(error));
  }
}

/** @param {string} text */
function note(text) {
  const place = byId("note");
  place.textContent = text;
  place.hidden = text === "";
  if (text) say(text);
}

function resize() {
  const size = /** @type {HTMLSelectElement} */ (byId("size")).value;
  const blanks = Number(/** @type {HTMLSelectElement} */ (byId("blanks")).value);
  const [rows = 3, cols = 3] = size.split("x").map(Number);
  const most = rows * cols - 1;
  const name = lab.goalName === "own" ? "last" : lab.goalName;
  lab.set({ rows, cols, start: namedGoal(name, rows, cols, Math.min(blanks, most)), goalName: name });
  say(t("{rows} by {cols}, {most}, solved.", { rows, cols, most: count(Math.min(blanks, most), "blank") }));
}

function fillSizes() {
  const size = `${lab.rows}x${lab.cols}`;
  const sizes = SIZES.includes(size) ? SIZES : [...SIZES, size];
  const select = /** @type {HTMLSelectElement} */ (byId("size"));
  select.replaceChildren(...sizes.map((name) => make("option", { value: name }, name.replace("x", " × "))));
  select.value = size;
  const blanks = lab.blanks.length;
  const counts = [...new Set([1, 2, 3, 4, blanks])].filter((count) => count < lab.cells || count === blanks).sort((a, b) => a - b);
  const blankSelect = /** @type {HTMLSelectElement} */ (byId("blanks"));
  blankSelect.replaceChildren(...counts.map((count) => make("option", {}, String(count))));
  blankSelect.value = String(blanks);
}

let asked = 0;

/** Whether the puzzle can be solved, said at once. @param {(tab: string) => void} open */
async function check(open) {
  const mine = ++asked;
  const place = byId("verdict");
  try {
    /** @type {Checked} */
    const checked = await post("check", { puzzle: lab.puzzle });
    if (mine !== asked) return;
    checkedLast = checked;
    const why = make("button", { class: "link", onclick: () => open("solvable") }, t("Why?"));
    place.replaceChildren(
      checked.reachable
        ? make("span", { class: "yes" }, lab.isSolved ? t("✓ Solved") : t("✓ Solvable"))
        : make("span", { class: "no" }, t("✗ Unsolvable")),
      why,
      ...(checked.repair ? [repairButton(checked)] : []),
    );
    byId("anyway-label").hidden = checked.reachable;
    lab.dispatchEvent(new Event("verdict"));
  } catch (error) {
    if (mine === asked) place.textContent = error instanceof Problem ? error.text : String(error);
  }
}

/**
 * The button that makes an unsolvable puzzle solvable.
 * @param {Checked} checked
 */
export function repairButton(checked) {
  const { repair } = checked;
  if (repair?.change === "swap") {
    const [a = 0, b = 0] = repair.cells;
    return make("button", { onclick: () => exchange(false)(a, b) }, t("Swap {tiles}", { tiles: listed(repair.tiles.map(String)) }));
  }
  const order = () => {
    const tiles = [...(repair?.tiles ?? [])];
    lab.set({ rows: lab.rows, cols: lab.cols, start: lab.board.map((tile) => (tile === 0 ? 0 : (tiles.shift() ?? 0))) });
    say(t("The tiles are in the order of the goal."));
  };
  return make("button", { onclick: order }, t("Put the tiles in order"));
}

/** A link never carries a larger picture. */
const PICTURE = 160;
/** The sides of a picture on the screen. */
const LARGE = 1200;

/** The picture on the tiles, small enough for a link. @type {string | null} */
let small = null;
export const smallPicture = () => small;

/** Puts a picture on the tiles, or takes it away. @param {string | null} address */
export async function setPicture(address) {
  const image = address ? await decoded(address) : null;
  if (address && !image) {
    if (address.startsWith("blob:")) URL.revokeObjectURL(address);
    return note(t("This file is no picture that the browser can show."));
  }
  if (address?.startsWith("blob:")) URL.revokeObjectURL(address);
  // Tiles are not squeezed: the picture gets the shape of the board.
  picture = image && cut(image, LARGE).toDataURL("image/jpeg", 0.9);
  small = image && cut(image, PICTURE).toDataURL("image/jpeg", 0.6);
  byId("picture").textContent = address ? t("Remove picture") : t("Picture");
  byId("numbers-label").hidden = address === null;
  /** @type {HTMLInputElement} */ (byId("numbers")).checked = lab.settings.nu !== "0";
  showPicture();
  lab.tell("settings");
  say(address ? t("The picture is on the tiles.") : t("The picture is gone."));
}

/** @param {string} address */
async function decoded(address) {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    return null;
  }
  return image;
}

/** The middle of a picture that has the shape of the board, with sides of at most `most`. @param {HTMLImageElement} image @param {number} most */
function cut(image, most) {
  const cell = Math.min(image.width / lab.cols, image.height / lab.rows);
  const [width, height] = [cell * lab.cols, cell * lab.rows];
  const scale = Math.min(1, most / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(image, (image.width - width) / 2, (image.height - height) / 2, width, height, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function showPicture() {
  view.picture(picture, /** @type {HTMLInputElement} */ (byId("numbers")).checked);
}

/**
 * Shows another board for a while, as a film does; nothing ends it.
 * @param {number[] | null} tiles
 * @param {number | null} [moved]
 */
export function project(tiles, moved = null) {
  film = tiles;
  view.show({ rows: lab.rows, cols: lab.cols, tiles: tiles ?? lab.board, goal: lab.goal });
  view.mark(moved);
}
