// Talking to the program where there is no service: it is a module, and works in the browser.

import { keep, stored } from "./storage.js";

/** A request that is being answered: what it is told, in order. @typedef {(name: string, document: any) => void} Told */

/** A script that the page may start. @param {"worker.js" | "sw.js"} name @returns {string} */
const script = (() => {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  const own = (/** @type {string} */ name) => {
    if (name !== "worker.js" && name !== "sw.js") throw new TypeError(name);
    return name;
  };
  const policy = types?.createPolicy("taquin", { createScriptURL: own });
  return (/** @type {string} */ name) => (policy ? policy.createScriptURL(name) : own(name));
})();

/** @returns {Promise<WebAssembly.Module>} */
async function compile() {
  const response = await fetch(document.documentElement.dataset.module ?? "taquin.wasm");
  if (!response.ok) throw new Error(`the module can't be fetched: ${response.status}`);
  // Not every host says what kind of file it is.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

const compiled = compile();
/** Workers that wait for a request. @type {Worker[]} */
const idle = [];
/** The number of idle workers that are kept. */
const KEPT = 2;
/** The tables that workers have. @type {WeakMap<Worker, Set<string>>} */
const known = new WeakMap();
/** Requests that may need tables. */
const SEARCHES = /^(jobs|solve|explain|narrate|heuristic)\b/;

/** The tables that a worker does not have yet. @param {Worker} worker @param {Awaited<ReturnType<typeof stored>>} tables */
function unknown(worker, tables) {
  const has = known.get(worker) ?? new Set();
  known.set(worker, has);
  return [...tables.values()].filter(({ name }) => !has.has(name) && has.add(name));
}

async function worker() {
  const waiting = idle.pop();
  if (waiting) return waiting;
  const module = await compiled;
  const started = new Worker(script("worker.js"));
  started.postMessage(module);
  return started;
}

// The first request finds a worker that is ready.
worker().then((first) => idle.push(first), () => {});

/**
 * Asks the program; the function that comes back ends it: at once, or with a report of what it has found so far.
 * @param {string} path
 * @param {unknown} body
 * @param {Told} told
 * @returns {import("./api.js").End}
 */
export function ask(path, body, told) {
  let ended = false;
  // A worker that searches receives no message, but it can see whether this address still exists.
  const wanted = URL.createObjectURL(new Blob([]));
  /** @type {Worker | null} */
  let own = null;
  const finish = () => {
    ended = true;
    URL.revokeObjectURL(wanted);
  };
  const fail = (/** @type {unknown} */ error) => {
    if (ended) return;
    finish();
    own?.terminate();
    told("problem", { detail: `the program broke down: ${error instanceof Error ? error.message : error}`, hint: "reload the page" });
  };
  Promise.all([worker(), SEARCHES.test(path) ? stored() : null]).then(([found, tables]) => {
    own = found;
    if (ended) {
      idle.push(found);
      return;
    }
    found.onerror = (event) => fail(event.message);
    found.onmessage = ({ data: [name, document, bytes] }) => {
      if (name === "table") {
        known.get(found)?.add(document);
        return keep(document, bytes);
      }
      if (ended) return;
      if (name !== "done") return told(name, JSON.parse(document));
      finish();
      found.onmessage = found.onerror = null;
      if (document || idle.length >= KEPT) found.terminate();
      else idle.push(found);
    };
    found.postMessage({ path, wanted, body: body === undefined ? "" : JSON.stringify(body), tables: tables ? unknown(found, tables) : [] });
  }, fail);
  return (reports = false) => {
    if (ended) return;
    if (reports) return URL.revokeObjectURL(wanted);
    finish();
    own?.terminate();
  };
}

/** After the first visit the page opens without a network. */
if (isSecureContext && "serviceWorker" in navigator) navigator.serviceWorker.register(script("sw.js")).catch(() => {});
