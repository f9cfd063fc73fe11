// The program as a module in workers: any number of requests at a time, each in a worker of its own. The page and the
// package for JavaScript share this script.

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
 * @property {object} [shared] the worker that `start` returns a channel to; it compiles the module itself
 * @property {() => Promise<ReadonlyMap<string, Kept>>} stored the tables of earlier searches
 * @property {(name: string, bytes: Uint8Array<ArrayBuffer>) => unknown} keep stores a table
 */

/** The number of idle workers that are kept. */
const KEPT = 2;
/** Requests that may need tables. */
const SEARCHES = /^(jobs|solve|verify|explain|narrate|heuristic)\b/;

/** Fetches and compiles a module. @param {string | URL} address @param {RequestInit} [options] */
export async function compileFrom(address, options) {
  const response = await fetch(address, options);
  if (!response.ok) throw new Error(`the module can't be fetched: ${response.status}`);
  // Not every host says what kind of file it is.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Lets a running search know that its report is wanted at once. It receives no message, but it can look at shared
 * memory. Where there is none, as in most pages, it can see whether an address still exists.
 * @param {boolean} hasMemory whether memory can be shared with the worker
 */
function flag(hasMemory) {
  if (hasMemory && typeof SharedArrayBuffer === "function") {
    const wanted = new Int32Array(new SharedArrayBuffer(4));
    return { wanted, raise: () => void Atomics.store(wanted, 0, 1) };
  }
  const wanted = URL.createObjectURL(new Blob([]));
  return { wanted, raise: () => URL.revokeObjectURL(wanted) };
}

/** @param {Host} host */
export function program({ compile, start, stored, keep, shared }) {
  /** @type {Promise<WebAssembly.Module> | null} */
  let compiled = null;
  /** Workers that wait for a request. @type {ProgramWorker[]} */
  const idle = [];
  /** The tables that workers have. @type {WeakMap<object, Set<string>>} */
  const known = new WeakMap();

  /** The tables that a worker has. @param {ProgramWorker} worker */
  function tablesOf(worker) {
    const has = known.get(shared ?? worker) ?? new Set();
    known.set(shared ?? worker, has);
    return has;
  }

  async function worker() {
    const waiting = idle.pop();
    if (waiting) return waiting;
    // The worker starts while its module is fetched.
    const started = start();
    if (shared) return started;
    try {
      started.postMessage(await (compiled ??= compile()));
    } catch (error) {
      // The next request tries again.
      compiled = null;
      started.terminate();
      throw error;
    }
    return started;
  }

  /** Keeps a worker for the next request, unless enough are kept. @param {ProgramWorker} free */
  function release(free) {
    if (shared || idle.length >= KEPT) return void free.terminate();
    free.unref?.();
    idle.push(free);
  }

  // The first request finds a worker that is ready.
  if (!shared) worker().then(release, () => {});

  /**
   * Asks the program; the function that comes back ends it: at once, or with a report of what it has found so far.
   * @param {string} path
   * @param {unknown} body
   * @param {Told} told
   * @returns {End}
   */
  return function ask(path, body, told) {
    let ended = false;
    const { wanted, raise } = flag(!shared);
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
      told("problem", { detail: `the program broke down: ${error instanceof Error ? error.message : error}`, hint: "try again; there may be too little memory" });
    };
    Promise.all([worker(), SEARCHES.test(path) ? stored() : null]).then(([found, tables]) => {
      if (ended) return release(found);
      own = found;
      found.ref?.();
      const has = tablesOf(found);
      found.onerror = (event) => fail(event.message);
      found.onmessage = ({ data: [name, document, bytes] }) => {
        if (name === "table") {
          has.add(document);
          return void keep(document, bytes);
        }
        if (ended) return;
        if (name !== "done") return told(name, JSON.parse(document));
        finish();
        found.onmessage = found.onerror = null;
        if (document) found.terminate();
        else release(found);
      };
      const given = [...(tables?.values() ?? [])].filter(({ name }) => !has.has(name) && has.add(name));
      found.postMessage({ path, wanted, body: body === undefined ? "" : JSON.stringify(body), tables: given });
    }, fail);
    return (reports = false) => {
      if (ended) return;
      if (reports) return raise();
      finish();
      own?.terminate();
    };
  };
}
