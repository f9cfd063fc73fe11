import assert from "node:assert/strict";
import { test } from "node:test";
import { board, button, enter, said, shots, site, tile, until, visit } from "./lab.mjs";

test("a link shows what its sender saw", async () => {
  let link;
  await visit(async (page) => {
    await enter(page, "1 8 3/4 0 2/7 6 5");
    await until("the board", async () => (await board(page)).join("") === "183402765");
    await page.selectOption("#goal", "snail");
    await tile(page, 8).click();
    await tile(page, 1).click();
    await page.getByLabel("Spelling").first().fill("astar:misplaced");
    await page.keyboard.press("Tab");
    await button(page, "Search", "#panel-search").click();
    await until("the end", () => button(page, "Export trace", "#panel-search").isEnabled());
    await page.getByLabel("Go to step").fill("9");
    await page.keyboard.press("Enter");
    await page.locator("#panel-search .layers button").first().click();
    await page.getByRole("tab", { name: "Race" }).click();
    await button(page, "Add a method").click();
    await page.getByRole("tab", { name: "Search" }).click();
    await button(page, "Share").click();
    await until("the link", async () => (await page.evaluate(() => navigator.clipboard.readText())).includes("#"));
    assert.match(await said(page), /The link is copied/);
    link = await page.evaluate(() => navigator.clipboard.readText());
  });
  await visit(async (page) => {
    assert.equal((await board(page)).join(""), "013482765");
    assert.equal(await page.locator("#moves").textContent(), "2 moves");
    assert.equal(await page.locator("#goal").inputValue(), "snail");
    assert.equal(await page.getByLabel("Spelling").first().inputValue(), "astar:misplaced");
    await until("step 9", async () => (await page.getByLabel("Go to step").inputValue()) === "9");
    await until("the fold", async () => (await page.locator("#panel-search .layers button").first().getAttribute("aria-pressed")) === "true");
    assert.equal(await page.locator(".lane").count(), 3);
    // Actions can be undone.
    await button(page, "Undo").click();
    await button(page, "Undo").click();
    assert.equal((await board(page)).join(""), "183402765");
  }, { hash: new URL(link).hash });
});

test("a damaged link does no harm", async () => {
  for (const hash of ["#b=3x3:1.2.3", "#b=9x9:x", "#g=own&u=zz.zz_9", "#b=2x2:1.2.3.0&u=1.2.3&g=1.1.1.1&m=%00&s=-4&t=nowhere&r=;;;;;;&fold=x", "#%E0%A4%A"]) {
    await visit(async (page) => {
      await until("a verdict", async () => (await page.locator("#verdict").textContent()).includes("Solv"));
    }, { hash, expected: ["422"] });
  }
});

/** Checks that hold with and without a server run once. */
const once = { skip: site ? "looked at with the server" : false };

test("pictures for whoever looks, at every size", once, async () => {
  const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1366, height: 768 }, projector: { width: 1920, height: 1080 } };
  for (const [name, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      await visit(async (page) => {
        const shoot = async (what) => {
          // Nothing sticks out to the side.
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} ${what}`);
          await page.screenshot({ path: `${shots}${name}-${colorScheme}-${what}.png`, fullPage: name === "phone" });
        };
        await button(page, "Search", "#panel-search").click();
        await until("the end", () => button(page, "Export trace", "#panel-search").isEnabled());
        await page.getByLabel("Go to step").fill("12");
        await page.keyboard.press("Enter");
        await page.locator(".reasons p").waitFor();
        await page.waitForTimeout(400);
        await shoot("search");
        await page.getByRole("tab", { name: "Race" }).click();
        await button(page, "Start the race").click();
        await until("the race", async () => (await said(page)).startsWith("The race is over."));
        await page.waitForTimeout(200);
        await shoot("race");
        await page.getByRole("tab", { name: "Solution" }).click();
        await button(page, "Solve", "#panel-solution").click();
        await page.locator("#moves-tile").waitFor();
        await shoot("solution");
        await enter(page, "5 2 8/4 1 7/0 6 3");
        await page.getByRole("tab", { name: "Solvable?" }).click();
        await until("the verdict", async () => (await page.locator("#verdict").textContent()).includes("Unsolvable"));
        await shoot("solvable");
      }, { viewport, colorScheme });
    }
  }
});

test("less motion, a theme of one's own, and keys that help", () => visit(async (page) => {
  assert.equal(await tile(page, 1).evaluate((element) => getComputedStyle(element).transitionDuration), "0s");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.getByRole("button", { name: "Change to dark" }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await button(page, "Keys").click();
  assert.ok(await page.locator("#keys").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#keys").isVisible()));
}, { reducedMotion: "reduce", colorScheme: "light" }));

test("everything can be reached with Tab, and the focus is seen", () => visit(async (page) => {
  const seen = new Set();
  for (let presses = 0; presses < 90; presses++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = /** @type {HTMLElement} */ (document.activeElement);
      const style = getComputedStyle(element);
      return { name: element.id || element.getAttribute("aria-label") || element.textContent, seen: style.outlineStyle !== "none" || element.tagName === "BODY" };
    });
    assert.ok(at.seen, at.name);
    if (seen.has(at.name) && at.name === "share") break;
    seen.add(at.name);
  }
  for (const name of ["tab-search", "share", "theme", "help", "board", "again", "scramble", "depth", "hint", "distance", "text", "size", "goal", "blanks", "arrange", "picture", "Search", "Predict", "Play", "Step", "Go to step"]) {
    assert.ok(seen.has(name), `${name} of ${[...seen]}`);
  }
}));

test("when the service has gone the page says so", { skip: site ? "there is none" : false }, () => visit(async (page, context) => {
  await context.setOffline(true);
  await button(page, "Search", "#panel-search").click();
  const problem = page.locator("#panel-search .problem");
  await until("the problem", () => problem.isVisible());
  assert.match(await problem.textContent(), /is 'taquin serve' still running\?/);
}, { expected: ["ERR_INTERNET_DISCONNECTED"] }));
