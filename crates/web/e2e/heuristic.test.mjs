// Heuristics drawn on the tiles: the shares add up to what the engine says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { conflicts, crowds, shares } from "../page/shares.js";
import { shots, taquin, until, visit } from "./lab.mjs";

const GOAL = [1, 2, 3, 4, 5, 6, 7, 8, 0];
const said = (board, name) => JSON.parse(taquin("heuristic", board, "--json")).estimates.find(({ heuristic }) => heuristic === name).estimate;

test("the shares of the tiles add up to the Manhattan distance, and conflicts are where linear is more", () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const board = JSON.parse(taquin("gen", "--size", "3x3", "--seed", String(seed), "--json")).boards[0];
    const text = [0, 3, 6].map((at) => board.slice(at, at + 3).join(" ")).join("/");
    const sum = [...shares(board, GOAL, 3).values()].reduce((all, { far }) => all + far, 0);
    assert.equal(sum, said(text, "manhattan"), text);
    assert.equal(conflicts(board, GOAL, 3).length > 0, said(text, "linear") > sum, text);
  }
  assert.deepEqual(conflicts([2, 1, 3, 4, 5, 6, 7, 8, 0], GOAL, 3), [[0, 1]]);
  assert.deepEqual(conflicts([4, 2, 3, 1, 5, 6, 7, 8, 0], GOAL, 3), [[0, 3]]);
});

test("each tile has its share on it, and the sum is that of the engine", () => visit(async (page) => {
  await until("the sum", async () => (await page.locator("#panel-heuristic .score").textContent()) === "3 + 1 + 0 + 0 + 2 + 0 + 2 + 2 = 10");
  assert.deepEqual(await page.locator(".shares .share").allTextContents(), ["+3", "+1", "+0", "+0", "+2", "+0", "+2", "+2"]);
  assert.match(await page.locator("#panel-heuristic table:not(.crowd)").textContent(), /manhattan10/);
  // 8 1 3/4 0 2/7 6 5: of the tiles in row 1, two belong there and one in row 3.
  assert.deepEqual(crowds([8, 1, 3, 4, 0, 2, 7, 6, 5], GOAL, 3, "row"), [[2, 0, 1], [1, 1, 0], [0, 2, 1]]);
  assert.deepEqual(crowds([8, 1, 3, 4, 0, 2, 7, 6, 5], GOAL, 3, "column"), [[2, 1, 0], [1, 0, 1], [0, 2, 1]]);
  assert.deepEqual(await page.locator(".crowd").first().locator("tbody tr").allTextContents(), ["in row 1201", "in row 2110", "in row 3021"]);
  await page.screenshot({ path: `${shots}heuristic.png` });
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=heuristic" }));
