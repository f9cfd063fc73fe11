// A lesson as a file has it: read, checked, and packed into a link. Nothing here touches the page.

import { LANGUAGES, language, t } from "./language.js";

/** The figures of a search that a question can be about, and where the report has them. */
export const FIGURES = /** @type {Record<string, (report: Report) => number | null>} */ ({
  expanded: ({ counts }) => counts.expanded, generated: ({ counts }) => counts.generated, reopened: ({ counts }) => counts.reopened,
  frontier: ({ counts }) => counts.frontier_peak, stored: ({ counts }) => counts.stored_peak, moves: ({ depth }) => depth,
});
/** @import { Report } from "./types.js" */

const KINDS = ["next", "optimal", "least", "solvable", "estimate", ...Object.keys(FIGURES)];
const PANELS = ["play", "search", "race", "solution", "solvable", "heuristic", "space"];

/** @typedef {{ kind: string, text?: string, figure?: string, methods?: string[], within?: number, heuristic?: string, why?: string }} Question */
/** @typedef {{ text: string, board?: string, boards?: string[], goal?: string, method?: string, as?: string, panel?: string, methods?: string[], stops: number[], ask?: Question }} LessonPage */
/** @typedef {{ title: string, about: string, pages: LessonPage[] }} Lesson */

/** Faults in a lesson, with their places. */
export class LessonError extends Error {}

/** The most bytes of a lesson. */
export const LONGEST = 4_000_000;
const tooLong = () => new LessonError(t("The lesson is too long: it may have {most} MB.", { most: LONGEST / 1e6 }));

/** The text of a lesson's file. @param {Blob} file */
export async function fileText(file) {
  if (file.size > LONGEST) throw tooLong();
  return file.text();
}

/**
 * A page's settings. Settings that it omits are as on the page before.
 * @param {Lesson} lesson
 * @param {number} at
 * @param {number} [visit] which of several boards it has this time
 */
export function subject({ pages }, at, visit = 0) {
  const before = pages.slice(0, at + 1).reverse();
  const last = (/** @type {"goal" | "method"} */ field) => before.find((one) => one[field] !== undefined)?.[field];
  const own = before.find(({ board, boards }) => board !== undefined || boards !== undefined);
  const { as, panel = "search", ask } = /** @type {LessonPage} */ (pages[at]);
  return { board: own?.board ?? own?.boards?.[visit % own.boards.length] ?? "8 1 3/4 0 2/7 6 5", goal: last("goal") ?? "last", method: last("method") ?? "astar:manhattan", as, panel, ask };
}

/** Refuses a board on which there is nothing to search. @param {ReturnType<typeof subject>} page @param {{ reachable: boolean }} checked */
export function checkBoard({ board, panel, ask }, { reachable }) {
  if (!reachable && ask?.kind !== "solvable" && (panel !== "solvable" || ask)) throw new LessonError(t("The lesson's board is unsolvable: {board}", { board }));
}

/** A figure of a search, unless a limit of this machine ended it. @param {string} kind @param {Report} report */
export function figure(kind, report) {
  if (["time", "memory", "cancelled"].includes(report.reason ?? "")) throw new LessonError(t("{method} does not end in the time and memory that there is here.", { method: report.method }));
  return FIGURES[kind]?.(report) ?? null;
}

/**
 * The method with the lowest figure, and all figures. A search that was ended has more, so it can only lose.
 * @param {string} kind
 * @param {{ method: string, report: Report }[]} found
 */
export function least(kind, found) {
  const figures = found.map(({ method, report }) => ({ method, value: FIGURES[kind]?.(report) ?? Infinity, ends: report.outcome === "solved" }));
  const [first, second] = [...figures].sort((a, b) => a.value - b.value);
  if (!first?.ends || first.value === second?.value) throw new LessonError(t("The lesson asks for the lowest figure, and no method alone has it: {figures}.", { figures: figures.map(({ method, value }) => `${method} ${value}`).join(", ") }));
  return { winner: first.method, figures };
}

/**
 * Whether a solution is a shortest one.
 * @param {Report} report
 * @param {() => Promise<Report>} shortest a search that proves how few moves it takes
 */
export async function optimal(report, shortest) {
  // The cheapest solution may have more moves than another.
  const best = report.optimal && report.cost === report.depth ? report : await shortest();
  if (!best.optimal || best.depth === null) throw new LessonError(t("The length of a shortest solution can't be proven in the time that there is here."));
  return { isShortest: report.depth === best.depth, best: best.depth };
}

/** @param {string} text @returns {Lesson} */
export function readLesson(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new LessonError(t("This is no JSON: {error}", { error: error instanceof Error ? error.message : "" }));
  }
  const fail = (/** @type {string} */ place, /** @type {string} */ wanted) => {
    throw new LessonError(t("{place} has to be {wanted}: see docs/lessons.md", { place, wanted }));
  };
  /** @param {any} value @param {string} place @param {number} [most] */
  const string = (value, place, most = 500) => (typeof value === "string" && value.length <= most ? value : fail(place, `a text of at most ${most} characters`));
  /** A text, or one for each language. @param {any} value @param {string} place @param {number} [most] */
  const words = (value, place, most) => {
    if (typeof value !== "object" || value === null) return string(value, place, most);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(LANGUAGES, name));
    if (unknown !== undefined) fail(`${place}.${unknown}`, Object.keys(LANGUAGES).join(", "));
    return string(value[language] ?? value.en, `${place}.en`, most);
  };
  /** @param {any} value @param {string} place @param {string[]} names */
  const oneOf = (value, place, names) => (names.includes(value) ? value : fail(place, names.join(", ")));
  /** @param {any} value @param {string} place @returns {string[]} */
  const methods = (value, place) => (Array.isArray(value) && value.length >= 2 && value.length <= 4 ? value.map((one) => string(one, place)) : fail(place, "a list of 2 to 4 methods"));
  if (file?.format !== "taquin-lesson" || file.version !== 1) fail("format and version", "\"taquin-lesson\" and 1");
  if (!Array.isArray(file.pages) || file.pages.length < 1 || file.pages.length > 100) fail("pages", "a list of 1 to 100 pages");
  const known = ["text", "board", "boards", "goal", "method", "as", "panel", "methods", "stops", "ask"];
  const pages = file.pages.map((/** @type {any} */ page, /** @type {number} */ at) => {
    const place = (/** @type {string} */ name) => `pages[${at}].${name}`;
    if (typeof page !== "object" || page === null) fail(`pages[${at}]`, "an object");
    const unknown = Object.keys(page).find((name) => !known.includes(name));
    if (unknown !== undefined) fail(place(unknown), `one of ${known.join(", ")}`);
    const { text, board, boards, goal, method, as, panel, methods: racing, stops = [], ask } = page;
    if (!Array.isArray(stops) || stops.length > 50 || !stops.every((stop) => Number.isInteger(stop) && stop >= 0 && stop <= 5000)) fail(place("stops"), "a list of steps");
    return {
      text: words(text, place("text"), 10_000), stops,
      ...(boards === undefined ? {} : { boards: Array.isArray(boards) && boards.length > 0 && boards.length <= 50 ? boards.map((one) => string(one, place("boards"), 4000)) : fail(place("boards"), "a list of 1 to 50 boards") }),
      ...(board === undefined ? {} : { board: string(board, place("board"), 4000) }),
      ...(goal === undefined ? {} : { goal: string(goal, place("goal"), 4000) }),
      ...(method === undefined ? {} : { method: string(method, place("method")) }),
      ...(as === undefined ? {} : { as: string(as, place("as")) }),
      ...(panel === undefined ? {} : { panel: oneOf(panel, place("panel"), PANELS) }),
      ...(racing === undefined ? {} : { methods: methods(racing, place("methods")) }),
      ...(ask === undefined ? {} : { ask: question(ask, place) }),
    };
  });
  /** @param {any} ask @param {(name: string) => string} place @returns {Question} */
  function question(ask, place) {
    const { kind, text, figure, methods: compared, within, heuristic, why } = ask ?? {};
    if (within !== undefined && !(Number.isFinite(within) && within >= 0 && within <= 1)) fail(place("ask.within"), "a number from 0 to 1");
    return {
      kind: oneOf(kind, place("ask.kind"), KINDS),
      ...(text === undefined ? {} : { text: words(text, place("ask.text")) }),
      ...(why === undefined ? {} : { why: words(why, place("ask.why"), 2000) }),
      ...(kind === "estimate" ? { heuristic: string(heuristic, place("ask.heuristic")) } : {}),
      ...(kind === "least" ? { methods: methods(compared, place("ask.methods")), figure: figure === undefined ? "expanded" : oneOf(figure, place("ask.figure"), Object.keys(FIGURES)) } : {}),
      ...(within === undefined ? {} : { within }),
    };
  }
  return { title: words(file.title, "title", 200), about: words(file.about ?? "", "about"), pages };
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {any} through */
const piped = (bytes, through) => new Response(new Blob([bytes]).stream().pipeThrough(through));

/** A lesson for a link. @param {string} text */
export async function packed(text) {
  const bytes = new Uint8Array(await piped(new TextEncoder().encode(JSON.stringify(JSON.parse(text))), new CompressionStream("deflate-raw")).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of a lesson in a link. A short link may unpack to more than there is memory for. @param {string} link */
export async function unpacked(link) {
  const parts = [];
  let size = 0;
  try {
    const bytes = Uint8Array.from(atob(link.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (piped(bytes, new DecompressionStream("deflate-raw")).body).getReader();
    for (let part = await reader.read(); !part.done && size <= LONGEST; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
    }
    if (size > LONGEST) await reader.cancel();
  } catch {
    throw new LessonError(t("The link is damaged: it holds no whole lesson."));
  }
  if (size > LONGEST) throw tooLong();
  return new Blob(parts).text();
}
