import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { board, browse, button, downloaded, address, enter, shots, site, taquin, until, visit } from "./lab.mjs";

import { LANGUAGES } from "../page/language.js";
import { checkBoard, figure, least, optimal, readLesson, subject } from "../page/lesson.js";

const place = "#lesson";
const text = (page) => page.locator(place).textContent();
const told = (page) => page.locator(`${place} .ask [role=status]`).textContent();
const next = (page) => button(page, "Next", place).click();
const at = (page) => page.getByLabel("Go to step").inputValue();
const onPage = (page, number) => until(`page ${number}`, async () => (await text(page)).includes(`page ${number} of `));

test("a1 every board of every lesson is solvable, and every question has one answer", async () => {
  const folder = new URL("../page/", import.meta.url);
  const names = readdirSync(folder).filter((name) => /^lesson-\w+\.json$/.test(name));
  assert.ok(names.length >= 11);
  let questions = 0;
  for (const name of names) {
    const lesson = readLesson(readFileSync(new URL(name, folder), "utf8"));
    const visits = Math.max(...lesson.pages.map(({ boards }) => boards?.length ?? 1));
    for (const [at, visit] of [...lesson.pages.keys()].flatMap((at) => Array.from({ length: visits }, (_, visit) => [at, visit]))) {
      const about = subject(lesson, at, visit);
      const { board, goal, method, as, ask } = about;
      const where = `${name}, page ${at + 1}, visit ${visit}`;
      const run = (command, ...more) => JSON.parse(taquin(command, board, "--goal", goal, ...more, "--json"));
      const solve = (other) => run("solve", ...(as && !other ? ["--as", as] : []), "--method", other ?? method);
      checkBoard(about, run("check"));
      if (!ask) continue;
      questions++;
      if (ask.kind === "next") {
        const step = lesson.pages[at].stops.at(-1) ?? 0;
        assert.ok(run("explain", ...(as ? ["--as", as] : []), "--method", method, "--step", String(step + 1)).waiting > 1, `${where}: a choice`);
      } else if (ask.kind === "solvable") assert.equal(typeof run("check").reachable, "boolean", where);
      else if (ask.kind === "estimate") assert.ok(run("heuristic").estimates.some(({ heuristic }) => heuristic === ask.heuristic), where);
      else if (ask.kind === "least") assert.ok(least(ask.figure ?? "expanded", ask.methods.map((one) => ({ method: one, report: solve(one) }))).winner, where);
      else if (ask.kind === "optimal") assert.equal(typeof (await optimal(solve(), async () => solve("auto"))).isShortest, "boolean", where);
      else assert.ok(Number.isInteger(figure(ask.kind, solve())), where);
    }
  }
  assert.ok(questions >= 100, `${questions}`);
});

test("boards vary from visit to visit", async () => {
  const folder = new URL("../page/", import.meta.url);
  for (const name of readdirSync(folder).filter((one) => /^lesson-\w+\.json$/.test(one))) {
    const lesson = readLesson(readFileSync(new URL(name, folder), "utf8"));
    // The parity lesson has one board that is known by name, Sam Loyd's.
    const asked = [...lesson.pages.keys()].filter((at) => lesson.pages[at]?.ask && lesson.pages[at]?.board === undefined);
    assert.ok(asked.length > 1, name);
    for (const at of asked) assert.equal(new Set([0, 1, 2].map((visit) => subject(lesson, at, visit).board)).size, 3, `${name}, page ${at + 1}`);
  }
  await visit(async (page) => {
    const seen = [];
    for (const chance of [0, 0.99]) {
      await page.evaluate((chance) => { Math.random = () => chance; }, chance);
      await page.getByRole("tab", { name: "Lessons" }).click();
      await button(page, "Begin: Blind search").click();
      await until("the lesson", () => page.locator(place).isVisible());
      seen.push((await board(page)).join(" "));
      await button(page, "Close the lesson", place).click();
    }
    assert.equal(new Set(seen).size, 2, `${seen}`);
  }, { hash: "#t=lessons" });
});

test("every included lesson is in every language of the page, and explains its answers", () => {
  const folder = new URL("../page/", import.meta.url);
  for (const name of readdirSync(folder).filter((one) => /^lesson-\w+\.json$/.test(one))) {
    const { title, about, pages } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    const texts = [title, about, ...pages.flatMap(({ text, ask }) => [text, ...(ask ? [ask.why, ...(ask.text ? [ask.text] : [])] : [])])];
    for (const text of texts) {
      assert.deepEqual(Object.keys(text), Object.keys(LANGUAGES), name);
      const values = Object.values(text);
      assert.ok(values.every((one) => one.length > 3) && new Set(values).size > 1, `${name}: ${text.en}`);
      // Code and paragraphs are the same in all of them.
      for (const part of [/`/g, /\n\n/g]) assert.equal(new Set(values.map((one) => (one.match(part) ?? []).length)).size, 1, `${name}: ${text.en}`);
    }
  }
});

test("a1 the lesson on IDA* ends with a race that one method wins", () => visit(async (page) => {
  await onPage(page, 6);
  await button(page, "A*, manhattan", place).click();
  await until("wrong", async () => /^Not so: A\*, manhattan 276,359; IDA\*, manhattan 46\.$/.test(await told(page)), 30_000);
  await button(page, "IDA*, manhattan", place).click();
  await until("right", async () => (await told(page)).startsWith("Right:"), 30_000);
}, { hash: "#lesson=ida&lp=5&lv=0" }));

test("a1 a lesson's page with an unsolvable board is refused", () => {
  const file = { format: "taquin-lesson", version: 1, title: "Broken", pages: [{ text: "One." }, { text: "Two.", board: "1 2 3/4 5 6/8 7 0" }] };
  return visit(async (page) => {
    await onPage(page, 1);
    await next(page);
    await until("the reason", async () => /The lesson's board is unsolvable: 1 2 3/.test(await page.locator(`${place} .problem:visible`).textContent()));
    assert.match(await text(page), /page 1 of 2/);
  }, { hash: `#lesson=z${deflateRawSync(JSON.stringify(file)).toString("base64url")}` });
});

test("a lesson stops at steps, asks, and the engine checks the answers", () => visit(async (page) => {
  await page.getByRole("tab", { name: "Lessons" }).click();
  // Boards vary from visit to visit; this is the first of them.
  await page.evaluate(() => { Math.random = () => 0; });
  await button(page, "Begin: Blind search").click();
  await onPage(page, 1);
  assert.deepEqual(await board(page), [1, 2, 3, 0, 4, 6, 7, 5, 8]);
  assert.equal(await page.locator("#panel-search").isVisible(), true);
  await until("step 1", async () => (await at(page)) === "1");
  await button(page, "To step 2", place).click();
  await until("step 2", async () => (await at(page)) === "2");
  await next(page);
  await onPage(page, 2);
  // Which node is next: as 'taquin explain' has it.
  const { node } = JSON.parse(taquin("explain", "1 2 3/0 4 6/7 5 8", "-m", "bfs", "--step", "3", "--json"));
  const rows = [0, 3, 6].map((from) => node.board.slice(from, from + 3).join(" ")).join("/");
  await page.locator(`${place} .candidates button`).first().waitFor();
  // A wrong answer is marked as wrong, the right one is shown, and the reason is given.
  await page.locator(`${place} .candidates button:not([aria-label="Board ${rows}"])`).first().click();
  await until("wrong", async () => (await told(page)).startsWith("Not so: it takes the board"));
  assert.equal(await page.locator(`${place} .candidates button.false`).count(), 1);
  assert.equal(await page.locator(`${place} .candidates button.true`).getAttribute("aria-label"), `Board ${rows}`);
  assert.equal(await page.locator(`${place} .answered p`).first().textContent(), "Of all that wait, it was put there first.");
  await button(page, `Board ${rows}`, place).click();
  await until("right", async () => (await told(page)).startsWith("Right: it takes the board"));
  await next(page);
  await onPage(page, 3);
  await page.locator(`${place} input`).fill("3");
  await page.keyboard.press("Enter");
  await until("right", async () => (await told(page)) === "Right: 3.");
  await next(page);
  await onPage(page, 4);
  await page.locator(`${place} input`).fill("17");
  await page.keyboard.press("Enter");
  const { counts } = JSON.parse(taquin("solve", "1 2 3/0 4 6/7 5 8", "-m", "bfs", "--json"));
  await until("wrong", async () => (await told(page)) === `Not so: ${counts.expanded}.`);
  assert.match(await text(page), /1 of 6 right/);
  await next(page);
  await onPage(page, 5);
  for (const step of [5, 12]) await button(page, `To step ${step}`, place).click();
  await button(page, "No", place).click();
  await until("no", async () => /^Right: it has \d+ moves, and a shortest one has 3\.$/.test(await told(page)));
  await next(page);
  await onPage(page, 6);
  await button(page, "Iterative deepening", place).click();
  await until("the least", async () => (await told(page)).startsWith("Right:"));
  await next(page);
  await onPage(page, 7);
  await page.getByLabel("your name").fill("Ada");
  const { name, text: result } = await downloaded(page, button(page, "Export the result", place));
  assert.equal(name, "taquin-lesson-result.json");
  const { student, right, questions, answers } = JSON.parse(result);
  assert.deepEqual([student, right, questions, answers.length], ["Ada", 3, 6, 5]);
  assert.equal(answers[2].answer, String(counts.expanded));
  // It is kept.
  await button(page, "Close the lesson", place).click();
  await until("the progress", async () => (await page.locator("#panel-lessons").textContent()).includes("5 of 6 answered"));
}));

test("every included lesson can be opened, and every question is answered by the engine", () => visit(async (page) => {
  await page.evaluate(() => { Math.random = () => 0; });
  for (const name of readdirSync(new URL("../page/", import.meta.url)).flatMap((one) => /^lesson-(\w+)\.json$/.exec(one)?.[1] ?? [])) {
    const { title, pages } = JSON.parse(readFileSync(new URL(`../page/lesson-${name}.json`, import.meta.url), "utf8"));
    await page.getByRole("tab", { name: "Lessons" }).click();
    await button(page, `Begin: ${title.en}`).click();
    for (const [index, { ask, stops = [] }] of pages.entries()) {
      await onPage(page, index + 1);
      for (const stop of stops.slice(1)) await button(page, `To step ${stop}`, place).click();
      if (ask) {
        const choice = page.locator(`${place} .candidates button`).first();
        await choice.waitFor();
        if (await page.locator(`${place} .ask input`).count()) await page.locator(`${place} .ask input`).fill("1");
        await choice.click();
        await until(`${name}, page ${index + 1}: an answer`, async () => /^(Right|Not so): ./.test(await told(page)));
      }
      if (index < pages.length - 1) await next(page);
    }
    await button(page, "Close the lesson", place).click();
  }
}));

test("a lesson is a file or a link, and what is wrong with one is said", async () => {
  const own = { format: "taquin-lesson", version: 1, title: "Mine", pages: [{ text: "Look at `f`.\n\n<b>Then</b> answer.", board: "1 2 3/4 0 6/7 5 8", method: "greedy:manhattan", stops: [1], ask: { kind: "expanded" } }] };
  let link;
  await visit(async (page) => {
    await page.getByRole("tab", { name: "Lessons" }).click();
    const choose = (value) => page.setInputFiles("#panel-lessons input[type=file]", { name: "lesson.json", mimeType: "application/json", buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)) });
    for (const [wrong, words] of [["{", /no JSON/], [{}, /format and version/], [{ ...own, pages: [] }, /pages has to be a list of 1 to 100/], [{ ...own, pages: [{ text: "a", ask: { kind: "why" } }] }, /pages\[0\]\.ask\.kind has to be next, optimal/], [{ ...own, pages: [{ text: "a", bored: 1 }] }, /pages\[0\]\.bored/], [{ ...own, pages: [{ text: "a", board: "1 2 3/4 5 6/7 6 0" }] }, /appears twice/]]) {
      await choose(wrong);
      await until(String(words), async () => words.test(await page.locator("#panel-lessons .problem").textContent()));
    }
    await choose(own);
    await onPage(page, 1);
    // Text is never markup.
    assert.match(await text(page), /<b>Then<\/b> answer/);
    assert.equal(await page.locator(`${place} code`).textContent(), "f");
    await button(page, "Link to the lesson", place).click();
    await until("the link", async () => (await page.evaluate(() => navigator.clipboard.readText())).includes("#lesson=z"));
    link = new URL(await page.evaluate(() => navigator.clipboard.readText())).hash;
  }, { expected: ["422"] });
  await visit(async (page) => {
    await onPage(page, 1);
    assert.deepEqual(await board(page), [1, 2, 3, 4, 0, 6, 7, 5, 8]);
    await until("step 1", async () => (await at(page)) === "1");
    assert.equal(await page.getByLabel("Spelling").first().inputValue(), "greedy:manhattan");
  }, { hash: link });
  for (const hash of ["#lesson=zzzz", "#lesson=nothing", `${link.slice(0, -9)}`]) {
    await visit(async (page) => {
      await until("a word", () => page.locator("#panel-lessons .problem").isVisible());
    }, { hash });
  }
});

/** Opens a page of another site, as a course's is. */
async function course(page, body) {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(body));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await page.goto(`http://127.0.0.1:${port}/`);
  return () => server.close(() => {}) && server.closeAllConnections();
}

test("one panel can be embedded", () => browse(async (page) => {
  const board3 = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last";
  const frames = [["board", `${address}?panel=board${board3}`], ["tree", `${address}?panel=tree${board3}&m=astar:manhattan&s=12`], ["race", `${address}?panel=race${board3}`], ["lesson", `${address}?panel=lesson#lesson=blind&lp=0&lv=0`]];
  const close = await course(page, frames.map(([name, source]) => `<iframe name="${name}" src="${source.replaceAll("&", "&amp;")}" width="660" height="620"></iframe>`).join(""));
  const frame = (name) => page.frameLocator(`iframe[name=${name}]`);
  await frame("board").locator("#board .tile").first().waitFor();
  await frame("board").locator("#board .tile", { hasText: /^1$/ }).click();
  await until("a move", async () => (await frame("board").locator("#moves").textContent()) === "1 move");
  assert.equal(await frame("board").locator("header").isVisible(), false);
  assert.equal(await frame("board").locator("#view").isVisible(), false);
  await until("the step", async () => (await frame("tree").getByLabel("Go to step").inputValue()) === "12");
  assert.equal(await frame("tree").locator("#puzzle").isVisible(), false);
  assert.equal(await frame("tree").locator("#panel-search .side").isVisible(), false);
  await frame("race").getByRole("button", { name: "Start the race" }).click();
  await until("the race", async () => (await frame("race").locator("#panel-race .score").textContent()).includes(" expanded least: "));
  await page.screenshot({ path: `${shots}embedded.png`, fullPage: true });
  // The reason is in a line, and the link leads to the whole page.
  await until("the reason", async () => /^Chosen from the \d+ open nodes, because/.test(await frame("tree").locator("#embedded-words").textContent()));
  await until("the reason in a lesson", async () => /^Chosen (because|from)/.test(await frame("lesson").locator("#embedded-words").textContent()));
  assert.match(await frame("tree").getByRole("link", { name: "Open in full" }).getAttribute("href"), /\/#b=3x3.*s=12/);
  const box = await frame("tree").locator("#panel-search canvas[role=application]").evaluate((one) => one.clientHeight / innerHeight);
  assert.ok(box > 0.4, `${box} of the frame`);
  close();
}));

test("every documented panel can be embedded, and says where the whole page is", () => browse(async (page) => {
  const sources = { board: "#b=3x3:1.2.3.4.5.6.8.7.0&g=last", tree: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12", race: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last", solvable: "#b=3x3:1.2.3.4.5.6.8.7.0&g=last", heuristic: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last", space: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last", lesson: "#lesson=parity&lp=1&lv=0" };
  // The reason is in the panel, or in the line below it.
  const words = { board: /Unsolvable/, tree: /Chosen from the 11 open nodes, because its f is the lowest/, race: /which method is first/, solvable: /Unsolvable/, heuristic: /= 10/, space: /181,440 boards/, lesson: /Can this board be solved\?/ };
  for (const [name, hash] of Object.entries(sources)) {
    const close = await course(page, `<iframe name="${name}" src="${`${address}?panel=${name}${hash}`.replaceAll("&", "&amp;")}" width="660" height="520"></iframe>`);
    const frame = page.frameLocator("iframe");
    await until(name, async () => words[name].test(await frame.locator("body").innerText()));
    assert.equal(await frame.locator("header").isVisible(), false, name);
    await until(`${name}, in full`, () => frame.getByRole("link", { name: "Open in full" }).isVisible());
    // The host's theme is followed.
    await page.evaluate(() => document.querySelector("iframe")?.contentWindow?.postMessage({ theme: "dark" }, "*"));
    await until("dark", async () => (await frame.locator("html").getAttribute("data-theme")) === "dark");
    close();
  }
}, { colorScheme: "light" }));

test("the whole page can't be embedded", { skip: site ? "a host's own choice" : false }, () => browse(async (page) => {
  const close = await course(page, `<iframe src="${address}"></iframe>`);
  await until("it is refused", async () => (page.frames()[1]?.url() ?? "").startsWith("chrome-error:"));
  close();
}, { expected: ["frame-ancestors"] }));

test("a search is told in the words of its course, to copy", () => visit(async (page) => {
  await enter(page, "1 2 3/4 8 0/7 6 5");
  const select = page.locator("#panel-search select", { has: page.locator('option[value="ucr-list"]') });
  await select.selectOption("ucr-list");
  await page.getByLabel("Its method").selectOption("2");
  await button(page, "Search", "#panel-search").click();
  await until("the end", () => button(page, "In words", "#panel-search").isEnabled());
  await button(page, "In words", "#panel-search").click();
  await page.locator(".narrated pre").waitFor();
  await button(page, "Copy", "#panel-search").click();
  await until("it is copied", () => button(page, "Copied", "#panel-search").isVisible());
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const timeless = (words) => words.replace(/CPU Time: [\d.]+/, "");
  assert.equal(timeless(copied), timeless(taquin("solve", "1 2 3/4 8 0/7 6 5", "--as", "ucr-list", "-m", "2", "--trace")));
}));

test("a question that can't be asked says why", async () => {
  for (const [page, reason] of [[{ stops: [4000] }, /asks for a node after step 4000, and there is none/], [{ method: "nothing", stops: [0] }, /unknown method|nothing/i]]) {
    const file = { format: "taquin-lesson", version: 1, title: "Broken", pages: [{ text: "Look.", board: "1 2 3/4 0 6/7 5 8", ...page, ask: { kind: "next" } }] };
    await visit(async (page) => {
      await until("the reason", async () => reason.test(await page.locator(`${place} .problem:visible`).textContent()));
      assert.equal(await page.locator(`${place} .candidates`).textContent(), "");
    }, { hash: `#lesson=z${deflateRawSync(JSON.stringify(file)).toString("base64url")}`, expected: ["422", "400"] });
  }
});
