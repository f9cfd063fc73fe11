// Every word on the page is true: the findings of a review in a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { board, box, button, downloaded, enter, said, shots, site, taquin, tile, until, visit } from "./lab.mjs";

const panel = "#panel-search";
const BOARD = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last";
const HARD = "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0";
const card = (page) => page.getByRole("region", { name: "This step" });
const figure = (page, name) => page.locator(`${panel} .figures:not(.totals) div`, { has: page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent();
const total = (page, name, within = panel) => page.locator(`${within} .totals div`, { has: page.locator(`dt:text-is("${name}")`) }).locator("dd").textContent();
const count = (text) => Number(text.replace(/\D/g, ""));
const at = (page) => page.getByLabel("Go to step").inputValue();
const atStep = (page, step) => until(`step ${step}`, async () => (await card(page).locator("h3").first().textContent()) === `Step ${step.toLocaleString("en-GB")}` && (await card(page).locator(".reasons").textContent()) !== "");
const ended = (page) => until("the end", async () => (await button(page, "Search", panel).count()) === 1 && (await page.locator(`${panel} .whole`).isVisible()));
const explain = (...args) => JSON.parse(taquin("explain", "8 1 3/4 0 2/7 6 5", ...args, "--json"));

async function search(page, method) {
  if (method) {
    await page.getByLabel("Spelling").first().fill(method);
    await page.keyboard.press("Tab");
  }
  await button(page, "Search", panel).click();
  await ended(page);
}

async function go(page, step) {
  await page.getByLabel("Go to step").fill(String(step));
  await page.keyboard.press("Enter");
}

/** The link that Share gives. */
async function shared(page) {
  await button(page, "Share").click();
  await until("the link", async () => (await page.evaluate(() => navigator.clipboard.readText())).includes("#b="));
  return new URL(await page.evaluate(() => navigator.clipboard.readText())).hash;
}

test("a1 weighted A* shows its real rank", () => visit(async (page) => {
  await atStep(page, 11);
  const told = explain("-m", "wastar:manhattan", "--step", "11");
  const { g, h, rank } = told.node;
  const text = await card(page).textContent();
  assert.match(text, new RegExp(`g = ${g}, h = ${h}, f = g \\+ 2 h = ${rank}(?!\\d)`));
  assert.match(text, new RegExp(`its f = g \\+ 2 h = ${rank} is the lowest`));
  const rivals = await card(page).locator("details li").allTextContents();
  assert.equal(rivals.length, Math.min(4, told.rivals.length));
  rivals.forEach((words, index) => {
    const f = Number(/, f (\d+)/.exec(words)?.[1]);
    assert.equal(f, told.rivals[index].rank);
    assert.ok(f >= rank);
  });
  const successors = await card(page).locator("ul.children").last().locator("li").allTextContents();
  told.successors.forEach((seen, index) => assert.match(successors[index], new RegExp(`f = ${seen.rank}:`)));
  // The layers and the prediction go by the same rank.
  const layers = await page.locator(`${panel} .layers button`).allTextContents();
  assert.ok(layers.includes(String(rank)) && !layers.includes(String(g + h)));
  await button(page, "Predict", panel).click();
  for (const candidate of await page.getByRole("region", { name: "Prediction" }).locator(".candidates button").all()) {
    const [, own, estimate] = /, g (\d+), h (\d+)$/.exec(await candidate.getAttribute("aria-label"));
    assert.ok((await candidate.textContent()).endsWith(`${own}+2·${estimate}=${Number(own) + 2 * Number(estimate)}`));
  }
}, { hash: `${BOARD}&m=wastar:manhattan&s=11` }));

test("a2 a beam says what it cut", () => visit(async (page) => {
  await atStep(page, 10);
  const trace = taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "beam:manhattan,k=3", "--trace=jsonl").trim().split("\n").map((line) => JSON.parse(line));
  // The frontier before and after the tenth expansion, as the program reports it.
  const open = new Set();
  let expansions = 0;
  let cut = 0;
  for (const { event, id, verdict } of trace) {
    if (event === "expand" && ++expansions > 10) break;
    if (event === "expand" || event === "discard") open.delete(id);
    if (event === "discard" && expansions < 10) cut++;
    if (event === "generate" && verdict === "kept") open.add(id);
    if (event === "discard" && expansions === 10) open.add(id);
  }
  assert.ok(cut > 0);
  assert.equal(count(await figure(page, "cut by the beam")), cut);
  assert.equal(count(await figure(page, "open")), open.size);
  // The step before which a layer was cut mentions it.
  let said = "";
  for (let step = 2; step <= 10 && !said.includes("cut"); step++) {
    await go(page, step);
    await atStep(page, step);
    said = await card(page).textContent();
  }
  assert.match(said, /Before this step the beam cut \d+ nodes?: of each layer it keeps 3\./);
  assert.match(said, /of its layer/);
}, { hash: `${BOARD}&m=beam:manhattan,k=3&s=10` }));

test("a3 a search that is longer than what is replayed says so and shows the totals", () => visit(async (page) => {
  await search(page, "ucs");
  await button(page, "Last step", panel).click();
  const whole = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", "ucs", "--json"));
  assert.ok(whole.counts.expanded > 5000);
  assert.equal(await at(page), "5000");
  await atStep(page, 5000);
  const { node, waiting } = explain("-m", "ucs", "--step", "5000");
  const shown = await card(page).locator(".why .mini span").evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
  assert.deepEqual(shown, node.board);
  const text = await card(page).textContent();
  assert.ok(!text.includes("The goal"), text);
  assert.match(text, new RegExp(`Chosen from the ${waiting.toLocaleString("en-GB")} open nodes`));
  assert.equal(await figure(page, "replayed"), `5,000 of ${whole.counts.expanded.toLocaleString("en-GB")} expansions`);
  assert.match(await page.locator(`${panel} .whole`).textContent(), /14 moves, optimal\. The first 5,000 of 5,410 expansions can be stepped through/);
  assert.equal(count(await total(page, "expanded")), whole.counts.expanded);
  assert.equal(count(await total(page, "generated")), whole.counts.generated);
  assert.equal(count(await total(page, "longest open list")), whole.counts.frontier_peak);
}));

test("a4 a slow answer never lands on another board", () => visit(async (page) => {
  const large = Array.from({ length: 25 }, (_, cell) => 24 - cell);
  await enter(page, large.join(" "));
  await until("the board", async () => (await board(page)).length === 25);
  const answered = [];
  page.on("requestfinished", (request) => request.url().endsWith("/solve") && answered.push(request));
  await button(page, "How far?").click();
  await page.waitForTimeout(200);
  await page.selectOption("#size", "3x3");
  await until("the small board", async () => (await board(page)).length === 9);
  await page.waitForTimeout(5500);
  assert.equal(await page.locator("#note").isVisible(), false);
  // The same for a hint: tiles that moved meanwhile are another board.
  await enter(page, large.join(" "));
  await until("the board", async () => (await board(page)).length === 25);
  await button(page, "Hint").click();
  await page.waitForTimeout(200);
  for (const moved of [1, 6]) await tile(page, moved).click();
  await page.waitForTimeout(5500);
  assert.equal(await page.locator("#note").isVisible(), false);
  assert.equal(await page.locator("#board .marked").count(), 0);
  assert.deepEqual(answered, []);
}, { expected: ["ERR_ABORTED"] }));

test("a4 a hint that is followed is not searched again", () => visit(async (page) => {
  let asked = 0;
  page.on("request", (request) => { asked += Number(request.url().endsWith("/solve")); });
  for (let move = 0; move < 14; move++) {
    await button(page, "Hint").click();
    await until("a hint", async () => (await page.locator("#note").textContent()).includes("Ask again"));
    const [, number] = /^Tile (\d+)/.exec(await page.locator("#note").textContent());
    await tile(page, number).click();
  }
  assert.match(await page.locator("#moves").textContent(), /^14 moves, solved$/);
  if (!site) assert.equal(asked, 1);
}));

test("a5 a link shows exactly what its sender saw", async () => {
  let link;
  const values = async (page) => [await card(page).locator(".why p").first().textContent(), await at(page), await figure(page, "expanded"), await figure(page, "open")];
  let seen;
  await visit(async (page) => {
    await search(page);
    for (let step = 0; step < 10; step++) await button(page, "Step", panel).click();
    // Another choice changes nothing before the next search, and this is said.
    await page.getByLabel("Method").first().selectOption("bfs");
    assert.match(await page.locator(`${panel} .stale:visible`).textContent(), /This search is by astar:manhattan\. Press Search to run bfs\./);
    await page.locator(`${panel} label`, { hasText: "speed" }).locator("select").selectOption("10");
    await page.locator(`${panel} canvas[role=application]`).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("+");
    await button(page, "Predict", panel).click();
    seen = await values(page);
    link = await shared(page);
  });
  await visit(async (page) => {
    await until("the step", async () => (await at(page)) === "10" && (await page.locator(`${panel} .whole`).textContent()).includes("optimal"));
    assert.deepEqual(await values(page), seen);
    assert.equal(await page.getByLabel("Spelling").first().inputValue(), "bfs");
    assert.match(await page.locator(`${panel} .stale:visible`).textContent(), /This search is by astar:manhattan/);
    assert.equal(await page.locator(`${panel} label`, { hasText: "speed" }).locator("select").inputValue(), "10");
    assert.equal(await page.getByRole("region", { name: "The selected node" }).isVisible(), true);
    assert.equal(await button(page, "Predict", panel).getAttribute("aria-pressed"), "true");
    assert.equal(await button(page, "Follow the search", panel).getAttribute("aria-pressed"), "false");
    // A link that is opened starts one search.
  }, { hash: link });
});

test("a5 a link holds the move of the solution, the numbers, the picture and the theme", async () => {
  let link;
  let shown;
  await visit(async (page) => {
    const picture = await page.evaluate(() => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 60;
      const context = canvas.getContext("2d");
      context.fillStyle = "#c33";
      context.fillRect(0, 0, 30, 60);
      return canvas.toDataURL("image/png").split(",")[1];
    });
    await page.setInputFiles("#picture-file", { name: "picture.png", mimeType: "image/png", buffer: Buffer.from(picture, "base64") });
    await until("the picture", () => page.locator("#numbers-label").isVisible());
    await page.locator("#numbers").uncheck();
    await page.getByRole("tab", { name: "Solution" }).click();
    await button(page, "Solve", "#panel-solution").click();
    await page.locator("#moves-tile").waitFor();
    await button(page, "Move 5: " + (await page.locator(".movelist button").nth(4).textContent()), "#panel-solution").click();
    shown = await board(page);
    await button(page, "Change to dark").click();
    link = await shared(page);
    // The address keeps the picture after the next change too.
    await button(page, "Move 6: " + (await page.locator(".movelist button").nth(5).textContent()), "#panel-solution").click();
    await until("the address", async () => /&sv=6\b/.test(page.url()));
    assert.match(page.url(), /&p=data/);
  });
  await visit(async (page) => {
    await page.locator(".movelist button[aria-current=true]").waitFor();
    assert.equal(await page.locator(".movelist button[aria-current=true]").getAttribute("aria-label").then((label) => /^Move (\d+)/.exec(label)[1]), "5");
    assert.deepEqual(await board(page), shown);
    assert.equal(await page.locator("#numbers").isChecked(), false);
    assert.equal(await button(page, "Remove picture").count(), 1);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  }, { hash: link, colorScheme: "light" });
});

test("a6 expanded means what the report means", () => visit(async (page) => {
  for (const method of ["wastar:manhattan", "ida:manhattan", "greedy:misplaced,duplicates=cheaper,reopen=always"]) {
    await search(page, method);
    await button(page, "Last step", panel).click();
    const report = JSON.parse(taquin("solve", "8 1 3/4 0 2/7 6 5", "-m", method, "--json"));
    assert.equal(count(await figure(page, "expanded")), report.counts.expanded, method);
    assert.equal(count(await figure(page, "generated")), report.counts.generated, method);
    assert.equal(count(await total(page, "expanded")), report.counts.expanded, method);
  }
}));

test("b1 a long search shows how far it is, and keeps it when it is stopped", () => visit(async (page) => {
  await enter(page, HARD);
  for (const [name, method, press] of /** @type {const} */ ([["#panel-search", "ida:manhattan", "Search"], ["#panel-solution", "ida:manhattan", "Solve"]])) {
    await page.getByRole("tab", { name: name === "#panel-search" ? "Search" : "Solution" }).click();
    await page.locator(name).getByLabel("Spelling").first().fill(method);
    await page.keyboard.press("Tab");
    await button(page, press, name).click();
    await until("a count", async () => count(await total(page, "expanded", name)) > 10_000);
    // Again and again, however busy the machine is.
    const seen = new Set();
    await until("eight counts", async () => seen.add(await total(page, "expanded", name)).size >= 8, 30_000);
    assert.ok(count(await total(page, "a second", name)) > 10_000);
    assert.ok(count(await total(page, "at least", name)) > 30);
    if (name === "#panel-search") assert.equal(count(await page.locator(`${panel} .row > .note`).first().textContent()), 5000);
    const before = count(await total(page, "expanded", name));
    await button(page, "Stop", name).click();
    await until("it has stopped", async () => /^(Stopped by you|ida:manhattan: Stopped: cancelled)\./.test(await page.locator(`${name} .whole`).textContent()));
    assert.ok(count(await total(page, "expanded", name)) >= before);
  }
  await page.getByRole("tab", { name: "Search" }).click();
  const { text } = await downloaded(page, button(page, "Export trace", panel));
  assert.ok(text.split("\n").length > 5000);
}));

test("b1 improvements are told while a large board is solved", () => visit(async (page) => {
  await page.getByRole("tab", { name: "Solution" }).click();
  await button(page, "Solve", "#panel-solution").click();
  await until("a best", async () => count(await total(page, "best so far", "#panel-solution")) > 0, 20_000);
  assert.ok(count(await total(page, "at least", "#panel-solution")) > 0);
  const best = count(await total(page, "best so far", "#panel-solution"));
  await button(page, "Stop", "#panel-solution").click();
  // b5: results are kept.
  await until("the solution", async () => /^Solved in \d+ moves$/.test(await page.locator("#panel-solution h3.verdict-big").textContent()));
  const moves = count(await page.locator("#panel-solution h3.verdict-big").textContent());
  assert.ok(moves > 0 && moves <= best, `${moves} ${best}`);
  assert.equal((await page.locator("#moves-blank").textContent()).length, moves);
  assert.match(await page.locator("#panel-solution").textContent(), /Not proven optimal; at least \d+ are needed/);
  assert.equal(await button(page, "Solve", "#panel-solution").count(), 1);
}, { hash: `#b=5x5:${Array.from({ length: 25 }, (_, cell) => 24 - cell).join(".")}&g=last&sm=anytime` }));

test("b2 a presentation has the tree on the whole screen and is led by page keys", () => visit(async (page) => {
  await search(page);
  await button(page, "Present", panel).click();
  const share = await page.locator(`${panel} canvas[role=application]`).evaluate((canvas) => (canvas.clientWidth * canvas.clientHeight) / (innerWidth * innerHeight));
  assert.ok(share > 0.4, `${share} of the screen`);
  assert.equal(await page.locator("#puzzle").isVisible(), false);
  for (const [key, step] of [["PageDown", 1], ["ArrowRight", 2], [" ", 3], ["PageUp", 2], ["End", 44], ["ArrowLeft", 43], ["Home", 0], ["PageDown", 1], ["PageDown", 2], ["PageDown", 3]]) {
    await page.keyboard.press(key);
    assert.equal(await at(page), String(step), key);
  }
  // Page keys step wherever the focus is, and leave the choice of the speed alone.
  await page.getByLabel("speed").focus();
  for (const key of ["PageDown", "PageUp"]) await page.keyboard.press(key);
  assert.deepEqual([await at(page), await page.getByLabel("speed").inputValue()], ["3", "2"]);
  await page.keyboard.press("PageDown");
  assert.equal(await at(page), "4");
  await page.keyboard.press("PageUp");
  await atStep(page, 3);
  // The words are below the tree, and the first of what waits is in view.
  const [tree, words, waiting] = await Promise.all([`${panel} canvas[role=application]`, `${panel} .said`, `${panel} .frontier .mini >> nth=0`].map((one) => box(page.locator(one))));
  assert.ok(words.y >= tree.y + tree.height - 1 && waiting.y + waiting.height < 720, JSON.stringify({ tree, words, waiting }));
  // The frontier as a list, the next first.
  const first = await page.locator(`${panel} .frontier .mini`).first().getAttribute("aria-label");
  const { node } = explain("-m", "astar:manhattan", "--step", "4");
  assert.equal(first, `Board ${node.board.slice(0, 3).join(" ")}/${node.board.slice(3, 6).join(" ")}/${node.board.slice(6).join(" ")}`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight + 2));
  await page.screenshot({ path: `${shots}present.png` });
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#puzzle").isVisible(), true);
}, { viewport: { width: 1280, height: 720 } }));

test("b2 the wheel over the tree scrolls a page that can be scrolled, and zooming ends following", () => visit(async (page) => {
  await search(page);
  const wheel = async () => {
    const place = await box(page.locator(`${panel} canvas[role=application]`));
    await page.mouse.move(place.x + 300, place.y + 80);
    await page.mouse.wheel(0, 200);
  };
  // Where the tree has the window, nothing else can be meant.
  await wheel();
  await until("it zooms", async () => (await button(page, "Follow the search", panel).getAttribute("aria-pressed")) === "false");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await button(page, "Follow the search", panel).click();
  await page.setViewportSize({ width: 800, height: 720 });
  await wheel();
  await until("the page is scrolled", () => page.evaluate(() => scrollY > 50));
  assert.equal(await button(page, "Follow the search", panel).getAttribute("aria-pressed"), "true");
  await button(page, "Zoom in", panel).click();
  assert.equal(await button(page, "Follow the search", panel).getAttribute("aria-pressed"), "false");
}, { viewport: { width: 1280, height: 720 } }));

test("b5 a course's own figures are shown", () => visit(async (page) => {
  await enter(page, "7 1 2/4 8 5/6 3 0");
  const select = page.locator(`${panel} select`, { has: page.locator('option[value="ucr-list"]') });
  await select.selectOption("ucr-list");
  await page.getByLabel("Its method").selectOption("2");
  await search(page);
  const { course } = JSON.parse(taquin("solve", "7 1 2/4 8 5/6 3 0", "--as", "ucr-list", "-m", "2", "--json"));
  assert.equal(count(await total(page, "ucr-list: nodes_expanded")), course.nodes_expanded);
  assert.equal(count(await total(page, "ucr-list: max_queue_size")), course.max_queue_size);
}));

test("b6 the chart's numbers are whole, and the lanes' fields can be read", () => visit(async (page) => {
  await page.getByRole("tab", { name: "Race" }).click();
  await button(page, "Start the race").click();
  await until("many nodes", async () => (await page.locator(".chart text").allTextContents()).includes("1,000,000"));
  await button(page, "Stop", "#panel-race").click();
  const outside = await page.locator(".chart").evaluate((chart) => {
    const box = chart.getBoundingClientRect();
    return [...chart.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().left < box.left - 1).map((text) => text.textContent);
  });
  assert.deepEqual(outside, []);
  const cut = await page.locator(".lane select").evaluateAll((selects) => selects.filter((select) => select.clientWidth > 0 && select.clientWidth < 110).length);
  assert.equal(cut, 0);
}, { hash: `#b=4x4:${HARD.split(/[ /]/).join(".")}&g=last&r=bfs;astar:manhattan&rs=30` }));

test("b7 paper has no controls and no dark ground", () => visit(async (page) => {
  await search(page);
  await go(page, 12);
  await atStep(page, 12);
  await page.emulateMedia({ media: "print" });
  for (const name of ["Search", "Predict", "Scramble", "Share", "Step"]) assert.equal(await button(page, name).isVisible(), false, name);
  assert.equal(await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await card(page).isVisible(), true);
  await page.screenshot({ path: `${shots}print-dark.png`, fullPage: true });
}, { colorScheme: "dark" }));

test("d1 a dark system is dark from the first paint", () => visit(async (page, context) => {
  await context.route("**/app.js", () => {});
  const second = await context.newPage();
  await second.goto(page.url(), { waitUntil: "commit" });
  await until("the page", () => second.locator("#scramble").isVisible());
  assert.equal(await second.locator("html").getAttribute("data-theme"), "dark");
}, { colorScheme: "dark" }));

test("d2 an unknown panel in a link opens the first one", () => visit(async (page) => {
  assert.equal(await page.locator("#panel-search").isVisible(), true);
  assert.equal(await page.locator('[role="tab"][tabindex="0"]').count(), 1);
}, { hash: `${BOARD}&t=nope` }));

test("d3 a damaged link says so", () => visit(async (page) => {
  assert.match(await page.locator("#text-problem").textContent(), /The link is damaged/);
  assert.equal(await page.locator("#text-problem").isVisible(), true);
}, { hash: "#b=3x3:1.2.3&g=last" }));

test("d5 a link with a step starts one search", () => visit(async (page) => {
  await atStep(page, 12);
  const posted = [];
  page.on("request", (request) => request.method() === "POST" && /\/jobs$/.test(request.url()) && posted.push(request.url()));
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  await atStep(page, 12);
  await page.waitForTimeout(300);
  if (!site) assert.equal(posted.length, 1);
}, { hash: `${BOARD}&m=astar:manhattan&s=12` }));

test("d6 a file that is no picture is refused", () => visit(async (page) => {
  await page.setInputFiles("#picture-file", { name: "no.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await until("a word", async () => (await page.locator("#note").textContent()).includes("no picture"));
  assert.equal(await page.locator("#numbers-label").isVisible(), false);
  assert.doesNotMatch(await said(page), /is on the tiles/);
}));

test("d4 everything that makes another puzzle can be undone", () => visit(async (page) => {
  const first = (await board(page)).join(" ");
  await tile(page, 1).click();
  const pushed = (await board(page)).join(" ");
  await enter(page, "1 2 3/4 5 6/8 7 0");
  await until("the board", async () => (await board(page)).join(" ") === "1 2 3 4 5 6 8 7 0");
  await page.selectOption("#size", "4x4");
  await until("the size", async () => (await board(page)).length === 16);
  await button(page, "Undo").click();
  assert.equal((await board(page)).join(" "), "1 2 3 4 5 6 8 7 0");
  await button(page, "Undo").click();
  assert.equal((await board(page)).join(" "), pushed);
  await button(page, "Undo").click();
  assert.equal((await board(page)).join(" "), first);
  assert.equal(await button(page, "Undo").isDisabled(), true);
  for (const length of [9, 9, 16]) {
    await button(page, "Redo").click();
    assert.equal((await board(page)).length, length);
  }
  await page.selectOption("#goal", "snail");
  await button(page, "Undo").click();
  assert.equal(await page.locator("#goal").inputValue(), "last");
}));

test("c1 every small board has words", () => visit(async (page) => {
  await search(page);
  await go(page, 3);
  await atStep(page, 3);
  const labels = await page.locator(`${panel} .mini`).evaluateAll((boards) => boards.map((board) => board.getAttribute("aria-label")));
  assert.ok(labels.length > 2 && labels.every((label) => /^Board [\d /]+$/.test(label)));
  assert.match(await said(page), /^(Step 3: [\d /]+, g \d+, h \d+|Chosen from the \d+ open nodes, because .+)\.$/);
}));

test("a3 a4 a7 the end of a search is told with its cost, what was missed, and no time of telling", async () => {
  for (const [rest, words] of [
    ["m=dfs,depth=14&s=0", /^dfs,depth=14: Stopped: 48 cheaper paths were dropped at the limit on depth, so solutions may have been missed\./],
    ["c=uta&cm=a*&s=0", /: cost 71 \(18 moves\), cheapest\./], ["c=uta&cm=bfs&s=0", /: cost \d+ \(14 moves\), not proven cheapest\./],
  ]) {
    await visit(async (page) => {
      await ended(page);
      assert.match(await page.locator(`${panel} .whole .score`).textContent(), words, rest);
      assert.equal(await page.locator(`${panel} .totals dt:text-is("time")`).count(), 0);
    }, { hash: `${BOARD}&${rest}` });
  }
  await visit(async (page) => {
    await ended(page);
    const names = await page.locator(`${panel} .totals dt`).allTextContents();
    assert.ok(names.includes("ucr-list: nodes_expanded") && !names.includes("ucr-list: cpu_time"), `${names}`);
    assert.match(await said(page), /^14 moves, optimal\. \d+ steps to go through\.$/);
  }, { hash: `${BOARD}&c=ucr-list&cm=3&s=0` });
});

test("a5 recursive best-first search shows the values by which it chooses", () => visit(async (page) => {
  const taken = (step) => explain("-m", "rbfs:manhattan", "--step", String(step)).node;
  // The first step that goes by what was found below a node before.
  let step = 2;
  while (taken(step).value === taken(step).g + taken(step).h) step++;
  const node = taken(step);
  await ended(page);
  await go(page, step);
  await atStep(page, step);
  assert.match(await card(page).textContent(), new RegExp(`g = ${node.g}, h = ${node.h}, f = ${node.g + node.h}, value ${node.value}`));
  assert.match(await card(page).locator(".reasons").textContent(), new RegExp(`its value of ${node.value} is the lowest`));
  await button(page, "Predict", panel).click();
  // The right one has the lowest value of those that are shown.
  const next = taken(step + 1);
  const values = (await page.getByRole("region", { name: "Prediction" }).locator(".candidates button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).map((label) => Number(/value (\d+)/.exec(label)[1]));
  assert.equal(Math.min(...values), next.value);
}, { hash: `${BOARD}&m=rbfs:manhattan&s=1` }));

test("a6 what is dropped when it is taken out is shown, and is no right prediction", () => visit(async (page) => {
  await atStep(page, 13);
  await page.locator(`${panel} .frontier summary`).click();
  const first = page.locator(`${panel} .frontier li`).first();
  assert.match(await first.textContent(), /dropped when taken out/);
  const next = explain("-m", "astar:manhattan,duplicates=expanded", "--step", "14").node;
  const kept = page.locator(`${panel} .frontier li:not(.dropped)`).first();
  assert.match(await kept.textContent(), new RegExp(`g = ${next.g}, h = ${next.h}`));
  await button(page, "Predict", panel).click();
  const rows = [0, 3, 6].map((from) => next.board.slice(from, from + 3).join(" ")).join("/");
  await page.getByRole("region", { name: "Prediction" }).getByRole("button", { name: rows }).click();
  await until("right", async () => (await page.getByRole("region", { name: "Prediction" }).textContent()).includes("Right."));
  assert.match(await card(page).textContent(), /Removed from the open list and dropped before this step, because the board had been expanded: \d+ nodes?\./);
}, { hash: `${BOARD}&m=astar:manhattan,duplicates=expanded&s=13` }));

test("b7 damaged links are told, and start nothing else", async () => {
  const problem = (page) => page.locator("#text-problem");
  for (const [hash, words] of [[`${BOARD}nonsense&s=3`, /its goal can't be read\. This is the usual puzzle instead\./], ["#b=3x3:8.1.3.4.0.2.7.6.5&g=1.2.3&s=3", /its goal/], [`${BOARD}&u=zz`, /its moves/]]) {
    await visit(async (page) => {
      assert.match(await problem(page).textContent(), words);
      assert.equal(await page.locator(`${panel} .whole`).isVisible(), false);
    }, { hash });
  }
  await visit(async (page) => {
    await enter(page, "1 2 3/4 0 6/7 5 8");
    await page.evaluate(() => { location.hash = "#b=3x3:8.1.3"; });
    await until("it is told", async () => /its board can't be read\. The puzzle stays as it was\./.test(await problem(page).textContent()));
    assert.deepEqual(await board(page), [1, 2, 3, 4, 0, 6, 7, 5, 8]);
  });
  for (const rest of ["c=nosuch&s=3", "c=uta&cm=nosuch&s=3"]) {
    await visit(async (page) => {
      await until("it is told", async () => /The link is damaged: there is no course/.test(await page.locator(`${panel} .problem`).first().textContent()));
      assert.equal(await page.locator(`${panel} .whole`).isVisible(), false);
    }, { hash: `${BOARD}&${rest}` });
  }
  for (const rest of ["r=bfs;ucs&rs=7&rg=1", "r=bfs;ucs&rn=5&rg=1", "r=bfs;bfs;bfs;bfs;bfs&rg=1"]) {
    await visit(async (page) => {
      assert.match(await page.locator("#panel-race .score").first().textContent(), /The link is damaged/);
      assert.equal(await page.locator("#panel-race .lane .state").first().textContent(), "ready");
    }, { hash: `${BOARD}&t=race&${rest}` });
  }
});
