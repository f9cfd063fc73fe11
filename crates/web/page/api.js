// Talking to the service.

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
    return this.hint ? `${detail}. Hint: ${this.hint}` : `${detail}.`;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options) {
  let response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem({ detail: "the service does not answer", hint: "is 'taquin serve' still running?" });
  }
  if (response.status === 204) return null;
  const document = await response.json();
  if (!response.ok) throw new Problem(document);
  return document;
}

/** @param {string} path */
export const get = (path) => request(path, {});

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 */
export const post = (path, body, signal) =>
  request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });

/**
 * Starts a search and follows it to its end; the function that comes back ends it.
 * @param {unknown} task
 * @param {{ started?: (job: Job) => void, steps?: (steps: Step[]) => void, progress?: (progress: Progress) => void, omitted?: (expansions: number) => void, report?: (report: Report) => void, problem?: (problem: Problem) => void }} told
 * @returns {() => void}
 */
export function follow(task, told) {
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
      told.started?.(job);
      source = new EventSource(job.events);
      const on = (/** @type {string} */ name, /** @type {(data: any) => void} */ act) =>
        source?.addEventListener(name, (event) => !ended && act(JSON.parse(/** @type {MessageEvent} */ (event).data)));
      on("steps", (steps) => told.steps?.(steps));
      on("progress", (progress) => told.progress?.(progress));
      on("omitted", (omitted) => told.omitted?.(omitted.expansions));
      on("report", (report) => {
        end();
        if (report.outcome) told.report?.(report);
        else told.problem?.(new Problem(report));
      });
      source.onerror = () => {
        if (ended) return;
        end();
        told.problem?.(new Problem({ detail: "the service broke off", hint: "is 'taquin serve' still running?" }));
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
  fetch(`/api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}
