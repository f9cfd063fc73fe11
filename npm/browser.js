// The package in browsers.

import { keep, stored } from "./storage.js";
import { client } from "./client.js";

async function compile() {
  const response = await fetch(new URL("./taquin.wasm", import.meta.url));
  if (!response.ok) throw new Error(`taquin.wasm can't be fetched: ${response.status}`);
  // Not every host says what kind of file it is.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

function start() {
  // Tools that bundle a page look for these very words.
  const own = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const address = new URL("./worker.js", import.meta.url);
  if (address.origin === location.origin) return own();
  // A script of another host may not be started, but it may be imported.
  const script = new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script), { type: "module" });
}

export const { solve, hint, trace, check, verify, scramble, scrambles, parse, format, estimates, enumerate, methods, courses, instances, instanceSets } = client({ compile, start, stored, keep });
export { TaquinError, BoardError, MethodError, CourseError, OptionError } from "./client.js";
