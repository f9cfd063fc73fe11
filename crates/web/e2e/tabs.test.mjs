// Several pages of one browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, button, site, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const HARD = "#b=4x4:14.15.8.12.10.11.9.13.2.6.5.1.3.7.4.0&g=last&m=ida:manhattan";
const expanded = async (page) => Number((await page.locator(`${panel} .totals div`, { has: page.locator('dt:text-is("expanded")') }).locator("dd").textContent()).replace(/\D/g, ""));

test("b4 seven pages search at once, and the next one opens and is answered", { skip: site ? "there is no service to share" : false }, () => visit(async (first, context) => {
  const pages = [first];
  while (pages.length < 7) {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(address + HARD);
    await page.locator("html[data-ready]").waitFor();
    pages.push(page);
  }
  await Promise.all(pages.map((page) => button(page, "Search", panel).click()));
  const before = [];
  for (const page of pages) {
    await until("a count", async () => (await expanded(page)) > 5000);
    before.push(await expanded(page));
  }
  // All of them continue.
  for (const [at, page] of pages.entries()) await until("it goes on", async () => (await expanded(page)) > before[at]);
  // Another page opens while they search, and asks.
  const next = await context.newPage();
  next.setDefaultTimeout(60_000);
  await next.goto(address);
  await next.locator("html[data-ready]").waitFor();
  await button(next, "Another board").click();
  await until("a board", async () => /^A board exactly \d+ moves from the goal\.$/.test((await next.locator("#live").textContent()) ?? ""));
  // Closing a page ends its search.
  const running = async () => (await (await fetch(`${address}api/status`)).json()).running;
  assert.ok((await running()) >= 1);
  for (const page of pages.slice(1)) await page.close();
  await button(first, "Stop", panel).click();
  await until("no search is left", async () => (await running()) === 0);
}, { hash: HARD }));
