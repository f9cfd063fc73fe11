// The package in a browser: the first example of the README, and a page of another host than the package.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

const { chromium } = createRequire(process.env.TOOLS)("playwright-core");
const KINDS = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const readme = await readFile(new URL("README.md", import.meta.resolve("taquin")), "utf8");
const [, example] = /^```html\n([\s\S]*?)^```/m.exec(readme);

let browser;
const servers = [];

/** Serves a page and the files of the project. */
async function serve(page) {
  const server = createServer(async ({ url }, response) => {
    const file = /^\/node_modules\/taquin\/[\w.-]+$/.test(url) ? await readFile(new URL(`.${url}`, import.meta.url)).catch(() => null) : null;
    const isPage = url === "/";
    response.writeHead(file || isPage ? 200 : 404, { "content-type": isPage ? KINDS.html : KINDS[url.split(".").pop()] ?? "text/plain", "access-control-allow-origin": "*" });
    response.end(isPage ? page : file ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return `http://127.0.0.1:${server.address().port}/`;
}

/** A page that finds the package below an address. */
const imports = (from) => `<script type="importmap">${JSON.stringify({ imports: { taquin: `${from}node_modules/taquin/browser.js`, "taquin/board": `${from}node_modules/taquin/board.js` } })}</script>`;

/** Opens a page, acts on it, and makes sure that the console stayed silent. */
async function visit(address, act) {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !message.text().includes("favicon") && !message.location().url.includes("favicon") && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  try {
    await page.goto(address);
    await act(page);
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
  }
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => {
  await browser?.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

test("the game of the README is played with hints to its end", async () => {
  const address = await serve(example.replace("<title>", `${imports("/")}<title>`));
  await visit(address, async (page) => {
    const state = () => page.evaluate(() => {
      const { board: { tiles }, solved, moves } = document.querySelector("taquin-board");
      return { tiles, solved, moves };
    });
    const tile = (number) => page.getByRole("button", { name: `${number}, row` });
    await tile(15).waitFor();
    assert.equal((await state()).solved, true);
    await page.getByRole("button", { name: "Scramble" }).click();
    await page.waitForFunction(() => !document.querySelector("taquin-board").solved);
    // A board that is four moves from its goal.
    await page.evaluate(() => {
      document.querySelector("taquin-board").board = { rows: 4, cols: 4, tiles: [1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11, 13, 14, 15, 12] };
    });
    for (let left = 4; left > 0; left--) {
      await page.getByRole("button", { name: "Hint" }).click();
      await page.waitForFunction((text) => document.querySelector("output").value.includes(text), `${left} to ${left} moves`);
      const [, number] = /Move (\d+)/.exec(await page.locator("output").textContent());
      assert.ok(await tile(number).evaluate((button) => button.classList.contains("marked")));
      await tile(number).click();
    }
    assert.deepEqual(await state(), { tiles: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0], solved: true, moves: "RRRD" });
    assert.equal(await page.locator("output").textContent(), "Solved!");
    // By the keys: the tile above the blank goes down, and back.
    await tile(15).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal((await state()).moves, "RRRDL");
    await page.keyboard.press("ArrowLeft");
    assert.equal((await state()).solved, true);
  });
});

test("attributes set the board and the goal", async () => {
  const body = `<taquin-board board="1 4 2/3 0 5" goal="first" label="Mine"></taquin-board><taquin-board size="2x4" goal="snail"></taquin-board><taquin-board board="1 1"></taquin-board><script type="module">
    document.querySelectorAll("taquin-board")[2].addEventListener("problem", ({ detail }) => (document.title = detail.name));
    import("taquin/board");
  </script>`;
  await visit(await serve(imports("/") + body), async (page) => {
    await page.waitForFunction(() => document.title === "BoardError");
    await page.waitForFunction(() => document.querySelector("taquin-board").goal.join() === "0,1,2,3,4,5");
    await page.waitForFunction(() => document.querySelectorAll("taquin-board")[1].goal.join() === "1,2,3,4,0,7,6,5");
    assert.equal(await page.getByRole("group", { name: "Mine" }).count(), 1);
    const solved = await page.evaluate(async () => {
      const [board] = document.querySelectorAll("taquin-board");
      const told = [];
      board.addEventListener("move", ({ detail }) => told.push(detail.move));
      let isSolved = false;
      board.addEventListener("solved", () => (isSolved = true));
      for (let moves = 0; !isSolved && moves < 40; moves++) board.press((await board.hint()).tile);
      return { isSolved, same: told.join("") === board.moves, tiles: board.board.tiles };
    });
    assert.deepEqual(solved, { isSolved: true, same: true, tiles: [0, 1, 2, 3, 4, 5] });
  });
});

test("a package on another host works, and searches can be aborted", async () => {
  const other = await serve("");
  await visit(await serve(imports(other)), async (page) => {
    const found = await page.evaluate(async () => {
      const { solve } = await import("taquin");
      const { moves } = await solve("1 2 3/4 0 6/7 5 8");
      const hard = ["14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0", { method: "ida:manhattan", time: 100 }];
      const controller = new AbortController();
      const aborted = await solve(hard[0], { ...hard[1], signal: controller.signal, onProgress: () => controller.abort() }).catch((error) => error.name);
      // Here the worker can't look at shared memory.
      const enough = new AbortController();
      const report = await solve(hard[0], { ...hard[1], enough: enough.signal, onProgress: () => enough.abort() });
      return { moves, aborted, outcome: report.outcome, isolated: crossOriginIsolated };
    });
    assert.deepEqual(found, { moves: "DR", aborted: "AbortError", outcome: "stopped", isolated: false });
  });
});

test("tables are kept for the next visit", async () => {
  const address = await serve(imports("/"));
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    for (const visits of [1, 2]) {
      await page.goto(address);
      const kept = await page.evaluate(async () => {
        const { solve } = await import("taquin");
        const { optimal } = await solve("12 11 15 3/8 0 4 2/6 13 9 5/14 1 10 7", { goal: "first", method: "ida:pdb=5-5-5", time: 60 });
        const opened = await new Promise((resolve, reject) => Object.assign(indexedDB.open("taquin", 1), { onsuccess: ({ target }) => resolve(target.result), onerror: reject }));
        const all = await new Promise((resolve, reject) => Object.assign(opened.transaction("tables").objectStore("tables").getAll(), { onsuccess: ({ target }) => resolve(target.result), onerror: reject }));
        return { optimal, names: all.map(({ name, at }) => `${name} ${at}`).sort() };
      });
      assert.equal(kept.optimal, true);
      assert.ok(kept.names.length > 0);
      if (visits === 1) context.first = kept.names;
      else assert.deepEqual(kept.names, context.first);
    }
  } finally {
    await context.close();
  }
});
