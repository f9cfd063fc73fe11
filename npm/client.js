// The package's functions, the same in every host: requests to the program, and its answers.

import { program } from "./program.js";

/** @import { Host, Told } from "./program.js" */
/** @import * as t from "./taquin.d.ts" */

/** A request that taquin refuses. */
export class TaquinError extends Error {
  /** @param {{ detail?: string, hint?: string, field?: string, place?: { line: number, column: number } }} problem */
  constructor({ detail = "unknown problem", hint, field, place }) {
    super(detail);
    this.name = new.target.name;
    this.hint = hint ?? null;
    this.field = field ?? null;
    this.place = place ?? null;
  }
}

/** A board, a goal, costs or moves that can't be read, or that don't fit. */
export class BoardError extends TaquinError {}

/** An unknown method, or one that can't do what was asked. */
export class MethodError extends TaquinError {}

/** An unknown course, or one that has no such method. */
export class CourseError extends TaquinError {}

/** Another option that is not right. */
export class OptionError extends TaquinError {}

/** The classes of errors, by the field that they are about. @type {Record<string, typeof TaquinError>} */
const CLASSES = { board: BoardError, goal: BoardError, size: BoardError, cost: BoardError, moves: BoardError, puzzle: BoardError, method: MethodError, as: CourseError };
/** The option for each field of a request. @type {Record<string, string>} */
const OPTIONS = { seconds: "time", expanded: "nodes", traced: "steps", search_anyway: "searchAnyway" };

/** @param {ConstructorParameters<typeof TaquinError>[0]} problem */
function refusal(problem) {
  // A place inside a field, such as puzzle.start[3] or limits.seconds.
  const [, first = "", last = ""] = /^(?:limits\.)?(\w*)[^.]*(?:\.(\w+))?/.exec(problem.field ?? "") ?? [];
  const Class = CLASSES[first] ?? (problem.field === undefined ? TaquinError : OptionError);
  const field = OPTIONS[first] ?? (CLASSES[first] ? first : first || last);
  return new Class({ ...problem, ...(field ? { field } : {}) });
}

/** How a board is given to the program. @param {t.BoardLike} board @param {string} field @returns {string} */
export function text(board, field = "board") {
  if (typeof board === "string") return board;
  if (Array.isArray(board)) return JSON.stringify(board);
  const { rows = 0, cols = 0, tiles } = /** @type {Partial<t.Board>} */ (board ?? {});
  if (!Array.isArray(tiles)) throw new BoardError({ detail: `${field}: a text, an array or a board was expected, not ${typeof board}`, field });
  if (rows * cols !== tiles.length) throw new BoardError({ detail: `${field}: a board of ${rows}x${cols} has ${rows * cols} tiles, not ${tiles.length}`, field });
  return JSON.stringify(Array.from({ length: rows }, (_, row) => tiles.slice(row * cols, (row + 1) * cols)));
}

/** The options that become fields of a request, and how. @type {Record<string, (value: any, request: Record<string, any>) => void>} */
const FIELDS = {
  method: (value, request) => void (request.method = value),
  goal: (value, request) => void (request.goal = text(value, "goal")),
  size: (value, request) => void (request.size = value),
  as: (value, request) => void (request.as = value),
  cost: (value, request) => void (request.cost = value),
  jumps: (value, request) => void (request.jumps = value),
  searchAnyway: (value, request) => void (request.search_anyway = value),
  time: (value, request) => void (request.limits.seconds = value),
  nodes: (value, request) => void (request.limits.expanded = value),
  memory: (value, request) => void (request.limits.memory = value),
};

/** Refuses options that are not known, so that a misspelled one is not ignored. @param {Record<string, unknown>} options @param {string[]} known */
function check(options, known) {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new OptionError({ detail: `unknown option '${name}'`, hint: `there are ${known.join(", ")}`, field: name });
  }
}

/** The request for a board. @param {t.BoardLike} board @param {Record<string, unknown>} options @param {string[]} more other options */
function request(board, options, more = []) {
  check(options, [...Object.keys(FIELDS), "signal", ...more]);
  const made = { board: text(board), limits: {} };
  for (const [name, set] of Object.entries(FIELDS)) if (options[name] !== undefined) set(options[name], made);
  return made;
}

/** @param {number[]} tiles @param {{ rows: number, cols: number }} size @returns {t.Board} */
const made = (tiles, { rows, cols }) => ({ rows, cols, tiles });

/** A name of a set of puzzles, in an address. @param {string} name */
const part = (name) => encodeURIComponent(name);

/** The functions of the package. @param {Host} host */
export function client(host) {
  /** The program is fetched when it is first needed. @type {ReturnType<typeof program> | undefined} */
  let started;
  const own = () => (started ??= program(host));

  /**
   * Asks once, and ends the request on the signal.
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal | undefined} signal
   * @param {Told} told the messages before the last
   * @param {AbortSignal | undefined} [enough] ends a search with a report
   * @returns {Promise<any>}
   */
  const ask = (path, body, signal, told = () => {}, enough) => new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const settle = () => {
      signal?.removeEventListener("abort", abort);
      enough?.removeEventListener("abort", report);
    };
    const end = own()(path, body, (name, document) => {
      if (name === "problem") {
        settle();
        reject(refusal(document));
      } else if (name === "answer" || name === "report") {
        settle();
        resolve(document);
      } else {
        try {
          told(name, document);
        } catch (error) {
          settle();
          end();
          reject(error);
        }
      }
    });
    function abort() {
      settle();
      end();
      reject(signal?.reason);
    }
    const report = () => end(true);
    signal?.addEventListener("abort", abort);
    if (enough?.aborted) report();
    else enough?.addEventListener("abort", report);
  });

  /** @type {typeof t.solve} */
  async function solve(board, options = {}) {
    const { signal, enough, onProgress } = options;
    const body = request(board, { ...options }, ["onProgress", "enough"]);
    return ask("jobs", body, signal, (name, document) => name === "progress" && onProgress?.(document), enough);
  }

  /** @type {typeof t.hint} */
  async function hint(board, options = {}) {
    const report = await solve(board, { time: 2, ...options });
    const { start, cols } = report.puzzle;
    const [, letter, written] = /^\s*([UDLR])(\d*)/.exec(report.moves ?? "") ?? [];
    const step = { U: -cols, D: cols, L: -1, R: 1 }[letter ?? ""];
    // With several blanks the tile is written; otherwise it is where the blank goes.
    const tile = step === undefined ? null : written ? Number(written) : start[start.indexOf(0) + step] ?? null;
    const direction = { U: "down", D: "up", L: "right", R: "left" }[letter ?? ""];
    return {
      solved: report.depth === 0,
      move: step === undefined ? null : letter + (written ?? ""),
      tile,
      direction: /** @type {any} */ (direction ?? null),
      atLeast: report.lower_bound,
      atMost: report.depth,
      report,
    };
  }

  /** @type {typeof t.trace} */
  async function* trace(board, options = {}) {
    const { steps = 1000, signal } = options;
    const body = request(board, { ...options }, ["steps"]);
    body.limits = { ...body.limits, traced: steps };
    /** @type {any[][]} */
    const waiting = [];
    let wake = () => {};
    const over = new AbortController();
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    let settled = false;
    const report = ask("jobs", body, stop, (name, document) => {
      if (name === "steps") {
        waiting.push(document);
        wake();
      }
    });
    report.catch(() => {}).finally(() => {
      settled = true;
      wake();
    });
    try {
      for (;;) {
        const next = waiting.shift();
        if (next) yield* next;
        else if (settled) return await report;
        else await /** @type {Promise<void>} */ (new Promise((resolve) => (wake = resolve)));
      }
    } finally {
      over.abort();
    }
  }

  /** @type {typeof t.check} */
  async function checked(board, options = {}) {
    return ask("check", request(board, { ...options }), options.signal);
  }

  /** @type {typeof t.verify} */
  async function verify(board, moves, options = {}) {
    const { notation, signal } = options;
    const body = { ...request(board, { time: 2, ...options }, ["notation"]), moves, ...(notation ? { notation } : {}) };
    return ask("verify", body, signal);
  }

  /** @type {typeof t.scrambles} */
  async function scrambles(count, options = {}) {
    const { signal, goal, ...rest } = options;
    check(rest, ["size", "blanks", "seed", "depth", "walk"]);
    const body = { ...rest, count, ...(goal === undefined ? {} : { goal: text(goal, "goal") }) };
    const drawn = await ask("gen", body, signal);
    return drawn.boards.map((/** @type {number[]} */ tiles) => made(tiles, drawn));
  }

  /** @type {typeof t.scramble} */
  async function scramble(options = {}) {
    const [board] = await scrambles(1, options);
    return /** @type {t.Board} */ (board);
  }

  /** @type {typeof t.parse} */
  async function parse(board, { size, signal } = {}) {
    const read = await ask("convert", { board: text(board), ...(size ? { size } : {}) }, signal);
    return made(read.board, read);
  }

  /** @type {typeof t.format} */
  async function format(board, to = "slashes", { size, blank, signal } = {}) {
    const body = { board: text(board), to, ...(size ? { size } : {}), ...(blank ? { blank } : {}) };
    return (await ask("convert", body, signal)).text;
  }

  /** @type {typeof t.estimates} */
  async function estimates(board, options = {}) {
    return (await ask("heuristic", request(board, { ...options }), options.signal)).estimates;
  }

  /** @type {typeof t.enumerate} */
  async function enumerate(size, { goal, metric, signal } = {}) {
    return ask("space", { size, ...(goal === undefined ? {} : { goal: text(goal, "goal") }), ...(metric ? { metric } : {}) }, signal);
  }

  /** @type {typeof t.methods} */
  const methods = () => ask("methods", undefined, undefined);
  /** @type {typeof t.courses} */
  const courses = () => ask("courses", undefined, undefined);
  /** @type {typeof t.instances} */
  const instances = async (/** @type {string} */ name) => ask(`instances/${part(name)}`, undefined, undefined);
  /** @type {typeof t.instanceSets} */
  const instanceSets = () => ask("instances", undefined, undefined);

  return { solve, hint, trace, check: checked, verify, scramble, scrambles, parse, format, estimates, enumerate, methods, courses, instances, instanceSets };
}
