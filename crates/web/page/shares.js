// Each tile's share in a heuristic, and the tiles that block each other. Nothing here touches the
// page.

import { rowOf } from "./lab.js";

/**
 * How far each tile of a board is from home, cell by cell; cells without a tile are not in it.
 * @param {number[]} board
 * @param {number[]} goal
 * @param {number} cols
 * @returns {Map<number, { home: number, far: number }>}
 */
export function shares(board, goal, cols) {
  const found = new Map();
  board.forEach((tile, cell) => {
    const home = goal.indexOf(tile);
    if (tile !== 0 && home >= 0) found.set(cell, { home, far: Math.abs(rowOf(cell, cols) - rowOf(home, cols)) + Math.abs((cell % cols) - (home % cols)) });
  });
  return found;
}

/**
 * The pairs of tiles that are in their row or column and in each other's way, as cells.
 * @param {number[]} board
 * @param {number[]} goal
 * @param {number} cols
 * @returns {[number, number][]}
 */
export function conflicts(board, goal, cols) {
  const all = [...shares(board, goal, cols)];
  return all.flatMap(([a, { home: homeA }]) => all.flatMap(([b, { home: homeB }]) => {
    if (a >= b) return [];
    const inRow = [b, homeA, homeB].every((cell) => rowOf(cell, cols) === rowOf(a, cols));
    const inColumn = [b, homeA, homeB].every((cell) => cell % cols === a % cols);
    return (inRow || inColumn) && homeA > homeB ? [/** @type {[number, number]} */ ([a, b])] : [];
  }));
}

/**
 * The board as walking distance sees it: for each row or column, how many of its tiles belong in which.
 * @param {number[]} board
 * @param {number[]} goal
 * @param {number} cols
 * @param {"row" | "column"} line
 * @returns {number[][]}
 */
export function crowds(board, goal, cols, line) {
  const of = (/** @type {number} */ cell) => (line === "row" ? rowOf(cell, cols) : cell % cols);
  const lines = line === "row" ? board.length / cols : cols;
  const found = Array.from({ length: lines }, () => Array(lines).fill(0));
  board.forEach((tile, cell) => {
    const at = found[of(cell)];
    const home = goal.indexOf(tile);
    if (tile !== 0 && at && home >= 0) at[of(home)]++;
  });
  return found;
}
