// Whole spaces, counted on the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { board, button, enter, pressByKey, said, shots, site, taquin, until, visit } from "./lab.mjs";

const panel = "#panel-space";
const figure = (page, name) => page.locator(`${panel} .figures div`, { has: page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent();
const counted = (page, boards) => until(`${boards} boards`, async () => (await page.locator(`${panel} .score`).textContent()).startsWith(`${boards} boards reach the goal`));
const depths = async (page) => (await page.locator(`${panel} tbody td:nth-of-type(1)`).allTextContents()).map((text) => Number(text.replace(/\D/g, "")));

test("a small space is counted at once, and its farthest boards can be loaded", () => visit(async (page) => {
  await page.getByRole("tab", { name: "Space" }).click();
  await counted(page, "181,440");
  const told = JSON.parse(taquin("enumerate", "3x3", "--json"));
  assert.equal(await figure(page, "largest distance"), "31");
  assert.equal(await figure(page, "mean distance"), told.mean_depth.toFixed(2));
  assert.equal(await page.locator(`${panel} .chart .bar`).count(), 32);
  await page.getByText("As a table").click();
  assert.deepEqual(await depths(page), told.depths);
  assert.equal(await page.locator(`${panel} .candidates button`).count(), 2);
  await page.locator(`${panel} .candidates button`).first().click();
  assert.deepEqual(await board(page), told.farthest[0]);
  assert.match(await said(page), /31 moves from the goal/);
  await button(page, "How far?").click();
  await until("the distance", async () => (await page.locator("#note").textContent()).includes("31 moves"));
  // Several tiles at once are one move, and the link records it.
  await page.getByLabel("a move is").selectOption("multi");
  const multi = JSON.parse(taquin("enumerate", "3x3", "--metric", "multi", "--json"));
  await until("the other metric", async () => (await figure(page, "largest distance")) === String(multi.max_depth));
  await until("the link", async () => /wm=multi/.test(page.url()) && /t=space/.test(page.url()));
  // Two blanks and two lines.
  await page.getByLabel("a move is").selectOption("single");
  await page.selectOption("#size", "2x3");
  await counted(page, "360");
}));

test("2x5 is counted at once; a larger space says what it needs and names the command", () => visit(async (page) => {
  await counted(page, "1,814,400");
  assert.equal(await figure(page, "largest distance"), "55");
  for (const [size, words] of [["3x4", /239,500,800 boards.*taquin enumerate 3x4', which needs 32 MB/], ["4x4", /10,461,394,944,000 boards.*taquin enumerate 4x4', which needs about 1\.3 TB/]]) {
    await page.selectOption("#size", size);
    await until(size, async () => words.test(await page.locator(`${panel} .score`).textContent()));
    assert.equal(await page.locator(`${panel} .chart`).isVisible(), false);
  }
}, { hash: "#b=2x5:1.2.3.4.5.6.7.8.0.9&g=last&t=space", expected: ["422"] }));

test("a space by the keyboard alone", () => visit(async (page) => {
  await page.locator("#tab-heuristic").focus();
  await page.keyboard.press("ArrowRight");
  await counted(page, "181,440");
  await pressByKey(page, page.locator(`${panel} .candidates button`).first());
  await until("the board", async () => (await said(page)).includes("31 moves"));
  await enter(page, "1 2/3 0");
  await counted(page, "12");
}));

test("pictures of spaces", { skip: site ? "taken with the server" : false }, async () => {
  for (const [name, viewport, colorScheme] of /** @type {const} */ ([["phone", { width: 390, height: 844 }, "light"], ["laptop", { width: 1366, height: 768 }, "dark"], ["laptop", { width: 1366, height: 768 }, "light"]])) {
    await visit(async (page) => {
      await counted(page, "181,440");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), name);
      await page.screenshot({ path: `${shots}${name}-${colorScheme}-space.png`, fullPage: name === "phone" });
    }, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=space", viewport, colorScheme });
  }
});
