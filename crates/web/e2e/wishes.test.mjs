// Gaps that a review found on the page, and needs of fingers, ears and lecturers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { board, box, button, enter, said, shots, tile, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const ended = (page) => until("the end", async () => (await button(page, "Search", panel).count()) === 1 && (await page.locator(`${panel} .whole`).isVisible()));

test("b2 a presentation shows the board of the step on the whole screen", () => visit(async (page) => {
  await button(page, "Search", panel).click();
  await ended(page);
  await button(page, "Present", panel).click();
  const isSmall = async () => (await box(page.locator(`${panel} .big .board`))).width < 150;
  assert.equal(await isSmall(), true);
  await page.keyboard.press("b");
  for (let step = 0; step < 3; step++) await page.keyboard.press("PageDown");
  const shown = await board(page, `${panel} .big .board`);
  const step = (await page.locator(`${panel} .why .mini`).first().getAttribute("aria-label")) ?? "";
  await until("the same board", async () => ((await page.locator(`${panel} .why .mini`).first().getAttribute("aria-label")) ?? "").replace(/\D/g, "") === shown.join(""));
  assert.ok(step !== "");
  const share = await page.locator(`${panel} .big .board`).evaluate((one) => one.clientHeight / innerHeight);
  assert.ok(share > 0.5, `${share} of the height`);
  const digits = await page.locator(`${panel} .big .tile:not(.blank) > span`).first().evaluate((one) => parseFloat(getComputedStyle(one).fontSize));
  assert.ok(digits > 40, `${digits} pixels`);
  await page.screenshot({ path: `${shots}present-board.png` });
  await button(page, "Board", panel).click();
  assert.equal(await isSmall(), true);
  await page.keyboard.press("Escape");
}, { viewport: { width: 1280, height: 720 } }));

test("b2 a finger on the tree scrolls the page", () => visit(async (page) => {
  await page.locator(`${panel} canvas[role=application]`).scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  const place = await box(page.locator(`${panel} canvas[role=application]`));
  const touch = await page.context().newCDPSession(page);
  const point = (at) => [{ x: place.x + place.width / 2, y: place.y + 100 + at }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(0) });
  for (let at = 20; at <= 300; at += 20) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(at) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await until("the page is scrolled", () => page.evaluate((from) => scrollY < from - 100, before));
}, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }));

test("b6 an unsolvable board is searched if that is wanted", () => visit(async (page) => {
  assert.equal(await page.getByLabel("search anyway").isVisible(), false);
  await enter(page, "1 2/0 3");
  assert.equal(await page.getByLabel("search anyway").isVisible(), false);
  await enter(page, "2 1/0 3");
  await until("the verdict", async () => (await page.locator("#verdict").textContent()).includes("Unsolvable"));
  await page.getByLabel("search anyway").check();
  await page.getByLabel("Spelling").first().fill("bfs");
  await page.keyboard.press("Tab");
  await button(page, "Search", panel).click();
  await ended(page);
  await page.screenshot({ path: `${shots}unsolvable-anyway.png` });
  // All twelve boards of its half are expanded.
  const expanded = await page.locator(`${panel} .totals div`, { has: page.locator('dt:text-is("expanded")') }).locator("dd").textContent();
  assert.equal(expanded, "12");
  await until("the link", async () => /an=1/.test(page.url()));
  await page.getByRole("tab", { name: "Race" }).click();
  await button(page, "Start the race").click();
  await until("the race", async () => (await said(page)).includes("No method found a solution."));
}));

test("c5 a field says what is wrong with it, and tiles are read from row to row", () => visit(async (page) => {
  await enter(page, "1 2 3/4 5 6/7 6 0");
  await until("a problem", () => page.locator("#text-problem").isVisible());
  assert.equal(await page.locator("#text").getAttribute("aria-invalid"), "true");
  assert.equal(await page.locator("#text").getAttribute("aria-describedby"), "text-problem");
  await enter(page, "8 1 3/4 0 2/7 6 5");
  await until("the board", async () => (await board(page)).join("") === "813402765");
  assert.equal(await page.locator("#text").getAttribute("aria-invalid"), null);
  const read = await page.evaluate(() => (document.getElementById("board")?.getAttribute("aria-owns") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent));
  assert.equal(read.join(" "), "8 1 3 4  2 7 6 5");
}, { expected: ["422"] }));

test("c6 a push that can't be made is seen", () => visit(async (page) => {
  await tile(page, 8).click();
  await until("a word", async () => (await page.locator("#note").textContent()) === "Tile 8 can't move.");
  assert.equal(await page.locator("#note").isVisible(), true);
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last" }));

test("d6 a picture that is not square is cut, not squeezed", () => visit(async (page) => {
  const picture = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 100 });
    const context = canvas.getContext("2d");
    context.fillStyle = "#3c3";
    context.fillRect(100, 0, 100, 100);
    return canvas.toDataURL("image/png").split(",")[1];
  });
  await page.setInputFiles("#picture-file", { name: "wide.png", mimeType: "image/png", buffer: Buffer.from(picture, "base64") });
  await until("the picture", () => page.locator("#numbers-label").isVisible());
  // The middle of it has the shape of the board: all of it is green.
  const shown = await tile(page, 8).locator("span").evaluate(async (span) => {
    const image = new Image();
    image.src = getComputedStyle(span).backgroundImage.slice(5, -2);
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return { size: [image.width, image.height], left: [...context.getImageData(2, 50, 1, 1).data] };
  });
  assert.deepEqual(shown.size, [100, 100]);
  assert.ok(Math.abs(shown.left[1] - 204) < 20 && shown.left[0] < 90, `${shown.left}`);
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last" }));

test("c3 what is written on a button is part of its name", () => visit(async (page) => {
  await button(page, "Present", "#panel-search").waitFor();
  const differ = await page.evaluate(() => [...document.querySelectorAll("button[aria-label]")].map((one) => [one.textContent?.trim() ?? "", one.getAttribute("aria-label") ?? ""]).filter(([text, name]) => /[a-z]/i.test(text) && !name.toLowerCase().includes(text.toLowerCase())));
  assert.deepEqual(differ, []);
  assert.equal(await button(page, "Fit the whole tree").textContent(), "Fit");
}));

test("c5 Home and End open the first and the last panel, and a button without work hands the focus on", () => visit(async (page) => {
  await page.locator("#tab-search").focus();
  for (const [key, tab] of [["End", "lessons"], ["Home", "play"], ["ArrowLeft", "lessons"], ["ArrowRight", "play"], ["ArrowRight", "search"]]) {
    await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.activeElement?.id), `tab-${tab}`, key);
    assert.equal(await page.locator(`#panel-${tab}`).isVisible(), true, key);
  }
  await button(page, "Search", "#panel-search").click();
  await until("the end", () => button(page, "Export trace", "#panel-search").isEnabled());
  await button(page, "Step", "#panel-search").click();
  const back = button(page, "Step back", "#panel-search");
  await back.focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Go to step").inputValue(), "0");
  assert.equal(await back.isDisabled(), true);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Play");
}));
