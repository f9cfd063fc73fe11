// <taquin-board>: a puzzle to play, for any page.

import { hint, parse, scramble } from "./browser.js";

const STYLE = `
:host { display: inline-block; --size: min(20rem, 90vw); --gap: 4px; --tile: light-dark(#dbe7f6, #24405f); --home: light-dark(#d8efdc, #1f4a2c); --text: light-dark(#10243c, #eef4fb); --mark: light-dark(#b45309, #fbbf24); color-scheme: light dark; }
:host([hidden]) { display: none; }
[role="group"] { position: relative; width: var(--size); aspect-ratio: var(--cols) / var(--rows); container-type: size; }
button { position: absolute; width: calc(100% / var(--cols) - var(--gap)); height: calc(100% / var(--rows) - var(--gap)); left: calc(100% / var(--cols) * var(--x) + var(--gap) / 2); top: calc(100% / var(--rows) * var(--y) + var(--gap) / 2); border: 0; border-radius: 8%; background: var(--tile); color: var(--text); font: 600 calc(40cqw / var(--cols)) system-ui, sans-serif; padding: 0; transition: left 0.12s, top 0.12s; touch-action: manipulation; cursor: pointer; }
button.home { background: var(--home); }
button.marked { outline: 3px solid var(--mark); outline-offset: -3px; }
button:focus-visible { outline: 3px solid currentcolor; outline-offset: -3px; }
@media (prefers-reduced-motion: reduce) { button { transition: none; } }
`;

/** The way of a tile, by the key. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The tiles of the goal `last`. @param {number} rows @param {number} cols @param {number} blanks */
const last = (rows, cols, blanks = 1) => Array.from({ length: rows * cols }, (_, cell) => (cell < rows * cols - blanks ? cell + 1 : 0));

const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

export class TaquinBoard extends Base {
  static observedAttributes = ["board", "size", "goal"];

  /** @type {import("./taquin.d.ts").Board} */
  #board = { rows: 3, cols: 3, tiles: last(3, 3) };
  /** @type {number[]} */
  #goal = last(3, 3);
  /** @type {string[]} */
  #moves = [];
  /** @type {number | null} */
  #marked = null;
  /** @type {HTMLElement | null} */
  #root = null;
  /** Counts what sets the board, so that an answer that comes late is not shown. */
  #version = 0;

  connectedCallback() {
    if (this.#root) return;
    const shadow = this.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = STYLE;
    const root = document.createElement("div");
    root.setAttribute("role", "group");
    root.addEventListener("click", (event) => {
      const tile = /** @type {Element} */ (event.target).closest("button");
      if (tile) this.press(Number(tile.dataset.tile));
    });
    root.addEventListener("keydown", (event) => this.#key(event));
    shadow.append(style, root);
    this.#root = root;
    this.#show();
  }

  /** @param {string} name @param {string | null} _ @param {string | null} value */
  attributeChangedCallback(name, _, value) {
    if (name === "size" && /^[1-9]\d?(x[1-9]\d?)?$/.test(value ?? "")) {
      const [rows = 3, cols = rows] = (value ?? "").split("x").map(Number);
      this.board = { rows, cols, tiles: last(rows, cols) };
    } else if (name === "board" && value !== null) {
      const version = ++this.#version;
      parse(value).then((board) => {
        if (version === this.#version) this.board = board;
      }).catch((error) => this.#complain(error));
    } else if (name === "goal") this.#readGoal();
  }

  /** Reads the goal's attribute, for the size that the board has. */
  #readGoal() {
    const goal = this.getAttribute("goal");
    if (goal === null) return;
    const { rows, cols } = this.#board;
    // A walk of no move ends at the goal.
    scramble({ size: `${rows}x${cols}`, goal, blanks: this.#blanks().length, walk: 0 }).then(({ tiles }) => {
      if (this.#board.rows === rows && this.#board.cols === cols && this.getAttribute("goal") === goal) this.goal = tiles;
    }).catch((error) => this.#complain(error));
  }

  /** @param {unknown} error */
  #complain(error) {
    this.dispatchEvent(new CustomEvent("problem", { detail: error }));
  }

  /** @returns {import("./taquin.d.ts").Board} */
  get board() {
    return { ...this.#board, tiles: [...this.#board.tiles] };
  }

  set board({ rows, cols, tiles }) {
    if (tiles.length !== rows * cols) throw new RangeError(`a board of ${rows}x${cols} has ${rows * cols} tiles, not ${tiles.length}`);
    const isOther = [...tiles].sort().join() !== [...this.#goal].sort().join() || this.#board.cols !== cols;
    this.#version++;
    this.#board = { rows, cols, tiles: [...tiles] };
    // A goal of another size would never be reached.
    if (isOther) {
      this.#goal = last(rows, cols, tiles.filter((tile) => tile === 0).length);
      this.#readGoal();
    }
    this.#moves = [];
    this.#marked = null;
    this.#show();
  }

  get goal() {
    return [...this.#goal];
  }

  set goal(tiles) {
    this.#goal = [...tiles];
    this.#show();
  }

  get moves() {
    return this.#moves.join(this.#blanks().length > 1 ? " " : "");
  }

  get solved() {
    return this.#board.tiles.join() === this.#goal.join();
  }

  /** @param {import("./taquin.d.ts").ScrambleOptions} [options] */
  async scramble(options = {}) {
    const { rows, cols } = this.#board;
    const version = ++this.#version;
    const board = await scramble({ size: `${rows}x${cols}`, goal: { rows, cols, tiles: this.#goal }, blanks: this.#blanks().length, ...options });
    if (version === this.#version) this.board = board;
    return this.board;
  }

  /** @param {import("./taquin.d.ts").SolveOptions} [options] */
  async hint(options = {}) {
    const { rows, cols } = this.#board;
    const version = this.#version;
    const next = await hint(this.board, { goal: { rows, cols, tiles: this.#goal }, ...options });
    if (version === this.#version) this.mark(next.tile);
    return next;
  }

  /** @param {number | null} tile */
  mark(tile) {
    this.#marked = tile;
    this.#show();
  }

  /** Slides a tile, and those between it and a blank. @param {number} tile */
  press(tile) {
    const { cols, tiles } = this.#board;
    const at = tiles.indexOf(tile);
    if (tile <= 0 || at < 0) return false;
    const near = this.#blanks()
      .map((blank) => ({ blank, row: Math.floor(blank / cols) - Math.floor(at / cols), col: (blank % cols) - (at % cols) }))
      .filter(({ row, col }) => row === 0 || col === 0)
      .sort((a, b) => Math.abs(a.row + a.col) - Math.abs(b.row + b.col))[0];
    if (!near) return false;
    const step = Math.sign(near.row) * cols + Math.sign(near.col);
    for (let blank = near.blank; blank !== at; blank -= step) this.#slide(blank, blank - step);
    this.#show();
    return true;
  }

  /** Where the blanks are. */
  #blanks() {
    return this.#board.tiles.flatMap((tile, cell) => (tile === 0 ? [cell] : []));
  }

  /** Moves the tile at `from` to the blank. @param {number} blank @param {number} from */
  #slide(blank, from) {
    const { cols, tiles } = this.#board;
    const tile = tiles[from] ?? 0;
    const letter = { [-cols]: "U", [cols]: "D", [-1]: "L", 1: "R" }[from - blank] ?? "";
    const move = this.#blanks().length > 1 ? `${letter}${tile}` : letter;
    [tiles[blank], tiles[from]] = [tile, 0];
    this.#version++;
    this.#moves.push(move);
    this.#marked = null;
    this.dispatchEvent(new CustomEvent("move", { bubbles: true, detail: { move, tile, moves: this.moves } }));
    if (this.solved) this.dispatchEvent(new CustomEvent("solved", { bubbles: true, detail: { moves: this.moves } }));
  }

  /** An arrow slides the tile next to a blank that way. @param {KeyboardEvent} event */
  #key(event) {
    const way = ARROWS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { rows, cols, tiles } = this.#board;
    for (const blank of this.#blanks()) {
      const [row, col] = [Math.floor(blank / cols) - way[0], (blank % cols) - way[1]];
      const tile = row >= 0 && row < rows && col >= 0 && col < cols ? tiles[row * cols + col] : 0;
      if (tile && this.press(tile)) return;
    }
  }

  #show() {
    const root = this.#root;
    if (!root) return;
    const { rows, cols, tiles } = this.#board;
    root.style.setProperty("--rows", String(rows));
    root.style.setProperty("--cols", String(cols));
    root.setAttribute("aria-label", this.getAttribute("label") ?? `${rows} by ${cols} sliding puzzle${this.solved ? ", solved" : ""}. Arrow keys slide a tile.`);
    const shown = new Map([...root.querySelectorAll("button")].map((button) => [Number(button.dataset.tile), button]));
    tiles.forEach((tile, cell) => {
      if (tile === 0) return;
      const button = shown.get(tile) ?? document.createElement("button");
      shown.delete(tile);
      if (!button.parentNode) {
        button.type = "button";
        button.part.add("tile");
        button.dataset.tile = button.textContent = String(tile);
        root.append(button);
      }
      const [row, col] = [Math.floor(cell / cols), cell % cols];
      button.style.setProperty("--x", String(col));
      button.style.setProperty("--y", String(row));
      button.setAttribute("aria-label", `${tile}, row ${row + 1}, column ${col + 1}`);
      button.classList.toggle("home", this.#goal[cell] === tile);
      button.classList.toggle("marked", tile === this.#marked);
    });
    for (const old of shown.values()) old.remove();
  }
}

globalThis.customElements?.get("taquin-board") ?? globalThis.customElements?.define("taquin-board", TaquinBoard);
