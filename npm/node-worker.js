// worker.js in a thread of Node, which has no globals of a browser's worker.

import { parentPort } from "node:worker_threads";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
/** @type {any} */ (globalThis).onmessage = null;
globalThis.postMessage = (/** @type {unknown} */ message) => port.postMessage(message);
// Only shared workers of browsers have connections.
/** @type {any} */ (globalThis).addEventListener = () => {};
// The script has no export: it sets `onmessage`, to which messages that have come meanwhile are passed.
const ready = import(new URL("./worker.js", import.meta.url).href);
port.on("message", async (data) => {
  await ready;
  /** @type {any} */ (globalThis).onmessage({ data });
});
