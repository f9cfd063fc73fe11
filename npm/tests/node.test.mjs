// The package in Node, as it is installed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as taquin from "taquin";

const { BoardError, CourseError, MethodError, OptionError, TaquinError, check, courses, enumerate, estimates, format, hint, instances, instanceSets, methods, parse, scramble, scrambles, solve, trace, verify } = taquin;
const EASY = "1 2 3/4 0 6/7 5 8";
/** It takes minutes. */
const HARD = { board: "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0", method: "ida:manhattan" };

test("boards are solved, however they are written", async () => {
  const rows = [[1, 2, 3], [4, 0, 6], [7, 5, 8]];
  for (const board of [EASY, rows, rows.flat(), { rows: 3, cols: 3, tiles: rows.flat() }, "123406758"]) {
    const report = await solve(board);
    assert.deepEqual([report.moves, report.cost, report.optimal, report.outcome], ["DR", 2, true, "solved"]);
  }
  const wide = await solve({ rows: 2, cols: 4, tiles: [1, 2, 3, 4, 5, 6, 0, 7] });
  assert.deepEqual([wide.puzzle.rows, wide.moves], [2, "R"]);
  assert.equal((await solve("1 2 3/4 5 6/8 7 0")).outcome, "unsolvable");
});

test("a 15-puzzle of Korf's is solved to the optimum", async () => {
  const korf = await instances("korf100");
  const easiest = korf.reduce((a, b) => (a.known <= b.known ? a : b));
  const { rows, cols, start, goal } = easiest.puzzle;
  const report = await solve({ rows, cols, tiles: start }, { goal: { rows, cols, tiles: goal } });
  assert.deepEqual([report.cost, report.optimal], [easiest.known, true]);
});

test("options are those of the command line", async () => {
  const bfs = await solve(EASY, { method: "bfs" });
  assert.deepEqual([bfs.method, bfs.counts.expanded], ["bfs", 5]);
  const course = await solve("7 1 2/4 8 5/6 3 0", { as: "ucr-list", method: "misplaced" });
  assert.equal(course.course.nodes_expanded, 3145);
  assert.equal((await solve(EASY, { cost: "tile" })).cost, 13);
  const stopped = await solve("867254301", { method: "bfs", nodes: 10 });
  assert.deepEqual([stopped.outcome, stopped.counts.expanded], ["stopped", 10]);
  const snail = await solve("1 2 3/8 0 4/7 6 5", { goal: "snail" });
  assert.equal(snail.cost, 0);
});

test("a hint is the first move of a best solution", async () => {
  const { tile, move, direction, atLeast, atMost, solved } = await hint(EASY);
  assert.deepEqual({ tile, move, direction, atLeast, atMost, solved }, { tile: 5, move: "D", direction: "up", atLeast: 2, atMost: 2, solved: false });
  const several = await hint("2 1 0/0 3 4", { goal: "first" });
  assert.match(several.move, /^[UDLR]\d+$/);
  assert.equal(several.move, `${several.move[0]}${several.tile}`);
  assert.deepEqual((({ solved, tile }) => [solved, tile])(await hint("123456780")), [true, null]);
  assert.equal((await hint("1 2 3/4 5 6/8 7 0")).move, null);
});

test("boards are checked, drawn, read and written", async () => {
  assert.equal((await check(EASY)).reachable, true);
  const { reachable, repair } = await check("1 2 3/4 5 6/8 7 0");
  assert.deepEqual([reachable, repair.tiles], [false, [7, 8]]);
  const drawn = await scramble({ size: "4x4", seed: 7 });
  assert.deepEqual(drawn, await scramble({ size: "4x4", seed: 7 }));
  assert.equal((await check(drawn)).reachable, true);
  const deep = await scrambles(3, { size: "3x3", depth: 20, seed: 1 });
  for (const board of deep) assert.equal((await solve(board)).cost, 20);
  assert.equal(await format(EASY, "nested"), "[[1,2,3],[4,0,6],[7,5,8]]");
  assert.equal(await format(EASY), EASY);
  assert.deepEqual(await parse("123/4_6/758"), { rows: 3, cols: 3, tiles: [1, 2, 3, 4, 0, 6, 7, 5, 8] });
});

test("moves are verified", async () => {
  assert.deepEqual((({ legal, solves, optimal }) => [legal, solves, optimal])(await verify(EASY, "DR")), [true, true, true]);
  const long = await verify(EASY, "LRDR", { notation: "blank" });
  assert.deepEqual([long.optimal, long.optimum, long.length], [false, 2, 4]);
  assert.equal((await verify(EASY, "UUU", { notation: "blank" })).legal, false);
});

test("a search is followed step by step", async () => {
  const steps = [];
  const search = trace(EASY, { method: "astar:misplaced" });
  let next = await search.next();
  for (; !next.done; next = await search.next()) steps.push(next.value);
  assert.equal(next.value.cost, 2);
  assert.equal(steps.filter(({ event }) => event === "expand").length, next.value.counts.expanded);
  assert.equal(steps.at(-1).event, "goal");
  // A loop that ends early ends the search.
  let seen = 0;
  for await (const step of trace(HARD.board, { method: "astar:manhattan", steps: 5000 })) {
    assert.ok(step.event);
    if (++seen === 10) break;
  }
  assert.equal(seen, 10);
});

test("a whole space is counted", async () => {
  const { states, depths, max_depth } = await enumerate("2x3");
  assert.deepEqual([states, max_depth, depths.slice(0, 4)], [360, 21, [1, 2, 3, 5]]);
});

test("a signal ends a search, and progress is told", async () => {
  const controller = new AbortController();
  const told = [];
  const search = solve(HARD.board, { method: HARD.method, time: 100, signal: controller.signal, onProgress: (progress) => {
    told.push(progress);
    if (progress.expanded > 0) controller.abort(new Error("enough of this"));
  } });
  await assert.rejects(search, /enough of this/);
  assert.ok(told.length > 0 && told.slice(0, -1).every(({ expanded }) => expanded === 0));
  await assert.rejects(solve(EASY, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(solve(HARD.board, { method: HARD.method, time: 100, signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  // An exception of the caller's function ends it, too.
  const broken = solve(HARD.board, { method: HARD.method, time: 100, onProgress: () => { throw new RangeError("mine"); } });
  await assert.rejects(broken, RangeError);
});

test("a search can end with what it has found", async () => {
  const enough = new AbortController();
  const tiles = Array.from({ length: 62 }, (_, tile) => 61 - tile);
  const report = await solve({ rows: 8, cols: 8, tiles: [62, 63, ...tiles] }, { time: 100, enough: enough.signal, onProgress: ({ best }) => {
    if (best) enough.abort();
  } });
  assert.equal(report.outcome, "solved");
  assert.ok(report.moves.length >= report.lower_bound && report.seconds < 60);
});

test("errors have a class, a field, a place and a hint", async () => {
  const twice = await solve("1 2 3/4 5 6/7 7 0").catch((error) => error);
  assert.ok(twice instanceof BoardError && twice instanceof TaquinError && twice instanceof Error);
  assert.deepEqual([twice.name, twice.field, twice.place, twice.hint], ["BoardError", "board", { line: 1, column: 15 }, "tile 8 is missing; did you mean 8 here?"]);
  const of = async (search) => search.then(() => assert.fail("it is fine"), (error) => [error.constructor, error.field]);
  assert.deepEqual(await of(solve(EASY, { method: "asatr" })), [MethodError, "method"]);
  assert.deepEqual(await of(solve(EASY, { as: "nowhere" })), [CourseError, "as"]);
  assert.deepEqual(await of(solve(EASY, { goal: "lats" })), [BoardError, "goal"]);
  assert.deepEqual(await of(solve(EASY, { time: "soon" })), [OptionError, "time"]);
  assert.deepEqual(await of(solve(EASY, { tmie: 5 })), [OptionError, "tmie"]);
  assert.deepEqual(await of(solve(7)), [BoardError, "board"]);
  assert.deepEqual(await of(solve(undefined)), [BoardError, "board"]);
  assert.deepEqual(await of(verify(EASY, "DX")), [BoardError, "moves"]);
  assert.deepEqual(await of(verify(EASY)), [BoardError, "moves"]);
  assert.deepEqual(await of(scramble({ size: "huge" })), [BoardError, "size"]);
  assert.deepEqual(await of(instances("nobody")), [TaquinError, null]);
});

test("any values are answered", async () => {
  const values = [undefined, null, 0, -1, NaN, "", "x", "\ud800", [], [[]], {}, { tiles: 5 }, { rows: 1e9, cols: 1e9, tiles: [] }, [1, [2]], true, 2 ** 53, EASY];
  for (const value of values) {
    for (const call of [() => solve(value, { time: 1 }), () => check(value), () => parse(value), () => format(EASY, value), () => verify(EASY, value), () => scramble({ seed: value }), () => scramble({ depth: value }), () => enumerate(value), () => solve(EASY, { goal: value }), () => solve(EASY, { cost: value }), () => instances(value)]) {
      await call().catch((error) => assert.ok(error instanceof Error, String(error)));
    }
  }
});

test("lists of what there is", async () => {
  assert.ok((await methods()).algorithms.some(({ name }) => name === "astar"));
  assert.ok((await courses()).some(({ name }) => name === "ucr-list"));
  assert.ok((await instanceSets()).some(({ usage }) => usage === "korf100"));
  assert.ok((await estimates(EASY)).some(({ heuristic, estimate }) => heuristic === "manhattan" && estimate === 2));
});

test("many searches at a time, and the process ends", async () => {
  const boards = await scrambles(20, { seed: 3 });
  const reports = await Promise.all(boards.map((board) => solve(board)));
  assert.ok(reports.every(({ optimal }) => optimal));
  const script = `import { solve } from "taquin"; console.log((await solve("${EASY}")).moves);`;
  const own = fileURLToPath(new URL(".", import.meta.url));
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: own, encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([ran.stdout, ran.stderr, ran.status], ["DR\n", "", 0]);
});

test("the types name what the package has", () => {
  const types = readFileSync(new URL("taquin.d.ts", import.meta.resolve("taquin")), "utf8");
  const names = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(taquin).sort());
});

/** The examples of a document. */
const blocks = (url) => [...readFileSync(url, "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block]) => block);

/** Runs an example, which must end well, and returns what it prints. */
function printed(example) {
  const own = fileURLToPath(new URL(".", import.meta.url));
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", example], { cwd: own, encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([ran.status, ran.stderr], [0, ""], example);
  return ran.stdout;
}

test("the examples of the README run", () => {
  const examples = blocks(new URL("README.md", import.meta.resolve("taquin")));
  assert.ok(examples.length >= 4);
  examples.forEach(printed);
});

// The tests are copied to target/npm/project.
const REFERENCE = new URL("../../../docs/reference/javascript.md", import.meta.url);

for (const example of blocks(REFERENCE)) {
  const name = example.match(/import \{ (.*) \}/)[1];
  test(`the example of ${name} in the reference prints what it says`, () => {
    const expected = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`);
    assert.ok(expected.length > 0);
    assert.equal(printed(example), expected.join(""));
  });
}

test("the reference has every name", () => {
  const text = readFileSync(REFERENCE, "utf8");
  const headings = [...text.matchAll(/^### (.*)$/gm)].flatMap(([, names]) => names.split(", "));
  assert.deepEqual(headings.sort(), [...Object.keys(taquin), "TaquinBoard"].sort());
  for (const name of Object.keys(taquin)) assert.match(text, new RegExp(`import \\{[^}]*\\b${name}\\b`));
});
