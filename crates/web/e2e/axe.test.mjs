// Accessibility, as axe-core checks it, in every panel.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { address, button, enter, said, shots, site, until, visit } from "./lab.mjs";

test("axe finds nothing, in light and dark, wide and narrow", { skip: site ? "the same page is checked with the server" : false }, async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const [colorScheme, width, other] of /** @type {const} */ ([["light", 390, 320], ["dark", 1280, 768], ["light", 1920, null]])) {
    await visit(async (page) => {
      await page.evaluate(axe);
      const inspect = async (what) => {
        for (const one of other ? [other, width] : [width]) {
          await page.setViewportSize({ width: one, height: 900 });
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          assert.deepEqual(violations.map(({ id, nodes }) => `${what} at ${one}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200))}`), []);
        }
      };
      await inspect("at first");
      await button(page, "Search", "#panel-search").click();
      await until("the end", () => button(page, "Export trace", "#panel-search").isEnabled());
      for (let step = 0; step < 5; step++) await button(page, "Step", "#panel-search").click();
      await button(page, "Predict", "#panel-search").click();
      await page.locator(".reasons p").waitFor();
      await inspect("search");
      await button(page, "Compare", "#panel-search").click();
      await until("two searches", async () => (await page.locator(".second .reasons li").count()) > 0);
      await inspect("two searches");
      await button(page, "Compare", "#panel-search").click();
      await button(page, "Present", "#panel-search").click();
      await inspect("a presentation");
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Heuristics" }).click();
      await until("the estimates", async () => (await page.locator("#panel-heuristic table:not(.crowd) td").count()) > 0);
      await inspect("heuristics");
      await button(page, "taquin: the first page").click();
      await inspect("the front door");
      await page.getByRole("tab", { name: "Race" }).click();
      await button(page, "Start the race").click();
      await until("the race", async () => (await said(page)).startsWith("The race is over."));
      await inspect("race");
      await page.getByRole("tab", { name: "Solution" }).click();
      await button(page, "Solve", "#panel-solution").click();
      await page.locator("#moves-tile").waitFor();
      await inspect("solution");
      await page.getByRole("tab", { name: "Play" }).click();
      await page.locator("#panel-play details").evaluateAll((all) => all.forEach((one) => { one.open = true; }));
      await inspect("play");
      await page.getByRole("tab", { name: "Lessons" }).click();
      await button(page, "Begin: Blind search").click();
      await until("the lesson", () => page.locator("#lesson").isVisible());
      await button(page, "To step 2", "#lesson").click();
      await button(page, "Next", "#lesson").click();
      await page.locator("#lesson .candidates button").first().waitFor();
      await page.screenshot({ path: `${shots}lesson-${colorScheme}-${width}.png` });
      await inspect("lesson");
      await button(page, "Close the lesson").click();
      await page.getByRole("tab", { name: "Space" }).click();
      await page.locator("#panel-space .bar").first().waitFor();
      await page.getByText("As a table").click();
      await inspect("space");
      await page.getByRole("tab", { name: "Solvable?" }).click();
      await inspect("solvable");
      await enter(page, "1 2 3/4 5 6/8 7 0");
      await until("the verdict", async () => (await page.locator("#verdict").textContent()).includes("Unsolvable"));
      await button(page, "Arrange tiles").click();
      await page.selectOption("#goal", "own");
      await enter(page, "1 2 3/4 5 6/8 7 7");
      await until("a problem", () => page.locator("#text-problem").isVisible());
      await inspect("unsolvable");
      await button(page, "Keys").click();
      await inspect("keys");
    }, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true, expected: ["422"] });
  }
});

test("axe finds nothing on other screens, nor in a frame", { skip: site ? "the same page is checked with the server" : false }, async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const step = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12&t=search";
  for (const [colorScheme, width, query, hash] of /** @type {const} */ ([["dark", 320, "", ""], ["light", 320, "", step], ["light", 768, "", ""], ["dark", 768, "", step], ["dark", 390, "", step], ["light", 1280, "", step], ["dark", 1920, "", step], ["light", 640, "?panel=tree", step], ["dark", 640, "?panel=board", step], ["light", 640, "?panel=lesson", "#lesson=blind&lp=1"], ["dark", 640, "?panel=heuristic", step]])) {
    await visit(async (page) => {
      if (query) {
        await page.goto(`${address}${query}${hash}`);
        await page.locator("html[data-ready]").waitFor();
        await until("the panel", () => page.locator("#embedded").isVisible());
        if (query.endsWith("lesson")) await page.locator("#lesson .candidates button").first().waitFor();
      }
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      // The ground of a frame is that of the page around it, which axe takes for white.
      assert.deepEqual(violations.filter(({ id }) => !query || id !== "color-contrast").map(({ id, nodes }) => `${width} ${query}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200))}`), []);
    }, { hash, opened: false, colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
  }
});
