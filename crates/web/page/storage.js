// Tables that were built for a search are kept by the browser, so that the next visit does not build them again. The
// module verifies what it is given: a damaged table is built again, and replaces the one that is kept.

/** A table as it is kept. @typedef {{ name: string, bytes: Uint8Array<ArrayBuffer>, at: number }} Kept */

const STORE = "tables";
/** Bytes of one table, and of all of them; the oldest are removed. */
const [LARGEST, MOST] = [4 << 20, 16 << 20];
/** Milliseconds after which a search does not wait for the storage any longer. */
const PATIENCE = 500;

/** The storage, or null where the browser gives none, as in some private windows. @returns {Promise<IDBDatabase | null>} */
const open = () => new Promise((resolve) => {
  try {
    const opening = indexedDB.open("taquin", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "name" });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = opening.onblocked = () => resolve(null);
  } catch {
    resolve(null);
  }
});

/** The tables that are kept. @type {Map<string, Kept>} */
const tables = new Map();
const database = open();

/** @param {unknown} entry @returns {entry is Kept} */
const isKept = (entry) => {
  const { name, bytes, at } = /** @type {Kept} */ (entry ?? {});
  return typeof name === "string" && bytes instanceof Uint8Array && typeof at === "number";
};

const read = (async () => {
  const opened = await database;
  if (!opened) return;
  await new Promise((resolve) => {
    try {
      const all = opened.transaction(STORE).objectStore(STORE).getAll();
      all.onsuccess = () => {
        for (const entry of all.result) if (isKept(entry)) tables.set(entry.name, entry);
        resolve(null);
      };
      all.onerror = resolve;
    } catch {
      resolve(null);
    }
  });
})();

/** The tables that are kept, as soon as they are read. */
export async function stored() {
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  return tables;
}

/** Keeps a table, where the browser allows it. @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
export async function keep(name, bytes) {
  if (bytes.length > LARGEST) return;
  await read;
  tables.set(name, { name, bytes, at: Date.now() });
  const oldest = [...tables.values()].sort((a, b) => a.at - b.at);
  const removed = [];
  for (let sum = oldest.reduce((all, one) => all + one.bytes.length, 0); sum > MOST; ) {
    const one = /** @type {Kept} */ (oldest.shift());
    sum -= one.bytes.length;
    removed.push(one.name);
    tables.delete(one.name);
  }
  const opened = await database;
  try {
    const store = opened?.transaction(STORE, "readwrite").objectStore(STORE);
    for (const old of removed) store?.delete(old);
    store?.put(tables.get(name));
  } catch {
    // They are there for this visit.
  }
}
