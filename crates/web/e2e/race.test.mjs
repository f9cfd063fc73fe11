import assert from "node:assert/strict";
import { test } from "node:test";
import { board, button, downloaded, enter, pressByKey, said, taquin, until, visit } from "./lab.mjs";

test("A* and breadth-first race", () => visit(async (page) => {
  await enter(page, "8 6 7/2 5 4/3 0 1");
  await page.getByRole("tab", { name: "Race" }).click();
  await button(page, "Add a method").click();
  await button(page, "Start the race").click();
  await until("the end", async () => (await said(page)).startsWith("The race is over."));
  const lanes = page.locator(".lane");
  assert.equal(await lanes.count(), 3);
  for (const [index, method] of ["bfs", "astar:manhattan", "ida:manhattan"].entries()) {
    const report = JSON.parse(taquin("solve", "8 6 7/2 5 4/3 0 1", "-m", method, "--json"));
    const text = await lanes.nth(index).textContent();
    assert.match(text, /✓ 31 moves, optimal/, method);
    assert.ok(text.includes(`expanded${report.counts.expanded.toLocaleString("en-GB")}`), `${method}: ${text}`);
  }
  assert.equal(await page.locator(".chart path").count(), 6);
  const verdict = await page.locator("#panel-race .score").textContent();
  assert.match(verdict, /was first|Equally fast/);
  assert.match(verdict, /A\*, manhattan expanded least|IDA\*, manhattan expanded least/);
  assert.match(verdict, /All that finished found 31 moves/);
}));

test("a race shows what is looked at, who runs out, and can be stopped", () => visit(async (page) => {
  await enter(page, "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0");
  const tab = page.getByRole("tab", { name: "Search" });
  await tab.focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#panel-race label", { hasText: /^time / }).locator("select").selectOption("1");
  await pressByKey(page, button(page, "Start the race"));
  const mini = page.locator(".lane .mini").first();
  const first = await mini.textContent();
  await until("another board", async () => (await mini.textContent()) !== first);
  await until("counts", async () => /expanded[1-9]/.test(await page.locator(".lane").first().textContent()));
  await until("the end", async () => (await said(page)).startsWith("The race is over."));
  assert.match(await page.locator(".lane .state").first().textContent(), /stopped: (the time was up|the memory was full)/);
  await page.locator("#panel-race label", { hasText: /^time / }).locator("select").selectOption("60");
  await button(page, "Start the race").click();
  await until("counts", async () => /expanded[1-9]/.test(await page.locator(".lane").first().textContent()));
  await button(page, "Stop", "#panel-race").click();
  assert.equal(await page.locator(".lane .state").first().textContent(), "stopped");
  await page.locator("#panel-race label", { hasText: /^expansions / }).locator("select").selectOption("10000");
  await button(page, "Start the race").click();
  await until("the limit", async () => (await page.locator(".lane .state").first().textContent()).includes("the limit on nodes"));
}));

test("b6 at an equal pace no method is ahead of another, and the fewest expansions win", () => visit(async (page) => {
  const counts = [["bfs", 11], ["astar:manhattan", 11], ["greedy:manhattan", 35]].map(([method, moves]) => ({ method, moves, expanded: JSON.parse(taquin("solve", "5 2 3/1 8 0/4 7 6", "-m", method, "--json")).counts.expanded }));
  const choose = (name, value) => page.locator("#panel-race label", { hasText: new RegExp(`^${name} `) }).locator("select").selectOption(value);
  await choose("pace", "1000");
  // In every frame, the expansions of those that are still running.
  await page.evaluate(() => {
    globalThis.seen = [];
    const look = () => {
      const open = [...document.querySelectorAll(".lane")].filter((lane) => lane.querySelector(".state")?.textContent === "running");
      globalThis.seen.push(open.map((lane) => lane.querySelector("dd")?.textContent ?? "0"));
      requestAnimationFrame(look);
    };
    look();
  });
  await button(page, "Start the race").click();
  await until("the end", async () => (await said(page)).startsWith("The race is over."));
  const seen = await page.evaluate(() => globalThis.seen);
  assert.deepEqual(seen.filter((shown) => new Set(shown).size > 1), []);
  // However slow the machine is, a frame has at most a tenth of a second.
  assert.ok(new Set(seen.flat()).size > 4, "it can be watched");
  const states = await page.locator(".lane .state").allTextContents();
  counts.forEach(({ moves, expanded }, at) => assert.ok(states[at].startsWith(`✓ ${moves} moves`) && states[at].endsWith(`, ${expanded.toLocaleString("en-GB")} expansions`), states[at]));
  const verdict = await page.locator("#panel-race .score").textContent();
  assert.equal(verdict, `First, after ${counts[1].expanded} expansions: A*, manhattan. Greedy, manhattan found a longer way than 11 moves.`);
  assert.equal(await page.locator(".chart path").count(), 3);
  assert.match(page.url(), /rp=1000/);
  // The time is a number of expansions.
  await choose("pace", "10");
  await choose("time", "1");
  await button(page, "Start the race").click();
  await until("the end", async () => (await said(page)).startsWith("The race is over. No method"));
  const lane = await page.locator(".lane").first().textContent();
  assert.match(lane, /✗ stopped: the time was up.*expanded10generated/);
}, { hash: "#b=3x3:5.2.3.1.8.0.4.7.6&g=last&t=race&r=bfs;astar:manhattan;greedy:manhattan" }));

test("a solution is shown, written and taken along", () => visit(async (page) => {
  await enter(page, "8 1 3/4 0 2/7 6 5");
  await page.getByRole("tab", { name: "Solution" }).click();
  const panel = "#panel-solution";
  await button(page, "Solve", panel).click();
  await until("the solution", () => page.locator("#moves-blank").isVisible());
  const report = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "--json"));
  assert.equal(await page.locator("#moves-blank").textContent(), report.moves);
  assert.equal(await page.locator("#moves-tile").textContent(), taquin("solve", "8 1 3/4 0 2/7 6 5", "--quiet", "--notation", "tile").trim());
  assert.match(await page.locator(panel).textContent(), /Solved in 14 movesOptimal/);
  await button(page, "Step", panel).click();
  assert.match(await said(page), /^Move 1 of 14: tile \d\.$/);
  await page.locator(`${panel} .movelist button`).last().click();
  assert.equal((await board(page)).join(""), "123456780");
  await pressByKey(page, button(page, "Step back", panel));
  assert.notEqual((await board(page)).join(""), "123456780");
  await page.getByLabel("Move", { exact: true }).fill("0");
  assert.equal((await board(page)).join(""), "813402765");
  await button(page, "Play", panel).click();
  await until("the goal", async () => (await board(page)).join("") === "123456780", 20_000);
  await button(page, "Copy moves", panel).click();
  await until("copied", async () => (await page.evaluate(() => navigator.clipboard.readText())) === report.moves);
  const svg = await downloaded(page, button(page, "Export SVG", panel));
  assert.match(svg.text, /^<svg xmlns=/);
  assert.equal(svg.text.match(/>\d+<\/text>|>start<\/text>/g).length, 15 * 8 + 15);
  const json = JSON.parse((await downloaded(page, button(page, "Export JSON", panel))).text);
  assert.deepEqual([json.moves, json.cost, json.optimal], [report.moves, report.cost, true]);
  const trace = (await downloaded(page, button(page, "Export trace", panel))).text.trim().split("\n");
  const run = taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan", "--trace=jsonl").trim().split("\n");
  assert.deepEqual(trace.slice(0, -1).map(JSON.parse), run.slice(0, -1).map(JSON.parse));
  await page.fill("#text", "1 2 3/4 5 6/8 7 0");
  await page.press("#text", "Enter");
  await until("the verdict", async () => (await page.locator("#verdict").textContent()).includes("Unsolvable"));
  await button(page, "Solve", panel).click();
  await until("the answer", async () => (await page.locator(panel).textContent()).includes("see the proof"));
}));

for (const locale of ["en", "de", "es"]) test(`the choices of a race are in one row: ${locale}`, () => visit(async (page) => {
  const [row, ...parts] = await page.locator("#panel-race > .card:first-child > .row, #panel-race > .card:first-child > .row > *").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  assert.equal(parts.length, 6);
  for (const part of parts) assert.ok(Math.abs(part.top + part.bottom - row.top - row.bottom) < 4 && part.right <= row.right + 1, JSON.stringify(part));
}, { locale, viewport: { width: 1280, height: 720 }, hash: "#t=race" }));
