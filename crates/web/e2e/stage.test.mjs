// The stage: the tree has the window, and the reason for a step is next to it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { box, button, said, shots, site, until, visit } from "./lab.mjs";

/** The layout is the same with and without a server, and is measured once. */
const once = { skip: site ? "measured with the server" : false };
const panel = "#panel-search";
const BOARD = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last";
const STEP = `${BOARD}&m=astar:manhattan&s=12&t=search`;
const canvas = (page) => page.locator(`${panel} .tree > canvas`).first();
const at = (page) => page.getByLabel("Go to step").inputValue();
const drawn = (page) => canvas(page).getAttribute("data-drawn");
const share = (page) => canvas(page).evaluate((one) => (one.clientWidth * one.clientHeight) / (innerWidth * innerHeight));
const boxOf = (page, name) => box(page.locator(name).first());
const explained = (page) => until("the reason", async () => (await page.locator(".reasons li").count()) > 0);

for (const [width, height, least] of [[1280, 720, 0.55], [1366, 768, 0.55], [1920, 1080, 0.65], [1024, 768, 0.55]]) {
  test(`a link to a step opens with the tree on the screen, and the reason beside it: ${width} x ${height}`, () => visit(async (page) => {
    await explained(page);
    assert.ok((await share(page)) >= least, `${await share(page)} of the screen`);
    const reason = await boxOf(page, ".reasons");
    const successor = await boxOf(page, `${panel} .step > ul.children li`);
    assert.ok(reason.y >= 0 && reason.y + reason.height <= height && successor.y + successor.height <= height, JSON.stringify({ reason, successor }));
    const [tab, tools] = [await boxOf(page, "#tab-lessons"), await boxOf(page, ".tools")];
    assert.ok(tab.x + tab.width <= tools.x, "every tab can be read");
    // Nothing scrolls, to any side.
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]), [0, 0]);
    assert.equal(await drawn(page), "boards");
    if (width >= 1280) {
      // All that starts and leads a search is in one row.
      const tops = await page.locator(`${panel} .bar > *`).evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.clientHeight > 4).map((one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2));
      assert.ok(Math.max(...tops) - Math.min(...tops) < 8, `${tops}`);
    }
    await page.screenshot({ path: `${shots}stage-${width}.png` });
  }, { hash: STEP, opened: false, viewport: { width, height } }));
}

test("the bar is one row, and the tree has the screen, whatever the method and the language", once, async () => {
  for (const locale of ["en", "de", "es"]) {
    await visit(async (page) => {
      for (const method of ["astar:manhattan", "bfs", "ucs", "ids", "mm:manhattan", "ida:linear", "wastar:manhattan,w=3/2"]) {
        await page.evaluate((hash) => { location.hash = hash; }, `${BOARD}&m=${method}&s=12&t=search`);
        await until(`step 12 of ${method}`, () => page.evaluate((method) => location.hash.includes(`m=${method}`) && document.querySelector("#panel-search .slide input").value === "12", method.split(",")[0]));
        for (const [width, height, least] of [[1280, 720, 0.55], [1920, 1080, 0.65], [1024, 768, 0.55]]) {
          await page.setViewportSize({ width, height });
          let last;
          await until(`${method} in ${locale} at ${width} x ${height}`, async () => {
            last = await page.locator(`${panel} .bar`).evaluate((bar) => {
              const middles = [...bar.children].filter((one) => one.checkVisibility() && one.clientHeight > 4).map((one) => one.getBoundingClientRect()).map((one) => one.top + one.height / 2);
              return { spread: Math.max(...middles) - Math.min(...middles), over: bar.scrollWidth - bar.clientWidth };
            });
            last.share = await share(page);
            return last.share >= least && last.spread < 8 && last.over <= 0;
          }, 10_000).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(last)}`));
        }
      }
    }, { hash: STEP, opened: false, locale });
  }
});

test("what has no room in the bar is in the menu, and comes back", () => visit(async (page) => {
  await explained(page);
  const next = button(page, "Next f", panel);
  await until("no room", async () => !(await next.isVisible()));
  await page.getByRole("button", { name: "More", exact: true }).click();
  assert.equal(await next.isVisible(), true);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.setViewportSize({ width: 1600, height: 800 });
  await until("room", () => next.isVisible());
  assert.ok(await next.evaluate((one) => one.closest(".bar") !== null));
}, { hash: STEP, opened: false, viewport: { width: 1024, height: 768 } }));

test("the puzzle and further choices are unfolded, and stay so", () => visit(async (page) => {
  const [puzzle, more] = ["Puzzle", "More"].map((name) => page.getByRole("button", { name, exact: true }));
  assert.deepEqual(await Promise.all([page.locator("#puzzle").isVisible(), page.getByLabel("Spelling").first().isVisible()]), [false, false]);
  await puzzle.click();
  await more.click();
  assert.equal(await puzzle.getAttribute("aria-expanded"), "true");
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  assert.deepEqual(await Promise.all([page.locator("#puzzle").isVisible(), page.getByLabel("Spelling").first().isVisible()]), [true, true]);
  await puzzle.click();
  await more.click();
  assert.deepEqual(await Promise.all([page.locator("#puzzle").isVisible(), page.getByLabel("Spelling").first().isVisible()]), [false, false]);
}, { hash: STEP, opened: false }));

test("b8 a search that is followed shows boards at every step, and nothing lies over the node that was taken or its successors", once, async () => {
  for (const viewport of [{ width: 1280, height: 720 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    await visit(async (page) => {
      await explained(page);
      const wrong = await canvas(page).evaluate(async (one) => {
        const slider = document.querySelector("#panel-search .slide input");
        const wrong = [];
        for (let step = 1; step <= 44; step++) {
          slider.value = String(step);
          slider.dispatchEvent(new Event("input"));
          // A map that appears moves the tree once more.
          for (let frame = 0; frame < 4; frame++) await new Promise((done) => requestAnimationFrame(done));
          const own = one.getBoundingClientRect();
          const over = [...one.parentElement.querySelectorAll(":scope > .map, .overlay button, .big .board, .big > button")].filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect());
          const near = JSON.parse(one.dataset.near || "[]").map(([left, top, right, bottom]) => [left + own.left, top + own.top, right + own.left, bottom + own.top]);
          const covered = near.filter(([left, top, right, bottom]) => left < own.left || right > own.right || top < own.top || bottom > own.bottom || over.some((each) => left < each.right && right > each.left && top < each.bottom && bottom > each.top));
          if (one.dataset.drawn !== "boards" || near.length === 0 || covered.length > 0) wrong.push({ step, drawn: one.dataset.drawn, near, covered });
        }
        return wrong;
      });
      assert.deepEqual(wrong, [], `${viewport.width} x ${viewport.height}`);
      assert.equal(await page.locator(`${panel} .slide input`).inputValue(), "44");
    }, { hash: STEP, opened: false, viewport });
  }
});

test("an empty canvas has a way back, and the overview a way to everywhere", () => visit(async (page) => {
  await explained(page);
  await button(page, "Last step", panel).click();
  const map = page.locator(".map");
  await until("the overview", () => map.isVisible());
  const { x, y, width, height } = await boxOf(page, ".map");
  await page.mouse.click(x + width / 2, y + 12);
  assert.equal(await button(page, "Follow the search", panel).getAttribute("aria-pressed"), "false");
  const back = page.getByRole("button", { name: "Back to the tree" });
  assert.equal(await back.isVisible(), false);
  // Far beyond the tree there is nothing but the way back.
  await canvas(page).focus();
  for (let press = 0; press < 60; press++) await page.keyboard.press("Shift+ArrowLeft");
  await until("the way back", () => back.isVisible());
  await back.click();
  await until("the tree", async () => !(await back.isVisible()));
  // All of it is seen, so there is no overview; the focus is on the tree.
  await until("no overview", async () => !(await map.isVisible()));
  assert.ok(width > 0 && height > 0);
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "CANVAS");
}, { hash: STEP, opened: false, viewport: { width: 1280, height: 720 } }));

test("the next f, the next depth and the next threshold are steps away", async () => {
  const f = (page) => page.locator(`${panel} .step .why strong`).textContent();
  await visit(async (page) => {
    await explained(page);
    assert.match(await f(page), /f = 12$/);
    await button(page, "Next f", panel).click();
    assert.match(await f(page), /f = 14$/);
    await button(page, "Step back", panel).click();
    assert.match(await f(page), /f = 12$/);
  }, { hash: STEP });
  await visit(async (page) => {
    await explained(page);
    await button(page, "Next depth", panel).click();
    assert.equal(await f(page), "g = 2");
  }, { hash: `${BOARD}&m=bfs&s=2&t=search` });
  await visit(async (page) => {
    await until("the threshold", async () => /threshold10/.test(await page.locator(`${panel} .foot .figures`).textContent()));
    await button(page, "Next f", panel).click();
    await until("the next threshold", async () => /threshold12/.test(await page.locator(`${panel} .foot .figures`).textContent()));
  }, { hash: `${BOARD}&m=ida:manhattan&s=2&t=search` });
});

test("the reason for a step is spoken after the step, and not over anything else", () => visit(async (page) => {
  await explained(page);
  assert.doesNotMatch(await said(page), /Chosen/);
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(document.getElementById("live")?.textContent)).observe(document.getElementById("live"), { childList: true });
  });
  const heard = () => page.evaluate(() => globalThis.heard);
  await button(page, "Step", panel).click();
  await until("the reason", async () => (await heard()).length >= 2);
  const [step, reason, ...more] = await heard();
  assert.match(step, /^Step 13: [\d /]+, g \d+, h \d+\.$/);
  assert.match(reason, /^Chosen from the \d+ open nodes, because its f is the lowest; /);
  assert.deepEqual(more, []);
  // An announcement right after a step is not followed by its reason.
  await page.evaluate(() => {
    globalThis.heard = [];
    document.querySelector('#panel-search button[aria-label="Step"]').click();
    document.getElementById("theme").click();
  });
  await page.waitForTimeout(400);
  assert.match(await said(page), /The page is (dark|light) now/);
}, { hash: STEP }));

test("the board of a step is small in a corner, and large on demand", () => visit(async (page) => {
  await explained(page);
  const size = async () => (await boxOf(page, `${panel} .big .board`)).width;
  assert.ok((await size()) < 150);
  await button(page, "Board", panel).click();
  assert.ok((await size()) > 350);
  await button(page, "Board", panel).click();
  assert.ok((await size()) < 150);
}, { hash: STEP, opened: false, viewport: { width: 1280, height: 720 } }));

test("a presentation names its method, has all it talks about on the screen, and leaves the space bar to buttons", () => visit(async (page) => {
  await explained(page);
  await button(page, "Present", panel).click();
  assert.equal(await page.locator(`${panel} .bar .title`).textContent(), "A*, manhattan");
  for (const name of [`${panel} .bar .title`, ".reasons", `${panel} .step > ul.children li:last-child`, ".code li:last-child", `${panel} .frontier li`, ".big .board"]) {
    const { y, height } = await boxOf(page, name);
    assert.ok(y >= 0 && y + height <= 720, `${name}: ${y} to ${y + height}`);
  }
  const before = await at(page);
  await button(page, "Step back", panel).focus();
  await page.keyboard.press(" ");
  assert.equal(Number(await at(page)), Number(before) - 1);
  await canvas(page).focus();
  await page.keyboard.press(" ");
  assert.equal(await at(page), before);
  await page.screenshot({ path: `${shots}present-1280.png` });
}, { hash: STEP, opened: false, viewport: { width: 1280, height: 720 } }));

test("a lesson is beside the tree of a presentation, and not over it", once, () => visit(async (page) => {
  await until("the lesson", () => page.locator("#lesson h2").isVisible());
  await explained(page);
  await button(page, "Present", panel).click();
  const [lesson, tree] = [await boxOf(page, "#lesson"), await boxOf(page, `${panel} .tree`)];
  assert.ok(lesson.x + lesson.width <= tree.x + 1 && tree.y + tree.height <= 721 && (await share(page)) > 0.35, JSON.stringify({ lesson, tree }));
  await page.screenshot({ path: `${shots}present-lesson.png` });
}, { hash: "#lesson=astar&lp=1&lv=0", opened: false, viewport: { width: 1280, height: 720 } }));
