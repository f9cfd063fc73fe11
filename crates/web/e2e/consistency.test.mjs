// What the page replays is what the program explains: every method and course, every step.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { address, button, site, sse, taquin, until, visit } from "./lab.mjs";

// The page's own script, as a module of its own.
const source = readFileSync(new URL("../page/replay.js", import.meta.url));
const { Replay } = await import(`data:text/javascript;base64,${source.toString("base64")}`);

const ask = async (path, body) => {
  const response = await fetch(`${address}api/${path}`, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return response.json();
};

const BOARDS = ["1 2 3/4 8 0/7 6 5", "4 1 3/7 2 6/0 5 8", "2 0/1 3/5 4", "1 2 3 4/5 6 8 0/9 10 7 11"];
const POLICIES = [
  "bfs,goal=expansion,undo=keep", "dfs,depth=9", "ucs,order=heap,duplicates=generated,reopen=never,undo=keep", "greedy:misplaced,duplicates=cheaper,tie=low-g,order=lifo,goal=expansion",
  "astar:misplaced,tie=low-g,order=fifo", "astar:manhattan,duplicates=expanded,undo=keep,tie=none,order=fifo", "astar:manhattan,duplicates=keep,tie=none",
  "wastar:manhattan,w=3/2", "wastar:linear,w=5", "wastar:misplaced,w=3", "beam:manhattan,k=1", "beam:manhattan,k=3", "beam:misplaced,k=7,order=lifo,duplicates=cheaper", "random,seed=5",
];
/** More expansions than this are not gone through one by one. */
const STEPS = 400;

/** Steps through a search as the page does, and asks why at each step. */
async function compare(task) {
  const what = JSON.stringify(task);
  const traced = 2000;
  const job = await ask("jobs", { ...task, limits: { seconds: 20, traced } });
  assert.ok(job.id, `${what}: ${JSON.stringify(job)}`);
  const replay = new Replay(job.policy, job.method, traced);
  let omitted = 0;
  let report;
  for await (const { event, data } of sse(job.events)) {
    if (event === "steps") replay.add(data);
    if (event === "omitted") omitted = data.expansions;
    if (event === "report") report = data;
  }
  replay.end(omitted);
  assert.ok(report?.counts, what);
  if (report.outcome === "unsolvable") return false;
  assert.ok(replay.steps > 0, what);
  for (let step = 1; step <= Math.min(replay.steps, STEPS); step++) {
    const here = `${what}, step ${step}`;
    const waited = replay.nodes.filter((node) => node.state === "waiting");
    const sorted = replay.frontier();
    replay.seek(step);
    // Where the policy decides, the first of the sorted frontier is taken.
    const isDecided = ["fifo", "lifo"].includes(job.policy.order) && (job.policy.duplicates !== "cheaper" || job.policy.rank === "f");
    if (isDecided && !replay.deepens && !replay.forgets) assert.deepEqual(sorted.find((node) => node.state !== "discarded")?.board, replay.current.board, `${what}, step ${step}: the first of the frontier`);
    const told = await ask(`explain?step=${step}&rivals=50`, task);
    const { current } = replay;
    assert.ok(told.node, `${here}: ${JSON.stringify(told)}`);
    assert.deepEqual([current.board, current.g, current.h, current.move, current.tile], [told.node.board, told.node.g, told.node.h, told.node.move, told.node.tile], here);
    assert.equal(replay.rank(current), told.node.rank, `${here}: the rank`);
    assert.equal(current.state === "goal", told.is_goal, here);
    if (told.threshold !== null) assert.equal(replay.bound, told.threshold, here);
    else if (replay.forgets) {
      // The successors along the path, and nothing else, are kept.
      const path = new Set();
      for (let at = current.parent; at; at = at.parent) path.add(at);
      assert.ok(replay.nodes.every((node) => node.state !== "waiting" || path.has(node.parent) || node.parent === current), `${here}: what is kept`);
    } else {
      const there = waited.filter((node) => node.state !== "discarded" && (!job.policy.k || node.depth === current.depth));
      assert.equal(there.length, told.waiting, `${here}: how many waited`);
      // Nothing that waited is ranked better, as the page reckons it.
      if (job.policy.rank !== "none") assert.ok(there.every((node) => node === current || replay.rank(node) >= replay.rank(current) || node.since === step), `${here}: the lowest rank`);
      assert.equal(there.filter((node) => node !== current && node.since !== step && replay.rank(node) === replay.rank(current)).length >= Math.min(told.same_rank, 1) ? 1 : 0, 1, `${here}: others of its rank`);
      for (const rival of told.rivals) assert.equal(replay.rank(rival), rival.rank, `${here}: a rival`);
    }
    const successors = told.successors.map(({ board, verdict, rank }) => [board, verdict, rank]);
    const children = replay.children.filter(({ seen }) => seen.parent === current.id).map(({ seen, verdict }) => [seen.board, verdict, replay.rank(seen)]);
    if (told.waiting > 0) assert.deepEqual(children, successors, `${here}: the successors`);
    else assert.deepEqual(children, successors.slice(0, children.length), `${here}: the successors`);
  }
  replay.seek(replay.steps);
  if (omitted > 0) assert.deepEqual([replay.expanded, replay.steps], [traced, traced], `${what}: what is replayed`);
  else assert.deepEqual([replay.expanded, replay.generated], [report.counts.expanded, report.counts.generated], `${what}: the counts`);
  // A way back and forth ends where it was.
  const [waiting, expanded] = [replay.waiting, replay.expanded];
  replay.seek(1);
  replay.seek(replay.steps);
  assert.deepEqual([replay.waiting, replay.expanded], [waiting, expanded], what);
  return true;
}

test("what is replayed is what is explained: every method", { skip: site ? "the page without a server is compared in local.test.mjs" : false }, async () => {
  const { algorithms } = await ask("methods");
  const spellings = algorithms.filter(({ has_steps }) => has_steps).flatMap(({ name, takes_heuristic }) => (takes_heuristic ? ["manhattan", "misplaced"].map((heuristic) => `${name}:${heuristic}`) : [name]));
  assert.ok(spellings.length >= 12);
  for (const method of [...spellings, ...POLICIES]) {
    for (const board of BOARDS) {
      // Depth-first search without a limit goes astray on the larger boards.
      if (method === "dfs" && board.length > 12) continue;
      assert.ok(await compare({ board, method }), `${board} ${method}`);
    }
  }
});

test("what is replayed is what is explained: every course", { skip: site ? "the page without a server is compared in local.test.mjs" : false }, async () => {
  const courses = await ask("courses");
  assert.ok(courses.length > 5);
  const listing = await ask("methods");
  const stepped = (method) => listing.algorithms.some(({ name, has_steps }) => has_steps && method.split(/[:,]/)[0] === name);
  let compared = 0;
  for (const { name, methods } of courses) {
    for (const { names, method } of methods) {
      // The service builds no databases.
      if (!stepped(method) || /pdb=/.test(method)) continue;
      // Not every goal can be reached from every board.
      let solvable = 0;
      for (const board of [...BOARDS.slice(0, 2), "2 8 3/1 6 4/7 0 5", "1 0 3/8 2 5/7 4 6", "0 1 2/4 5 3/7 8 6", "1 4 2/3 0 5/6 7 8"]) {
        solvable += Number(solvable < 2 && await compare({ board, as: name, method: names[0] }));
      }
      assert.ok(solvable > 0, `${name}: ${names[0]}`);
      compared += solvable;
    }
  }
  assert.ok(compared > 30, `${compared}`);
});

test("a3 a search that is longer than what is replayed has its goal beyond it", { skip: site ? "the page without a server is compared in local.test.mjs" : false }, async () => {
  const task = { board: "8 1 3/4 0 2/7 6 5", method: "ucs" };
  const whole = await ask("solve", task);
  const { expanded } = whole.counts;
  for (const traced of [expanded - 1, expanded, expanded + 1]) {
    const job = await ask("jobs", { ...task, limits: { traced } });
    const replay = new Replay(job.policy, job.method, traced);
    let omitted = 0;
    for await (const { event, data } of sse(job.events)) {
      if (event === "steps") replay.add(data);
      if (event === "omitted") omitted = data.expansions;
    }
    replay.end(omitted);
    replay.seek(replay.steps);
    const all = traced >= expanded;
    assert.equal(replay.steps, all ? expanded + 1 : traced);
    assert.equal(replay.current.state, all ? "goal" : "expanded");
    assert.equal(replay.nodes.some(({ state }) => state === "goal"), all);
  }
});

test("methods without steps show their answer and their totals, and no step", async () => {
  const board = "8 1 3/4 0 2/7 6 5";
  const { algorithms } = JSON.parse(taquin("methods", "--json"));
  // The page does not have the databases that AIDA* needs.
  const stepless = algorithms.filter(({ has_steps, needs_databases }) => !has_steps && !needs_databases);
  assert.ok(stepless.length >= 5, `${stepless.map(({ name }) => name)}`);
  for (const { name, title, takes_heuristic } of stepless) {
    const method = takes_heuristic ? `${name}:manhattan` : name;
    await visit(async (page) => {
      const panel = page.locator("#panel-search");
      await until(`${name}: the end`, async () => (await panel.locator(".whole .score").textContent()).startsWith(`${method}: `));
      const [whole, step] = [await panel.locator(".whole").textContent(), await page.getByRole("region", { name: "This step" }).textContent()];
      assert.match(whole, new RegExp(`^${method}: \\d+ moves, (optimal|not proven optimal)\\.expanded`), name);
      assert.match(step, /This method has no steps to show, only its answer and its totals\./, name);
      assert.doesNotMatch(await panel.textContent(), /proof|can be stepped through|layer depth/, name);
      assert.equal(await page.getByLabel("Go to step").inputValue(), "0", name);
      assert.equal(await panel.locator("select").first().locator("option:checked").textContent(), title, name);
      for (const one of ["Step", "Play", "Predict", "Export trace", "In words"]) assert.equal(await button(page, one, "#panel-search").isDisabled(), true, `${name}: ${one}`);
    }, { hash: `#b=3x3:${board.match(/\d/g).join(".")}&g=last&m=${method}&s=60` });
  }
});
