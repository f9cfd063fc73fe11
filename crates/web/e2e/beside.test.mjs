// Two searches side by side, both frontiers of one that begins at both ends, and a trace of one's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Replay } from "../page/replay.js";
import { TraceError, readTrace, sides } from "../page/trace.js";
import { button, downloaded, said, shots, taquin, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const BOARD = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last";
const STEP = `${BOARD}&m=astar:manhattan&s=12&t=search`;
const values = (page, place) => page.locator(`${panel} ${place} .step .why strong`).textContent();
const explained = (method, step) => JSON.parse(taquin("explain", "8 1 3/4 0 2/7 6 5", "-m", method, "--step", String(step), "--json")).node;
const values0 = ({ g, h }) => `g = ${g}, h = ${h}, f = ${g + h}`;

test("two searches go step for step, each with its tree and its reason", () => visit(async (page) => {
  await until("both reasons", async () => (await page.locator(`${panel} .reasons li`).count()) >= 2 && (await page.locator(`${panel} .second .reasons li`).count()) > 0);
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(document.getElementById("live")?.textContent)).observe(document.getElementById("live"), { childList: true });
  });
  for (const step of [12, 13, 20]) {
    await page.getByLabel("Go to step").fill(String(step));
    await page.keyboard.press("Enter");
    for (const [place, method] of [[".work:not(.second)", "astar:manhattan"], [".second", "greedy:manhattan"]]) {
      await until(`${method} at step ${step}`, async () => (await values(page, place)) === values0(explained(method, step)));
    }
  }
  assert.ok((await page.evaluate(() => globalThis.heard)).some((words) => /^Step 20: .* Greedy, manhattan: g \d+, h \d+/.test(words)));
  // The one that has ended waits for the other.
  await button(page, "Last step", panel).click();
  const steps = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "greedy:manhattan", "--json")).counts.expanded;
  await until("the end of the longer one", async () => Math.abs(Number(await page.getByLabel("Go to step").inputValue()) - steps) <= 1);
  await page.screenshot({ path: `${shots}compare.png` });
  // Another method for the second search is another search, and the link has it.
  await page.locator(`${panel} .second select`).first().selectOption("bfs");
  await until("the link", () => page.evaluate(() => /m2=bfs/.test(location.hash)));
  await button(page, "Compare", panel).click();
  assert.equal(await page.locator(`${panel} .second`).isVisible(), false);
  assert.equal(await page.locator(`${panel} .side .step`).isVisible(), true);
}, { hash: `${STEP}&m2=greedy:manhattan`, opened: false, viewport: { width: 1280, height: 720 } }));

test("a search from both ends shows both trees and both frontiers, and where they meet", () => visit(async (page) => {
  await until("the step", async () => /^Chosen by the search from the (start|goal), where \d+ nodes are open now\./.test(await page.locator(`${panel} .reasons`).textContent()));
  await page.locator(`${panel} .frontier summary`).click();
  assert.deepEqual(await page.locator(`${panel} .frontier h3`).allTextContents(), ["from the start", "from the goal"]);
  await button(page, "Last step", panel).click();
  await until("the meeting", async () => (await page.locator(`${panel} .reasons`).textContent()).startsWith("The searches have met here."));
  const { counts, cost } = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "mm:manhattan", "--json"));
  await until("the end", async () => (await page.locator(`${panel} .foot .figures`).first().textContent()).includes(`end${cost} moves, optimal`));
  assert.match(await page.locator(`${panel} .foot .figures`).first().textContent(), new RegExp(`expanded${counts.expanded}generated`));
  await button(page, "Fit the whole tree", panel).click();
  await page.screenshot({ path: `${shots}both-ends.png` });
}, { hash: `${BOARD}&m=mm:manhattan&s=20&t=search`, opened: false }));

test("both roots wait at first, and the nodes of a path from both ends meet on one board", () => {
  const board = [1, 2, 3, 0];
  const node = (id, parent, more = {}) => ({ id, parent, move: null, tile: null, g: 0, h: 2, depth: 0, board, ...more });
  const replay = new Replay({ rank: "f", goal: "expansion" }, "mm:manhattan");
  const middle = [1, 0, 3, 2];
  replay.add([{ event: "expand", ...node(0, null) }, { event: "generate", verdict: "kept", ...node(2, 0, { g: 1, h: 1, board: middle }) }, { event: "expand", ...node(1, null, { board: [0, 1, 3, 2] }) }, { event: "generate", verdict: "kept", ...node(3, 1, { g: 1, h: 1, board: middle }) }, { event: "goal", ...node(2, 0, { g: 1, h: 1, board: middle }) }]);
  assert.deepEqual([replay.waitingOn(false).length, replay.waitingOn(true).length, replay.steps], [1, 1, 3]);
  replay.seek(3);
  assert.deepEqual([replay.current?.id, replay.twin?.id, replay.twin?.state, replay.waiting], [2, 3, "goal", 0]);
  replay.seek(1);
  assert.deepEqual([replay.twin, replay.waitingOn(false).length, replay.waitingOn(true).length], [null, 1, 1]);
});

test("a trace that was exported can be opened again, step for step", () => visit(async (page) => {
  await until("the end", () => button(page, "Export trace", panel).isEnabled());
  const { text } = await downloaded(page, button(page, "Export trace", panel));
  await page.setInputFiles(`${panel} input[type=file]`, { name: "mine.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(text) });
  await until("the trace", async () => /^The trace of mine\.jsonl: 44 steps\.$/.test(await said(page)));
  await page.getByLabel("Go to step").fill("12");
  await page.keyboard.press("Enter");
  assert.equal(await values(page, ".side"), values0(explained("astar:manhattan", 12)));
  assert.match(await page.locator(`${panel} .stale`).textContent(), /^This is the trace in mine\.jsonl/);
  // Nothing of the file is in the link, and a search takes its place.
  await until("the link", () => page.evaluate(() => !/[&#]s=/.test(location.hash)));
  await page.setInputFiles(`${panel} input[type=file]`, { name: "broken.jsonl", mimeType: "application/jsonl", buffer: Buffer.from("{\"event\":\"expand\"}\n") });
  await until("the refusal", async () => /^broken\.jsonl is no trace that can be shown: line 1: a node has/.test(await page.locator(`${panel} .messages .problem`).textContent()));
  // A drop does the same, and other domains have names instead of boards.
  const posthoc = "version: 1.4.0\nevents:\n  - { type: source, id: a, x: 0, y: 0, f: 2, g: 0 }\n  - { type: expand, id: a, x: 0, y: 0, f: 2, g: 0 }\n  - { type: generate, id: b, pId: a, x: 1, y: 0, f: 2, g: 1 }\n  - { type: expand, id: b, pId: a, f: 2, g: 1 }\n  - { type: end, id: b, pId: a, f: 2, g: 1 }\n";
  await page.evaluate(([place, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text ?? ""], "grid.trace.yaml"));
    document.querySelector(place ?? "")?.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [panel, posthoc]);
  await until("the other domain", async () => (await said(page)) === "The trace of grid.trace.yaml: 3 steps.");
  await button(page, "Last step", panel).click();
  assert.equal(await page.locator(`${panel} .side .step .why strong`).first().textContent(), "1, 0");
  await page.screenshot({ path: `${shots}trace.png` });
  await button(page, "Search", panel).click();
  await until("a search", async () => /^14 moves, optimal\. 44 steps to go through\.$/.test(await said(page)));
}, { hash: STEP, opened: true }));

test("a damaged trace is refused with its place, and never shown in part", () => {
  const good = { event: "expand", id: 0, parent: null, move: null, tile: null, g: 0, h: 1, depth: 0, board: [1, 2, 0, 3] };
  assert.deepEqual(readTrace(`${JSON.stringify(good)}\n\n`).steps.map(({ id }) => id), [0]);
  for (const [text, why] of [
    ["", /no expansion/], ["{", /^line 1: this is no JSON/], [`${JSON.stringify(good)}\n[]`, /^line 2: the event is not known: null/], [JSON.stringify({ ...good, board: [1, "2"] }), /^line 1: a node has/], [JSON.stringify({ ...good, id: -1 }), /a node has/], [JSON.stringify({ ...good, event: "generate", verdict: "lost" }), /verdict/],
    ["{\"version\": \"1\", \"events\": []}", /neither JSON nor YAML/], ["{\"events\": [{\"type\": \"expand\"}]}", /^event 1: a node has an id/], ["{\"events\": [{\"type\": \"expand\", \"id\": 1, \"g\": \"x\"}]}", /numbers/], ["{\"events\": [{\"type\": \"source\", \"id\": 1}]}", /no expansion/],
  ]) assert.throws(() => readTrace(text), (error) => error instanceof TraceError && why.test(error.message), text);
  // A cheaper path to a node that waits or was expanded, and one that is no better.
  const event = (type, id, pId, g) => ({ type, id, pId, g, h: 1 });
  const { steps } = readTrace(JSON.stringify({ version: "1.4.0", events: [event("expanding", "a", null, 0), event("generating", "b", "a", 5), event("generating", "b", "a", 3), event("expanding", "b", "a", 3), event("generating", "b", "a", 4), event("generating", "b", "a", 1)] }));
  assert.deepEqual(steps.flatMap(({ verdict }) => verdict ?? []), ["kept", "cheaper", "duplicate", "reopened"]);
  assert.deepEqual([sides(9, { rows: 4, cols: 4 }), sides(8, { rows: 4, cols: 2 }), sides(6, { rows: 3, cols: 3 }), sides(7, { rows: 3, cols: 3 })], [{ rows: 3, cols: 3 }, { rows: 4, cols: 2 }, { rows: 2, cols: 3 }, { rows: 1, cols: 7 }]);
});
