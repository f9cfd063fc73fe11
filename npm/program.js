// The program as a module in workers: any number of requests at a time, each in a worker of its own.

/** The messages for a request, in order. @typedef {(name: string, document: any) => void} Told */
/** Ends a request: at once, or with a report of what it has found so far. @typedef {(reports?: boolean) => void} End */
/** A table as it is kept. @typedef {{ name: string, bytes: Uint8Array<ArrayBuffer> }} Kept */

/**
 * A worker of a browser, or what looks like one. Elsewhere an idle worker would keep the program running, so it is
 * released until the next request.
 * @typedef {{
 *   postMessage: (message: any) => void,
 *   terminate: () => unknown,
 *   onmessage: ((event: MessageEvent) => void) | null,
 *   onerror: ((event: ErrorEvent) => void) | null,
 *   ref?: () => void,
 *   unref?: () => void,
 * }} ProgramWorker
 */

/**
 * Where the program runs.
 * @typedef {object} Host
 * @property {() => Promise<WebAssembly.Module>} compile compiles the module
 * @property {() => ProgramWorker} start starts worker.js
 * @property {() => Promise<ReadonlyMap<string, Kept>>} stored the tables of earlier searches
 * @property {(name: string, bytes: Uint8Array<ArrayBuffer>) => unknown} keep stores a table
 */

/** The number of idle workers that are kept. */
const KEPT = 2;
/** Requests that may need tables. */
const SEARCHES = /^(jobs|solve|verify|explain|narrate|heuristic)\b/;

/**
 * Lets a running search know that its report is wanted at once. It receives no message, but it can look at shared
 * memory. Where there is none, as in most pages, it can see whether an address still exists.
 */
function flag() {
  if (typeof SharedArrayBuffer === "function") {
    const wanted = new Int32Array(new SharedArrayBuffer(4));
    return { wanted, raise: () => void Atomics.store(wanted, 0, 1) };
  }
  const wanted = URL.createObjectURL(new Blob([]));
  return { wanted, raise: () => URL.revokeObjectURL(wanted) };
}

/** @param {Host} host */
export function program({ compile, start, stored, keep }) {
  const compiled = compile();
  /** Workers that wait for a request. @type {ProgramWorker[]} */
  const idle = [];
  /** The tables that workers have. @type {WeakMap<ProgramWorker, Set<string>>} */
  const known = new WeakMap();

  /** The tables that a worker does not have yet. @param {ProgramWorker} worker @param {ReadonlyMap<string, Kept>} tables */
  function unknown(worker, tables) {
    const has = known.get(worker) ?? new Set();
    known.set(worker, has);
    return [...tables.values()].filter(({ name }) => !has.has(name) && has.add(name));
  }

  async function worker() {
    const waiting = idle.pop();
    if (waiting) return waiting;
    const module = await compiled;
    const started = start();
    started.postMessage(module);
    return started;
  }

  /** @param {ProgramWorker} free */
  function release(free) {
    free.unref?.();
    idle.push(free);
  }

  // The first request finds a worker that is ready.
  worker().then(release, () => {});

  /**
   * Asks the program; the function that comes back ends it: at once, or with a report of what it has found so far.
   * @param {string} path
   * @param {unknown} body
   * @param {Told} told
   * @returns {End}
   */
  function ask(path, body, told) {
    let ended = false;
    const { wanted, raise } = flag();
    /** @type {ProgramWorker | null} */
    let own = null;
    const finish = () => {
      ended = true;
      raise();
    };
    const fail = (/** @type {unknown} */ error) => {
      if (ended) return;
      finish();
      own?.terminate();
      told("problem", { detail: `the program broke down: ${error instanceof Error ? error.message : error}`, hint: "there may be too little memory" });
    };
    Promise.all([worker(), SEARCHES.test(path) ? stored() : null]).then(([found, tables]) => {
      if (ended) return release(found);
      own = found;
      found.ref?.();
      found.onerror = (event) => fail(event.message);
      found.onmessage = ({ data: [name, document, bytes] }) => {
        if (name === "table") {
          known.get(found)?.add(document);
          return void keep(document, bytes);
        }
        if (ended) return;
        if (name !== "done") return told(name, JSON.parse(document));
        finish();
        found.onmessage = found.onerror = null;
        if (document || idle.length >= KEPT) found.terminate();
        else release(found);
      };
      found.postMessage({ path, wanted, body: body === undefined ? "" : JSON.stringify(body), tables: tables ? unknown(found, tables) : [] });
    }, fail);
    return (reports = false) => {
      if (ended) return;
      if (reports) return raise();
      finish();
      own?.terminate();
    };
  }

  return { ask, compiled };
}
