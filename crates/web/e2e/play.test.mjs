import assert from "node:assert/strict";
import { test } from "node:test";
import { board, box, button, downloaded, pressByKey, said, shots, site, tabTo, tile, until, visit } from "./lab.mjs";

const panel = "#panel-play";
const NEAR = "#b=3x3:1.2.3.4.0.6.7.5.8&g=last&t=play";
const clock = (page) => page.locator(".clock").textContent();
const line = (page) => page.locator(`${panel} .score`).first().textContent();
const statistic = (page, name) => page.locator(`${panel} tr`, { has: page.locator(`th:text-is("${name}")`) }).locator("td").allTextContents();
const solved = (page) => until("the end", async () => (await line(page)).startsWith("Solved in"));
/** Solves the board that is two moves from the goal, with two moves too many. */
async function solve(page, key = async (name) => page.keyboard.press(name)) {
  await page.focus("#board");
  for (const name of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowLeft"]) await key(name);
  await solved(page);
}

test("a game: the clock starts with the first move, and what was needed is told afterwards", () => visit(async (page) => {
  assert.match(await line(page), /^Ready: the clock starts/);
  await page.waitForTimeout(60);
  assert.equal(await clock(page), "0.00");
  await solve(page);
  assert.match(await line(page), /^Solved in [\d:.]+, 4 moves, [\d.]+ tiles a second\.$/);
  const review = page.getByRole("region", { name: "How well it was played" });
  await until("what was needed", async () => (await review.textContent()).includes("You took 4 moves; the minimum is 2."));
  await until("the first wasteful move", async () => /Move 1, tile 6 left, was the first that did not help: the goal was 2 moves away before it\. One of the best was tile 5 up\./.test(await review.textContent()));
  await button(page, "Show it on the board", panel).click();
  assert.equal((await board(page)).join(""), "123406758");
  // The clock stands.
  const time = await clock(page);
  await page.waitForTimeout(60);
  assert.equal(await clock(page), time);
}, { hash: NEAR }));

test("a game that wastes a move later says where", () => visit(async (page) => {
  await page.focus("#board");
  // Two good moves, one forth and one back, and the rest.
  for (const name of ["ArrowUp", "ArrowRight", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(name);
  await solved(page);
  const review = page.getByRole("region", { name: "How well it was played" });
  await until("the first wasteful move", async () => /Move 2, tile 7 right, was the first/.test(await review.textContent()));
}, { hash: NEAR }));

test("games are counted as speed-solvers do, kept, exported and imported", () => visit(async (page, context) => {
  for (let game = 0; game < 5; game++) {
    if (game === 2) {
      // One is given up.
      await page.focus("#board");
      await page.keyboard.press("ArrowLeft");
      await button(page, "Give up", panel).click();
      assert.match(await line(page), /^Given up after 1 move\./);
    } else await solve(page);
    await button(page, "Start over").click();
    await until("the next", async () => (await line(page)).startsWith("Ready"));
  }
  assert.match(await page.locator(`${panel} h3`, { hasText: "games" }).textContent(), /^3 × 3, boards of your own: 5 games$/);
  const [best] = await statistic(page, "best");
  const [five] = await statistic(page, "ao5, now");
  assert.ok(Number(five) >= Number(best) && Number(best) > 0, `${best} ${five}`);
  assert.deepEqual((await statistic(page, "ao5, now"))[1], "4");
  assert.deepEqual(await statistic(page, "ao12, now"), ["–", "–"]);
  const { name, text } = await downloaded(page, button(page, "Export games", panel));
  assert.equal(name, "taquin-games.json");
  const file = JSON.parse(text);
  assert.equal(file.games.length, 5);
  assert.deepEqual(file.games.map(({ seconds }) => seconds === null), [false, false, true, false, false]);
  // Another visit finds them.
  const again = await context.newPage();
  await again.goto(page.url());
  await again.locator("html[data-ready]").waitFor();
  assert.equal((await statistic(again, "best"))[0], best);
  await again.close();
  await button(page, "Forget all games", panel).click();
  await button(page, "Forget 5 games: sure?", panel).click();
  assert.deepEqual(await statistic(page, "best"), ["–", "–"]);
  // A game whose moves do not solve its board is none.
  file.games[0].made = "UU";
  file.games.push(17);
  await page.setInputFiles(`${panel} input[type=file]`, { name: "games.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(file)) });
  await until("the import", async () => (await page.locator(panel).textContent()).includes("4 games added. 2 entries of the file are no games"));
  await page.setInputFiles(`${panel} input[type=file]`, { name: "games.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await until("a refusal", async () => (await page.locator(panel).textContent()).includes("This file holds no games"));
}, { hash: NEAR }));

test("hints, the moves left and a ghost are help, and help is not counted", () => visit(async (page) => {
  await button(page, "Hint").click();
  await until("a hint", async () => (await page.locator("#note").textContent()).startsWith("Tile"));
  await page.getByRole("checkbox", { name: "moves left" }).check();
  await until("the moves left", async () => (await page.locator(".left").textContent()) === "2 left");
  await page.focus("#board");
  await page.keyboard.press("ArrowUp");
  await until("one left", async () => (await page.locator(".left").textContent()) === "1 left");
  assert.equal(await line(page), "With help: this game is not counted.");
  await page.keyboard.press("ArrowLeft");
  await until("the end", async () => (await line(page)).endsWith("With help: it is not counted."));
  assert.deepEqual(await statistic(page, "best"), ["–", "–"]);
  // The solver plays at its pace.
  await page.getByLabel("opponent").selectOption("1");
  await button(page, "Start over").click();
  const rival = page.getByRole("region", { name: "The solver's board" });
  await until("a way", async () => (await rival.textContent()).includes("It has a way of 2 moves"));
  await page.focus("#board");
  await page.keyboard.press("ArrowLeft");
  await until("the solver's end", async () => (await rival.textContent()).includes("It is done: 2.00"));
  assert.equal((await board(page, ".ghost")).join(""), "123456780");
  for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  await until("the verdict", async () => (await line(page)).includes("The solver won by"));
  assert.match(page.url(), /gh=1/);
}, { hash: NEAR }));

test("the notation of speed-solvers is read and written", () => visit(async (page) => {
  await page.getByText("Notation of speed-solvers").click();
  await page.getByLabel("Scramble string, from the solved board").fill("R2 D U L");
  await button(page, "Set", panel).click();
  // Letters name where the tile goes: two tiles right, one down and up again, one left.
  await until("the board", async () => (await board(page)).join("") === "123456708");
  await page.getByLabel("Scramble string, from the solved board").fill("R2D");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await until("the board", async () => (await board(page)).join("") === "123056478");
  await button(page, "Write the scramble", panel).click();
  await until("the scramble", async () => (await page.locator("#scramble-out").textContent()) === "R2 D");
  await tile(page, 4).click();
  await tile(page, 8).click();
  await button(page, "Write your moves", panel).click();
  await until("the moves", async () => (await page.locator("#scramble-out").textContent()) === "U L2");
  await page.getByLabel("Scramble string, from the solved board").fill("L2");
  await button(page, "Set", panel).click();
  await until("a refusal", async () => page.locator(`${panel} .problem`).isVisible());
}, { hash: "#b=3x3:1.2.3.4.5.6.7.8.0&g=last&t=play", expected: ["422"] }));

test("a game by the keyboard alone, on a random board", () => visit(async (page) => {
  await tabTo(page, page.locator("#tab-search"));
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator(panel).isVisible(), true);
  const before = (await board(page)).join(" ");
  await pressByKey(page, button(page, "New game", panel));
  await until("another board", async () => (await board(page)).join(" ") !== before);
  await until("the focus on the board", () => page.evaluate(() => document.activeElement?.id === "board"));
  for (const key of ["w", "a", "s", "d"]) await page.keyboard.press(key);
  await until("it runs", async () => (await clock(page)) !== "0.00");
  await pressByKey(page, button(page, "Give up", panel));
  await until("it is over", async () => (await said(page)).startsWith("Given up after"));
  assert.match(await page.locator(`${panel} h3`, { hasText: "game" }).textContent(), /random boards: 1 game$/);
}));

test("a swipe anywhere moves the tile that can go that way, and several if they are pushed", () => visit(async (page) => {
  const place = await box(page.locator("#board"));
  const touch = await page.context().newCDPSession(page);
  const swipe = async (x, y, dx, dy) => {
    const point = (at) => [{ x: place.x + place.width * x + dx * at, y: place.y + place.height * y + dy * at }];
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(0) });
    for (const at of [0.3, 0.6, 1]) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(at) });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  // Far from the blank: tile 5 goes up.
  await swipe(0.1, 0.1, 3, -40);
  await until("tile 5 up", async () => (await board(page)).join("") === "123456708");
  // On the blank itself.
  await swipe(0.5, 0.85, -40, 0);
  await until("solved", async () => (await board(page)).join("") === "123456780");
  await solved(page);
  // Two tiles towards the blank.
  await swipe(0.1, 0.85, 40, 4);
  await until("two tiles", async () => (await board(page)).join("") === "123456078");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
}, { hash: NEAR, hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }));

test("pictures of games", { skip: site ? "taken with the server" : false }, async () => {
  for (const [name, viewport, colorScheme] of /** @type {const} */ ([["phone", { width: 390, height: 844 }, "light"], ["laptop", { width: 1366, height: 768 }, "dark"], ["laptop", { width: 1366, height: 768 }, "light"]])) {
    await visit(async (page) => {
      await page.getByLabel("opponent").selectOption("2");
      await until("a way", async () => (await page.getByRole("region", { name: "The solver's board" }).textContent()).includes("It has a way"));
      await solve(page);
      await until("the review", async () => (await page.locator(panel).textContent()).includes("was the first that did not help"));
      await page.evaluate(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), name);
      await page.screenshot({ path: `${shots}${name}-${colorScheme}-play.png`, fullPage: name === "phone" });
    }, { hash: NEAR, viewport, colorScheme });
  }
});

test("b4 a game that is left for another board is a game of the board that was played", () => visit(async (page) => {
  await page.focus("#board");
  for (const name of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(name);
  await page.selectOption("#size", "3x3");
  const games = () => page.evaluate(() => JSON.parse(localStorage.getItem("taquin.games") ?? '{"games":[]}').games);
  await until("it is kept", async () => (await games()).length > 0);
  assert.deepEqual((await games()).map(({ rows, cols, start, made, seconds }) => [rows, cols, start.length, made, seconds]), [[4, 4, 16, "LU", null]]);
}, { hash: "#b=4x4:5.1.2.4.9.6.3.8.13.10.7.12.14.11.15.0&g=last&t=play" }));
