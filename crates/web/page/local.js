// The program where there is no service: a module that works in the browser.

import { compileFrom, program } from "./program.js";
import { keep, stored } from "./storage.js";

/** @import { End, ProgramWorker, Told } from "./program.js" */

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
/** The panels of a page have one worker together: ten of them would be ten programs. */
const isShared = Boolean(document.documentElement.dataset.embed) && "SharedWorker" in globalThis;

/** A channel to the worker that the panels of a page share. @param {SharedWorker} shared @param {string} module @returns {ProgramWorker} */
function channel(shared, module) {
  const { port1, port2 } = new MessageChannel();
  return {
    postMessage: (message) => shared.port.postMessage({ ...message, module }, [port2]),
    terminate: () => port1.close(),
    set onmessage(/** @type {ProgramWorker["onmessage"]} */ told) { port1.onmessage = told; },
    onerror: null,
  };
}

/** Whether the module with everything is there. */
let isWhole = false;
let arrive = () => {};
/** A module has arrived, or can't be fetched. */
export const arrived = /** @type {Promise<void>} */ (new Promise((resolve) => (arrive = resolve)));

/** @param {string} module */
function begin(module) {
  // The page is drawn and played on before its module is there.
  const compile = async () => {
    const compiled = await compileFrom(module, /** @type {RequestInit} */ ({ priority: "low" })).finally(arrive);
    isWhole ||= module === everything;
    return compiled;
  };
  const address = script("worker.js");
  if (!isShared) return program({ compile, start: () => new Worker(address), stored, keep });
  const shared = new SharedWorker(address, { name: module });
  shared.port.start();
  return program({ compile, start: () => channel(shared, module), stored, keep, shared });
}

/** @type {ReturnType<typeof program> | undefined} */
let wholeProgram;
const whole = () => (wholeProgram ??= begin(everything));
const small = first ? begin(first) : null;
if (!small) whole();

/** Requests that the small module leaves to the other one. */
const LEFT = 501;

/**
 * Asks the program, and where the small module has no answer, the whole one.
 * @param {string} path
 * @param {unknown} body
 * @param {Told} told
 * @returns {End}
 */
export function ask(path, body, told) {
  const tell = (/** @type {string} */ name, /** @type {any} */ document) => {
    told(name, document);
    if (/^(jobs|solve)/.test(path) && /^(answer|report|problem)$/.test(name)) keepPage();
  };
  if (!small || isWhole) return whole()(path, body, tell);
  let end = small(path, body, (name, document) => {
    if (name === "problem" && document.status === LEFT) end = whole()(path, body, tell);
    else tell(name, document);
  });
  return (reports) => end(reports);
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
