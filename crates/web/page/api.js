// Talking to the service.

import { t } from "./language.js";

/** @import { Job, Progress, Report, Step } from "./types.js" */

/** What the service did not grant, with its hint. */
export class Problem extends Error {
  /** @param {{ detail?: string, hint?: string, status?: number }} document */
  constructor(document) {
    super(document.detail ?? "the service does not answer");
    this.hint = document.hint ?? null;
    this.status = document.status ?? 0;
  }

  /** The problem and its remedy, in a line. */
  get text() {
    const detail = this.message.charAt(0).toUpperCase() + this.message.slice(1);
    return this.hint ? t("{detail}. Hint: {hint}", { detail, hint: this.hint }) : `${detail}.`;
  }
}

/** The program itself, where the page has it and no service. */
const local = document.documentElement.dataset.module ? import("./local.js") : null;

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
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

/** @param {string} path */
export const get = (path) => (local ? asked(local, path, undefined) : request(path, {}));

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 */
export const post = (path, body, signal) =>
  local
    ? asked(local, path, body, signal)
    : request(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      });

/** What a search is followed by. @typedef {{ started?: (job: Job) => void, steps?: (steps: Step[]) => void, progress?: (progress: Progress) => void, omitted?: (expansions: number) => void, report?: (report: Report) => void, problem?: (problem: Problem) => void }} Told */

/**
 * Starts a search and follows it to its end; the function that comes back ends it.
 * @param {unknown} task
 * @param {Told} told
 * @returns {() => void}
 */
export const follow = (task, told) => (local ? followed(local, task, told) : streamed(task, told));

/** Tells a message to whom it concerns. @param {Told} told @param {string} name @param {any} document */
function tell(told, name, document) {
  if (name === "started") told.started?.(document);
  else if (name === "steps") told.steps?.(document);
  else if (name === "progress") told.progress?.(document);
  else if (name === "omitted") told.omitted?.(document.expansions);
  else if (name === "report" && document.outcome) told.report?.(document);
  else told.problem?.(new Problem(document));
}

/** @param {Promise<typeof import("./local.js")>} program @param {unknown} task @param {Told} told @returns {() => void} */
function followed(program, task, told) {
  let ended = false;
  let end = () => {};
  program.then(({ ask }) => {
    if (!ended) end = ask("jobs", task, (name, document) => !ended && tell(told, name, document));
  });
  return () => {
    ended = true;
    end();
  };
}

/**
 * @param {unknown} task
 * @param {Told} told
 * @returns {() => void}
 */
function streamed(task, told) {
  let ended = false;
  /** @type {EventSource | null} */
  let source = null;
  /** @type {string | null} */
  let id = null;
  const end = () => {
    ended = true;
    source?.close();
  };
  post("jobs", task).then(
    (/** @type {Job} */ job) => {
      id = job.id;
      if (ended) return cancel(id);
      tell(told, "started", job);
      source = new EventSource(job.events);
      for (const name of ["steps", "progress", "omitted", "report"]) {
        source.addEventListener(name, (event) => {
          if (ended) return;
          if (name === "report") end();
          tell(told, name, JSON.parse(/** @type {MessageEvent} */ (event).data));
        });
      }
      source.onerror = () => {
        if (ended) return;
        end();
        told.problem?.(new Problem({ detail: t("the service broke off"), hint: t("is 'taquin serve' still running?") }));
      };
    },
    (problem) => !ended && told.problem?.(problem instanceof Problem ? problem : new Problem({})),
  );
  return () => {
    if (ended) return;
    end();
    if (id) cancel(id);
  };
}

/** @param {string} id */
function cancel(id) {
  fetch(`api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}
