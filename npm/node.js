// The package in Node.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { client } from "./client.js";

const compile = async () => WebAssembly.compile(await readFile(new URL("./taquin.wasm", import.meta.url)));

/** A thread that looks like a worker of a browser. */
class Thread extends Worker {
  /** @type {((event: any) => void) | null} */
  onmessage = null;
  /** @type {((event: any) => void) | null} */
  onerror = null;

  constructor() {
    // Flags of the process, such as --input-type, may not suit a thread.
    super(new URL("./node-worker.js", import.meta.url), { execArgv: [] });
    this.on("message", (data) => this.onmessage?.({ data }));
    this.on("error", (error) => this.onerror?.({ message: error instanceof Error ? error.message : String(error) }));
  }
}

/** Tables are kept as long as the process runs. @type {Map<string, import("./program.js").Kept>} */
const tables = new Map();

export const { solve, hint, trace, check, verify, scramble, scrambles, parse, format, estimates, enumerate, methods, courses, instances, instanceSets } = client({
  compile,
  start: () => new Thread(),
  stored: async () => tables,
  keep: (name, bytes) => tables.set(name, { name, bytes }),
});
export { TaquinError, BoardError, MethodError, CourseError, OptionError } from "./client.js";
