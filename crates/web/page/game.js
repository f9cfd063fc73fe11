// Games that were played, and what speed-solvers count about them. Nothing here touches the page.

import { t } from "./language.js";
import { frames } from "./moves.js";

/**
 * A game: `seconds` is null if it was given up, `made` are its moves (where the blank goes), and `aided`
 * is set if a hint, the number of moves left, a solution or a ghost was seen.
 * @typedef {{ at: string, rows: number, cols: number, start: number[], goal: number[], draw: string, seconds: number | null, made: string, moves: number, aided: boolean, needed?: number }} Game
 */

export const FORMAT = "taquin-games";
/** The most games that are kept. */
export const KEPT = 1000;

/** Games are compared with those of the same kind. @param {Pick<Game, "rows" | "cols" | "goal" | "draw">} game */
export const kind = ({ rows, cols, goal, draw }) => JSON.stringify([rows, cols, goal, draw]);

/** @param {Game} game */
export const speed = ({ moves, seconds }) => (seconds ? moves / seconds : 0);

/**
 * The average as speed-solvers take it: without the best and the worst, of results that are cut to hundredths, rounded
 * to hundredths. A game that was given up is the worst; with two of them there is no average.
 * @param {(number | null)[]} results
 * @returns {number | null}
 */
export function average(results) {
  const sorted = results.map((one) => one ?? Infinity).sort((a, b) => a - b).slice(1, -1);
  const sum = sorted.reduce((all, one) => all + hundredths(one), 0);
  return sorted.length > 0 && Number.isFinite(sum) ? Math.round(sum / sorted.length) / 100 : null;
}

/** Complete hundredths; 0.29 * 100 is less than 29. @param {number} result */
const hundredths = (result) => Math.floor(result * 100 + 1e-6);

/**
 * The averages of every `size` games in a row, the oldest first.
 * @param {Game[]} games
 * @param {number} size
 * @param {(game: Game) => number | null} of
 */
function averages(games, size, of) {
  const results = games.map(of);
  return results.slice(size - 1).map((_, at) => average(results.slice(at, at + size)));
}

/** @param {(number | null)[]} list */
const least = (list) => list.reduce((best, one) => (one !== null && (best === null || one < best) ? one : best), null);

/**
 * The results of one kind of games that were played without help, the oldest first.
 * @param {Game[]} games
 */
export function statistics(games) {
  const own = games.filter(({ aided }) => !aided);
  const seconds = (/** @type {Game} */ game) => game.seconds;
  const moves = (/** @type {Game} */ game) => (game.seconds === null ? null : game.moves);
  const done = own.filter((game) => game.seconds !== null);
  const mean = (/** @type {(game: Game) => number | null} */ of) => (done.length ? done.reduce((sum, game) => sum + (of(game) ?? 0), 0) / done.length : null);
  const figures = (/** @type {(game: Game) => number | null} */ of) => {
    const [five, twelve] = [averages(own, 5, of), averages(own, 12, of)];
    return { best: least(own.map(of)), mean: mean(of), five: { now: five.at(-1), best: least(five) }, twelve: { now: twelve.at(-1), best: least(twelve) } };
  };
  return { played: own.length, solved: done.length, seconds: figures(seconds), moves: figures(moves), fastest: done.length ? Math.max(...done.map(speed)) : null };
}

/** @param {unknown} tiles @param {number} cells @returns {tiles is number[]} */
function isBoard(tiles, cells) {
  if (!Array.isArray(tiles) || tiles.length !== cells || !tiles.every((tile) => Number.isInteger(tile) && tile >= 0 && tile < cells)) return false;
  const numbered = tiles.filter(Boolean);
  return numbered.length < cells && numbered.every((tile) => tile <= numbered.length) && new Set(numbered).size === numbered.length;
}

/** The game that a value is, or null: a game that is called solved is replayed. @param {any} value @returns {Game | null} */
export function checked(value) {
  if (typeof value !== "object" || value === null) return null;
  const { at, rows, cols, start, goal, draw, seconds, made, aided, needed } = value;
  const isSize = [rows, cols].every((side) => Number.isInteger(side) && side > 0 && side <= 100) && rows * cols <= 400;
  if (!isSize || !isBoard(start, rows * cols) || !isBoard(goal, rows * cols)) return null;
  if (typeof at !== "string" || Number.isNaN(Date.parse(at)) || typeof made !== "string" || made.length > 100_000 || !/^(uniform|given|depth \d{1,4})$/.test(draw)) return null;
  const way = frames(start, cols, made);
  const end = way?.at(-1)?.board;
  if (!way || !end) return null;
  const isSolved = end.every((tile, cell) => tile === goal[cell]);
  if (seconds !== null && !(isSolved && Number.isFinite(seconds) && seconds >= 0)) return null;
  const exact = Number.isInteger(needed) && needed >= 0 && needed < way.length ? { needed } : {};
  return { at, rows, cols, start, goal, draw, seconds, made, moves: way.length - 1, aided: aided === true, ...exact };
}

/** @param {Game[]} games */
export const exported = (games) => `${JSON.stringify({ format: FORMAT, version: 1, games: games.map(({ moves: _, ...game }) => game) }, null, 1)}\n`;

/**
 * The games of a file, and how many entries are none. Throws if the file is no list of games.
 * @param {string} text
 */
export function imported(text) {
  const file = JSON.parse(text);
  if (file?.format !== FORMAT || file.version !== 1 || !Array.isArray(file.games)) throw new TypeError(FORMAT);
  const found = file.games.slice(0, 100_000).map(checked);
  const games = /** @type {Game[]} */ (found.filter((/** @type {Game | null} */ game) => game !== null));
  return { games, damaged: file.games.length - games.length };
}

/** Both lists without repetitions, the oldest first. @param {Game[]} a @param {Game[]} b */
export function merged(a, b) {
  const all = new Map([...a, ...b].map((game) => [`${game.at} ${game.start.join(".")}`, game]));
  return [...all.values()].sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-KEPT);
}

/** The time as a stopwatch shows it. @param {number | null | undefined} seconds */
export function clock(seconds) {
  if (seconds === null || seconds === undefined) return t("DNF");
  const whole = hundredths(seconds);
  const [minutes, rest] = [Math.floor(whole / 6000), ((whole % 6000) / 100).toFixed(2)];
  if (minutes === 0) return rest;
  const [hours, left] = [Math.floor(minutes / 60), String(minutes % 60)];
  return `${hours ? `${hours}:${left.padStart(2, "0")}` : left}:${rest.padStart(5, "0")}`;
}

/** @param {number} moves @param {number} seconds */
export const pace = (moves, seconds) => (seconds > 0 ? (moves / seconds).toFixed(2) : "0.00");
