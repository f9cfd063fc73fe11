// The board: tiles to click, drag and push with the keys, or to arrange at will.

import { make } from "./dom.js";
import { rowOf } from "./lab.js";
import { t } from "./language.js";

/** @typedef {{ rows: number, cols: number, tiles: number[], goal: number[] }} Shown */

/**
 * @typedef {object} Handlers
 * @property {(cell: number) => void} [push] a tile is to be pushed
 * @property {(a: number, b: number) => void} [swap] two cells are to be exchanged
 * @property {(text: string) => void} [say] something for screen readers
 */

const ARROWS = /** @type {Record<string, [number, number]>} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });
const LETTERS = /** @type {Record<string, string>} */ ({ w: "ArrowUp", s: "ArrowDown", a: "ArrowLeft", d: "ArrowRight" });
/** A finger that goes this far swipes, in pixels. */
const SWIPE = 16;

export class BoardView {
  /** @type {Shown} */
  #shown = { rows: 0, cols: 0, tiles: [], goal: [] };
  /** @type {HTMLButtonElement[]} by tile, and then the blanks */
  #buttons = [];
  #arranging = false;
  /** The cell that was chosen to be exchanged. @type {number | null} */
  #chosen = null;
  /** The cell that has the focus while arranging. */
  #cursor = 0;
  /** Which of several blanks the keys move. */
  #active = 0;
  #typed = { text: "", at: 0 };
  /** @type {string | null} */
  #picture = null;

  /**
   * @param {HTMLElement} root
   * @param {string} label
   * @param {Handlers} handlers
   */
  constructor(root, label, handlers) {
    this.root = root;
    this.label = label;
    this.handlers = handlers;
    root.classList.add("board");
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerdown", (event) => this.#grab(event));
    // A press by a screen reader or a script is a click without a pointer.
    root.addEventListener("click", (event) => {
      const cell = this.#cellOf(event.target);
      if (event.detail === 0 && cell !== null) this.#press(cell);
    });
    this.#role();
  }

  set arranging(on) {
    this.#arranging = on;
    this.#chosen = null;
    this.root.classList.toggle("arranging", on);
    this.#role();
    this.show(this.#shown, true);
  }

  get arranging() {
    return this.#arranging;
  }

  /** A board that is only looked at. @param {boolean} on */
  set watched(on) {
    this.root.inert = on;
    this.root.classList.toggle("watched", on);
    this.root.removeAttribute("tabindex");
    this.root.setAttribute("role", "img");
  }

  #role() {
    const { root } = this;
    root.setAttribute("role", this.#arranging ? "group" : "application");
    root.setAttribute("aria-label", this.#arranging
      ? t("{label}: arrange the tiles. Arrows go from cell to cell, a number puts that tile there.", { label: this.label })
      : t("{label}. Arrow keys slide a tile.", { label: this.label }));
    if (this.#arranging) root.removeAttribute("tabindex");
    else root.setAttribute("tabindex", "0");
  }

  /**
   * Shows tiles, which slide to their places.
   * @param {Shown} shown
   * @param {boolean} [anew]
   */
  show(shown, anew = false) {
    const old = this.#shown;
    const blanks = shown.tiles.filter((tile) => tile === 0).length;
    this.#shown = { ...shown, tiles: [...shown.tiles] };
    const count = shown.tiles.length;
    if (anew || count !== this.#buttons.length || old.cols !== shown.cols || old.tiles.filter((tile) => tile === 0).length !== blanks) this.#build(blanks);
    const { rows, cols, tiles, goal } = shown;
    this.root.style.setProperty("--rows", String(rows));
    this.root.style.setProperty("--cols", String(cols));
    this.root.classList.toggle("many", count > 100);
    this.#active = Math.min(this.#active, blanks - 1);
    let blank = 0;
    const several = blanks > 1;
    tiles.forEach((tile, cell) => {
      const index = tile === 0 ? count - blanks + blank : tile - 1;
      const button = this.#buttons[index];
      if (!button) return;
      const [row, col] = [rowOf(cell, cols), cell % cols];
      button.style.setProperty("--x", String(col));
      button.style.setProperty("--y", String(row));
      button.dataset.cell = String(cell);
      button.setAttribute("aria-label", t("{tile}, row {row}, column {col}", { tile: tile === 0 ? t("Blank") : t("Tile {tile}", { tile }), row: row + 1, col: col + 1 }));
      button.classList.toggle("home", tile !== 0 && goal[cell] === tile);
      button.classList.toggle("chosen", cell === this.#chosen);
      button.tabIndex = this.#arranging && cell === this.#cursor ? 0 : -1;
      if (tile === 0) {
        button.classList.toggle("active", several && blank === this.#active);
        // Blanks can be pressed only while tiles are arranged.
        button.disabled = !this.#arranging;
        blank++;
      }
    });
    // Screen readers go from row to row.
    if (this.root.id) this.root.setAttribute("aria-owns", [...this.#buttons].sort((a, b) => Number(a.dataset.cell) - Number(b.dataset.cell)).map(({ id }) => id).join(" "));
    if (this.#picture) this.#paint();
  }

  /** @param {number} blanks */
  #build(blanks) {
    const { tiles } = this.#shown;
    const count = tiles.length - blanks;
    this.#buttons = tiles.map((_, index) => {
      const isBlank = index >= count;
      return make("button", { type: "button", id: this.root.id && `${this.root.id}-${index}`, class: isBlank ? "tile blank" : "tile" }, make("span", {}, isBlank ? "" : String(index + 1)));
    });
    this.root.replaceChildren(...this.#buttons);
    this.#cursor = Math.min(this.#cursor, tiles.length - 1);
  }

  /**
   * Points at a tile, or at none.
   * @param {number | null} tile
   */
  mark(tile) {
    this.#buttons.forEach((button, index) => button.classList.toggle("marked", tile !== null && index === tile - 1));
  }

  /**
   * Puts a picture on the tiles.
   * @param {string | null} address
   * @param {boolean} numbered
   */
  picture(address, numbered) {
    this.#picture = address;
    this.root.classList.toggle("pictured", address !== null);
    this.root.classList.toggle("numbered", numbered);
    this.#paint();
  }

  #paint() {
    const { rows, cols, goal } = this.#shown;
    const share = (/** @type {number} */ at, /** @type {number} */ of) => (of > 1 ? `${(at / (of - 1)) * 100}%` : "0");
    this.#buttons.forEach((button, index) => {
      const face = /** @type {HTMLElement} */ (button.firstChild);
      const home = goal.indexOf(index + 1);
      const on = this.#picture && home >= 0;
      face.style.backgroundImage = on ? `url("${this.#picture}")` : "";
      face.style.backgroundPosition = on ? `${share(home % cols, cols)} ${share(rowOf(home, cols), rows)}` : "";
    });
  }

  /** @param {EventTarget | null} target */
  #cellOf(target) {
    const button = target instanceof Element ? target.closest(".tile") : null;
    return button instanceof HTMLElement ? Number(button.dataset.cell) : null;
  }

  /** @param {number} cell */
  #press(cell) {
    if (!this.#arranging) return this.handlers.push?.(cell);
    this.#cursor = cell;
    if (this.#chosen === null) this.#chosen = cell;
    else {
      const from = this.#chosen;
      this.#chosen = null;
      if (from !== cell) this.handlers.swap?.(from, cell);
    }
    this.show(this.#shown);
    this.#focus();
  }

  #focus() {
    if (this.#arranging) this.root.querySelector(/** @type {"button"} */ (`[data-cell="${this.#cursor}"]`))?.focus();
    else this.root.focus({ preventScroll: true });
  }

  /**
   * Moves the tile that goes somewhere when a blank takes its place.
   * @param {[number, number]} way
   */
  #slide([dr, dc]) {
    const { rows, cols, tiles } = this.#shown;
    const blanks = tiles.flatMap((tile, at) => (tile === 0 ? [at] : []));
    const blank = blanks[this.#active] ?? 0;
    const [row, col] = [rowOf(blank, cols) - dr, (blank % cols) - dc];
    if (row < 0 || col < 0 || row >= rows || col >= cols || tiles[row * cols + col] === 0) {
      this.handlers.say?.(t("No tile can move that way."));
      return;
    }
    this.handlers.push?.(row * cols + col);
    // The same blank continues.
    const after = this.#shown.tiles.flatMap((tile, at) => (tile === 0 ? [at] : []));
    this.#active = Math.max(0, after.indexOf(row * cols + col));
    this.show(this.#shown);
  }

  /** Whether the way of a tile leads to a blank. @param {number} cell @param {[number, number]} way */
  #leadsToBlank(cell, [dr, dc]) {
    const { rows, cols, tiles } = this.#shown;
    for (let [row, col] = [rowOf(cell, cols) + dr, (cell % cols) + dc]; row >= 0 && col >= 0 && row < rows && col < cols; row += dr, col += dc) {
      if (tiles[row * cols + col] === 0) return true;
    }
    return false;
  }

  /** A swipe that begins on no tile. @param {PointerEvent} event */
  #swipe(event) {
    const end = (/** @type {PointerEvent} */ at) => {
      this.root.removeEventListener("pointerup", end);
      this.root.removeEventListener("pointercancel", end);
      const way = at.type === "pointerup" ? swiped(at.clientX - event.clientX, at.clientY - event.clientY) : null;
      if (way) this.#slide(way);
    };
    this.root.setPointerCapture(event.pointerId);
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    const cell = this.#cellOf(event.target);
    if (event.button !== 0) return;
    if (cell === null) return this.#arranging ? undefined : this.#swipe(event);
    event.preventDefault();
    const button = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest(".tile"));
    const box = this.root.getBoundingClientRect();
    const { rows, cols, tiles } = this.#shown;
    const [width, height] = [box.width / cols, box.height / rows];
    const blanks = tiles.flatMap((tile, at) => (tile === 0 ? [at] : []));
    /** How far the tile may be dragged: towards a blank next to it, or anywhere while arranging. */
    const near = (/** @type {number} */ dr, /** @type {number} */ dc) => blanks.some((at) => rowOf(at, cols) === rowOf(cell, cols) + dr && at % cols === (cell % cols) + dc);
    const free = this.#arranging;
    const low = free ? [-1e9, -1e9] : [near(0, -1) ? -width : 0, near(-1, 0) ? -height : 0];
    const high = free ? [1e9, 1e9] : [near(0, 1) ? width : 0, near(1, 0) ? height : 0];
    let [dx, dy] = [0, 0];
    let far = 0;
    const move = (/** @type {PointerEvent} */ to) => {
      dx = Math.min(Math.max(to.clientX - event.clientX, low[0] ?? 0), high[0] ?? 0);
      dy = Math.min(Math.max(to.clientY - event.clientY, low[1] ?? 0), high[1] ?? 0);
      far = Math.max(far, Math.hypot(to.clientX - event.clientX, to.clientY - event.clientY));
      if (!free) Math.abs(dx) > Math.abs(dy) ? (dy = 0) : (dx = 0);
      button.classList.add("dragged");
      button.style.setProperty("--dx", `${dx}px`);
      button.style.setProperty("--dy", `${dy}px`);
    };
    const drop = (/** @type {PointerEvent} */ at) => {
      button.removeEventListener("pointermove", move);
      button.removeEventListener("pointerup", drop);
      button.removeEventListener("pointercancel", drop);
      button.classList.remove("dragged");
      button.style.removeProperty("--dx");
      button.style.removeProperty("--dy");
      if (at.type === "pointercancel") return;
      if (far < 8) return this.#press(cell), this.#focus();
      if (!free) {
        // The tile and those before it, if it was pushed towards a blank; otherwise the tile that can go that way.
        const way = swiped(at.clientX - event.clientX, at.clientY - event.clientY);
        const isBack = event.pointerType === "mouse" && Math.abs(dx) <= width / 3 && Math.abs(dy) <= height / 3 && near(...(way ?? [0, 0]));
        if (!way || isBack) return;
        if (this.#leadsToBlank(cell, way)) this.handlers.push?.(cell);
        else this.#slide(way);
        return;
      }
      const col = Math.floor((at.clientX - box.left) / width);
      const row = Math.floor((at.clientY - box.top) / height);
      if (row < 0 || col < 0 || row >= rows || col >= cols) return;
      this.#chosen = null;
      this.#cursor = row * cols + col;
      if (row * cols + col !== cell) this.handlers.swap?.(cell, row * cols + col);
    };
    button.setPointerCapture(event.pointerId);
    button.addEventListener("pointermove", move);
    button.addEventListener("pointerup", drop);
    button.addEventListener("pointercancel", drop);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const arrow = ARROWS[(this.#arranging ? null : LETTERS[event.key.toLowerCase()]) ?? event.key];
    const { rows, cols, tiles } = this.#shown;
    if (this.#arranging) {
      if (arrow) {
        const row = Math.min(Math.max(rowOf(this.#cursor, cols) + arrow[0], 0), rows - 1);
        const col = Math.min(Math.max((this.#cursor % cols) + arrow[1], 0), cols - 1);
        this.#cursor = row * cols + col;
        this.show(this.#shown);
        this.#focus();
      } else if (/^[0-9]$/.test(event.key)) this.#type(event.key);
      else if (event.key === "Escape") {
        this.#chosen = null;
        this.show(this.#shown);
      } else return;
      event.preventDefault();
      return;
    }
    const blanks = tiles.flatMap((tile, at) => (tile === 0 ? [at] : []));
    if (arrow) {
      event.preventDefault();
      this.#slide(arrow);
    } else if (event.key === " " && blanks.length > 1) {
      event.preventDefault();
      this.#active = (this.#active + 1) % blanks.length;
      const blank = blanks[this.#active] ?? 0;
      this.handlers.say?.(`Blank in row ${rowOf(blank, cols) + 1}, column ${(blank % cols) + 1}.`);
      this.show(this.#shown);
    }
  }

  /** Digits make a number; the tile with it comes here. @param {string} digit */
  #type(digit) {
    const { tiles } = this.#shown;
    const now = performance.now();
    const earlier = now - this.#typed.at < 900 ? this.#typed.text : "";
    const most = Math.max(...tiles);
    const text = Number(earlier + digit) <= most ? earlier + digit : digit;
    this.#typed = { text, at: now };
    const from = tiles.indexOf(Number(text));
    if (from >= 0 && from !== this.#cursor) this.handlers.swap?.(from, this.#cursor);
    this.#focus();
  }
}

/** The way of a finger or a mouse that went far enough. @param {number} dx @param {number} dy @returns {[number, number] | null} */
function swiped(dx, dy) {
  if (Math.hypot(dx, dy) < SWIPE) return null;
  return Math.abs(dx) > Math.abs(dy) ? [0, Math.sign(dx)] : [Math.sign(dy), 0];
}
