// The puzzle that everything on the page is about, and what was done to it.

/** @import { Puzzle } from "./types.js" */

/** A slide: the tile on the first cell goes to the blank on the second. @typedef {[number, number]} Slide */

/** A puzzle and what was done to it. @typedef {{ rows: number, cols: number, start: number[], goal: number[], goalName: string, past: Slide[][] }} Kept */

/** The number of former puzzles that are kept. */
const KEPT = 100;

/** Says `slid` and `board` when a tile moved, `puzzle` when there is another puzzle, `settings` for the rest. */
class Lab extends EventTarget {
  rows = 3;
  cols = 3;
  start = [8, 1, 3, 4, 0, 2, 7, 6, 5];
  board = [...this.start];
  goal = [1, 2, 3, 4, 5, 6, 7, 8, 0];
  /** last, first, snail or own */
  goalName = "last";
  /** How the board came about: "uniform", "depth N", or "given". */
  draw = "given";
  /** Whether the link that was opened holds a board. */
  linked = false;
  /** The moves made, each a tile or a row of tiles. @type {Slide[][]} */
  past = [];
  /** The undone moves. @type {Slide[][]} */
  future = [];
  /** The puzzles before this one, and those that were undone. @type {Kept[]} */
  before = [];
  /** @type {Kept[]} */
  after = [];
  /** The other settings in the link to this page. @type {Record<string, string>} */
  settings = {};

  get cells() {
    return this.rows * this.cols;
  }

  /** The cells of the blanks. */
  get blanks() {
    return this.board.flatMap((tile, cell) => (tile === 0 ? [cell] : []));
  }

  get moves() {
    return this.past.reduce((sum, push) => sum + push.length, 0);
  }

  get isSolved() {
    return this.board.every((tile, cell) => tile === this.goal[cell]);
  }

  /** The puzzle from the board as it stands. @returns {Puzzle} */
  get puzzle() {
    return { rows: this.rows, cols: this.cols, start: this.board, goal: this.goal };
  }

  /** The puzzle to search: an unsolvable board only on request. @returns {{ puzzle: Puzzle, search_anyway?: boolean }} */
  get task() {
    return this.settings.an ? { puzzle: this.puzzle, search_anyway: true } : { puzzle: this.puzzle };
  }

  /**
   * Another puzzle.
   * @param {{ rows: number, cols: number, start: number[], goal?: number[], goalName?: string, past?: Slide[][], draw?: string }} puzzle
   */
  set(puzzle) {
    this.before = [...this.before, this.#kept()].slice(-KEPT);
    this.after = [];
    this.#set(puzzle);
  }

  /** @returns {Kept} */
  #kept() {
    return { rows: this.rows, cols: this.cols, start: [...this.start], goal: [...this.goal], goalName: this.goalName, past: [...this.past] };
  }

  /** @param {Parameters<Lab["set"]>[0]} puzzle */
  #set({ rows, cols, start, goal, goalName, past, draw = "given" }) {
    const blanks = start.filter((tile) => tile === 0).length;
    const resized = rows !== this.rows || cols !== this.cols || blanks !== this.goal.filter((tile) => tile === 0).length;
    Object.assign(this, { rows, cols, start: [...start], board: [...start], past: [], future: [], draw });
    if (goal) this.goal = [...goal];
    if (goalName) this.goalName = goalName;
    if (!goal && (resized || goalName)) {
      if (this.goalName === "own" && resized) this.goalName = "last";
      if (this.goalName !== "own") this.goal = namedGoal(this.goalName, rows, cols, blanks);
    }
    for (const push of past ?? []) if (push.every((slide) => this.#slide(slide))) this.past.push(push);
    this.tell("puzzle");
  }

  /** @param {"board" | "puzzle" | "settings"} what */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  /**
   * Remembers something for the link.
   * @param {Record<string, string>} settings
   */
  keep(settings) {
    Object.assign(this.settings, settings);
    this.tell("settings");
  }

  /** @param {Slide[]} slides */
  #tellSlid(slides) {
    this.dispatchEvent(new CustomEvent("slid", { detail: slides }));
    this.tell("board");
  }

  /** @param {Slide} slide */
  #slide([from, to]) {
    return slide(this.board, [from, to], this.cols);
  }

  /**
   * Pushes the tile on a cell, and those before it, towards a blank in its row or column.
   * @param {number} cell
   * @returns {number[] | null} the tiles that moved
   */
  push(cell) {
    const blank = this.#blankFor(cell);
    if (blank === null) return null;
    const step = Math.sign(blank - cell) * (rowOf(cell, this.cols) === rowOf(blank, this.cols) ? 1 : this.cols);
    /** @type {Slide[]} */
    const push = [];
    for (let to = blank; to !== cell; to -= step) push.push([to - step, to]);
    const tiles = push.map(([from]) => this.board[from] ?? 0);
    push.forEach((slide) => this.#slide(slide));
    this.past.push(push);
    this.future = [];
    this.after = [];
    this.#tellSlid(push);
    return tiles;
  }

  /** The nearest blank with only tiles between it and a cell. @param {number} cell */
  #blankFor(cell) {
    if (this.board[cell] === 0) return null;
    const { cols, rows } = this;
    const row = rowOf(cell, cols);
    let best = null;
    for (const [dr, dc] of [[-1, 0], [0, -1], [0, 1], [1, 0]]) {
      let r = row + (dr ?? 0);
      let c = (cell % cols) + (dc ?? 0);
      for (let far = 1; r >= 0 && r < rows && c >= 0 && c < cols; far++) {
        if (this.board[r * cols + c] === 0) {
          if (!best || far < best.far) best = { far, blank: r * cols + c };
          break;
        }
        r += dr ?? 0;
        c += dc ?? 0;
      }
    }
    return best?.blank ?? null;
  }

  undo() {
    const push = this.past.pop();
    if (!push) return this.#swap(this.before, this.after);
    const back = push.map(([from, to]) => /** @type {Slide} */ ([to, from])).reverse();
    back.forEach((slide) => this.#slide(slide));
    this.future.push(push);
    this.#tellSlid(back);
    return true;
  }

  redo() {
    const push = this.future.pop();
    if (!push) return this.#swap(this.after, this.before);
    push.forEach((slide) => this.#slide(slide));
    this.past.push(push);
    this.#tellSlid(push);
    return true;
  }

  /** Goes to another puzzle, and keeps this one. @param {Kept[]} from @param {Kept[]} to */
  #swap(from, to) {
    const other = from.pop();
    if (!other) return false;
    to.push(this.#kept());
    this.#set(other);
    return true;
  }

  get canUndo() {
    return this.past.length + this.before.length > 0;
  }

  get canRedo() {
    return this.future.length + this.after.length > 0;
  }

  startOver() {
    this.set({ rows: this.rows, cols: this.cols, start: this.start });
  }
}

/** @param {number} cell @param {number} cols */
export const rowOf = (cell, cols) => Math.floor(cell / cols);

/** @param {number} a @param {number} b @param {number} cols */
const areBeside = (a, b, cols) =>
  Math.abs(rowOf(a, cols) - rowOf(b, cols)) + Math.abs((a % cols) - (b % cols)) === 1;

/** Moves a tile on a board, if it can move so. @param {number[]} board @param {Slide} slide @param {number} cols */
export function slide(board, [from, to], cols) {
  const tile = board[from];
  if (board[to] !== 0 || !tile || !areBeside(from, to, cols)) return false;
  board[to] = tile;
  board[from] = 0;
  return true;
}

/**
 * The goal of a name: what the service makes of it too.
 * @param {string} name
 * @param {number} rows
 * @param {number} cols
 * @param {number} blanks
 * @returns {number[]}
 */
export function namedGoal(name, rows, cols, blanks) {
  const cells = rows * cols;
  const tiles = Array.from({ length: cells - blanks }, (_, at) => at + 1);
  const zeros = Array(blanks).fill(0);
  if (name === "first") return [...zeros, ...tiles];
  if (name !== "snail") return [...tiles, ...zeros];
  const board = Array(cells).fill(0);
  let [top, left, bottom, right] = [0, 0, rows - 1, cols - 1];
  /** @type {number[]} */
  const way = [];
  while (top <= bottom && left <= right) {
    for (let c = left; c <= right; c++) way.push(top * cols + c);
    for (let r = top + 1; r <= bottom; r++) way.push(r * cols + right);
    if (bottom > top) for (let c = right - 1; c >= left; c--) way.push(bottom * cols + c);
    if (right > left) for (let r = bottom - 1; r > top; r--) way.push(r * cols + left);
    top++; left++; bottom--; right--;
  }
  tiles.forEach((tile, at) => { board[way[at] ?? 0] = tile; });
  return board;
}

/** A board in a line. @param {number[]} tiles @param {number} cols */
export function written(tiles, cols) {
  const rows = [];
  for (let at = 0; at < tiles.length; at += cols) rows.push(tiles.slice(at, at + cols).join(" "));
  return rows.length === 1 && cols > 1 ? `${rows[0]}/` : rows.join("/");
}

export const lab = new Lab();
