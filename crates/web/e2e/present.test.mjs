// Fine steps and pseudocode, the rules of a method, and what is drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { button, shots, taquin, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const BOARD = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last";
const at = (page) => page.getByLabel("Go to step").inputValue();
const code = (page) => page.getByRole("region", { name: "Pseudocode" });
const line = (page) => code(page).locator("[aria-current]").textContent();
const words = (page) => code(page).locator(".score").textContent();
const search = async (page) => {
  await button(page, "Search", panel).click();
  await until("the end", () => button(page, "Export trace", panel).isEnabled());
};
const figure = async (page, name) => page.locator(`${panel} .figures:not(.totals) div`, { has: page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent();

test("b2 a step is gone through part by part, with the current line of the pseudocode", () => visit(async (page) => {
  await search(page);
  await button(page, "Fine steps", panel).click();
  assert.equal(await line(page), "put the start on the open list");
  const step = () => button(page, "Step", panel).click();
  await step();
  assert.deepEqual([await at(page), await line(page), await words(page)], ["1", "take the node with the lowest f", "Select: 8 1 3/4 0 2/7 6 5"]);
  // Nothing is generated yet.
  assert.deepEqual([await figure(page, "generated"), await figure(page, "open")], ["0", "0"]);
  await step();
  assert.deepEqual([await line(page), await words(page)], ["if it is the goal: end", "Test: it is not the goal."]);
  // Each successor, as the trace has it: generated, then kept or dropped.
  const events = taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan", "--trace=jsonl").trim().split("\n").map((text) => JSON.parse(text));
  const [first, second] = events.flatMap((event, index) => (event.event === "expand" ? [index] : []));
  const successors = events.slice(first + 1, second).filter((event) => event.event === "generate");
  for (const [index, { board, verdict }] of successors.entries()) {
    await step();
    assert.deepEqual([await line(page), await words(page)], ["for each of its successors:", `Generate: ${[0, 3, 6].map((from) => board.slice(from, from + 3).join(" ")).join("/")}`]);
    assert.equal(await figure(page, "generated"), String(index));
    await step();
    assert.equal(verdict, "kept");
    assert.equal(await line(page), "if its board is new or cheaper: put it on the open list");
    assert.equal(await figure(page, "generated"), String(index + 1));
  }
  await step();
  assert.deepEqual([await at(page), await line(page)], ["2", "take the node with the lowest f"]);
  // Back goes through the parts too.
  await button(page, "Step back", panel).click();
  assert.deepEqual([await at(page), await figure(page, "generated")], ["1", String(successors.length)]);
  await button(page, "Step back", panel).click();
  assert.match(await words(page), /^Generate/);
  // A link shows the same part.
  const seen = await words(page);
  await until("the address", async () => page.url().includes(`fp=${2 * successors.length}`));
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  await until("the part", async () => (await words(page)) === seen);
  await page.screenshot({ path: `${shots}fine.png` });
  await button(page, "Fine steps", panel).click();
  assert.equal(await code(page).isVisible(), false);
}, { hash: BOARD }));

test("b2 a presentation has the pseudocode, for every kind of search", () => visit(async (page) => {
  for (const [method, text] of [["bfs", "take the oldest open node"], ["dfs,depth=14", "take the node that came last"], ["ida:manhattan", "take the next node, depth-first"], ["beam:manhattan,k=5", "take the node with the lowest f"], ["rbfs:manhattan", "take the successor with the lowest value along the path"]]) {
    await page.getByLabel("Spelling").first().fill(method);
    await page.keyboard.press("Tab");
    await search(page);
    await button(page, "Present", panel).click();
    await page.keyboard.press("PageDown");
    await until(method, async () => (await line(page)) === text);
    if (method === "bfs") await page.screenshot({ path: `${shots}present.png` });
    await page.keyboard.press("Escape");
  }
}, { hash: BOARD, viewport: { width: 1280, height: 720 } }));

test("d13 the rules of a method are chosen from lists", () => visit(async (page) => {
  await page.getByText("Rules: ties, order, goal test, duplicates").click();
  await page.locator("[data-rule=tie]").first().selectOption("low-g");
  await page.locator("[data-rule=order]").first().selectOption("fifo");
  assert.equal(await page.getByLabel("Spelling").first().inputValue(), "astar:manhattan,tie=low-g,order=fifo");
  await search(page);
  const report = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "astar:manhattan,tie=low-g,order=fifo", "--json"));
  await button(page, "Last step", panel).click();
  assert.equal(await figure(page, "expanded"), String(report.counts.expanded));
  await page.locator("[data-rule=tie]").first().selectOption("");
  assert.equal(await page.getByLabel("Spelling").first().inputValue(), "astar:manhattan,order=fifo");
}, { hash: BOARD }));

test("c4 d7 d8 a tile at home has a mark, the legend has both shapes, and lists do not stick out", () => visit(async (page) => {
  const shadow = (number) => page.locator("#board .tile", { hasText: new RegExp(`^${number}$`) }).locator("span").evaluate((face) => getComputedStyle(face).boxShadow);
  assert.match(await shadow(3), /inset/);
  assert.doesNotMatch(await shadow(8), /inset/);
  assert.equal(await page.locator(`${panel} .legend svg`).evaluateAll((all) => all.filter((one) => one.childElementCount === 2).length), 5);
  await search(page);
  await page.getByLabel("Go to step").fill("12");
  await page.keyboard.press("Enter");
  await page.locator(".because li").first().waitFor();
  const inset = await page.locator(".because").first().evaluate((list) => parseFloat(getComputedStyle(list).paddingLeft) / parseFloat(getComputedStyle(list).fontSize));
  assert.ok(inset >= 1.5, `${inset} em`);
}, { hash: BOARD }));
