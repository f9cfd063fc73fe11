// A link to the page, as the fragment of its address has it. Nothing here touches the page.

import { namedGoal, slide } from "./lab.js";

/** @import { Slide } from "./lab.js" */

/** The puzzle of a link, with the moves that were made. @typedef {{ rows: number, cols: number, start: number[], goal: number[], goalName: string, past: Slide[][] }} Linked */

/**
 * A link's contents: a puzzle if it has one, and the page's settings. A link with an unreadable part shows
 * nothing, because it would show another puzzle than the one that was sent.
 * @param {string} hash
 * @returns {{ puzzle: Linked | null, settings: Record<string, string>, picture: string | null, damaged: "board" | "goal" | "moves" | null }}
 */
export function readLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, "").replaceAll("+", "%20"));
  const all = Object.fromEntries([...parts].filter(([key]) => !["b", "g", "u", "p"].includes(key)));
  const lost = (/** @type {"board" | "goal" | "moves"} */ damaged) => ({ puzzle: null, settings: {}, picture: null, damaged });
  if (!parts.has("b")) return parts.has("g") || parts.has("u") ? lost("board") : { puzzle: null, settings: all, picture: null, damaged: null };
  const [, rowText, colText, list] = /^(\d{1,3})x(\d{1,3}):([\d.]+)$/.exec(parts.get("b") ?? "") ?? [];
  const [rows, cols] = [Number(rowText), Number(colText)];
  const cells = rows * cols;
  const start = numbers(list ?? "");
  if (!isBoard(start, cells)) return lost("board");
  const blanks = start.filter((tile) => tile === 0).length;
  const named = parts.get("g") ?? "last";
  const isNamed = ["last", "first", "snail"].includes(named);
  const goal = isNamed ? namedGoal(named, rows, cols, blanks) : numbers(named);
  if (!isBoard(goal, cells) || goal.filter((tile) => tile === 0).length !== blanks) return lost("goal");
  /** @type {Slide[][]} */
  const past = (parts.get("u") ?? "").split("_").filter(Boolean).map((push) => push.split(".").map((code) => [Math.floor(parseInt(code, 36) / cells), parseInt(code, 36) % cells]));
  const board = [...start];
  if (!past.every((push) => push.every((one) => slide(board, one, cols)))) return lost("moves");
  const picture = parts.get("p");
  return { puzzle: { rows, cols, start, goal, goalName: isNamed ? named : "own", past }, settings: all, picture: picture && /^data:image\/[a-z+]+;base64,[A-Za-z0-9+/=]+$/.test(picture) ? picture : null, damaged: null };
}

/** @param {string} list */
const numbers = (list) => list.split(".").map((one) => (/^\d{1,3}$/.test(one) ? Number(one) : NaN));

/** Whether numbers are a board. @param {number[]} tiles @param {number} cells */
function isBoard(tiles, cells) {
  const count = tiles.filter((tile) => tile > 0).length;
  return cells > 0 && cells <= 400 && tiles.length === cells && count < cells && tiles.every((tile) => tile >= 0 && tile <= count) && new Set(tiles.filter(Boolean)).size === count;
}
