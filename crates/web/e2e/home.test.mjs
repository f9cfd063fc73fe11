// The front door: a newcomer's first minute.

import assert from "node:assert/strict";
import { test } from "node:test";
import { board, button, shots, until, visit } from "./lab.mjs";

const home = "#panel-home";

for (const [width, height] of [[1280, 720], [390, 844]]) {
  test(`a page without a link says what it is, and its board solves itself: ${width} x ${height}`, () => visit(async (page) => {
    assert.equal(await page.locator(home).isVisible(), true);
    assert.match(await page.locator(`${home} h2`).first().textContent(), /^See how a search solves a sliding puzzle, one step at a time\.$/);
    assert.deepEqual(await page.locator(`${home} .door h2`).allTextContents(), ["Play", "See a search", "Take a lesson"]);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
    // On a desk the three ways in are on the first screen.
    if (width === 1280) assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
    await button(page, "Solve it").click();
    await until("the words", async () => /^A\* expanded \d+ boards to find it: 14 moves, and no solution is shorter\.$/.test(await page.locator(`${home} [role=status]`).textContent()));
    await until("the goal", async () => (await board(page, `${home} .board`)).join("") === "123456780");
    // The puzzle itself was not touched.
    await button(page, "Another board").click();
    await until("another board", async () => !["123456780", "813402765"].includes((await board(page, `${home} .board`)).join("")));
    await page.screenshot({ path: `${shots}home-${width}.png` });
  }, { hash: "", opened: false, viewport: { width, height } }));
}

test("the three ways in, titles, and the way back", () => visit(async (page) => {
  assert.match(await page.title(), /^taquin: how searches solve/);
  await button(page, "Watch A*").click();
  // The twelfth node, and why it was expanded.
  await until("the reason", async () => (await page.locator("#panel-search .reasons li").count()) > 0);
  assert.equal(await page.getByLabel("Go to step").inputValue(), "12");
  assert.equal(await page.title(), "Search · taquin");
  await button(page, "taquin: the first page").click();
  assert.equal(await page.locator(home).isVisible(), true);
  await button(page, "Choose a lesson").click();
  assert.equal(await page.title(), "Lessons · taquin");
  await until("the lessons", async () => (await page.locator("#panel-lessons .pair .card").count()) >= 11);
  await button(page, "taquin: the first page").click();
  await button(page, "Play a game").click();
  assert.equal(await page.locator("#panel-play").isVisible(), true);
  assert.equal(await page.title(), "Play · taquin");
}, { hash: "", opened: false }));

test("every view has a title, and the words on it are those of a student", () => visit(async (page) => {
  const titles = new Set();
  for (const tab of await page.locator("[role=tab]").all()) {
    await tab.click();
    titles.add(await page.title());
  }
  assert.equal(titles.size, 8);
  const words = (await page.locator("body").textContent()) ?? "";
  for (const strange of [/\bsnail\b/i, /no: the method itself/, /\bIn full\b/]) assert.doesNotMatch(words, strange);
}));
