// Languages, touch targets and large text.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { board, button, shots, taquin, until, visit } from "./lab.mjs";

const panels = ["play", "search", "race", "solution", "solvable", "heuristic", "space", "lessons"];

test("the page speaks German and Spanish: the browser's language, or the one that is chosen", () => visit(async (page) => {
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  await page.getByRole("button", { name: "Suchen", exact: true }).click();
  await until("the end", () => button(page, "Protokoll exportieren").isEnabled());
  for (let step = 0; step < 5; step++) await button(page, "Schritt", "#panel-search").click();
  await until("the reason", async () => /^Gewählt/.test(await page.locator(".reasons").textContent()));
  await button(page, "Feine Schritte").click();
  assert.match(await page.locator("#live").textContent(), /./);
  // Methods have names in German, and so do the engine's messages.
  const names = await page.locator("#panel-search .chosen select").first().locator("option").allTextContents();
  assert.ok(names.includes("Breitensuche") && names.includes("A*") && !names.some((name) => /first|search|weighted/i.test(name) && name !== "Greedy-Suche"), `${names}`);
  for (const [text, words] of [["1 2 2/4 5 6/7 8 0", /Brett: Kachel 2 kommt zweimal vor \(zuerst: Zeile 1, Spalte 3\)\. Hinweis: es fehlt: Kachel 3; meinten Sie hier 3\?/], ["1 2 3/4 q 6/7 8 0", /Brett: „q“ ist keine Nummer einer Kachel\. Hinweis: eine Kachel ist eine Zahl/], ["1 2 3/4 5/7 8 0", /Brett: Zeile 2 hat 2 Kacheln, aber Zeile 1 hat 3\. Hinweis: alle Zeilen/], ["1 2 3/4 5 6/7 8 9", /Brett: es gibt keine Lücke/]]) {
    await page.fill("#text", text);
    await page.press("#text", "Enter");
    await until(`${words}`, async () => words.test((await page.locator("#text-problem").textContent()) ?? ""));
  }
  // No English is left over; courses and lessons have the words of their authors.
  for (const panel of panels) {
    await page.locator(`#tab-${panel}`).click();
    const text = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((one) => one instanceof HTMLElement && one.checkVisibility() && !one.closest("option, #panel-lessons .pair, .reasons li")).flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.nodeValue?.trim() ?? "")).filter(Boolean));
    assert.deepEqual(text.filter((one) => /\b(the|and|of|with|is|are|from|to|for|by)\b/.test(one)), [], panel);
  }
  assert.deepEqual(await page.locator("#goal option").evaluateAll((options) => options.slice(0, 3).map((one) => one.textContent)), ["Lücke hinten", "Lücke vorn", "Spirale"]);
  await page.locator("#tab-play").click();
  await page.screenshot({ path: `${shots}german.png` });
  const before = await board(page);
  await page.locator("#language").selectOption("es");
  await until("Spanish", async () => (await page.locator("html").getAttribute("lang")) === "es" && (await page.locator("html[data-ready]").count()) === 1);
  assert.deepEqual(await board(page), before);
  assert.equal(await page.locator("#tab-search").textContent(), "Buscar");
  await page.locator("#language").selectOption("en");
  await until("English", async () => (await page.locator("#tab-search").textContent()) === "Search");
}, { locale: "de-DE", hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&t=search", expected: ["422"] }));

/** A method with a field that has no such value: the hint lists what it can be. */
const misspelt = ({ name, takes_heuristic, needs_databases, fields }) => fields.map((field) => ["solve", { method: `${name}${needs_databases ? ":pdb=small" : takes_heuristic ? ":manhattan" : ""},${field}=zz` }]);

/** The messages about boards, moves and sizes as the source has them, with 7 for their values. */
function sourced() {
  const texts = ["read/error", "notation/error", "size"].flatMap((name) => {
    const source = readFileSync(new URL(`../../tiles/src/${name}.rs`, import.meta.url), "utf8");
    return [...source.matchAll(/#\[error\(\s*"([^"]+)"|Advice\("([^"]+)"/g)].map(([, message, hint]) => message ?? hint ?? "");
  });
  // Values that are words, such as the name of a row, are made by code: those messages are among the requests.
  return texts.filter((text) => /[a-z]{2}/.test(text.replace(/\{.*?\}/g, "")) && !/\{\}|\{notation\}/.test(text)).map((text) => text.replace(/\{[^}]*\}/g, "7"));
}

/** Requests that the engine refuses, or whose answers have notes. */
const REFUSED = [
  ...["", "1 2 x/4 5 6/7 8 0", "[1,2", "1 2 3]", "[[1],2]", "1 2 2 0", "1 2 3 4 5 6 7 8", "1 2 3/4 5 6/7 8 9", "1 2 3/4 5/7 8 0", "1 2 3 4 0", "3x3\n1 2 3 4", "3 3\n1 2", "0 0 1 3", "3x3"].map((board) => ["convert", { board }]),
  ...[["1 2 3 0", "3x3"], ["1 2 3/4 0 5", "3x3"], ["1 2 3 4 5 0", "9x9x"], ["1 2/3 0", "0x3"], ["1 2/3 0", "999x999"], ["1 2 3 4 5 6/7 8 0", "3x3"], ["1 2 3/4 5 0", "2x2"]].map(([board, size]) => ["convert", { board, size }]),
  ...["1 2 3 4 5 0", "2 2\n1 3\n0 4\n5 6", "1 2\u0000", "UUUU", "D3Q", "L0"].map((board) => ["convert", { board }]),
  ...[["Q", "blank"], ["U0", "tile"], ["D", "blank"], ["RRR", "blank"], ["U", "tile"], ["L9", "blank"], ["R9", "tile"], ["R1", "blank"], ["U99999999", "tile"]].map(([moves, from]) => ["convert", { board: "1 2 3/4 5 6/7 8 0", moves, from, to: "blank" }]),
  ...["D1", "U", "L", "U3"].map((moves) => ["convert", { board: "1 0 3/4 5 6/7 8 0", moves, from: "tile", to: "blank" }]),
  ...["nosuch", "astarr:manhattan", "astar:nosuch", "bfs:manhattan", "wastar:manhattan,w=x", "beam:manhattan,k=0", "dfs,depth=x", "bfs,foo=1", "ida:pdb=9-9", "aida:manhattan", "astar:manhattan,moves=UU", "lrta:manhattan,look=0", "bfs,fifo", "bfs,order=fifo,order=lifo", `bfs${",x=1".repeat(400)}`, "dps,w=0.5", "ios,phi=pwxdp", "wastar,w=0.5,phi=xdp", "astar:manhattan,blank=counted", "beam:manhattan,k=3,order=state", "bae:pdb=small", "mm:manhattan,order=state", "aida:pdb=small,metric=multi", "ida:walking,metric=multi,prune=4", "ida:manhattan,metric=multi", "ida:pdb=1.1/2.3", "ida:pdb=5-5-5"].map((method) => ["solve", { method }]),
  ["solve", { as: "nope" }], ["solve", { as: "korf100" }], ["solve", { method: "astar:manhattan,duplicates=generated" }], ["solve", { method: "ida:manhattan,prune=4" }], ["solve", { as: "korf85", method: "zz" }], ["solve", { goal: "1 2 3/4 5 6/7 0 0" }], ["solve", { goal: "1 2 3 4" }], ["solve", { goal: "nowhere" }], ["solve", { cost: [1, 2] }],
  ["solve", { board: "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", method: "table" }], ["solve", {}], ["explain?step=5", { method: "bidirectional" }], ["explain?step=99999", { method: "bfs" }],
  ["gen", { size: "3x3", depth: 40 }], ["gen", { size: "4x4", depth: 60 }], ["gen", { size: "99x99" }], ["space", { size: "5x5" }],
];

for (const name of ["de", "es"]) test(`what the engine says is translated: ${name}`, () => visit(async (page) => {
  const { algorithms, heuristics } = JSON.parse(taquin("methods", "--json"));
  const titles = algorithms.map(({ title }) => title).filter((title) => /[a-z]{4}/.test(title) && title !== "A*-epsilon");
  const texts = [...titles, ...[...algorithms, ...heuristics, ...JSON.parse(taquin("list", "courses", "--json"))].map(({ about }) => about)];
  assert.ok(texts.length > 70);
  assert.ok(sourced().length > 30, `${sourced().length}`);
  const { missing, said } = await page.evaluate(async ({ texts, refused, sourced }) => {
    const load = (script) => import(script);
    const [{ post }, { engine }, { phrases }] = await Promise.all(["./api.js", "./engine.js", "./language.js"].map((script) => load(new URL(script, document.baseURI).href)));
    const answers = await Promise.all(refused.map(async ([path, body]) => {
      try {
        return (await post(path, ["convert", "gen", "space"].includes(path) ? body : { board: "8 1 3/4 0 2/7 6 5", ...body })).notes ?? [];
      } catch (problem) {
        return [problem.message, problem.hint];
      }
    }));
    return { missing: texts.filter((text) => !Object.hasOwn(phrases, text)), said: [...answers.flat().filter(Boolean), ...sourced].map((text) => [text, engine(text)]) };
  }, { texts, refused: [...REFUSED, ...algorithms.flatMap(misspelt)], sourced: sourced() });
  assert.deepEqual(missing, []);
  assert.ok(said.length > REFUSED.length);
  assert.deepEqual(said.filter(([text, words]) => words === text || /\b(the|and|or|of|with|is|are|from|to|for|by|not|has|needs|takes|tiles|boards)\b/.test(words)), []);
}, { locale: name, expected: ["422", "429", "503"] }));

test("fingers find targets of 44 pixels", () => visit(async (page) => {
  for (const panel of panels) {
    await page.locator(`#tab-${panel}`).click();
    await page.locator("#view details").evaluateAll((all) => all.forEach((one) => { one.open = true; }));
    const small = await page.locator("button, select, input:not([type=checkbox], [type=file]), summary, [role=tab]").evaluateAll((all) => all.filter((one) => {
      const box = one.getBoundingClientRect();
      return one.checkVisibility() && !one.closest(".unseen, [inert]") && box.width > 2 && (box.height < 43.5 || box.width < 43.5);
    }).map((one) => `${one.tagName} ${one.id || one.textContent} ${one.getBoundingClientRect().width} x ${one.getBoundingClientRect().height}`));
    assert.deepEqual(small, [], panel);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), panel);
  }
}, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }));

test("text of twice the size is not cut", () => visit(async (page) => {
  await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
  for (const panel of panels) {
    await page.locator(`#tab-${panel}`).click();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${panel} sticks out`);
    const cut = await page.locator("button, h1, h2, h3, label, p, dt, dd").evaluateAll((all) => all.filter((one) => one.checkVisibility() && !one.closest(".board, .unseen, .mini, .scrolled, [role=tablist]") && one.scrollWidth > one.clientWidth + 2 && one.clientWidth > 0 && getComputedStyle(one).display !== "inline").map((one) => `${one.tagName} ${one.textContent?.slice(0, 40)}`));
    assert.deepEqual(cut, [], panel);
  }
}, { viewport: { width: 1280, height: 900 } }));
