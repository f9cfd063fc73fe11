// The parts of the page that need no browser.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { average, checked, clock, exported, imported, merged, statistics } from "../page/game.js";
import { LANGUAGES } from "../page/language.js";
import { frames, reversed, written } from "../page/moves.js";
import { page, scripts } from "./keys.mjs";

const game = (seconds, more = {}) => ({ at: new Date(1e12 + statistics.length + (seconds ?? 0) * 1000).toISOString(), rows: 2, cols: 2, start: [1, 2, 0, 3], goal: [1, 2, 3, 0], draw: "uniform", seconds, made: seconds === null ? "" : "R", moves: seconds === null ? 0 : 1, aided: false, ...more });

test("an average drops the best and the worst; a game given up is the worst, and two are no average", () => {
  assert.equal(average([10, 20, 30, 40, 50]), 30);
  assert.equal(average([10, 20, 30, 40, null]), 30);
  assert.equal(average([10, 20, 30, null, null]), null);
  assert.equal(average([12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), 6.5);
  // Times are cut to hundredths, and averages of them rounded, as taquin play has it (statistics.rs).
  assert.equal(average([10.019, 10.029, 10.029, 1, 99]), 10.02);
  assert.equal(average([10.019, 10.019, 10.029, 1, 99]), 10.01);
});

test("statistics leave out what was played with help", () => {
  const all = statistics([game(9), game(1, { aided: true }), game(5), game(null), game(7), game(6), game(8)]);
  assert.deepEqual([all.played, all.solved, all.seconds.best, all.seconds.mean], [6, 5, 5, 7]);
  // 9 5 - 7 6: 9, 7 and 6; 5 - 7 6 8: 7, 6 and 8.
  assert.deepEqual(all.seconds.five, { now: 7, best: 7 });
  assert.deepEqual(all.seconds.twelve, { now: undefined, best: null });
});

test("a game is what it says, or none", () => {
  const good = game(3);
  assert.deepEqual(imported(exported([good])), { games: [good], damaged: 0 });
  for (const bad of [null, 3, {}, { ...good, made: "U" }, { ...good, made: "L" }, { ...good, start: [1, 1, 0, 2] }, { ...good, rows: 1e9 }, { ...good, seconds: "3" }, { ...good, seconds: -1 }, { ...good, at: "soon" }, { ...good, draw: "__proto__" }]) assert.equal(checked(bad), null, JSON.stringify(bad));
  assert.equal(checked({ ...good, needed: 7 })?.needed, undefined);
  assert.throws(() => imported("[]"));
  assert.equal(merged([good], [good, game(4)]).length, 2);
});

test("the clock of a stopwatch", () => {
  assert.deepEqual([0, 9.999, 59.994, 60, 62.34, 3600, 3725.5].map(clock), ["0.00", "9.99", "59.99", "1:00.00", "1:02.34", "1:00:00.00", "1:02:05.50"]);
  assert.equal(clock(null), "DNF");
});

test("moves lead forth and back", () => {
  const start = [1, 2, 3, 4, 0, 6, 7, 5, 8];
  assert.deepEqual(frames(start, 3, "DR")?.at(-1), { board: [1, 2, 3, 4, 5, 6, 7, 8, 0], tile: 8 });
  assert.equal(frames(start, 3, "RR"), null);
  assert.deepEqual(frames([1, 2, 3, 4, 5, 6, 7, 8, 0], 3, reversed("DR"))?.at(-1)?.board, start);
  assert.equal(written([[7, 4], [8, 7]], [1, 2, 3, 4, 5, 6, 7, 8, 0], 3), "DR");
  // With several blanks the tile is named.
  assert.equal(written([[1, 0]], [2, 0, 1, 0], 2), "R2 ");
  assert.deepEqual(frames([0, 2, 1, 0], 2, "R2 ")?.at(-1)?.board, [2, 0, 1, 0]);
});

test("every word of the page is in every language, and no other", async () => {
  const { keys, loose } = scripts();
  // Where the page is opened from a folder, its other languages can't be loaded.
  assert.deepEqual(loose.filter((place) => !/^(language|theme)\.js/.test(place)), [], "a text that is shown goes through t()");
  const all = new Set([...keys, ...page()]);
  assert.ok(all.size > 500, `${all.size}`);
  const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort();
  for (const name of Object.keys(LANGUAGES).filter((one) => one !== "en")) {
    const { default: words } = await import(`../page/words.${name}.js`);
    assert.deepEqual([...all].filter((key) => !Object.hasOwn(words, key)), [], `${name}: missing`);
    assert.deepEqual(Object.keys(words).filter((key) => !all.has(key)), [], `${name}: not used`);
    for (const [key, text] of Object.entries(words)) assert.deepEqual(values(text), values(key), `${name}: ${key}`);
  }
});

test("every module is fetched with the page, not when another one asks for it", () => {
  const folder = new URL("../page/", import.meta.url);
  const wanted = readdirSync(folder).filter((name) => name.endsWith(".js") && !/^(words\.\w+|app|theme|local|storage|worker|sw|types)\.js$/.test(name));
  const loaded = [...readFileSync(new URL("index.html", folder), "utf8").matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(loaded, wanted.sort());
});
