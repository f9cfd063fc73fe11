// A worker with the program as a module: it answers one request after the other, as the service does.

/** The functions of the module. @typedef {{ memory: WebAssembly.Memory, alloc: (length: number) => number, answer: (path: number, pathLength: number, body: number, bodyLength: number) => void }} Program */

/** Tables for the module: the page keeps them. @type {Map<string, Uint8Array>} */
const tables = new Map();
const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** @type {Promise<Program> | null} */
let program = null;
/** The address that exists as long as the answer is wanted, or memory that is 0 until then; empty where that can't be seen. @type {string | Int32Array} */
let wanted = "";
/** Sends a message to the page that asked. @type {(message: unknown[]) => void} */
let send = (message) => postMessage(message);

/** Whether an address of the page's exists. @param {string} address */
function exists(address) {
  const request = new XMLHttpRequest();
  try {
    request.open("GET", address, false);
    request.send();
    return true;
  } catch {
    return false;
  }
}

/** Whether the search is to end, and to report what it has found. */
const isEnough = () => (typeof wanted === "string" ? wanted !== "" && !exists(wanted) : Atomics.load(wanted, 0) !== 0);

/** @param {WebAssembly.Module} module */
async function start(module) {
  /** @type {Program} */
  let started;
  const text = (/** @type {number} */ at, /** @type {number} */ length) => decoder.decode(new Uint8Array(started.memory.buffer, at, length));
  const host = {
    now: () => performance.timeOrigin + performance.now(),
    tell: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ document, /** @type {number} */ length) => {
      const told = text(name, nameLength);
      send([told, text(document, length)]);
      return told === "progress" && isEnough() ? 1 : 0;
    },
    load: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ length) => {
      const bytes = tables.get(text(name, nameLength));
      if (!bytes) return 0;
      const at = started.alloc(bytes.length);
      new Uint8Array(started.memory.buffer, at, bytes.length).set(bytes);
      new DataView(started.memory.buffer).setUint32(length, bytes.length, true);
      // The module has it now.
      tables.delete(text(name, nameLength));
      return at;
    },
    keep: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ bytes, /** @type {number} */ length) => send(["table", text(name, nameLength), new Uint8Array(started.memory.buffer, bytes, length).slice()]),
  };
  const instance = await WebAssembly.instantiate(module, { host });
  started = /** @type {Program} */ (/** @type {unknown} */ (instance.exports));
  return started;
}

/** The module, where this worker fetches it: a worker that pages share receives none. @type {Promise<WebAssembly.Module> | null} */
let compiled = null;

/** @param {string} address */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the module can't be fetched: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Answers a request.
 * @param {{ path: string, body: string, wanted: string | Int32Array, tables: { name: string, bytes: Uint8Array }[] }} request
 * @param {(message: unknown[]) => void} reply
 * @param {boolean} isShared whether others wait for this worker
 */
async function work({ path, body, wanted: address, tables: given }, reply, isShared) {
  let isLarge = true;
  try {
    const { memory, alloc, answer } = await /** @type {Promise<Program>} */ (program);
    // Nothing else runs from here to the end.
    send = reply;
    const isText = typeof address === "string";
    if (isShared && isText && !exists(address)) return reply(["done", false]);
    wanted = path === "jobs" && (!isText || exists(address)) ? address : "";
    for (const { name, bytes } of given) tables.set(name, bytes);
    /** @param {string} text @returns {[number, number]} */
    const put = (text) => {
      const bytes = encoder.encode(text);
      const at = alloc(bytes.length);
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      return [at, bytes.length];
    };
    const [name, document] = [put(path), put(body)];
    answer(...name, ...document);
    isLarge = memory.buffer.byteLength > 64 << 20;
    // Memory that a search has taken is given back with its worker.
    reply(["done", isLarge]);
  } catch (error) {
    reply(["problem", JSON.stringify({ status: 500, detail: `the search broke down: ${error instanceof Error ? error.message : error}`, hint: "the browser may have too little memory; 'taquin solve' has all of the machine's" })]);
    reply(["done", true]);
  }
  // A shared worker stays, and begins anew.
  if (isShared && isLarge) program = null;
}

onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) program = start(data);
  else work(data, send, false);
};

/** A page has connected. @param {MessageEvent} event */
const connect = ({ ports: [page] }) => {
  if (page) page.onmessage = ({ data, ports: [port] }) => {
    compiled ??= fetched(data.module);
    program ??= compiled.then(start);
    if (port) work(data, (message) => port.postMessage(message), true);
  };
};
addEventListener("connect", (event) => connect(/** @type {MessageEvent} */ (event)));
