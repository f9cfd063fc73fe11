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
  assert.match(verdict, /was first/);
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
  assert.match(await page.locator(".lane .state").first().textContent(), /ran out: (the time was up|the memory was full)/);
  await page.locator("#panel-race label", { hasText: /^time / }).locator("select").selectOption("60");
  await button(page, "Start the race").click();
  await until("counts", async () => /expanded[1-9]/.test(await page.locator(".lane").first().textContent()));
  await button(page, "Stop", "#panel-race").click();
  assert.equal(await page.locator(".lane .state").first().textContent(), "stopped");
  await page.locator("#panel-race label", { hasText: /^expansions / }).locator("select").selectOption("10000");
  await button(page, "Start the race").click();
  await until("the limit", async () => (await page.locator(".lane .state").first().textContent()).includes("the limit on nodes"));
}));

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
