// The widgets of the Python package: their script with a model in place of the notebook's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browse, button, taquin, until } from "./lab.mjs";

const folder = new URL("../../../python/taquin/", import.meta.url);
const [script, style] = ["widget.js", "widget.css"].map((name) => readFileSync(new URL(name, folder), "utf8"));

/** Shows a widget. Its model moves the tile that is asked for, as Python would, and records all messages. */
async function show(page, data) {
  await page.setContent(`<style>${style}</style><div id="widget"></div>`);
  await page.evaluate(async ([source, values]) => {
    const listeners = new Map();
    const set = (name, value) => {
      values[name] = value;
      for (const listener of listeners.get(name) ?? []) listener();
    };
    window.sent = [];
    const model = {
      get: (name) => values[name],
      on: (event, listener) => listeners.set(event.slice(7), [...(listeners.get(event.slice(7)) ?? []), listener]),
      off: (event, listener) => listeners.set(event.slice(7), (listeners.get(event.slice(7)) ?? []).filter((each) => each !== listener)),
      send: (message) => {
        window.sent.push(message);
        if (message.ask !== "tile") return set("message", message.ask);
        const rows = values.rows.map((row) => [...row]);
        const y = rows.findIndex((row) => row.includes(0));
        const x = rows[y].indexOf(0);
        [rows[y][x], rows[message.y][message.x]] = [rows[message.y][message.x], 0];
        set("rows", rows);
        set("message", "moved");
      },
    };
    const widget = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    window.close_widget = widget.default.render({ model, el: document.getElementById("widget") });
    window.listeners = () => [...listeners.values()].flat().length;
  }, [script, data]);
}

const tiles = (page) => page.locator(".board > *").allTextContents();
const said = (page) => page.locator("[role=status]").textContent();

test("a widget plays: by mouse, by key, and with questions", () => browse(async (page) => {
  await show(page, { kind: "play", rows: [[1, 2, 3], [4, 0, 6], [7, 5, 8]], message: "0 moves" });
  assert.equal(await said(page), "0 moves");
  // Only tiles next to the blank can be pressed.
  assert.deepEqual(await page.locator(".movable").allTextContents(), ["2", "4", "6", "5"]);
  await page.getByRole("button", { name: "move 5" }).click();
  assert.deepEqual(await tiles(page), ["1", "2", "3", "4", "5", "6", "7", "", "8"]);
  assert.equal(await said(page), "moved");
  await page.locator(".place").focus();
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(await tiles(page), ["1", "2", "3", "4", "5", "6", "7", "8", ""]);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await tiles(page), ["1", "2", "3", "4", "5", "", "7", "8", "6"]);
  for (const name of ["Hint", "Undo", "Start again"]) await button(page, name).click();
  const asked = await page.evaluate(() => window.sent.map((message) => message.ask));
  assert.deepEqual(asked, ["tile", "tile", "tile", "hint", "undo", "reset"]);
  await page.evaluate(() => window.close_widget());
  assert.equal(await page.evaluate(() => window.listeners()), 0);
}));

test("a widget steps through a search", () => browse(async (page) => {
  const lines = taquin("solve", "1 2 3/4 0 6/7 5 8", "-m", "astar:manhattan", "--trace=jsonl", "--path", "none").split("\n");
  const events = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const seen = events.filter(({ event }) => ["expand", "goal"].includes(event));
  const rows = (flat) => [0, 3, 6].map((at) => flat.slice(at, at + 3));
  await show(page, { kind: "steps", steps: seen.map(({ event, board, g, h }) => ({ event, rows: rows(board), g, h })) });
  assert.equal(await said(page), "1 of 3: expand, g = 0, h = 2, f = 2");
  await button(page, "Next").click();
  assert.equal(await said(page), "2 of 3: expand, g = 1, h = 1, f = 2");
  await button(page, "Back").click();
  await button(page, "Play").click();
  await until("the goal", async () => (await said(page)).startsWith("3 of 3: goal"));
  assert.deepEqual(await tiles(page), ["1", "2", "3", "4", "5", "6", "7", "8", ""]);
  await until("the end", () => button(page, "Play").isVisible());
  await page.getByLabel("step", { exact: true }).fill("0");
  assert.match(await said(page), /^1 of 3/);
}));

test("a widget without steps says so", () => browse(async (page) => {
  await show(page, { kind: "steps", steps: [] });
  await button(page, "Next").click();
  assert.equal(await said(page), "The search has no steps.");
}));

test("a widget races", () => browse(async (page) => {
  const results = ["bfs", "astar:misplaced", "astar:manhattan"].map((method) => {
    const report = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", method, "--json"));
    return { method, expanded: report.counts.expanded, answer: `${report.depth} moves`, solved: true };
  });
  await show(page, { kind: "race", results });
  await button(page, "Start the race").click();
  await until("the end", async () => (await said(page)).includes("the fewest nodes"));
  assert.equal(await said(page), `astar:manhattan expanded the fewest nodes: ${results[2].expanded}.`);
  assert.deepEqual(await page.locator(".answer").allTextContents(), results.map((result) => result.answer));
  const widths = await page.locator(".fill").evaluateAll((fills) => fills.map((fill) => fill.getBoundingClientRect().width));
  assert.ok(widths[0] > widths[1] && widths[1] > widths[2], String(widths));
}));
