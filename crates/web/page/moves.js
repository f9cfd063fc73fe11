// Moves as the service writes them: a letter names where the blank goes, and with several blanks a
// number names the tile. Every other notation is the service's to read and write.

import { t } from "./language.js";

/** @import { Slide } from "./lab.js" */

/** How far a letter moves the blank. @param {number} cols @returns {Record<string, number>} */
export const offsets = (cols) => ({ U: -cols, D: cols, L: -1, R: 1 });

const OPPOSITE = /** @type {Record<string, string>} */ ({ U: "D", D: "U", L: "R", R: "L" });

/** Where the tile goes when the blank goes where a letter says. @param {string} letter */
export const wayOfTile = (letter) => /** @type {Record<string, () => string>} */ ({ U: () => t("down"), D: () => t("up"), L: () => t("right"), R: () => t("left") })[letter]?.() ?? "";

/** @param {string} moves @returns {string[]} */
export const letters = (moves) => moves.match(/[UDLR]\d*/g) ?? [];

/** A board on the way, and the tile that moved to it. @typedef {{ board: number[], tile: number }} Frame */

/**
 * The boards from a start on, or null if the board does not allow a move.
 * @param {number[]} start
 * @param {number} cols
 * @param {string} moves
 * @returns {Frame[] | null}
 */
export function frames(start, cols, moves) {
  const list = [{ board: [...start], tile: 0 }];
  const several = start.filter((tile) => tile === 0).length > 1;
  for (const name of letters(moves)) {
    const board = [.../** @type {Frame} */ (list[list.length - 1]).board];
    const offset = offsets(cols)[name[0] ?? ""] ?? 0;
    const from = several ? board.indexOf(Number(name.slice(1))) : board.indexOf(0) + offset;
    const to = from - offset;
    const tile = board[from];
    const isBeside = Math.abs(offset) !== 1 || cols === 1 || Math.floor(from / cols) === Math.floor(to / cols);
    if (!tile || board[to] !== 0 || !isBeside) return null;
    board[to] = tile;
    board[from] = 0;
    list.push({ board, tile });
  }
  return list;
}

/**
 * The names of slides; the board is the one after them.
 * @param {Slide[]} slides
 * @param {number[]} board
 * @param {number} cols
 */
export function written(slides, board, cols) {
  const several = board.filter((tile) => tile === 0).length > 1;
  const names = Object.entries(offsets(cols));
  // On a board of one column up and down come first.
  const letter = (/** @type {Slide} */ [from, to]) => names.find(([, offset]) => from - to === offset)?.[0] ?? "";
  return slides.map((slide) => `${letter(slide)}${several ? `${board[slide[1]]} ` : ""}`).join("");
}

/** The way back. @param {string} moves */
export const reversed = (moves) => letters(moves).reverse().map((name) => `${OPPOSITE[name[0] ?? ""]}${name.slice(1)}`).join(" ");
