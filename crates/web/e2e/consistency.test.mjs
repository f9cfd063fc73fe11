// The page replays the same steps that the program explains, for every method and course.

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
  "wastar:manhattan,w=3/2", "wastar:manhattan,w=2,phi=xdp", "wastar:manhattan,w=7/3,phi=xup", "wastar:manhattan,w=2,phi=pwxup", "wastar:linear,w=5", "wastar:misplaced,w=3", "beam:manhattan,k=1", "beam:manhattan,k=3", "beam:misplaced,k=7,order=lifo,duplicates=cheaper", "random,seed=5",
];
/** More expansions than this are not gone through one by one. */
const STEPS = 400;

/** The words of the command line for a task. */
const words = ({ board, goal, as, method }) => [board, ...(goal ? ["--goal", goal] : []), ...(as ? ["--as", as] : []), "--method", method, "--json"];

/** A report without times and bytes, which differ if a search reports its steps. */
const lasting = ({ outcome, reason, cost, depth, lower_bound, optimal, moves, counts: { memory_peak: _, ...counts }, course }) => ({ outcome, reason, cost, depth, lower_bound, optimal, moves, counts, course: course && Object.fromEntries(Object.entries(course).filter(([name]) => !/time|ram|seconds/.test(name))) });

/** Steps through a search as the page does, and asks why at up to `most` of its steps. */
async function compare(task, most = STEPS) {
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
  const last = Math.min(replay.steps, STEPS);
  const steps = new Set(Array.from({ length: Math.min(most, last) }, (_, at) => (most >= last ? at + 1 : 1 + Math.round((at * (last - 1)) / (most - 1)))));
  for (let step = 1; step <= last; step++) {
    const here = `${what}, step ${step}`;
    const waited = replay.nodes.filter((node) => node.state === "waiting");
    const stale = replay.stale();
    const sorted = replay.frontier().filter((node) => !stale.has(node));
    const guess = replay.candidates();
    const values = new Map(waited.map((node) => [node, node.value]));
    replay.seek(step);
    const { current } = replay;
    assert.ok(current, here);
    // The right answer to a question is the node that is expanded. Nothing waits where a threshold
    // begins.
    assert.deepEqual(guess.right?.board ?? (replay.deepens && current.parent === null ? current.board : null), current.board, `${here}: what is predicted`);
    // Where the policy decides, the first of the sorted frontier is taken.
    const isDecided = ["fifo", "lifo"].includes(job.policy.order) && (job.policy.duplicates !== "cheaper" || job.policy.rank === "f");
    if (isDecided && !replay.deepens && !replay.forgets) assert.deepEqual(sorted[0]?.board, current.board, `${here}: the first of the frontier`);
    // The value of the node that is taken is known before, and it is the lowest.
    if (replay.forgets) {
      assert.equal(values.get(current), current.value, `${here}: the value`);
      assert.ok([...values.values()].every((value) => value >= current.value), `${here}: the lowest value`);
    }
    if (!steps.has(step)) continue;
    const told = await ask(`explain?step=${step}&rivals=50`, task);
    if (most < STEPS && step === Math.max(...steps)) assert.deepEqual(told, JSON.parse(taquin("explain", ...words(task), "--step", String(step), "--rivals", "50")), `${here}: the command line`);
    assert.equal(current.value, told.node.value, `${here}: the value`);
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
  if (most < STEPS) assert.deepEqual(lasting(report), lasting(JSON.parse(taquin("solve", ...words(task)))), `${what}: the report of the command line`);
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
        solvable += Number(solvable < 2 && await compare({ board, as: name, method: names[0] }, 12));
      }
      assert.ok(solvable > 0, `${name}: ${names[0]}`);
      compared += solvable;
    }
  }
  assert.ok(compared > 30, `${compared}`);
});

/** Rules of every kind, each on a board of another kind: a pair of 3x3, two and three blanks, 4x4, 3x4, own goals and the snail. */
const KINDS = [
  { board: "8 1 3/4 0 2/7 6 5", goal: "last" }, { board: "2 8 3/1 6 4/7 0 5", goal: "1 2 3/8 0 4/7 6 5" }, { board: "1 2 3/4 0 0/7 6 5", goal: "last" }, { board: "0 1 3/4 0 2/5 6 0", goal: "first" },
  { board: "1 2 3 4/5 6 8 0/9 10 7 11/13 14 15 12", goal: "last" }, { board: "10 1 3 4/9 2 11 5/0 8 7 6", goal: "snail" }, { board: "2 4 3/1 0 8/7 6 5", goal: "snail" },
];
const LISTED = [
  ...["none", "low-g", "high-g"].flatMap((tie) => ["fifo", "lifo", "heap", "random"].map((order) => `astar:manhattan,tie=${tie},order=${order}`)),
  ...["misplaced", "manhattan", "linear", "inversion", "walking", "max=linear+walking", "max=misplaced+inversion"].map((heuristic) => `astar:${heuristic}`),
  ...["2", "3/2", "5/4", "7/3", "5", "10"].map((w) => `wastar:manhattan,w=${w}`),
  "greedy:manhattan", "greedy:misplaced", "greedy:linear", ...Array.from({ length: 10 }, (_, k) => `beam:manhattan,k=${k + 1}`),
  "ids", "ids,undo=keep", "ida:manhattan", "ida:misplaced", "ida:linear", "rbfs:manhattan", "rbfs:misplaced", "rbfs:linear", "rbfs:walking", "dfs,depth=14", "dfs,depth=20", "random,seed=1", "random,seed=2", "ucs", "ucs,order=lifo", "bfs", "bidirectional",
  ...["keep", "generated", "expanded", "cheaper"].flatMap((duplicates) => ["never", "always"].map((reopen) => `astar:manhattan,duplicates=${duplicates},reopen=${reopen}`)),
  "astar:manhattan,undo=keep", "astar:manhattan,moves=DRLU", "astar:manhattan,moves=LURD,order=fifo", "astar:manhattan,goal=generation", "bfs,goal=expansion", "ucs,goal=generation", "greedy:manhattan,goal=expansion", "dfs,duplicates=expanded,depth=20",
];

test("what is replayed is what the command line says: rules of every kind", { skip: site ? "the page without a server is compared in local.test.mjs" : false }, async () => {
  const { algorithms } = await ask("methods");
  let compared = 0;
  for (const [at, method] of LISTED.entries()) {
    if (!algorithms.some(({ name, has_steps }) => has_steps && method.split(/[:,]/)[0] === name)) continue;
    // Every rule on one kind of board, and the next rule on the next kind.
    for (const task of [KINDS[0], KINDS[1 + (at % (KINDS.length - 1))]]) compared += Number(await compare({ ...task, method }, 12));
  }
  assert.ok(compared > 110, `${compared}`);
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
  const stepless = algorithms.filter(({ has_steps, has_both_ends, needs_databases }) => !has_steps && !has_both_ends && !needs_databases);
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
