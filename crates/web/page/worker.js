// A worker with the program as a module: it answers one request after the other, as the service does.

/** The functions of the module. @typedef {{ memory: WebAssembly.Memory, alloc: (length: number) => number, answer: (path: number, pathLength: number, body: number, bodyLength: number) => void }} Program */

const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** @type {Promise<Program> | null} */
let program = null;

/** @param {WebAssembly.Module} module */
async function start(module) {
  /** @type {Program} */
  let started;
  const text = (/** @type {number} */ at, /** @type {number} */ length) => decoder.decode(new Uint8Array(started.memory.buffer, at, length));
  const host = {
    now: () => performance.timeOrigin + performance.now(),
    tell: (/** @type {number} */ name, /** @type {number} */ nameLength, /** @type {number} */ document, /** @type {number} */ length) => postMessage([text(name, nameLength), text(document, length)]),
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
