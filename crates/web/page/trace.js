// A trace from a file: the lines that taquin exports, or the events of Posthoc. Nothing here touches the page.

import { t } from "./language.js";

/** @import { Puzzle, Report, Step } from "./types.js" */

/** Faults in a trace, with their places. */
export class TraceError extends Error {}

/** The most bytes of a trace. */
export const LONGEST_TRACE = 60_000_000;

/** The events of taquin, and those that are nodes. */
const NODES = ["expand", "generate", "goal", "discard"];
const VERDICTS = ["kept", "duplicate", "cheaper", "reopened", "pruned"];

/** @param {any} value @returns {value is number} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** @param {any} board @returns {board is number[]} */
const isBoard = (board) => Array.isArray(board) && board.length <= 400 && board.every(isCount);

/**
 * The steps of a trace, and its report and its puzzle if they are known.
 * @param {string} text
 * @returns {{ steps: Step[], report: Report | null, puzzle: Puzzle | null }}
 */
export function readTrace(text) {
  const first = text.trimStart().slice(0, 4000);
  const isPosthoc = !/^\{"event"/.test(first) && /(^|[\s{"])events"?\s*:/.test(first);
  return isPosthoc ? readPosthoc(text) : readLines(text);
}

/** @param {string} text @returns {ReturnType<typeof readTrace>} */
function readLines(text) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {Report | null} */
  let report = null;
  text.split("\n").forEach((line, at) => {
    if (line.trim() === "") return;
    const fail = (/** @type {string} */ why) => { throw new TraceError(t("line {line}: {why}", { line: at + 1, why })); };
    let one;
    try {
      one = JSON.parse(line);
    } catch {
      fail(t("this is no JSON. A trace has an object in each line, as 'taquin solve --trace=jsonl' prints it."));
    }
    if (one?.event === "report") report = one;
    else if (one?.event === "bound" && isCount(one.bound)) steps.push(one);
    else if (NODES.includes(one?.event)) {
      if (![one.id, one.g, one.h].every(isCount) || !(one.parent === null || isCount(one.parent)) || !isBoard(one.board)) fail(t("a node has id, parent, g, h and board."));
      if (one.event === "generate" && !VERDICTS.includes(one.verdict)) fail(t("a generated node has a verdict: {verdicts}.", { verdicts: VERDICTS.join(", ") }));
      steps.push({ ...one, move: typeof one.move === "string" ? one.move : null, tile: isCount(one.tile) ? one.tile : null, depth: isCount(one.depth) ? one.depth : 0 });
    } else if (one?.event !== "omitted") fail(t("the event is not known: {event}", { event: JSON.stringify(one?.event ?? null) }));
  });
  if (!steps.some(({ event }) => event === "expand")) throw new TraceError(t("the file has no expansion."));
  const { start, goal, rows, cols } = /** @type {Report | null} */ (report)?.puzzle ?? {};
  const isPuzzle = isBoard(start) && isBoard(goal) && isCount(rows) && isCount(cols) && rows * cols === start.length && goal.length === start.length;
  return { steps, report, puzzle: isPuzzle ? { start, goal, rows, cols } : null };
}

/** A line of YAML as Posthoc's tools write it: a map in braces. @param {string} line @returns {any} */
function flow(line) {
  const body = /^\s*-\s*\{(.*)\}\s*$/.exec(line)?.[1];
  if (body === undefined) return null;
  return Object.fromEntries([...body.matchAll(/["']?([\w$]+)["']?\s*:\s*("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^,]*)/g)].map(([, key = "", raw = ""]) => {
    const value = raw.trim().replace(/^'(.*)'$/, "\"$1\"");
    try {
      return [key, JSON.parse(value)];
    } catch {
      return [key, value];
    }
  }));
}

/**
 * The events of Posthoc: JSON, or YAML with an event in each line.
 * @param {string} text
 * @returns {ReturnType<typeof readTrace>}
 */
function readPosthoc(text) {
  /** @type {any[]} */
  let events;
  try {
    events = JSON.parse(text).events;
  } catch {
    events = text.split("\n").map(flow).filter(Boolean);
  }
  if (!Array.isArray(events) || events.length === 0) throw new TraceError(t("the events are neither JSON nor YAML with an event in each line."));
  /** @type {Step[]} */
  const steps = [];
  /** The nodes by their names, which may be texts. @type {Map<unknown, Step>} */
  const known = new Map();
  const expanded = new Set();
  events.forEach((event, at) => {
    const type = String(event?.type ?? "").replace(/(ing|ed|e)$/, "");
    if (!["sourc", "expand", "generat", "updat", "decreas", "end"].includes(type)) return;
    if (event.id === undefined) throw new TraceError(t("event {event}: a node has an id.", { event: at + 1 }));
    const before = known.get(event.id);
    const parent = event.pId === undefined || event.pId === null || event.pId === event.id ? undefined : known.get(event.pId);
    const g = Number(event.g ?? before?.g ?? 0);
    const h = Number(event.h ?? (event.f === undefined ? before?.h ?? 0 : Number(event.f) - g));
    if (!Number.isFinite(g) || !Number.isFinite(h)) throw new TraceError(t("event {event}: g, h and f are numbers.", { event: at + 1 }));
    const place = event.x === undefined ? String(event.id) : `${event.x}, ${event.y}`;
    /** @type {Step} */
    const node = { event: "expand", id: before?.id ?? known.size, parent: (parent ?? (before?.parent == null ? null : before))?.id ?? null, move: null, tile: null, g, h, depth: parent ? parent.depth + 1 : before?.depth ?? 0, board: isBoard(event.board) ? event.board : before?.board ?? [], label: String(event.label ?? before?.label ?? place) };
    if (before && !parent) node.parent = before.parent;
    if (type === "expand") {
      expanded.add(event.id);
      steps.push(node);
    } else if (type === "end") steps.push({ ...node, event: "goal" });
    else if (type !== "sourc" && (parent || before)) {
      const verdict = !before ? "kept" : g < before.g ? (expanded.has(event.id) ? "reopened" : "cheaper") : "duplicate";
      steps.push({ ...node, event: "generate", verdict });
      if (verdict === "duplicate") return;
    }
    known.set(event.id, node);
  });
  if (!steps.some(({ event }) => event === "expand")) throw new TraceError(t("the file has no expansion."));
  return { steps, report: null, puzzle: null };
}

/** How long the sides of a board are that has so many cells: as those of the board before, or as equal as can be. @param {number} cells @param {{ rows: number, cols: number }} before */
export function sides(cells, before) {
  if (before.rows * before.cols === cells) return { rows: before.rows, cols: before.cols };
  let rows = Math.floor(Math.sqrt(cells));
  while (rows > 1 && cells % rows !== 0) rows--;
  return { rows, cols: cells / rows };
}
