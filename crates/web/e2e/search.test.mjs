import assert from "node:assert/strict";
import { test } from "node:test";
import { address, browse, box, button, downloaded, enter, pressByKey, said, site, taquin, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const jump = (page) => page.getByLabel("Go to step");
const figure = async (page, name) => page.locator(`${panel} .figures:not(.totals) div`, { has: page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent();
const speed = (page) => page.locator(`${panel} label`, { hasText: "speed" }).locator("select");
const at = (page) => jump(page).inputValue();
const steps = async (page) => Number((await page.locator(`${panel} .row > .note`).first().textContent()).replace(/\D/g, ""));

/** Runs the search that is chosen to its end. */
async function search(page) {
  await button(page, "Search", panel).click();
  await until("the end", () => button(page, "Export trace", panel).isEnabled());
}

async function choose(page, method) {
  await page.getByLabel("Spelling").first().fill(method);
  await page.keyboard.press("Tab");
}

test("the search shown is the search run", () => visit(async (page) => {
  const boards = { plain: "1 3 6/5 0 2/4 7 8", courses: "1 2 3/4 8 0/7 6 5" };
  const runs = [
    ...["bfs", "dfs,depth=14", "ucs", "greedy:manhattan", "astar:misplaced", "astar:manhattan,order=fifo,duplicates=expanded,undo=keep", "wastar:linear,w=3/2", "beam:manhattan,k=20", "random,seed=7", "ids", "ida:manhattan"].map((method) => ({ method })),
    { course: "ucr-list", method: "2" }, { course: "ucr-list", method: "1" }, { course: "ucr-heap", method: "3" }, { course: "cse5aif" }, { course: "uta" },
  ];
  for (const { course, method } of runs) {
    const start = course ? boards.courses : boards.plain;
    await enter(page, start);
    await page.selectOption("#goal", "last");
    const select = page.locator(`${panel} select`, { has: page.locator('option[value="ucr-list"]') });
    await select.selectOption(course ?? "");
    const args = ["solve", start, "--trace=jsonl", "--trace-limit", "5000"];
    if (course) {
      args.push("--as", course);
      if (method) {
        await page.getByLabel("Its method").selectOption(method);
        args.push("-m", method);
      }
    } else {
      await choose(page, method);
      args.push("-m", method);
    }
    await search(page);
    const { name, text } = await downloaded(page, button(page, "Export trace", panel));
    assert.equal(name, "trace.jsonl");
    const lines = (all) => all.trim().split("\n").map((line) => JSON.parse(line));
    const [shown, run] = [lines(text), lines(taquin(...args))];
    const what = `${course ?? ""} ${method ?? ""}`;
    const [ours, theirs] = [shown.pop(), run.pop()];
    assert.deepEqual(shown, run, what);
    // Addresses of the page without a server have half the bytes.
    if (site) ours.counts.memory_peak = theirs.counts.memory_peak;
    assert.deepEqual([ours.counts, ours.moves, ours.outcome], [theirs.counts, theirs.moves, theirs.outcome], what);
    // And the list that is stepped through is as long: one step an expansion, and one for a goal
    // that is tested when it is taken out.
    const expanded = run.filter((event) => event.event === "expand").length;
    const shownSteps = await steps(page);
    assert.ok(shownSteps === expanded || shownSteps === expanded + 1, `${what}: ${shownSteps} steps of ${expanded}`);
  }
}));

test("every step shows the node that the program expands", () => visit(async (page) => {
  await enter(page, "8 1 3/4 0 2/7 6 5");
  await search(page);
  const run = taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan", "--trace=jsonl").trim().split("\n").map((line) => JSON.parse(line));
  const expanded = run.filter((event) => event.event === "expand");
  for (const step of [1, 2, 7, 23, 43, 12, 3]) {
    await jump(page).fill(String(step));
    await page.keyboard.press("Enter");
    const { board, g, h } = expanded[step - 1];
    const card = page.getByRole("region", { name: "This step" });
    await until(`step ${step}`, async () => (await card.locator("h3").first().textContent()) === `Step ${step}`);
    const shown = await card.locator(".why .mini span").evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
    assert.deepEqual(shown, board);
    assert.match(await card.textContent(), new RegExp(`g = ${g}, h = ${h}, f = ${g + h}`));
    // Why it was taken, as 'taquin explain' has it.
    const told = JSON.parse(taquin("explain", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan", "--step", String(step), "--json"));
    const words = told.waiting > 1 ? `Chosen from the ${told.waiting} open nodes, because` : "Chosen because nothing else was open.";
    await until("the reason", async () => (await card.locator(".reasons").textContent()).startsWith(words));
    assert.equal(await card.locator(".children li:has(.fate)").count(), told.successors.length);
  }
}));

test("play, pause, step, step back, slide and jump", () => visit(async (page) => {
  await search(page);
  assert.equal(await at(page), "0");
  await button(page, "Step", panel).click();
  await button(page, "Step", panel).click();
  assert.equal(await at(page), "2");
  await button(page, "Step back", panel).click();
  assert.equal(await at(page), "1");
  await speed(page).selectOption("100");
  // The reason is said after the step.
  await until("the reason", async () => (await said(page)).startsWith("Chosen"));
  const quiet = await said(page);
  await button(page, "Play", panel).click();
  await until("the end of the play", async () => (await at(page)) === String(await steps(page)));
  // Nothing is said while it plays.
  assert.equal(await said(page), quiet);
  assert.equal(await figure(page, "end"), "14 moves, optimal");
  await speed(page).selectOption("1");
  await button(page, "Play", panel).click();
  await button(page, "Pause", panel).click();
  await button(page, "First step", panel).click();
  assert.equal(await at(page), "0");
  // By the keyboard alone.
  await pressByKey(page, button(page, "Step", panel));
  await page.keyboard.press("Enter");
  assert.equal(await at(page), "2");
  await page.getByLabel("Step", { exact: true }).and(page.locator("input")).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await at(page), "4");
  await page.keyboard.press("End");
  assert.equal(await at(page), String(await steps(page)));
  await page.locator(`${panel} canvas[role=application]`).focus();
  await page.keyboard.press("[");
  await page.keyboard.press("[");
  assert.equal(await at(page), String((await steps(page)) - 2));
}));

test("the tree is gone through by key and mouse, zoomed and folded", () => visit(async (page) => {
  await search(page);
  await button(page, "Last step", panel).click();
  const canvas = page.locator(`${panel} canvas[role=application]`);
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  const node = page.getByRole("region", { name: "The selected node" });
  assert.match(await node.textContent(), /g = 14, h = 0, f = 14/);
  await page.keyboard.press("ArrowUp");
  assert.match(await said(page), /^[\d /]+: g 13, h 1, expanded at step 43\.$/);
  for (let up = 0; up < 13; up++) await page.keyboard.press("ArrowUp");
  assert.match(await node.textContent(), /the start/);
  await page.keyboard.press("ArrowDown");
  const first = await said(page);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await said(page), first);
  for (const key of ["+", "-", "0", "Shift+ArrowLeft", "Shift+ArrowUp"]) await page.keyboard.press(key);
  await button(page, "Fit the whole tree", panel).click();
  await button(page, "Follow the search", panel).click();
  // Fold, and open again.
  const drawn = page.locator(`${panel} .said`);
  assert.equal(await drawn.textContent(), "74 nodes");
  const layer = page.locator(`${panel} .layers button`).first();
  await layer.click();
  assert.equal(await layer.getAttribute("aria-pressed"), "true");
  assert.match(await drawn.textContent(), /^\d+ shapes for 74 nodes$/);
  await layer.focus();
  await page.keyboard.press("Enter");
  assert.equal(await drawn.textContent(), "74 nodes");
  // A click on the root, which is in the middle at the top of a fitted tree of one node.
  await button(page, "First step", panel).click();
  const place = await box(canvas);
  await until("the root", async () => {
    await canvas.click({ position: { x: place.width / 2, y: place.height / 2 } });
    return (await node.textContent()).includes("g = 0, h = 10");
  });
  await page.mouse.move(place.x + 60, place.y + 60);
  await page.mouse.wheel(0, -300);
  await page.mouse.down();
  await page.mouse.move(place.x + 160, place.y + 120, { steps: 4 });
  await page.mouse.up();
}));

test("thousands of nodes are drawn, and what is not drawn is counted", (context) => visit(async (page) => {
  await enter(page, "8 6 7/2 5 4/3 0 1");
  await choose(page, "bfs");
  await search(page);
  assert.equal(await steps(page), 5000);
  // The goal is announced without the path to it: it is not in the tree.
  await button(page, "Last step", panel).click();
  assert.equal(await at(page), "5000");
  const drawn = page.locator(`${panel} .said`);
  assert.match(await drawn.textContent(), /more expansions are counted, not drawn/);
  const took = await page.evaluate(async () => {
    const last = /** @type {HTMLButtonElement} */ (document.querySelector("[aria-label='Last step']"));
    last.click();
    // Frames while the tree with all its nodes is dragged about.
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("#panel-search canvas[role=application]"));
    canvas.focus();
    const started = performance.now();
    for (let frame = 0; frame < 30; frame++) {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: frame % 2 ? "ArrowLeft" : "-", shiftKey: frame % 2 === 1 }));
      await new Promise(requestAnimationFrame);
    }
    return (performance.now() - started) / 30;
  });
  context.diagnostic(`${took.toFixed(0)} ms a frame`);
}));

test("which node comes next is predicted, scored and explained", () => visit(async (page) => {
  await search(page);
  await button(page, "Predict", panel).click();
  const quiz = page.getByRole("region", { name: "Prediction" });
  assert.match(await quiz.textContent(), /0 of 0/);
  // Only the start waits.
  await quiz.locator(".candidates button").click();
  assert.match(await quiz.textContent(), /1 of 1/);
  assert.match(await said(page), /^Right\. 1 of 1\.$/);
  const run = taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan", "--trace=jsonl").trim().split("\n").map((line) => JSON.parse(line)).filter((event) => event.event === "expand");
  const label = (node) => node.board.join(" ").replace(/^(\d \d \d) (\d \d \d) /, "$1/$2/");
  const wrong = quiz.locator(`.candidates button:not([aria-label^="${label(run[1])}"])`).first();
  await wrong.click();
  assert.match(await quiz.textContent(), /1 of 2/);
  assert.match(await said(page), /^Not this one: .* 1 of 2\.$/);
  // By the keyboard.
  const right = quiz.locator(`.candidates button[aria-label^="${label(run[2])}"]`);
  await pressByKey(page, right);
  assert.match(await quiz.textContent(), /2 of 3/);
  // A step is not given away before.
  await button(page, "Step", panel).click();
  assert.equal(await said(page), "Say first which node comes next.");
  // In the tree, with Enter on a node that waits.
  await page.locator(`${panel} canvas[role=application]`).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.match(await quiz.textContent(), /of 4/);
}));

test("a search can be stopped, and what is wrong is said", () => visit(async (page) => {
  await enter(page, "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0");
  await choose(page, "ids");
  await button(page, "Search", panel).click();
  await until("steps", async () => (await steps(page)) > 100);
  await button(page, "Stop", panel).click();
  assert.equal(await said(page), "Stopped.");
  assert.ok((await steps(page)) > 100);
  await choose(page, "asatr");
  await button(page, "Search", panel).click();
  const problem = page.locator(`${panel} .problem`);
  await until("the problem", () => problem.isVisible());
  assert.match(await problem.textContent(), /unknown method 'asatr'.*did you mean 'astar'\?/i);
}, { expected: ["422"] }));

test("what is typed while the methods are fetched stays, and ready means that a search can be started", () => browse(async (page) => {
  let release = () => {};
  const typed = new Promise((resolve) => { release = resolve; });
  await page.route(/\/(methods|courses)(\.json)?$/, async (route) => {
    await typed;
    await route.continue();
  });
  await page.goto(`${address}#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan`);
  const spelling = page.getByLabel("Spelling").first();
  await spelling.fill("bfs");
  assert.equal(await page.locator("html[data-ready]").count(), 0);
  release();
  await page.locator("html[data-ready]").waitFor();
  assert.equal(await spelling.inputValue(), "bfs");
  assert.ok((await page.locator("#panel-search").getByLabel("As a course or paper").locator("option").count()) > 5);
  await button(page, "Search", "#panel-search").click();
  await until("the search that was typed", async () => (await page.locator("#panel-search .whole").textContent()).startsWith("bfs: 14 moves"));
}));
