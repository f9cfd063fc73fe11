// Every panel on paper: nothing to press, a white ground, and the name of the method.

import assert from "node:assert/strict";
import { test } from "node:test";
import { button, shots, site, until, visit } from "./lab.mjs";

/** The panels, and what is done before they are printed. */
const PANELS = {
  play: async (page) => {
    await page.focus("#board");
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
    await until("the review", async () => (await page.locator("#panel-play").textContent()).includes("was the first that did not help"));
  },
  race: async (page) => {
    await button(page, "Start the race").click();
    await until("the race", async () => (await page.locator("#live").textContent()).startsWith("The race is over."));
  },
  solution: async (page) => {
    await button(page, "Solve", "#panel-solution").click();
    await page.locator("#moves-tile").waitFor();
  },
  solvable: () => {},
  space: (page) => page.locator("#panel-space .bar").first().waitFor(),
  lessons: async (page) => {
    await button(page, "Begin: Blind search").click();
    await button(page, "To step 2", "#lesson").click();
    await button(page, "Next", "#lesson").click();
    await page.locator("#lesson .candidates button").first().waitFor();
  },
};

test("b7 every panel is a clean sheet", { skip: site ? "taken with the server" : false }, () => visit(async (page) => {
  for (const [name, act] of Object.entries(PANELS)) {
    await page.locator(`#tab-${name}`).click();
    await act(page);
    await page.emulateMedia({ media: "print" });
    const shown = await page.locator("button:not(.tile), input, select, textarea, summary, form, [role=tab]").evaluateAll((all) => all.filter((one) => one.checkVisibility() && !one.closest(".movelist, .candidates, .unseen")).map((one) => one.id || one.textContent));
    assert.deepEqual(shown, [], name);
    assert.equal(await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.locator(":focus-visible").evaluateAll((all) => all.some((one) => getComputedStyle(one).outlineStyle !== "none")), false);
    if (name === "race") assert.deepEqual(await page.locator(".lane [data-method]").evaluateAll((all) => all.map((one) => getComputedStyle(one, "::before").content)), ['"bfs"', '"astar:manhattan"']);
    await page.setViewportSize({ width: 760, height: 1000 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), name);
    await page.screenshot({ path: `${shots}print-${name}.png`, fullPage: true });
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.emulateMedia({ media: "screen" });
  }
}, { hash: "#b=3x3:1.2.3.4.0.6.7.5.8&g=last&t=play", viewport: { width: 1100, height: 800 }, colorScheme: "dark" }));
