import assert from "node:assert/strict";
import { test } from "node:test";
import { board, box, button, enter, pressByKey, said, tabTo, tile, until, visit } from "./lab.mjs";

const moves = (page) => page.locator("#moves").textContent();

test("any notation is read, and what is wrong is said with a remedy", () => visit(async (page) => {
  for (const [text, expected] of [
    ["1 2 3/4 0 6/7 5 8", [1, 2, 3, 4, 0, 6, 7, 5, 8]],
    ["[[1,2],[3,0]]", [1, 2, 3, 0]],
    ["12345678_", [1, 2, 3, 4, 5, 6, 7, 8, 0]],
    ["2x3\n1 2 3\n4 . 5", [1, 2, 3, 4, 0, 5]],
  ]) {
    await enter(page, text);
    await until(text, async () => JSON.stringify(await board(page)) === JSON.stringify(expected));
  }
  await enter(page, "1 2 3/4 5 6/7 6 0");
  await until("the problem", () => page.locator("#text-problem").isVisible());
  const problem = await page.locator("#text-problem").textContent();
  assert.match(problem, /tile 6 appears twice/i);
  assert.match(problem, /tile 8 is missing; did you mean 8 here\?/);
  // A paste needs no Enter.
  await page.evaluate(() => navigator.clipboard.writeText("8 6 7/2 5 4/3 0 1"));
  await page.click("#text", { clickCount: 3 });
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+V");
  await until("the pasted board", async () => (await board(page)).join("") === "867254301");
}, { expected: ["422"] }));

test("tiles are pushed by click, drag and arrow, alone and in rows", () => visit(async (page) => {
  await enter(page, "1 2 3/4 5 6/7 8 0");
  await until("the board", async () => (await board(page)).join("") === "123456780");
  await tile(page, 6).click();
  assert.equal((await board(page)).join(""), "123450786");
  assert.equal(await said(page), "Tile 6 down. 1 move.");
  await tile(page, 4).click();
  assert.equal((await board(page)).join(""), "123045786");
  assert.equal(await moves(page), "3 moves");
  assert.equal(await said(page), "2 tiles right. 3 moves.");
  // Tiles in no line with a blank stay.
  await tile(page, 2).click();
  assert.equal(await moves(page), "3 moves");
  const place = await box(tile(page, 7));
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2 + 5, place.y - place.height / 2, { steps: 5 });
  await page.mouse.up();
  assert.equal((await board(page)).join(""), "123745086");
  // The arrow names where the tile goes.
  await page.focus("#board");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  assert.equal((await board(page)).join(""), "123740865");
  await page.keyboard.press("Control+Z");
  await page.keyboard.press("Control+Z");
  assert.equal((await board(page)).join(""), "123745806");
  await page.keyboard.press("Control+Y");
  await button(page, "Redo").click();
  assert.equal((await board(page)).join(""), "123740865");
  assert.equal(await moves(page), "7 moves");
  await button(page, "Start over").click();
  assert.equal((await board(page)).join(""), "123456780");
  assert.equal(await moves(page), "0 moves, solved");
}));

test("a finger is as good as a mouse", () => visit(async (page) => {
  await enter(page, "1 2 3/4 0 6/7 5 8");
  await until("the board", async () => (await board(page)).join("") === "123406758");
  await tile(page, 5).tap();
  await tile(page, 8).tap();
  assert.equal(await moves(page), "2 moves, solved");
  assert.match(await said(page), /Solved in 2 moves!/);
}, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }));

test("boards are scrambled, to an exact depth too, and the distance is told", () => visit(async (page) => {
  await page.fill("#depth", "9");
  await button(page, "Scramble").click();
  await until("a board of depth 9", async () => (await said(page)).includes("exactly 9 moves"));
  await button(page, "How far?").click();
  await until("the distance", async () => (await page.locator("#note").textContent()).startsWith("Exactly 9 moves"));
  await page.fill("#depth", "");
  const before = await board(page);
  await pressByKey(page, button(page, "Scramble"));
  await until("another board", async () => JSON.stringify(await board(page)) !== JSON.stringify(before));
  await until("a verdict", async () => (await page.locator("#verdict").textContent()).includes("Solvable"));
  await page.fill("#depth", "99");
  await button(page, "Scramble").click();
  await until("a refusal", async () => (await page.locator("#note").textContent()).includes("31 moves"));
}, { expected: ["422"] }));

test("a hint names the tile first, then the move", () => visit(async (page) => {
  await enter(page, "1 2 3/4 0 6/7 5 8");
  await until("the board", async () => (await board(page)).join("") === "123406758");
  await button(page, "Hint").click();
  await until("a tile", async () => (await page.locator("#note").textContent()) === "Tile 5. Ask again for the move.");
  assert.equal(await page.locator("#board .tile.marked").textContent(), "5");
  await pressByKey(page, button(page, "Hint"));
  await until("a move", async () => (await page.locator("#note").textContent()) === "Tile 5 goes up.");
}));

test("size, goal and blanks are chosen", () => visit(async (page) => {
  await page.selectOption("#size", "4x4");
  assert.equal((await board(page)).length, 16);
  await page.selectOption("#goal", "snail");
  await page.selectOption("#size", "3x3");
  assert.equal((await board(page)).join(""), "123804765");
  await page.selectOption("#goal", "first");
  await page.selectOption("#blanks", "3");
  assert.equal((await board(page)).join(""), "000123456");
  // With several blanks the keys move one of them, which Space chooses.
  await page.focus("#board");
  await page.keyboard.press("ArrowUp");
  assert.equal((await board(page)).join(""), "100023456");
  await page.keyboard.press("Space");
  assert.match(await said(page), /^Blank in row \d, column \d\.$/);
  await until("always solvable", async () => (await page.locator("#verdict").textContent()).includes("Solvable"));
}));

test("tiles are arranged by click, drag and number; so is a goal of one's own", () => visit(async (page) => {
  await enter(page, "1 2 3/4 5 6/7 8 0");
  await until("the board", async () => (await board(page)).join("") === "123456780");
  await button(page, "Arrange tiles").click();
  await tile(page, 1).click();
  await tile(page, 8).click();
  assert.equal((await board(page)).join(""), "823456710");
  // A tile that still moves is not where it will be.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)));
  const [from, to] = [await box(tile(page, 4)), await box(tile(page, 6))];
  await page.mouse.move(from.x + 30, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(to.x + 30, to.y + 30, { steps: 6 });
  await page.mouse.up();
  assert.equal((await board(page)).join(""), "823654710");
  // By the keyboard: to a cell with arrows, and a number.
  await button(page, "Done").focus();
  await page.keyboard.press("Shift+Tab");
  await page.locator("#board .tile[data-cell='5']").focus();
  for (const key of ["ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
  await page.keyboard.press("1");
  assert.equal((await board(page)).join(""), "123654780");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal((await board(page)).join(""), "623154780");
  await pressByKey(page, button(page, "Done"));

  await page.selectOption("#goal", "own");
  await until("the goal", () => page.locator("#goal-editor").isVisible());
  const goal = page.locator("#goal-board .tile");
  await goal.filter({ hasText: /^1$/ }).click();
  await goal.filter({ hasText: /^2$/ }).click();
  assert.equal((await board(page, "#goal-board")).join(""), "213456780");
}));

test("a picture of one's own is on the tiles", () => visit(async (page) => {
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYGJAQoAHxcCAk+Uzr4AAAAASUVORK5CYII=", "base64");
  await page.setInputFiles("#picture-file", { name: "p.png", mimeType: "image/png", buffer: pixel });
  const face = page.locator("#board .tile:not(.blank) > span").first();
  await until("the picture", async () => (await face.evaluate((element) => element.style.backgroundImage)).startsWith('url("data:'));
  await page.uncheck("#numbers");
  assert.equal(await face.evaluate((element) => getComputedStyle(element).fontSize), "0px");
  await button(page, "Remove picture").click();
  assert.equal(await face.evaluate((element) => element.style.backgroundImage), "");
}));

test("an unsolvable board says so at once, proves it and repairs it", () => visit(async (page) => {
  await enter(page, "5 2 8/4 1 7/0 6 3");
  await until("the verdict", async () => (await page.locator("#verdict").textContent()).includes("Unsolvable"));
  await button(page, "Why?").click();
  const panel = page.locator("#panel-solvable");
  await until("the panel", () => panel.isVisible());
  assert.equal(await panel.locator("h3").first().textContent(), "15 inversions: odd");
  assert.equal(await panel.locator(".arcs path").count(), 15);
  assert.match(await panel.textContent(), /no sequence of moves leads to the goal/);
  assert.match(await panel.textContent(), /With an odd number of columns \(3\)/);
  assert.match(await panel.textContent(), /they differ\./);
  await panel.getByRole("button", { name: "Tile 8: 5 inversions" }).focus();
  assert.equal(await panel.locator(".arcs path.strong").count(), 5);
  await page.keyboard.press("Enter");
  assert.match(await said(page), /^8 stands before 4, 1, 7, 6, 3 and should not: 5 inversions\.$/);
  const swap = page.locator("#verdict button", { hasText: "Swap" });
  await tabTo(page, page.locator("#tab-solvable"), 200);
  await swap.click();
  await until("solvable", async () => (await page.locator("#verdict").textContent()).includes("✓ Solvable"));
  assert.equal(await panel.locator("h2").textContent(), "Solvable");
}));
