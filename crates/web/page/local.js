// Talking to the program where there is no service: it is a module, and works in the browser.

import { keep, stored } from "./storage.js";

/** The messages for a request, in order. @typedef {(name: string, document: any) => void} Told */

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

/** The module with everything, and a small one that has most answers and is there sooner, if the page has one. */
const { module: everything = "taquin.wasm", first } = document.documentElement.dataset;

/** @param {string} name @returns {Promise<WebAssembly.Module>} */
async function compile(name) {
  // The page is drawn and played on before its module is there.
  const response = await fetch(name, /** @type {RequestInit} */ ({ priority: "low" }));
  if (!response.ok) throw new Error(`the module can't be fetched: ${response.status}`);
  // Not every host says what kind of file it is.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** The panels of a page have one worker together: ten of them would be ten programs. */
const isShared = Boolean(document.documentElement.dataset.embed) && "SharedWorker" in globalThis;
/** The modules that were asked for. @type {Map<string, Promise<WebAssembly.Module>>} */
const modules = new Map();
/** The modules that are there. @type {Set<string>} */
const ready = new Set();

/** @param {string} name */
function compiled(name) {
  const known = modules.get(name);
  if (known) return known;
  const begun = compile(name);
  modules.set(name, begun);
  begun.then(() => ready.add(name), () => modules.delete(name));
  return begun;
}

/** The host that answers requests: a worker, or the end of a channel to a shared one. @typedef {Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">} Answerer */

/** @type {Map<string, SharedWorker>} */
const sharing = new Map();

/** A channel to the worker that the panels of a page share. @param {string} module @returns {Answerer} */
function channel(module) {
  const shared = sharing.get(module) ?? new SharedWorker(/** @type {string} */ (script("worker.js")), { name: module });
  sharing.set(module, shared);
  shared.port.start();
  const { port1, port2 } = new MessageChannel();
  return {
    postMessage: (/** @type {any} */ message) => shared.port.postMessage({ ...message, module }, [port2]),
    terminate: () => port1.close(),
    set onmessage(/** @type {any} */ told) { port1.onmessage = told; },
    onerror: null,
  };
}

/** Workers that wait for a request, by their modules. @type {Map<string, Answerer[]>} */
const idle = new Map();
/** The number of idle workers that are kept. */
const KEPT = 2;
/** The tables that workers have. @type {WeakMap<object, Set<string>>} */
const known = new WeakMap();
/** Requests that may need tables. */
const SEARCHES = /^(jobs|solve|explain|narrate|heuristic)\b/;

/** The tables that a worker does not have yet. @param {object} worker @param {Awaited<ReturnType<typeof stored>>} tables */
function unknown(worker, tables) {
  const has = known.get(worker) ?? new Set();
  known.set(worker, has);
  return [...tables.values()].filter(({ name }) => !has.has(name) && has.add(name));
}

/** @param {string} module @returns {Promise<Answerer>} */
async function worker(module) {
  if (isShared) return channel(module);
  const waiting = idle.get(module)?.pop();
  if (waiting) return waiting;
  const program = await compiled(module);
  const started = new Worker(script("worker.js"));
  started.postMessage(program);
  return started;
}

/** Keeps a worker for the next request, unless enough are kept. @param {string} module @param {Answerer} found */
function rest(module, found) {
  const list = idle.get(module) ?? [];
  idle.set(module, list);
  // The small module has had its time.
  if (isShared || list.length >= KEPT || (module === first && ready.has(everything))) found.terminate();
  else list.push(found);
}

// The first request finds a worker that is ready.
if (!isShared) worker(first ?? everything).then((found) => rest(first ?? everything, found), () => {});

/** Requests that the small module leaves to the other one. */
const LEFT = 501;

/**
 * Asks the program, and where the small module has no answer, the whole one.
 * @param {string} path
 * @param {unknown} body
 * @param {Told} told
 * @returns {import("./api.js").End}
 */
export function ask(path, body, told) {
  if (!first || ready.has(everything)) return answered(everything, path, body, told);
  let end = answered(first, path, body, (name, document) => {
    if (name === "problem" && document.status === LEFT) end = answered(everything, path, body, told);
    else told(name, document);
  });
  return (reports) => end(reports);
}

/**
 * Asks a module; the function that comes back ends it: at once, or with a report of what it has found so far.
 * @param {string} module
 * @param {string} path
 * @param {unknown} body
 * @param {Told} told
 * @returns {import("./api.js").End}
 */
function answered(module, path, body, told) {
  let ended = false;
  // A worker that searches receives no message, but it can see whether this address still exists.
  const wanted = URL.createObjectURL(new Blob([]));
  /** @type {Answerer | null} */
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
  Promise.all([worker(module), SEARCHES.test(path) ? stored() : null]).then(([found, tables]) => {
    own = found;
    if (ended) return rest(module, found);
    found.onerror = (event) => fail(event.message);
    found.onmessage = ({ data: [name, document, bytes] }) => {
      if (name === "table") {
        known.get(sharing.get(module) ?? found)?.add(document);
        return keep(document, bytes);
      }
      if (ended) return;
      if (name !== "done") return told(name, JSON.parse(document));
      finish();
      found.onmessage = found.onerror = null;
      if (/^(jobs|solve)/.test(path)) keepPage();
      if (document) found.terminate();
      else rest(module, found);
    };
    found.postMessage({ path, wanted, body: body === undefined ? "" : JSON.stringify(body), tables: tables ? unknown(sharing.get(module) ?? found, tables) : [] });
  }, fail);
  return (reports = false) => {
    if (ended) return;
    if (reports) return URL.revokeObjectURL(wanted);
    finish();
    own?.terminate();
  };
}

/** If nothing is searched, the files of the page are kept this long after it opened, in milliseconds. */
const LEISURE = 20_000;
let isKept = !isSecureContext || !("serviceWorker" in navigator) || isShared;

/** After the first visit the page opens without a network. The first answer has the line to itself. */
function keepPage() {
  if (isKept) return;
  isKept = true;
  navigator.serviceWorker.register(script("sw.js")).catch(() => {});
}
setTimeout(keepPage, LEISURE);
