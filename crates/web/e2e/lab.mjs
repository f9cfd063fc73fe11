// A server and a browser for the tests, and the words in which they speak of the page.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { gzipSync } from "node:zlib";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const root = new URL("../../../", import.meta.url).pathname;
/** Where pictures go, for a person to look at. */
export const shots = `${root}target/shots/`;
mkdirSync(shots, { recursive: true });
/** A folder whose files are shown instead of those in the program, to try a change without compiling. */
const instead = process.env.PAGE;
export const program = process.env.TAQUIN ?? `${root}target/debug/taquin`;
const browserPath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** The program's output. */
export function taquin(...args) {
  const ran = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(ran.error, undefined);
  return ran.stdout;
}

let server;
let browser;
export let address;

/** The folder of the page without a server, if that is tested. */
export const site = process.env.SITE;

/** How often each file of the page without a server was sent. */
export const fetched = new Map();
/** The bytes of its files that were sent, compressed as a host does. */
export const wire = { bytes: 0 };

/** Serves the page's folder as any host does, below a path of its own. */
async function host(folder) {
  // A host has its files packed before they are asked for.
  const packed = new Map(readdirSync(folder).map((name) => [name, gzipSync(readFileSync(`${folder}/${name}`))]));
  const files = createServer(async ({ url, headers }, response) => {
    const name = /^\/some\/path\/([\w.-]*)(\?|$)/.exec(url ?? "")?.[1];
    const text = name === undefined ? null : await readFile(`${folder}/${name || "index.html"}`).catch(() => null);
    const etag = text && `"${createHash("sha256").update(text).digest("hex")}"`;
    if (etag && headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end();
    fetched.set(name, (fetched.get(name) ?? 0) + 1);
    const body = packed.get(name || "index.html") ?? gzipSync("nothing here");
    wire.bytes += body.length;
    response.writeHead(text ? 200 : 404, { "content-type": kind(name || "index.html"), "content-encoding": "gzip", ...(etag ? { etag } : {}) });
    response.end(body);
  });
  await new Promise((resolve) => files.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (files.address());
  address = `http://127.0.0.1:${port}/some/path/`;
  return { kill: () => files.close(() => {}) && files.closeAllConnections() };
}

before(async () => {
  if (site) server = await host(site);
  else {
    server = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(server.stdout)) {
      address = line.trim();
      break;
    }
  }
  const quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  browser = await chromium.launch({ executablePath: browserPath, args: quiet });
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
});

/**
 * Opens the page, acts on it, and makes sure that the console stayed silent.
 * @param {(page: import("playwright-core").Page, context: import("playwright-core").BrowserContext) => Promise<void>} act
 */
export function visit(act, { hash = "#t=search", ...options } = {}) {
  return browse(async (page, context) => {
    await page.goto(address + hash);
    await page.locator("html[data-ready]").waitFor();
    await act(page, context);
  }, options);
}

const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm", json: "application/json", webmanifest: "application/manifest+json" };
/** The kind of a file, by its name. */
const kind = (name) => KINDS[name.split(".").pop()] ?? "text/plain";

/** The headers of the page, as the program sends them. */
const known = new Map();

/** Answers a request of the page with a file of a folder. */
async function fromDisk(route) {
  const name = new URL(route.request().url()).pathname.slice(1) || "index.html";
  const body = /^[\w.-]+$/.test(name) ? await readFile(`${instead}/${name}`).catch(() => null) : null;
  if (!body) return route.fallback();
  const { search } = new URL(route.request().url());
  known.set(search, known.get(search) ?? fetch(`${address}${search}`).then((response) => Object.fromEntries(response.headers)));
  const headers = { ...(await known.get(search)) };
  for (const one of ["content-encoding", "content-length", "etag"]) delete headers[one];
  return route.fulfill({ body, headers: { ...headers, "content-type": `${kind(name)}; charset=utf-8` } });
}

/** Acts on an empty page, and makes sure that the console stayed silent. */
export async function browse(act, { expected = [], opened = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(address).origin });
  // The puzzle's column and the row of further choices are closed next to a search, until a person
  // opens them.
  if (opened) await context.addInitScript(() => { try { localStorage.getItem("taquin.open") ?? localStorage.setItem("taquin.open", "puzzle more"); } catch { /* they stay closed */ } });
  if (instead) await context.route((url) => url.href.startsWith(address), fromDisk);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  try {
    await act(page, context);
    // Refusals that a test provokes are logged by the browser.
    assert.deepEqual(complaints.filter((text) => !expected.some((part) => text.includes(part))), []);
  } finally {
    await context.close();
  }
}

/** The board as it is shown, row by row. */
export async function board(page, selector = "#board") {
  return page.locator(`${selector} .tile`).evaluateAll((tiles) => {
    const cells = [];
    for (const tile of tiles) cells[Number(tile.dataset.cell)] = tile.classList.contains("blank") ? 0 : Number(tile.textContent);
    return cells;
  });
}

/** Waits until something holds. */
export async function until(what, holds, time = 60_000) {
  const started = Date.now();
  let last;
  while (Date.now() - started < time) {
    try {
      if (await holds()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw last ?? new Error(`it does not come about: ${what}`);
}

/** Where an element is, once the page has drawn it. */
export async function box(locator) {
  let found = null;
  await until("it is drawn", async () => (found = await locator.boundingBox()) !== null);
  return found;
}

/** Types a board into the field. */
export async function enter(page, text) {
  await page.evaluate(() => document.getElementById("live")?.replaceChildren());
  await page.fill("#text", text);
  await page.press("#text", "Enter");
  await until("the board is read", async () => (await said(page)) !== "" || (await page.locator("#text-problem").isVisible()));
}

export const tile = (page, number) => page.locator("#board .tile:not(.blank)", { hasText: new RegExp(`^${number}$`) });
export const said = (page) => page.locator("#live").textContent();
export const button = (page, name, within = "body") => page.locator(within).getByRole("button", { name, exact: true });

/** Goes to an element with the Tab key alone. */
export async function tabTo(page, locator, most = 80) {
  for (let presses = 0; presses < most; presses++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("it can't be reached with Tab");
}

/** Presses a button by the keyboard alone. */
export async function pressByKey(page, locator) {
  await tabTo(page, locator);
  await page.keyboard.press("Enter");
}

/** The text of a file that a press gives. */
export async function downloaded(page, locator) {
  const [download] = await Promise.all([page.waitForEvent("download"), locator.click()]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
}

/** The events of a job, as a client other than a browser reads them. */
export async function* sse(path) {
  const response = await fetch(new URL(path, address));
  const text = await response.text();
  for (const block of text.split("\n\n")) {
    const [, event] = /^event: ?(.*)$/m.exec(block) ?? [];
    const [, data] = /^data: ?(.*)$/m.exec(block) ?? [];
    if (event && data !== undefined) yield { event, data: JSON.parse(data) };
  }
}
