// Talking to the service.

import { say } from "./dom.js";
import { engine, opening } from "./engine.js";
import { t } from "./language.js";

/** @import { Job, Progress, Report, Step } from "./types.js" */

/** The limits that the service did not grant, with its hint. */
export class Problem extends Error {
  /** @param {{ detail?: string, hint?: string, status?: number }} document */
  constructor(document) {
    super(document.detail ?? t("the service does not answer"));
    this.hint = document.hint ?? null;
    this.status = document.status ?? 0;
  }

  /** The problem and its remedy, in a line. */
  get text() {
    const detail = opening(this.message);
    return this.hint ? t("{detail}. Hint: {hint}", { detail, hint: engine(this.hint) }) : `${detail}.`;
  }
}

/** The program itself, where the page has it and no service. */
const local = document.documentElement.dataset.module ? import("./local.js") : null;

/** The program's first module has arrived, or can't be fetched. */
export const arrived = local?.then((program) => program.arrived);

/** How often a service whose places are all taken is asked again. */
const TRIES = 20;

/**
 * @param {string} path
 * @param {RequestInit} options
 * @param {() => boolean} [isWanted] whether the answer is still wanted
 */
async function request(path, options, isWanted = () => true) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
    for (let tries = 0; [429, 503].includes(response.status) && tries < TRIES && isWanted() && !options.signal?.aborted; tries++) {
      if (tries === 0) say(t("The service is busy: waiting for a free place."));
      const seconds = Number(response.headers.get("retry-after")) || 2;
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      response = await fetch(`api/${path}`, options);
    }
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem({ detail: t("the service does not answer"), hint: t("is 'taquin serve' still running?") });
  }
  if (response.status === 204) return null;
  const document = await response.json();
  if (!response.ok) throw new Problem(document);
  return document;
}

/**
 * The same from the program in the page.
 * @param {Promise<typeof import("./local.js")>} program
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function asked(program, path, body, signal) {
  const { ask } = await program;
  return new Promise((resolve, reject) => {
    const end = ask(path, body, (name, document) => (name === "answer" ? resolve(document) : reject(new Problem(document))));
    signal?.addEventListener("abort", () => {
      end();
      reject(signal.reason);
    });
  });
}

/** Lists that the folder of the page has as files, so that they need not wait for the program. */
const FILED = ["methods", "courses"];

/** @param {Promise<typeof import("./local.js")>} program @param {string} path */
async function filed(program, path) {
  const file = FILED.includes(path) ? await fetch(`${path}.json`).catch(() => null) : null;
  return file?.ok ? file.json() : asked(program, path, undefined);
}

/** @param {string} path */
export const get = (path) => (local ? filed(local, path) : request(path, {}));

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @param {() => boolean} [isWanted]
 */
export const post = (path, body, signal, isWanted) =>
  local
    ? asked(local, path, body, signal)
    : request(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      }, isWanted);

/** The messages that follow a search. @typedef {{ started?: (job: Job) => void, steps?: (steps: Step[]) => void, progress?: (progress: Progress) => unknown, omitted?: (expansions: number) => void, report?: (report: Report) => void, problem?: (problem: Problem) => void }} Told */

/** Ends a search: at once, or with a report of what it has found so far. @typedef {(reports?: boolean) => void} End */

/**
 * Starts a search and follows it to its end; the function that comes back ends it before.
 * @param {unknown} task
 * @param {Told} told
 * @returns {End}
 */
export const follow = (task, told) => (local ? followed(local, task, told) : polled(task, told));

/** Passes a message to its listener. @param {Told} told @param {string} name @param {any} document */
function tell(told, name, document) {
  if (name === "started") told.started?.(document);
  else if (name === "steps") told.steps?.(document);
  else if (name === "progress") told.progress?.(document);
  else if (name === "omitted") told.omitted?.(document.expansions);
  else if (name === "report" && document.outcome) told.report?.(document);
  else told.problem?.(new Problem(document));
}

/** @param {Promise<typeof import("./local.js")>} program @param {unknown} task @param {Told} told @returns {End} */
function followed(program, task, told) {
  let ended = false;
  /** @type {End} */
  let end = () => {};
  program.then(({ ask }) => {
    if (!ended) end = ask("jobs", task, (name, document) => !ended && tell(told, name, document));
  });
  return (reports = false) => {
    ended = !reports;
    end(reports);
  };
}

/** The searches of this page that the service runs. @type {Map<string, Told>} */
const running = new Map();
let isAsking = false;

/**
 * Asks for the messages of all searches, as long as there are any. Streams would be simpler, but a browser opens six
 * connections to a host for all of its pages: each of these requests takes a tenth of a second.
 */
async function listen() {
  if (isAsking) return;
  isAsking = true;
  while (running.size > 0) {
    try {
      const messages = await request(`messages?jobs=${[...running.keys()]}`, {});
      for (const [id, list] of Object.entries(messages)) {
        for (const [name, document] of list) {
          const told = running.get(id);
          if (name === "report") running.delete(id);
          if (told) tell(told, name, document);
        }
      }
    } catch (error) {
      const lost = [...running.values()];
      running.clear();
      const problem = error instanceof Problem ? error : new Problem({});
      for (const told of lost) told.problem?.(problem);
    }
  }
  isAsking = false;
}

/**
 * @param {unknown} task
 * @param {Told} told
 * @returns {End}
 */
function polled(task, told) {
  let ended = false;
  let stopped = false;
  /** @type {string | null} */
  let id = null;
  post("jobs", task, undefined, () => !ended).then(
    (/** @type {Job} */ job) => {
      id = job.id;
      if (ended) return cancel(id);
      running.set(id, told);
      tell(told, "started", job);
      listen();
      if (stopped) cancel(id);
    },
    (problem) => !ended && told.problem?.(problem instanceof Problem ? problem : new Problem({})),
  );
  return (reports = false) => {
    if (reports) {
      stopped = true;
      if (id !== null) cancel(id);
      return;
    }
    ended = true;
    if (id !== null && running.delete(id)) cancel(id);
  };
}

/** @param {string} id */
function cancel(id) {
  fetch(`api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}
// Leaving the page ends its searches.
addEventListener("pagehide", () => [...running.keys()].forEach(cancel));
