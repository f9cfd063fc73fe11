// Links and lessons made by earlier versions still open. Entries here are never changed, only
// added.

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, board, button, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const step = (page) => page.getByLabel("Go to step").inputValue();

/** Links as they were before panels, rules and games had names in them, and later ones. */
const LINKS = [
  ["#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=wastar:manhattan&s=11", async (page) => {
    await until("step 11", async () => (await step(page)) === "11" && (await page.locator(`${panel} .reasons`).textContent()) !== "");
    assert.equal(await page.getByLabel("Spelling").first().inputValue(), "wastar:manhattan");
    assert.deepEqual(await board(page), [8, 1, 3, 4, 0, 2, 7, 6, 5]);
  }],
  ["#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=beam:manhattan,k=3&s=10", async (page) => {
    await until("step 10", async () => (await step(page)) === "10");
  }],
  ["#b=4x4:14.15.8.12.10.11.9.13.2.6.5.1.3.7.4.0&g=last&t=race&r=bfs;astar:manhattan&rs=30", async (page) => {
    assert.equal(await page.locator("#panel-race").isVisible(), true);
    assert.equal(await page.locator(".lane").count(), 2);
  }],
  // Two moves were made.
  ["#b=3x3:1.2.3.4.0.6.7.5.8&g=last&u=1v_27", async (page) => {
    assert.deepEqual(await board(page), [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    await button(page, "Undo").click();
    assert.deepEqual(await board(page), [1, 2, 3, 4, 5, 6, 7, 0, 8]);
  }],
  ["#b=3x3:1.2.3.8.0.4.7.6.5&g=snail", async (page) => assert.equal(await page.locator("#goal").inputValue(), "snail")],
  ["#b=2x2:2.3.1.0&g=1.2.3.0&t=solvable", async (page) => {
    await until("the proof", () => page.locator("#panel-solvable h2").isVisible());
  }],
  ["#b=3x3:1.2.3.4.0.6.7.5.8&g=last&t=play&gh=2&ml=1", async (page) => {
    assert.equal(await page.getByLabel("opponent").inputValue(), "2");
    assert.equal(await page.getByRole("checkbox", { name: "moves left" }).isChecked(), true);
  }],
  ["#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=solution&sm=auto&sol=1&sv=5&th=dark", async (page) => {
    await until("the move", async () => /^Move 5/.test((await page.locator(".movelist button[aria-current=true]").getAttribute("aria-label")) ?? ""));
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  }],
  ["#lesson=blind", (page) => until("the lesson", async () => (await page.locator("#lesson h2").textContent()).includes("Blind search"))],
  ["#lesson=zXY67TsNAEEV_ZXTrJYkhPLQNLR-QDkXKIE_YVewZ4x3iIGv_HW1DQX3P1TkrzjaP7Ihw_vrOejdIKaYIuMpcsiliF-DZB0HEIUtBwMSfUhDfV7jc2vewGKn1UijxVciT0GCLFKfT-bRBwIfx3CPihTp62O5pR_fbZ3qiRwSM4snayMV5jiNrYnduDcVtaqIu7I8BXC6IKy5ZG61NXWv4i3izhUbWn1f8R-U2sfbSI2DJnrIi7jZdrcf6Cw", async (page) => {
    await until("the lesson", async () => (await page.locator("#lesson h2").textContent()).includes("Ties"));
    await until("step 1", async () => (await step(page)) === "1");
    assert.deepEqual(await board(page), [8, 1, 3, 4, 0, 2, 7, 6, 5]);
  }],
];

test("links and lessons of older versions still open", () => visit(async (page) => {
  for (const [hash, check] of LINKS) {
    await page.goto("about:blank");
    await page.goto(address + hash);
    await page.locator("html[data-ready]").waitFor();
    assert.equal(await page.locator("#text-problem").isVisible(), false, hash);
    assert.equal(await page.locator("#panel-lessons .problem").filter({ visible: true }).count(), 0, hash);
    await check(page);
  }
}));
