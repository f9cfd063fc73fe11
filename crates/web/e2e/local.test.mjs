// The page without a server: its module answers as the service does, and fast enough.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { address, board, browse, button, fetched, program, site, taquin, until, visit, wire } from "./lab.mjs";

const local = { skip: site ? false : "SITE names no folder of the page without a server" };
const bytes = site ? readFileSync(`${site}/taquin.wasm`) : new Uint8Array();

/** The module as worker.js has it, without a browser; `tables` are the files that are stored. */
async function load(tables = new Map(), module = bytes) {
  let told = [];
  let exports;
  const text = (at, length) => Buffer.from(exports.memory.buffer, at, length).toString();
  const host = { now: () => performance.timeOrigin + performance.now(), tell: (name, nameLength, document, length) => {
      told.push([text(name, nameLength), text(document, length)]);
      // Anything else ends the search.
      return 0;
    },
    load: (name, nameLength, length) => {
      const bytes = tables.get(text(name, nameLength));
      if (!bytes) return 0;
      const [at] = put(bytes);
      new DataView(exports.memory.buffer).setUint32(length, bytes.length, true);
      return at;
    },
    keep: (name, nameLength, at, length) => tables.set(text(name, nameLength), Buffer.from(new Uint8Array(exports.memory.buffer, at, length).slice())) };
  ({ exports } = (await WebAssembly.instantiate(module, { host })).instance);
  const put = (data) => {
    const at = exports.alloc(data.length);
    new Uint8Array(exports.memory.buffer, at, data.length).set(data);
    return [at, data.length];
  };
  return (path, body) => {
    told = [];
    const parts = [Buffer.from(path), typeof body === "string" || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(body === undefined ? "" : JSON.stringify(body))].map(put);
    exports.answer(...parts[0], ...parts[1]);
    return told;
  };
}

/** A document without its times. */
const timeless = (text) => text.replace(/"(seconds|cpu_time)":[-\d.e]+/g, '"$1":0').replace(/"memory_peak":\d+/g, '"memory_peak":0');

test("the answers are those of the service, byte for byte but for times", local, async () => {
  const ask = await load();
  const server = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    let base = "";
    for await (const line of createInterface(server.stdout)) {
      base = line.trim();
      break;
    }
    const board = "1 3 6/5 0 2/4 7 8";
    const tasks = [
      ["methods"], ["courses"], ["instances"], ["instances/korf100"], ["instances/nothing"], ["nowhere"],
      ["check", { board }], ["check", { board: "1 2 3/4 5 6/8 7 0" }], ["check", { board: "1 2 2" }], ["check", "{"], ["check", { bored: 1 }],
      ["convert", { board: "123/4_6/758", to: "nested" }], ["convert", { moves: "DDR", to: "tile" }], ["convert", { board: "1 2 3/4 5 6/7 8 9" }],
      ["gen", { size: "3x3", seed: 5, count: 3 }], ["gen", { size: "3x3", seed: 5, depth: 9 }], ["gen", { size: "99x99" }],
      ["heuristic", { board }], ["space", { size: "2x3" }], ["space", { size: "3x3", goal: "snail", metric: "multi" }], ["space", { size: "2x5" }], ["space", { size: "3x4" }], ["space", { size: "4x4" }], ["space", { size: "20x20" }], ["space", { metric: "x" }],
      ["narrate", { board, method: "astar:manhattan" }], ["solve", { board, method: "bfs", cost: [1, 1, 1, 1, 1, 1, 1, 2] }],
      ...["bfs", "dfs,depth=20", "ucs", "greedy:manhattan", "astar:manhattan", "wastar:linear,w=3/2", "beam:manhattan,k=20", "random,seed=7", "ids", "ida:manhattan", "ida:linear", "rbfs:manhattan", "bidirectional", "table", "layers"].map((method) => ["solve", { board, method }]),
      ["solve", { board: "7 1 2/4 8 5/6 3 0", as: "ucr-list", method: "misplaced" }], ["solve", { board: "5 1 3 4/2 6 8 12/9 10 7 11/13 14 15 0", method: "astar:manhattan" }],
      ["explain?step=7&rivals=3", { board, method: "astar:manhattan" }], ["explain?step=0", { board }], ["explain?step=9999", { board, method: "bfs" }],
    ];
    for (const [path, body] of tasks) {
      const response = await fetch(`${base}api/${path}`, body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: typeof body === "string" ? body : JSON.stringify(body) });
      const [[name, document], ...more] = ask(path, body);
      assert.deepEqual(more, []);
      assert.equal(name, response.ok ? "answer" : "problem", path);
      assert.equal(timeless(document), timeless(await response.text()), `${path} ${JSON.stringify(body)}`);
    }
    // A job: the same events, however they are divided into messages.
    const job = { board, method: "astar:manhattan", limits: { traced: 20 } };
    const told = ask("jobs", job);
    const begun = await (await fetch(`${base}api/jobs`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(job) })).json();
    const stream = (await (await fetch(new URL(begun.events, base))).text()).split("\n\n").map((block) => [/^event: ?(.*)$/m.exec(block)?.[1], /^data: ?(.*)$/m.exec(block)?.[1]]);
    const { id, events, ...same } = begun;
    assert.ok(id && events);
    const first = JSON.parse(told[0][1]);
    assert.deepEqual([told[0][0], first.method, first.policy], ["started", same.method, same.policy]);
    const of = (list, wanted) => list.filter(([name]) => name === wanted).map(([, data]) => data);
    const steps = (list) => of(list, "steps").flatMap((data) => JSON.parse(data));
    assert.deepEqual(steps(told), steps(stream));
    assert.deepEqual(of(told, "omitted"), of(stream, "omitted"));
    assert.deepEqual(of(told, "report").map(timeless), of(stream, "report").map(timeless));
  } finally {
    server.kill("SIGTERM");
  }
});

test("the small module answers as the whole one does, or leaves the answer to it", local, async (context) => {
  const small = readFileSync(`${site}/first.wasm`);
  const [ask, whole] = [await load(new Map(), small), await load()];
  const board = "8 1 3/4 0 2/7 6 5";
  const tasks = [
    ["check", { board }], ["check", { board: "1 2 3/4 5 6/8 7 0" }], ["convert", { board: "123/4_6/758", to: "nested" }], ["convert", "{"], ["heuristic", { board }],
    ...["bfs", "dfs,depth=20", "ucs", "greedy:manhattan", "astar:linear", "astar:walking", "wastar:linear,w=3/2", "beam:manhattan,k=20", "random,seed=7", "ids", "rbfs:manhattan", "bidirectional", "nosuch", "astar:nosuch"].flatMap((method) => [["solve", { board, method }], ["jobs", { board, method, limits: { traced: 20 } }]]),
    ["solve", { board: "5 1 3 4/2 6 8 12/9 10 7 11/13 15 14 0", method: "astar:manhattan" }], ["solve", { board: "2 3 0/1 4 5", method: "astar:manhattan" }],
    ["explain?step=7&rivals=3", { board, method: "astar:manhattan" }], ["jobs", { board, method: "ida:manhattan", limits: { traced: 50 } }],
  ];
  // The order of messages is that of the clock, and so is how many there are.
  const said = (told) => told.filter(([name]) => name !== "progress").map(([name, document]) => [name, timeless(document)]);
  const events = (told) => said(told).flatMap(([name, document]) => (name === "steps" ? JSON.parse(document) : [[name, document]]));
  for (const [path, body] of tasks) assert.deepEqual(events(ask(path, body)), events(whole(path, body)), `${path} ${JSON.stringify(body)}`);
  // Tables, courses, portfolios and spaces are for the whole one.
  for (const [path, body] of [["methods"], ["courses"], ["gen", {}], ["space", {}], ["narrate", { board, method: "bfs" }], ["instances"], ["solve", { board }], ["solve", { board, method: "auto" }], ["solve", { board, method: "table" }], ["solve", { board, method: "astar:pdb=small" }], ["solve", { board, method: "astar:max=linear+zpdb=small" }], ["solve", { board, method: "ida:manhattan" }], ["jobs", { board, method: "anytime" }], ["jobs", { board, method: "mm:linear", limits: { traced: 20 } }], ["solve", { board: "1 2 3 4 5/6 7 8 9 10/11 12 13 14 15/16 17 18 0 19/21 22 23 24 20", method: "astar:linear" }], ["solve", { board, method: "bfs", as: "ucr-list" }]]) {
    const [[name, document], ...more] = ask(path, body);
    assert.deepEqual([name, JSON.parse(document).status, more], ["problem", 501, []], `${path} ${JSON.stringify(body)}`);
  }
  context.diagnostic(`the small module: ${small.length} bytes, ${gzipSync(small, { level: 9 }).length} compressed`);
});

/** A line of 1.6 Mbit/s. */
async function slow(page) {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", { offline: false, latency: 40, downloadThroughput: 200_000, uploadThroughput: 200_000 });
}

test("on a slow line the first answer comes within 3 seconds", local, async (context) => {
  let took = Infinity;
  // A machine that does other work may be late.
  for (let visits = 0; visits < 8 && took > 3000; visits++) await browse(async (page) => {
    await slow(page);
    await page.addInitScript(() => {
      const own = /** @type {any} */ (globalThis);
      new MutationObserver(() => {
        const solve = document.querySelector("#panel-home button.primary");
        if (solve && !own.pressed) {
          own.pressed = performance.now();
          solve.click();
        }
        if (!own.answered && /A\* expanded/.test(document.querySelector("#panel-home [role=status]")?.textContent ?? "")) own.answered = performance.now();
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(address);
    const { pressed, answered } = await page.waitForFunction(() => /** @type {any} */ (globalThis).answered && globalThis).then((own) => own.evaluate(({ pressed, answered }) => ({ pressed, answered })));
    took = answered;
    context.diagnostic(`something to press after ${pressed.toFixed()} ms, the answer after ${answered.toFixed()} ms`);
  }, { opened: false });
  assert.ok(took <= 3000, `${took} ms`);
});

test("on a slow line the first answer needs 700 kB at most, and nothing is sent twice, not even to be kept", local, (context) => browse(async (page) => {
  fetched.clear();
  wire.bytes = 0;
  await slow(page);
  // The page asks for its files to be kept as soon as it has the answer: here they wait for the count.
  await page.addInitScript(() => {
    const own = /** @type {any} */ (globalThis);
    const register = navigator.serviceWorker.register.bind(navigator.serviceWorker);
    const counted = new Promise((resolve) => { own.counted = resolve; });
    navigator.serviceWorker.register = async (...file) => {
      own.isKeeping = true;
      await counted;
      return register(...file);
    };
  });
  await page.goto(address);
  // The page can be used before its module is there.
  await button(page, "Solve it").waitFor();
  const bytes = wire.bytes;
  context.diagnostic(`${bytes} bytes until there is something to press`);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).isKeeping), undefined);
  await button(page, "Solve it").click();
  await until("the answer", async () => /A\* expanded/.test(await page.locator("#panel-home [role=status]").textContent()));
  context.diagnostic(`${wire.bytes} bytes until the first answer`);
  assert.equal(fetched.has("taquin.wasm"), false);
  assert.ok(wire.bytes <= 700_000, `${wire.bytes}`);
  // The files that it waits for pass the line in 2.25 s; the rest of the page follows.
  const named = [...readFileSync(`${site}/index.html`, "utf8").matchAll(/(?:href|src)="([\w.]+\.(?:js|css|svg))"/g)].map(([, name]) => name);
  const awaited = [...new Set(["index.html", "first.wasm", "worker.js", ...named])].reduce((sum, name) => sum + gzipSync(readFileSync(`${site}/${name}`)).length, 0);
  context.diagnostic(`${awaited} bytes that the first answer waits for`);
  assert.ok(awaited <= 450_000, `${awaited}`);
  // Without the module, for which a person does not wait.
  const files = [...fetched.keys()].filter((name) => name !== "first.wasm").map((name) => gzipSync(readFileSync(`${site}/${name || "index.html"}`)).length);
  assert.ok(files.reduce((sum, size) => sum + size, 0) <= 250_000, `${files}`);
  await page.evaluate(() => /** @type {any} */ (globalThis).counted());
  await until("the files are kept", () => page.evaluate(async () => Boolean(await caches.match("taquin.wasm"))));
  assert.deepEqual([...fetched].filter(([name, times]) => times > 1 && name !== "icon.svg"), []);
}, { opened: false }));

test("the page draws and plays before its module arrives", local, () => browse(async (page, context) => {
  let release = () => {};
  const waits = new Promise((resolve) => { release = resolve; });
  await context.route(/\.wasm$/, async (route) => {
    await waits;
    await route.continue();
  });
  await page.goto(address);
  await button(page, "Play a game").click();
  await page.locator("#panel-play .clock").waitFor();
  const before = await board(page);
  await page.focus("#board");
  await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual(await board(page), before);
  await until("the clock", async () => (await page.locator("#panel-play .clock").textContent()) !== "0.00");
  assert.equal(await page.locator("#verdict").textContent(), "");
  release();
  await until("the module", async () => (await page.locator("#verdict").textContent()).includes("Solvable"));
}, { opened: false }));

test("any bytes are answered", local, async () => {
  const ask = await load();
  const good = JSON.stringify({ board: "1 3 6/5 0 2/4 7 8", method: "astar:manhattan", limits: { seconds: 1, expanded: 500, traced: 10 } });
  let seed = 12345;
  const random = (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const paths = ["solve", "jobs", "check", "convert", "gen", "heuristic", "explain?step=3", "explain?step=x&rivals=", "narrate", "space", "", "../solve", "instances/%00"];
  for (let round = 0; round < 1500; round++) {
    const body = Buffer.from(good);
    for (let change = random(6); change > 0; change--) {
      const at = random(body.length);
      body[at] = random(4) === 0 ? random(256) : "0123456789/ \",:{}[]abmx".charCodeAt(random(23));
    }
    const told = ask(paths[random(paths.length)], random(30) === 0 ? Buffer.from([0xff, 0xfe, random(256)]) : body);
    const last = told[told.length - 1];
    assert.ok(last && ["answer", "problem", "report"].includes(last[0]), body.toString());
    JSON.parse(last[1]);
  }
});

test("the module is small, finds what the program finds, and keeps its tables", local, async (context) => {
  const packed = gzipSync(bytes, { level: 9 }).length;
  context.diagnostic(`the module: ${bytes.length} bytes, ${packed} compressed`);
  assert.ok(packed < 1_000_000, `${packed}`);
  const ask = await load();
  const solve = (task) => {
    const started = performance.now();
    const [[name, document]] = ask("solve", task);
    assert.equal(name, "answer");
    return { ...JSON.parse(document), took: performance.now() - started };
  };
  const { boards } = JSON.parse(ask("gen", { size: "3x3", seed: 1, count: 50 })[0][1]);
  const puzzle = (start, rows, goal) => ({ rows, cols: start.length / rows, start, goal });
  const goal = [1, 2, 3, 4, 5, 6, 7, 8, 0];
  const times = boards.map((start) => {
    const report = solve({ puzzle: puzzle(start, 3, goal) });
    assert.equal(report.optimal, true);
    return report.took;
  }).sort((a, b) => a - b);
  context.diagnostic(`a random 8-puzzle: ${times[25].toFixed(2)} ms, the slowest of 50 ${times[49].toFixed(2)} ms`);
  // Korf's instances of up to 50 moves, to the optimum, with tables that are built meanwhile.
  const korf = JSON.parse(ask("instances/korf100")[0][1]).filter(({ known }) => known <= 50);
  assert.ok(korf.length >= 10, `${korf.length}`);
  let slowest = 0;
  for (const instance of korf) {
    const report = solve({ puzzle: instance.puzzle });
    assert.deepEqual([report.optimal, report.cost], [true, instance.known]);
    slowest = Math.max(slowest, report.took);
  }
  context.diagnostic(`${korf.length} instances of Korf of up to 50 moves: the slowest takes ${slowest.toFixed(0)} ms`);
  // The next visit has the tables.
  const tables = new Map();
  const visits = [];
  for (let visit = 0; visit < 2; visit++) {
    const before = tables.size;
    const next = await load(tables);
    const started = performance.now();
    const report = JSON.parse(next("solve", { puzzle: korf[0].puzzle, method: "ida:pdb=5-5-5" })[0][1]);
    assert.deepEqual([report.optimal, report.cost], [true, korf[0].known]);
    visits.push({ took: performance.now() - started, built: tables.size - before });
  }
  context.diagnostic(`the first instance: ${visits[0].took.toFixed(0)} ms and ${visits[0].built} tables, at the next visit ${visits[1].took.toFixed(0)} ms`);
  assert.ok(visits[0].built > 0 && visits[1].built === 0, JSON.stringify(visits));
  // The same search by the module and by the program on one thread.
  const start = "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0";
  const method = "ida:manhattan";
  // The best of three, in turn, and of more on a busy machine: other work only slows down.
  const faster = (a, b) => (a && a.seconds < b.seconds ? a : b);
  let [inModule, native] = [null, null];
  for (let round = 0; round < 3 || (round < 15 && native.seconds < 0.4 * inModule.seconds); round++) {
    inModule = faster(inModule, solve({ board: start, method, limits: { expanded: 20_000_000, seconds: 60 } }));
    native = faster(native, JSON.parse(taquin("solve", start, "-m", method, "--nodes", "20000000", "--threads", "1", "--json")));
  }
  assert.deepEqual(inModule.counts, { ...native.counts, memory_peak: inModule.counts.memory_peak });
  const [here, there] = [inModule, native].map(({ counts, seconds }) => counts.expanded / seconds / 1e6);
  context.diagnostic(`${method}: ${here.toFixed(1)} million nodes a second in the module, ${there.toFixed(1)} in the program that is tested, a ratio of ${(here / there).toFixed(2)}`);
  assert.ok(here / there >= 0.4, `${here} of ${there}`);
});

test("the page is painted below any path, and fetches from nowhere else", local, async (context) => {
  const best = { paint: Infinity, ready: Infinity };
  for (let round = 0; round < 3; round++) {
    await visit(async (page) => {
      const times = await page.evaluate(() => ({ paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity, ready: Number(document.documentElement.dataset.ready) }));
      best.paint = Math.min(best.paint, times.paint);
      best.ready = Math.min(best.ready, times.ready);
      const hosts = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.ok(hosts.length > 10 && hosts.every((name) => name.startsWith(address)), `${hosts}`);
    });
  }
  context.diagnostic(`first paint ${best.paint.toFixed(0)} ms, ready ${best.ready.toFixed(0)} ms`);
  assert.ok(Number.isFinite(best.paint) && Number.isFinite(best.ready), JSON.stringify(best));
});

test("after the first visit no network is needed", local, () => visit(async (page, context) => {
  await button(page, "Search", "#panel-search").click();
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await until("the files are kept", () => page.evaluate(async () => (await caches.keys()).length === 1 && Boolean(await caches.match("taquin.wasm"))));
  await context.setOffline(true);
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  await button(page, "Search", "#panel-search").click();
  await until("the end", async () => (await page.locator("#panel-search .whole").textContent()).includes("14 moves, optimal"));
}));

test("a search is stopped, and its worker with it", local, () => visit(async (page) => {
  await page.getByLabel("Spelling").first().fill("ida:manhattan");
  await page.keyboard.press("Tab");
  await button(page, "Search", "#panel-search").click();
  await until("a count", async () => (await page.locator("#panel-search .totals").textContent()).length > 80);
  const before = page.workers().length;
  await button(page, "Stop", "#panel-search").click();
  await until("the worker has gone", async () => page.workers().length < before);
  // And the next request is answered.
  await button(page, "Scramble").click();
  await until("a verdict", async () => (await page.locator("#verdict").textContent()).includes("Solvable"));
}, { hash: "#b=4x4:14.15.8.12.10.11.9.13.2.6.5.1.3.7.4.0&g=last" }));

/** The browser's storage. */
const kept = (page) => page.evaluate(() => new Promise((resolve, reject) => {
  const opening = indexedDB.open("taquin", 1);
  opening.onerror = reject;
  opening.onsuccess = () => {
    const all = opening.result.transaction("tables").objectStore("tables").getAll();
    all.onerror = reject;
    all.onsuccess = () => resolve(all.result.map(({ name, bytes, at }) => ({ name, at, bytes: [...bytes.slice(0, 4200)].join(), length: bytes.length })));
    opening.result.close();
  };
}));
/** Korf's instance 8, which needs 50 moves. */
const KORF = "#b=4x4:12.11.15.3.8.0.4.2.6.13.9.5.14.1.10.7&g=first&t=solution&sm=ida:pdb=5-5-5";

async function solveKorf(page) {
  await button(page, "Solve", "#panel-solution").click();
  await until("the optimum", async () => (await page.locator("#panel-solution").textContent()).includes("50 moves"), 60_000);
}

test("tables are kept by the browser, verified, and built again if they are damaged", local, () => visit(async (page, context) => {
  await solveKorf(page);
  await until("the tables", async () => (await kept(page)).length >= 3);
  const first = await kept(page);
  const again = async () => {
    const next = await context.newPage();
    await next.goto(page.url());
    await next.reload();
    await next.locator("html[data-ready]").waitFor();
    await solveKorf(next);
    return next;
  };
  const second = await again();
  assert.deepEqual(await kept(second), first, "none was built again");
  await second.close();
  // A byte is wrong: the table is not used, and replaced.
  await page.evaluate((name) => new Promise((resolve, reject) => {
    const opening = indexedDB.open("taquin", 1);
    opening.onsuccess = () => {
      const store = opening.result.transaction("tables", "readwrite").objectStore("tables");
      store.get(name).onsuccess = ({ target }) => {
        const entry = target.result;
        entry.bytes[4100] ^= 1;
        store.put(entry).onsuccess = resolve;
      };
    };
    opening.onerror = reject;
  }), first[0].name);
  assert.notDeepEqual((await kept(page))[0].bytes, first[0].bytes);
  const third = await again();
  await until("the table", async () => (await kept(third))[0].bytes === first[0].bytes);
  assert.ok((await kept(third))[0].at > first[0].at);
  assert.deepEqual((await kept(third)).slice(1), first.slice(1));
}, { hash: KORF }));

test("a browser without storage solves as well", local, () => browse(async (page) => {
  await page.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { get() { throw new DOMException("not here", "SecurityError"); } }));
  await page.goto(address + KORF);
  await page.locator("html[data-ready]").waitFor();
  await solveKorf(page);
}));

test("opened from a folder, the page says what it needs", local, () => browse(async (page) => {
  await page.goto(`file://${resolve(site)}/index.html`);
  const words = await page.locator("body > .problem").textContent();
  assert.ok(words.includes(`python3 -m http.server -d '${resolve(site)}'`) && words.includes("taquin serve"), words);
}, { expected: ["CORS policy", "Failed to load resource"] }));

test("ten panels on one page have one worker and one module, and all of them answer", local, () => browse(async (page) => {
  const hash = "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12";
  const frames = Array.from({ length: 10 }, (_, at) => `<iframe src="./?panel=tree#${hash.slice(1)}&n=${at}" width="500" height="400"></iframe>`).join("");
  await page.route(`${address}course.html`, (route) => route.fulfill({ contentType: "text/html", body: `<!doctype html><title>A course</title>${frames}` }));
  const before = fetched.get("first.wasm") ?? 0;
  await page.goto(`${address}course.html`);
  await until("ten reasons", async () => {
    const said = await Promise.all(page.frames().slice(1).map((frame) => frame.locator("#embedded-words").textContent().catch(() => "")));
    return said.length === 10 && said.every((words) => /^Chosen from the 11 open nodes/.test(words ?? ""));
  });
  assert.equal(page.workers().length, 0);
  assert.equal((fetched.get("first.wasm") ?? 0) - before, 1);
}));
