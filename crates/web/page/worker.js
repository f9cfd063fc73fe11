// A worker with the program as a module: it answers one request after the other, as the service does.

/** The functions of the module. @typedef {{ memory: WebAssembly.Memory, alloc: (length: number) => number, answer: (path: number, pathLength: number, body: number, bodyLength: number) => void }} Program */

/** Tables for the module: the page keeps them. @type {Map<string, Uint8Array>} */
const tables = new Map();
const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** @type {Promise<Program> | null} */
let program = null;
/** The address that exists as long as the answer is wanted; empty where that can't be seen. */
let wanted = "";

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

/** @param {WebAssembly.Module} module */
async function start(module) {
  /** @type {Program} */
  let started;
  const text = (/** @type {number} */ at, /** @type {number} */ length) => decoder.decode(new Uint8Array(started.memory.buffer, at, length));
  const host = {
    now: () => performance.timeOrigin + performance.now(),
    tell: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ document, /** @type {number} */ length) => {
      const told = text(name, nameLength);
      postMessage([told, text(document, length)]);
      return told === "progress" && wanted && !exists(wanted) ? 1 : 0;
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
    keep: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ bytes, /** @type {number} */ length) => postMessage(["table", text(name, nameLength), new Uint8Array(started.memory.buffer, bytes, length).slice()]),
  };
  const instance = await WebAssembly.instantiate(module, { host });
  started = /** @type {Program} */ (/** @type {unknown} */ (instance.exports));
  return started;
}

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    program = start(data);
    return;
  }
  wanted = data.path === "jobs" && exists(data.wanted) ? data.wanted : "";
  for (const { name, bytes } of data.tables) tables.set(name, bytes);
  const { memory, alloc, answer } = await /** @type {Promise<Program>} */ (program);
  /** @param {string} text @returns {[number, number]} */
  const put = (text) => {
    const bytes = encoder.encode(text);
    const at = alloc(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    return [at, bytes.length];
  };
  try {
    const [path, body] = [put(data.path), put(data.body)];
    answer(...path, ...body);
    // Memory that a search has taken is given back with its worker.
    postMessage(["done", memory.buffer.byteLength > 64 << 20]);
  } catch (error) {
    postMessage(["problem", JSON.stringify({ status: 500, detail: `the search broke down: ${error instanceof Error ? error.message : error}`, hint: "the browser may have too little memory; 'taquin solve' has all of the machine's" })]);
    postMessage(["done", true]);
  }
};
