// The parts of the page that need no browser.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { average, checked, clock, exported, imported, merged, statistics } from "../page/game.js";
import { LANGUAGES } from "../page/language.js";
import { LONGEST, LessonError, checkBoard, figure, fileText, least, optimal, readLesson, subject, unpacked } from "../page/lesson.js";
import { readLink } from "../page/link.js";
import { frames, reversed, written } from "../page/moves.js";
import { spread, verdict } from "../page/verdict.js";
import { outcome, reason } from "../page/whole.js";
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

const report = (more = {}, counts = {}) => ({ outcome: "solved", reason: null, method: "m", cost: 14, depth: 14, lower_bound: 14, optimal: true, seconds: 1, counts: { expanded: 9, stored_peak: 9, dropped_cheaper: 0, ...counts }, ...more });

test("a3 a search that dropped cheaper paths has not looked at everything within its depth", () => {
  const stopped = { outcome: "stopped", reason: "depth", cost: null, depth: null, optimal: false };
  assert.equal(reason(report(stopped)), "everything within the depth was looked at");
  assert.equal(outcome(report(stopped, { dropped_cheaper: 48 })), "Stopped: 48 cheaper paths were dropped at the limit on depth, so solutions may have been missed.");
  assert.match(reason(report(stopped, { dropped_cheaper: 1 })), /^1 cheaper path was dropped/);
});

test("a4 where moves cost more than one, the cost is cheapest, and no number of moves is optimal", () => {
  assert.equal(outcome(report()), "14 moves, optimal");
  assert.equal(outcome(report({ optimal: false })), "14 moves, not proven optimal");
  assert.equal(outcome(report({ cost: 71, depth: 18 })), "cost 71 (18 moves), cheapest");
  assert.equal(outcome(report({ cost: 80, depth: 14, optimal: false })), "cost 80 (14 moves), not proven cheapest");
  assert.match(verdict([{ name: "A", report: report({ cost: 71, depth: 18 }) }], false), /All that finished found cost 71 \(18 moves\)\./);
});

test("b9 searches that end within a millisecond are equally fast", () => {
  const lanes = (...seconds) => seconds.map((one, at) => ({ name: "ABC"[at], report: report({ seconds: one }) }));
  assert.match(verdict(lanes(0.0003, 0.0004), false), /^Equally fast, within a millisecond: A and B\./);
  assert.match(verdict(lanes(1.0005, 1, 2), false), /^Equally fast, within a millisecond: A and B\./);
  assert.match(verdict(lanes(0.0003, 0.002), false), /^A was first, in 0\.30 ms\./);
  assert.match(verdict(lanes(0.0003, 0.0004), true), /^First, after 9 expansions: A and B\./);
  assert.equal(verdict([{ name: "A", report: null }], false), "No method found a solution.");
});

test("b9 the names of lines are in the order of the lines, and none is on another", () => {
  const order = (list) => list.map((_, at) => at).sort((a, b) => list[a] - list[b]);
  for (const wanted of [[100, 100, 100, 100], [30, 33, 200, 90], [5, 5, 240, 239], [230, 231, 10, 232], [120], []]) {
    const places = spread(wanted, 14, 232);
    assert.deepEqual(order(places), order(wanted), `${wanted}`);
    const sorted = [...places].sort((a, b) => a - b);
    assert.ok(sorted.every((place, at) => place >= 14 && place <= 232 + 1e-9 && (at === 0 || place - sorted[at - 1] >= 14 - 1e-9)), `${wanted}: ${places}`);
  }
  // The lines of three names that touch are in the middle of them.
  assert.deepEqual(spread([100, 104, 102], 14, 232), [88, 116, 102]);
  assert.deepEqual(spread([50, 100], 14, 232), [50, 100]);
});

test("b7 a damaged link is told, and shows no other puzzle", () => {
  const board = "b=3x3:8.1.3.4.0.2.7.6.5";
  const whole = readLink(`#${board}&g=last&m=bfs`);
  assert.deepEqual([whole.damaged, whole.puzzle?.goalName, whole.puzzle?.goal, whole.settings.m], [null, "last", [1, 2, 3, 4, 5, 6, 7, 8, 0], "bfs"]);
  assert.deepEqual(readLink(`#${board}&g=1.2.3.8.0.4.7.6.5`).puzzle?.goalName, "own");
  assert.equal(readLink(`#${board}`).damaged, null);
  assert.deepEqual(readLink(`#${board}&u=d`).puzzle?.past, [[[1, 4]]]);
  assert.deepEqual(readLink("#lesson=blind&lp=2"), { puzzle: null, settings: { lesson: "blind", lp: "2" }, picture: null, damaged: null });
  for (const [hash, damaged] of [
    ["#b=3x3:8.1.3", "board"], ["#b=3x3:8.1.3.4.0.2.7.6.6", "board"], ["#b=", "board"], ["#b=0x0:", "board"], ["#g=last", "board"], ["#b=2x2:1.2..3", "board"],
    [`#${board}&g=nonsense`, "goal"], [`#${board}&g=1.2.3`, "goal"], [`#${board}&g=1.2.3.4.5.6.7.0.0`, "goal"], [`#${board}&g=`, "goal"],
    [`#${board}&u=zz`, "moves"], [`#${board}&u=x-`, "moves"], [`#${board}&u=d_d`, "moves"],
  ]) assert.deepEqual(readLink(`${hash}&m=bfs&s=3`), { puzzle: null, settings: {}, picture: null, damaged }, hash);
});

test("c8 a lesson is limited in what it unpacks to", async () => {
  const link = (text) => deflateRawSync(text).toString("base64url");
  assert.equal(await unpacked(link("a lesson")), "a lesson");
  assert.equal((await unpacked(link("x".repeat(LONGEST)))).length, LONGEST);
  await assert.rejects(unpacked(link(Buffer.alloc(1 << 28))), /too long/);
  await assert.rejects(unpacked(link("a lesson").slice(0, 4)), /damaged/);
  await assert.rejects(fileText(new Blob([Buffer.alloc(LONGEST + 1)])), /too long/);
});

test("a1 a lesson with an unsolvable board is refused", () => {
  const page = (more) => subject(readLesson(JSON.stringify({ format: "taquin-lesson", version: 1, title: "", pages: [{ text: "", board: "1 2 3/4 5 6/8 7 0" }, { text: "", ...more }] })), 1);
  for (const more of [{}, { panel: "race", methods: ["bfs", "dfs"] }, { ask: { kind: "moves" } }, { panel: "solvable", ask: { kind: "expanded" } }]) {
    assert.throws(() => checkBoard(page(more), { reachable: false }), LessonError);
    checkBoard(page(more), { reachable: true });
  }
  // Unless it is the board of a proof.
  checkBoard(page({ panel: "solvable" }), { reachable: false });
});

test("a1 a question has one answer, or none is right", async () => {
  const found = (...values) => values.map((value, at) => ({ method: `m${at}`, report: typeof value === "number" ? report({}, { expanded: value }) : value }));
  assert.equal(least("expanded", found(5, 3, 9)).winner, "m1");
  const stopped = (expanded) => report({ outcome: "stopped", reason: "memory", cost: null, depth: null }, { expanded });
  assert.equal(least("expanded", found(5, stopped(9))).winner, "m0");
  for (const tie of [found(3, 3), found(5, 3, 3), found(0, 0), found(5, stopped(3))]) assert.throws(() => least("expanded", tie), LessonError);
  assert.equal(figure("expanded", report()), 9);
  assert.equal(figure("expanded", report({ outcome: "stopped", reason: "depth" })), 9);
  for (const reason of ["time", "memory", "cancelled"]) assert.throws(() => figure("expanded", report({ outcome: "stopped", reason })), LessonError);
  // The cheapest solution is not a shortest one.
  const cheapest = report({ cost: 71, depth: 18 });
  assert.deepEqual(await optimal(cheapest, async () => report()), { isShortest: false, best: 14 });
  assert.deepEqual(await optimal(report(), () => assert.fail("it is proven")), { isShortest: true, best: 14 });
  await assert.rejects(optimal(cheapest, async () => report({ optimal: false })), LessonError);
});

test("every word of the page is in every language, and no other", async () => {
  const { keys, loose } = scripts();
  // Where the page is opened from a folder, its other languages can't be loaded.
  assert.deepEqual(loose.filter((place) => !/^(language|theme)\.js/.test(place)), [], "a text that is shown goes through t()");
  const all = new Set([...keys, ...page()]);
  assert.ok(all.size > 500, `${all.size}`);
  const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort();
  for (const name of Object.keys(LANGUAGES).filter((one) => one !== "en")) {
    const { default: words, engine } = await import(`../page/words.${name}.js`);
    for (const [key, text] of Object.entries(engine)) assert.deepEqual(values(text), values(key), `${name}: ${key}`);
    assert.deepEqual([...all].filter((key) => !Object.hasOwn(words, key)), [], `${name}: missing`);
    assert.deepEqual(Object.keys(words).filter((key) => !all.has(key)), [], `${name}: not used`);
    for (const [key, text] of Object.entries(words)) assert.deepEqual(values(text), values(key), `${name}: ${key}`);
  }
});

/** The terms of the field, in English, German and Spanish. */
const TERMS = [
  [/uniform.cost/i, /Uniforme-Kosten-Suche/, /coste uniforme/i], [/greedy/i, /Greedy-Suche/, /voraz/i], [/breadth-first/i, /Breite/, /en anchura/i], [/depth-first/i, /Tiefe/, /en profundidad/i], [/iterative deepening/i, /iterative Vertiefung/i, /profundización iterativa/i], [/beam/i, /Strahl/, /haz/i],
  [/pattern database/i, /Musterdatenbank/, /bases? de datos de patrones/i], [/heuristic/i, /Heuristik/, /heurística/i], [/admissible/i, /zulässig/i, /admisible/i], [/consistent/i, /konsisten/i, /consistente/i],
  [/open lists?\b/i, /offenen? Liste/i, /listas? abiertas?/i], [/\bpaths?\b/i, /Pfad/i, /camino/i], [/threshold/i, /Schwelle/, /umbral/i], [/successor/i, /Nachfolger/, /sucesor/i], [/\bexpan[ds]/i, /expan[ds]/i, /expan[ds]/i], [/reopened/i, /wieder geöffnet/, /reab/i],
  [/\bblanks?\b(?!=)/i, /Lücke/, /hueco/i], [/(?<!sliding-)\btiles?\b(?! puzzle)/i, /Kachel/i, /ficha/i], [/\brows?\b/i, /Zeile/i, /fila/i],
];

test("a thing has one name, on the page and in the lessons", async () => {
  const folder = new URL("../page/", import.meta.url);
  const lessons = readdirSync(folder).filter((one) => /^lesson-\w+\.json$/.test(one)).map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
  const taught = lessons.flatMap(({ title, about, pages }) => [title, about, ...pages.flatMap(({ text, ask }) => [text, ask?.why, ask?.text].filter(Boolean))]);
  for (const [at, name] of ["de", "es"].entries()) {
    const { default: words, engine } = await import(`../page/words.${name}.js`);
    const pairs = [...Object.entries(words), ...Object.entries(engine), ...taught.map((text) => [text.en, text[name]])];
    for (const [term, ...others] of TERMS) {
      const named = pairs.filter(([text]) => term.test(text.replace(/\{\w+\}|`[^`]*`/g, "")));
      assert.ok(named.length > 1, `${term}`);
      assert.deepEqual(named.filter(([, own]) => !others[at].test(own)), [], `${term} in ${name}`);
    }
  }
});

test("every module that the page begins with is fetched with it, not when another one asks for it", () => {
  const folder = new URL("../page/", import.meta.url);
  const needed = (name) => [...readFileSync(new URL(name, folder), "utf8").matchAll(/^import .* from "\.\/([\w.]+)";/gm)].map(([, other]) => other);
  const wanted = new Set(needed("app.js"));
  for (const name of wanted) for (const other of needed(name)) wanted.add(other);
  const loaded = [...readFileSync(new URL("index.html", folder), "utf8").matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(loaded, [...wanted].sort());
});
