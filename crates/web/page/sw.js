// The page without a network: every file of it is kept by the browser.

const VERSION = "";
const FILES = /** @type {string[]} */ ([]);

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void, respondWith: (answer: Promise<Response>) => void, request: Request }} Work */

const own = /** @type {any} */ (globalThis);

addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(VERSION);
    // The browser's own cache may have another version: this asks, and fetches nothing that it has.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
    await own.skipWaiting();
  };
  /** @type {Work} */ (event).waitUntil(fill());
});

addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("taquin-") && name !== VERSION).map((name) => caches.delete(name)));
    await own.clients.claim();
  };
  /** @type {Work} */ (event).waitUntil(clean());
});

addEventListener("fetch", (event) => {
  const { request } = /** @type {Work} */ (event);
  if (request.method !== "GET") return;
  const answer = async () => (await (await caches.open(VERSION)).match(request, { ignoreSearch: true })) ?? fetch(request);
  /** @type {Work} */ (event).respondWith(answer());
});
