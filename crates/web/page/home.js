// The front door: a summary of the page, a board that solves itself, and three ways in.

import { Problem, post } from "./api.js";
import { BoardView } from "./board.js";
import { byId, count, draw, make, say, still } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { frames } from "./moves.js";

/** @import { Report } from "./types.js" */

/** Between two moves, in milliseconds. */
const PACE = 380;

/** @param {(panel: string) => void} open shows one of the panels */
export function home(open) {
  const panel = byId("panel-home");
  const place = make("div", {});
  const view = new BoardView(place, t("A board that solves itself"), {});
  view.watched = true;
  const words = make("p", { class: "note", role: "status" });
  let timer = 0;
  let asking = new AbortController();
  const solve = make("button", { class: "primary", onclick: () => run() }, t("Solve it"));
  const other = make("button", { onclick: () => another() }, t("Another board"));

  /** @param {string} name @param {string} title @param {string} text @param {string} action @param {() => void} act */
  const card = (name, title, text, action, act) => make("section", { class: "card door", "aria-labelledby": `door-${name}` }, picture(name), make("h2", { id: `door-${name}` }, title), make("p", { class: "note" }, text), make("button", { "aria-describedby": `door-${name}`, onclick: act }, action));

  panel.append(
    make("div", { class: "hero" },
      make("div", { class: "lead" },
        make("h2", {}, t("See how a search solves a sliding puzzle, one step at a time.")),
        make("p", {}, t("Every answer is computed here, as you watch: which board was looked at next, why it was chosen, and whether the solution is a shortest one.")),
        make("div", { class: "row" }, solve, other), words),
      make("div", { class: "live" }, place)),
    make("div", { class: "doors" },
      card("play", t("Play"), t("Slide the tiles against the clock, and see afterwards which move was the first wasted one."), t("Play a game"), () => open("play")),
      card("search", t("See a search"), t("A* on this board: the tree that it builds, and the reason for each of its steps."), t("Watch A*"), watch),
      card("lesson", t("Take a lesson"), t("From blind search to pattern databases: short texts, and questions that the engine checks."), t("Choose a lesson"), () => open("lessons"))));

  /** @param {string} name */
  function picture(name) {
    // Each begins where the words below it do.
    const svg = draw("svg", { viewBox: `${{ play: 23, search: 24, lesson: 17 }[name]} 0 120 60`, "aria-hidden": "true" });
    const tile = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) => svg.append(draw("rect", { x, y, width: 22, height: 22, rx: 4, class: "face" }), draw("text", { x: x + 11, y: y + 12 }, text));
    if (name === "play") {
      ["5", "1", "", "4", "2", "3"].forEach((text, at) => text && tile(24 + 25 * (at % 3), 5 + 25 * Math.floor(at / 3), text));
      svg.append(draw("path", { class: "way", d: "M99 42v-22m-5 6l5-6l5 6" }));
    } else if (name === "search") {
      svg.append(draw("path", { class: "edge", d: "M60 12L32 32M60 12L88 32M88 32L72 52M88 32L104 52" }), draw("path", { class: "way", d: "M60 12L88 32L104 52" }));
      for (const [x = 0, y = 0, kind = ""] of /** @type {[number, number, string][]} */ ([[60, 12, "explored"], [32, 32, "waiting"], [88, 32, "explored"], [72, 52, "waiting"], [104, 52, "goal"]])) svg.append(draw("rect", { x: x - 7, y: y - 6, width: 14, height: 12, rx: kind === "waiting" ? 1.5 : 5, class: kind }));
    } else {
      svg.append(draw("rect", { x: 18, y: 6, width: 84, height: 48, rx: 6, class: "face" }), draw("path", { class: "edge", d: "M28 18h46M28 27h30" }), draw("rect", { x: 28, y: 36, width: 18, height: 10, rx: 5, class: "explored" }), draw("rect", { x: 51, y: 36, width: 18, height: 10, rx: 5, class: "goal" }), draw("path", { class: "way", d: "M80 41l4 4l8-10" }));
    }
    return svg;
  }

  /** @param {number[]} tiles @param {number | null} moved */
  function show(tiles, moved = null) {
    view.show({ rows: lab.rows, cols: lab.cols, tiles, goal: lab.goal });
    view.mark(moved);
  }

  function halt() {
    clearTimeout(timer);
    timer = 0;
    asking.abort();
    solve.textContent = t("Solve it");
  }

  /** Finds the way, and goes it. */
  async function run() {
    if (timer) {
      halt();
      return show(lab.board);
    }
    halt();
    asking = new AbortController();
    const { signal } = asking;
    words.textContent = t("Looking for the shortest way ..");
    try {
      const report = /** @type {Report} */ (await post("solve", { puzzle: lab.puzzle, method: "astar:linear", limits: { seconds: 10 } }, signal));
      if (signal.aborted) return;
      const steps = report.moves === null ? null : frames(lab.board, lab.cols, report.moves);
      if (!steps) {
        words.textContent = t("No way was found.");
        return;
      }
      words.textContent = !report.optimal ? "" : t("A* expanded {nodes} to find it: {moves}, and no solution is shorter.", { nodes: count(report.counts.expanded, "board"), moves: count(report.depth ?? 0, "move") });
      solve.textContent = t("Stop");
      const play = (/** @type {number} */ at) => {
        const step = steps[at];
        if (!step || panel.hidden) {
          halt();
          if (panel.hidden) show(lab.board);
          return;
        }
        show(step.board, step.tile);
        timer = window.setTimeout(() => play(at + 1), still() ? 2 * PACE : PACE);
      };
      play(0);
    } catch (error) {
      if (!signal.aborted) words.textContent = error instanceof Problem ? error.text : String(error);
    }
  }

  async function another() {
    halt();
    words.textContent = "";
    try {
      const depth = 10 + Math.floor(Math.random() * 11);
      const drawn = await post("gen", { size: "3x3", blanks: 1, goal: "last", depth });
      lab.set({ rows: 3, cols: 3, start: drawn.boards[0], goalName: "last" });
      say(t("A board exactly {depth} from the goal.", { depth: count(depth, "move") }));
    } catch (error) {
      words.textContent = error instanceof Problem ? error.text : String(error);
    }
  }

  /** A search of the board at a step that is worth a look. */
  function watch() {
    halt();
    Object.assign(lab.settings, { t: "search", m: "astar:manhattan", s: "12" });
    lab.dispatchEvent(new Event("restored"));
    open("search");
  }

  for (const what of ["board", "puzzle"]) lab.addEventListener(what, () => { halt(); show(lab.board); });
  show(lab.board);
}
