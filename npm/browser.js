// The package in browsers.

import { client } from "./client.js";
import { compileFrom } from "./program.js";
import { keep, stored } from "./storage.js";

function start() {
  // Tools that bundle a page look for these very words.
  const own = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const address = new URL("./worker.js", import.meta.url);
  if (address.origin === location.origin) return own();
  // A script of another host may not be started, but it may be imported.
  const script = new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script), { type: "module" });
}

export const { solve, hint, trace, check, verify, scramble, scrambles, parse, format, estimates, enumerate, methods, courses, instances, instanceSets } = client({ compile: () => compileFrom(new URL("./taquin.wasm", import.meta.url)), start, stored, keep });
export { TaquinError, BoardError, MethodError, CourseError, OptionError } from "./client.js";
