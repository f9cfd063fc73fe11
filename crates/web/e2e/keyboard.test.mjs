// Whole flows with the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { button, pressByKey, said, tabTo, taquin, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const STEP = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12&t=search";
const at = (page) => page.locator(`${panel} .slide input`).inputValue();
const explained = (page) => until("the reason", async () => (await page.locator(`${panel} .reasons li`).count()) > 0);
/** The element with the focus, which is never lost. */
const focused = (page) => page.evaluate(() => {
  const one = document.activeElement;
  return one && one !== document.body && one.checkVisibility() ? `${one.tagName} ${one.id || one.getAttribute("aria-label") || one.textContent}`.trim() : "nothing";
});
const keepsFocus = async (page, what) => assert.notEqual(await focused(page), "nothing", what);

test("a whole lesson", () => visit(async (page) => {
  await tabTo(page, page.locator("#tab-search"));
  await page.keyboard.press("End");
  await pressByKey(page, button(page, "Begin: Parity: which boards can be solved"));
  const lesson = page.locator("#lesson");
  await until("the lesson", async () => (await focused(page)).startsWith("H2"));
  const place = () => lesson.locator(".note").first().textContent();
  const pages = Number(/^page 1 of (\d+)$/.exec(await place())[1]);
  let answered = 0;
  for (let one = 1; one <= pages; one++) {
    await until(`page ${one}`, async () => (await place()) === `page ${one} of ${pages}`);
    await until("the focus", async () => (await focused(page)).startsWith("H2"));
    await until("the question", async () => (await lesson.locator(".ask").count()) === 0 || (await lesson.locator(".ask button, .ask input").count()) > 0);
    if (await lesson.locator(".ask").count()) {
      const field = lesson.locator(".ask input:not([type=checkbox])");
      const typed = (await field.count()) > 0;
      await tabTo(page, typed ? field.first() : lesson.locator(".ask button").first());
      if (typed) await page.keyboard.type("1");
      await page.keyboard.press("Enter");
      await until("the verdict", async () => ((await lesson.locator(".ask [role=status]").textContent()) ?? "").length > 5);
      await keepsFocus(page, `page ${one}`);
      answered++;
    }
    if (one < pages) await pressByKey(page, button(page, "Next", "#lesson"));
  }
  assert.ok(answered > 1, `${answered}`);
  await pressByKey(page, button(page, "Close the lesson"));
  await until("the end", async () => !(await lesson.isVisible()));
}, { opened: false }));

test("a second search, in step with the first", () => visit(async (page) => {
  await explained(page);
  await pressByKey(page, button(page, "Compare", panel));
  await until("both reasons", async () => (await page.locator(`${panel} .second .reasons li`).count()) > 0);
  await keepsFocus(page, "compare");
  await pressByKey(page, button(page, "Step", panel));
  assert.equal(await at(page), "13");
  await tabTo(page, page.locator(`${panel} .second .name select`).first());
  await page.keyboard.type("Breadth");
  await until("another method", async () => new URL(page.url()).hash.includes("m2=bfs"));
  await tabTo(page, page.locator(`${panel} .second canvas`));
  await page.keyboard.press("]");
  assert.equal(await at(page), "14");
  await pressByKey(page, button(page, "Compare", panel));
  assert.equal(await page.locator(`${panel} .second`).isVisible(), false);
  await keepsFocus(page, "one search again");
}, { hash: STEP, opened: false }));

test("a trace of one's own, from the menu", () => visit(async (page) => {
  const choosing = page.waitForEvent("filechooser");
  await pressByKey(page, page.getByRole("button", { name: "More", exact: true }));
  await pressByKey(page, button(page, "Open a trace", panel));
  const chooser = await choosing;
  const text = taquin("solve", "1 2 3/4 0 6/7 5 8", "-m", "bfs", "--trace=jsonl");
  await chooser.setFiles({ name: "own.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(text) });
  await until("the trace", async () => /^The trace of own\.jsonl: \d+ steps\.$/.test(await said(page)));
  await tabTo(page, page.locator(`${panel} .tree > canvas`).first());
  await page.keyboard.press("]");
  assert.equal(await at(page), "2");
}, { opened: false }));

test("a presentation, in which letters belong to the fields that have the focus", () => visit(async (page) => {
  await explained(page);
  const boarded = () => page.evaluate(() => document.documentElement.classList.contains("boarded"));
  await pressByKey(page, button(page, "Present", panel));
  await page.keyboard.press("PageDown");
  assert.equal(await at(page), "13");
  await page.keyboard.press("b");
  assert.equal(await boarded(), true);
  await page.keyboard.press("b");
  const speed = page.locator(`${panel} label`, { hasText: "speed" }).locator("select");
  await tabTo(page, speed);
  await page.keyboard.press("b");
  assert.equal(await boarded(), false);
  await page.keyboard.press("PageUp");
  assert.equal(await at(page), "12");
  await page.keyboard.press("Escape");
  await until("the whole page", () => page.locator("header").isVisible());
  await keepsFocus(page, "after the presentation");
}, { hash: STEP, opened: false }));

test("a race", () => visit(async (page) => {
  await tabTo(page, page.locator("#tab-search"));
  await page.keyboard.press("ArrowRight");
  await pressByKey(page, button(page, "Add a method", "#panel-race"));
  assert.equal(await page.locator(".lane").count(), 3);
  await pressByKey(page, button(page, "Start the race"));
  await until("the end", async () => (await said(page)).startsWith("The race is over."));
  await keepsFocus(page, "after the race");
}, { opened: false }));
