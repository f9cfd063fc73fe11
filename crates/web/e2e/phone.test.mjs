// A phone, upright and on its side, and what lies between it and a desk.

import assert from "node:assert/strict";
import { test } from "node:test";
import { box, button, said, shots, site, until, visit } from "./lab.mjs";

const BOARD = "#b=4x4:5.1.2.4.9.6.3.8.13.10.7.12.14.0.11.15&g=last&t=play";
const SIZES = [[390, 844], [844, 390], [320, 640], [768, 1024]];
const touch = { hasTouch: true, isMobile: true, opened: false };
const inside = async (page, locator) => {
  const { x, y, width, height } = await box(locator);
  const { width: w, height: h } = page.viewportSize();
  return x >= 0 && y >= 0 && x + width <= w + 1 && y + height <= h + 1;
};

for (const [width, height] of SIZES) {
  test(`a2 b3 tabs can be read, and board, clock and New game are on one screen: ${width} x ${height}`, () => visit(async (page) => {
    const tabs = await page.locator("[role=tab]").evaluateAll((all) => all.map((one) => ({ ...one.getBoundingClientRect().toJSON(), name: one.textContent, cut: one.scrollWidth > one.clientWidth + 1 })));
    tabs.forEach((tab, at) => assert.ok(!tab.cut && (at === 0 || tab.left >= (tabs[at - 1].right ?? 0) - 0.5 || tab.top >= tabs[at - 1].bottom - 0.5), `${tab.name} is on ${tabs[at - 1]?.name}`));
    for (const one of [page.locator("#board"), page.locator(".clock"), button(page, "New game", "#panel-play")]) assert.ok(await inside(page, one), `${await one.first().evaluate((element) => element.outerHTML.slice(0, 60))}`);
    // So it is after a new game, and while it is played.
    await button(page, "New game", "#panel-play").tap();
    await until("a board", async () => (await said(page)) === "A random board.");
    for (const one of [page.locator("#board"), page.locator(".clock")]) assert.ok(await inside(page, one), "after New game");
    await page.screenshot({ path: `${shots}play-${width}.png` });
  }, { hash: BOARD, viewport: { width, height }, ...touch }));
}

test("a link to a step shows its tree and its reason on one screen, in every language", { skip: site ? "measured with the server" : false }, async () => {
  for (const [locale, width, height] of /** @type {const} */ ([["en", 390, 844], ["de", 390, 844], ["es", 390, 844], ["en", 844, 390], ["de", 844, 390], ["es", 844, 390]])) {
    await visit(async (page) => {
      await until("the reason", async () => (await page.locator(".reasons li").count()) > 1);
      for (const one of [page.locator("#panel-search .tree"), page.locator(".reasons ol"), button(page, { en: "Step", de: "Schritt", es: "Paso" }[locale], "#panel-search")]) assert.ok(await inside(page, one), `${locale}: ${JSON.stringify(await box(one))}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await page.screenshot({ path: `${shots}step-${locale}-${width}.png` });
      // So it is in a presentation.
      await page.getByRole("button", { name: { en: "More", de: "Mehr", es: "Más" }[locale], exact: true }).tap();
      await button(page, { en: "Present", de: "Präsentieren", es: "Presentar" }[locale], "#panel-search").tap();
      await until("a presentation", () => page.evaluate(() => document.documentElement.classList.contains("presenting")));
      const [tree, reason] = await Promise.all([box(page.locator("#panel-search .tree")), box(page.locator(".reasons"))]);
      assert.ok(tree.width > width / 2 && reason.width > 200 && reason.y < height, JSON.stringify({ tree, reason }));
    }, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12&t=search", locale, viewport: { width, height }, ...touch });
  }
});

test("what a view is for is on the screen that opens, and its board where one is needed", () => visit(async (page) => {
  for (const [tab, ...seen] of [["race", "#panel-race .primary"], ["solution", "#board", "#panel-solution .primary"], ["solvable", "#panel-solvable h2"], ["heuristic", "#panel-heuristic svg"], ["space", "#panel-space h2"]]) {
    await page.locator(`#tab-${tab}`).tap();
    for (const one of seen) await until(`${one} on the screen`, () => inside(page, page.locator(one).first()), 10_000);
  }
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=play", viewport: { width: 390, height: 844 }, ...touch }));

test("nothing that is pressed is smaller than 44 pixels, in any state of any view", async () => {
  for (const [width, height] of SIZES) {
    await visit(async (page) => {
      const small = async (what) => assert.deepEqual(await page.locator("button:not(.tile), select, input:not([type=checkbox], [type=file]), summary, [role=tab]").evaluateAll((all) => all.filter((one) => {
        const box = one.getBoundingClientRect();
        return one.checkVisibility() && !one.closest(".unseen, .board, [inert]") && box.width > 2 && (box.height < 43.5 || box.width < 43.5);
      }).map((one) => `${one.tagName} ${one.id || one.textContent} ${one.getBoundingClientRect().width} x ${one.getBoundingClientRect().height}`)), [], `${what} at ${width}`);
      const wide = async (what) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${what} sticks out at ${width}`);
      for (const tab of await page.locator("[role=tab]").all()) {
        await tab.click();
        await page.locator("#view details").evaluateAll((all) => all.forEach((one) => { one.open = true; }));
        const name = await tab.textContent();
        await small(name);
        await wide(name);
      }
      await page.locator("#tab-search").click();
      await button(page, "Predict", "#panel-search").click();
      await until("a search", async () => (await page.locator("#panel-search .candidates button").count()) > 0);
      await small("a prediction");
      await button(page, "Present", "#panel-search").click();
      await small("a presentation");
      await wide("a presentation");
    }, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=search", viewport: { width, height }, hasTouch: true, isMobile: true });
  }
});

test("c1 a lesson that begins has the focus, and its answers are not spoken", () => visit(async (page) => {
  await page.locator("#tab-lessons").click();
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(document.getElementById("live")?.textContent)).observe(document.getElementById("live"), { childList: true, characterData: true, subtree: true });
  });
  await button(page, "Begin: A* and consistency").click();
  await until("the lesson", () => page.locator("#lesson h2").isVisible());
  await until("the focus", () => page.evaluate(() => document.activeElement === document.querySelector("#lesson h2")));
  await until("the search", async () => /14 moves/.test(await page.locator("#panel-search .whole").textContent()));
  assert.ok((await page.evaluate(() => globalThis.heard)).every((words) => !/\d+ moves|optimal/.test(words)), String(await page.evaluate(() => globalThis.heard)));
}, { opened: false }));

test("the reasons of two searches have the width of the screen", { skip: site ? "measured with the server" : false }, () => visit(async (page) => {
  await until("both reasons", async () => (await page.locator("#panel-search .reasons li").count()) >= 2 && (await page.locator(".second .reasons li").count()) > 0);
  for (const one of await page.locator("#panel-search .reasons").all()) assert.ok((await box(one)).width > 300, JSON.stringify(await box(one)));
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&m2=greedy:manhattan&s=12&t=search", viewport: { width: 390, height: 844 }, ...touch }));
