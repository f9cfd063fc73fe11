// Looks: one scale of type, motion that explains, and lines that are drawn where they belong.

import assert from "node:assert/strict";
import { test } from "node:test";
import { button, site, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const STEP = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12&t=search";
const explained = (page) => until("the reason", async () => (await page.locator(`${panel} .reasons li`).count()) > 0);
const once = { skip: site ? "looked at with the server" : false };

/** The sizes and weights of all text that is seen; the digits of boards are as large as their tiles, and a chart is a picture. */
const type = (page) => page.evaluate(() => {
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const found = { sizes: /** @type {Record<string, string>} */ ({}), weights: /** @type {Record<string, string>} */ ({}) };
  for (const one of document.querySelectorAll("body *")) {
    const isText = one.matches("input, select, textarea") || [...one.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
    if (!isText || !one.checkVisibility() || one.closest("svg, .board, .unseen, option, noscript")) continue;
    const { fontSize, fontWeight } = getComputedStyle(one);
    if (parseFloat(fontSize) === 0) continue;
    const what = `${one.tagName}.${one.className} ${one.textContent?.slice(0, 30)}`;
    found.sizes[(parseFloat(fontSize) / root).toFixed(4)] = what;
    found.weights[fontWeight] = what;
  }
  return found;
});

for (const viewport of [{ width: 1280, height: 720 }, { width: 390, height: 844 }]) {
  test(`text has six sizes and two weights, in every view: ${viewport.width}`, once, () => visit(async (page) => {
    const seen = { sizes: {}, weights: {} };
    const look = async () => {
      const { sizes, weights } = await type(page);
      Object.assign(seen.sizes, sizes);
      Object.assign(seen.weights, weights);
    };
    await explained(page);
    await button(page, "Fine steps", panel).click();
    await look();
    await button(page, "Compare", panel).click();
    await until("two searches", async () => (await page.locator(".second .reasons li").count()) > 0);
    await look();
    await button(page, "Compare", panel).click();
    await button(page, "Present", panel).click();
    await look();
    await page.keyboard.press("Escape");
    await button(page, "taquin: the first page").click();
    await look();
    for (const tab of await page.locator("[role=tab]").all()) {
      await tab.click();
      await page.locator("#view details").evaluateAll((all) => all.forEach((one) => { one.open = true; }));
      await until("the view", () => page.locator("[role=tabpanel]:visible h2").first().isVisible().then(() => true));
      await look();
    }
    await button(page, "Begin: Blind search").click();
    await until("the lesson", () => page.locator("#lesson h2").isVisible());
    await look();
    const scale = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return ["tiny", "small", "plain", "large", "huge", "giant"].map((name) => parseFloat(style.getPropertyValue(`--${name}`)).toFixed(4));
    });
    assert.deepEqual(Object.fromEntries(Object.entries(seen.sizes).filter(([size]) => !scale.includes(size))), {});
    assert.deepEqual(Object.keys(seen.weights).sort(), ["400", "600"], JSON.stringify(seen.weights));
  }, { hash: STEP, viewport }));
}

test("nodes grow out of their parents, and are there at once where less motion is wanted", once, async () => {
  for (const reducedMotion of /** @type {const} */ (["no-preference", "reduce"])) {
    await visit(async (page) => {
      await explained(page);
      await button(page, "Fit the whole tree", panel).click();
      // The pictures of the tree, as long as it changes.
      const pictures = await page.evaluate(async () => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("#panel-search .tree > canvas"));
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        for (let still = 0; still < 20; still++) await frame();
        const seen = new Set([canvas.toDataURL()]);
        /** @type {HTMLButtonElement} */ (document.querySelector("#panel-search .transport [aria-label='Step']")).click();
        for (let at = 0; at < 40; at++) {
          await frame();
          seen.add(canvas.toDataURL());
        }
        return seen.size;
      });
      assert.ok(reducedMotion === "reduce" ? pictures === 2 : pictures > 3, `${reducedMotion}: ${pictures} pictures`);
    }, { hash: STEP, opened: false, reducedMotion });
  }
});

test("tiles slide, and a line joins two tiles that are in each other's way", () => visit(async (page) => {
  await until("the conflicts", async () => (await page.locator("#panel-heuristic .clash").count()) === 1);
  const slides = await page.locator("#board .tile").first().evaluate((one) => getComputedStyle(one).transitionProperty);
  assert.equal(slides, "transform");
}, { hash: "#b=3x3:2.1.3.4.5.6.7.8.0&g=last&t=heuristic" }));
