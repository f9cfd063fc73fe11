// QR codes (ISO/IEC 18004): a text of bytes, with the lowest level of correction, as a square of modules.

/** Bytes of correction in each block, and blocks, by version. */
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25];

/** The product in the field of 256 elements. @param {number} a @param {number} b */
function product(a, b) {
  let sum = 0;
  for (let bit = 7; bit >= 0; bit--) {
    sum = (sum << 1) ^ ((sum >>> 7) * 0x11d);
    sum ^= ((b >>> bit) & 1) * a;
  }
  return sum;
}

/** The bytes of correction for a block. @param {number[]} data @param {number} count */
export function correction(data, count) {
  const divisor = [...Array(count - 1).fill(0), 1];
  for (let at = 0, root = 1; at < count; at++, root = product(root, 2)) {
    for (let i = 0; i < count; i++) divisor[i] = product(divisor[i] ?? 0, root) ^ (divisor[i + 1] ?? 0);
  }
  const rest = Array(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((part, i) => { rest[i] ^= product(part, factor); });
  }
  return rest;
}

/** How many modules hold data. @param {number} version */
function capacity(version) {
  const aligned = Math.floor(version / 7) + 2;
  const free = (16 * version + 128) * version + 64;
  return Math.floor((version < 2 ? free : free - ((25 * aligned - 10) * aligned - 55) - (version >= 7 ? 36 : 0)) / 8);
}

/** Where patterns for alignment are. @param {number} version */
function alignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => version * 4 + 10 - (count - 2 - at) * step)];
}

/** All bytes of a code, in the order in which they are placed. @param {Uint8Array} text @param {number} version */
function bytes(text, version) {
  const [each, blocks, total] = [CORRECTION[version - 1] ?? 0, BLOCKS[version - 1] ?? 1, capacity(version)];
  const room = total - each * blocks;
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ length) => { for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1); };
  put(4, 4);
  put(text.length, version < 10 ? 8 : 16);
  text.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const short = blocks - (total % blocks);
  const length = Math.floor(total / blocks) - each;
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, at) => data.slice(from, (from += length + (at < short ? 0 : 1))));
  const corrections = parts.map((part) => correction(part, each));
  const turns = (/** @type {number[][]} */ lists, /** @type {number} */ most) => Array.from({ length: most }, (_, at) => lists.flatMap((list) => (at < list.length ? [list[at] ?? 0] : []))).flat();
  return [...turns(parts, length + 1), ...turns(corrections, each)];
}

const MASKS = /** @type {((x: number, y: number) => boolean)[]} */ ([
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0, (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]);

/** The remainder that protects a few bits. @param {number} value @param {number} length @param {number} divisor */
function protectedBits(value, length, divisor) {
  let rest = value;
  for (let at = 0; at < length; at++) rest = (rest << 1) ^ ((rest >>> (length - 1)) * divisor);
  return (value << length) | rest;
}

/** Patterns that are hard to read: long runs, squares, patterns like a finder, and too much of one colour. @param {boolean[][]} square */
function penalty(square) {
  const size = square.length;
  let sum = 0;
  let dark = 0;
  for (let a = 0; a < size; a++) {
    for (const line of [square[a] ?? [], square.map((row) => row[a] ?? false)]) {
      const text = line.map(Number).join("");
      for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
      for (const finder of ["10111010000", "00001011101"]) for (let at = text.indexOf(finder); at >= 0; at = text.indexOf(finder, at + 1)) sum += 40;
    }
    for (let b = 0; b < size; b++) {
      if (square[a]?.[b]) dark++;
      if (a > 0 && b > 0 && square[a]?.[b] === square[a - 1]?.[b] && square[a]?.[b] === square[a]?.[b - 1] && square[a]?.[b] === square[a - 1]?.[b - 1]) sum += 3;
    }
  }
  return sum + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10;
}

/**
 * The code of a text, row by row; null if the text is too long.
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function qr(text) {
  const data = new TextEncoder().encode(text);
  const fits = (/** @type {number} */ version) => data.length + (version < 10 ? 2 : 3) <= capacity(version) - (CORRECTION[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 1);
  const version = Array.from({ length: 40 }, (_, at) => at + 1).find(fits);
  if (version === undefined) return null;
  const size = version * 4 + 17;
  const square = Array.from({ length: size }, () => /** @type {boolean[]} */ (Array(size).fill(false)));
  const fixed = Array.from({ length: size }, () => /** @type {boolean[]} */ (Array(size).fill(false)));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ on) => {
    if (!square[y] || x < 0 || x >= size) return;
    /** @type {boolean[]} */ (square[y])[x] = on;
    /** @type {boolean[]} */ (fixed[y])[x] = true;
  };
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [cx, cy] of /** @type {[number, number][]} */ ([[3, 3], [size - 4, 3], [3, size - 4]])) {
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) set(cx + dx, cy + dy, ![2, 4].includes(Math.max(Math.abs(dx), Math.abs(dy))));
  }
  const places = alignment(version);
  const last = places.length - 1;
  places.forEach((cy, i) => places.forEach((cx, j) => {
    if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  if (version >= 7) {
    const bits = protectedBits(version, 12, 0x1f25);
    for (let at = 0; at < 18; at++) for (const [x, y] of /** @type {[number, number][]} */ ([[size - 11 + (at % 3), Math.floor(at / 3)], [Math.floor(at / 3), size - 11 + (at % 3)]])) set(x, y, ((bits >>> at) & 1) === 1);
  }
  const format = (/** @type {number} */ mask) => {
    const bits = protectedBits((1 << 3) | mask, 10, 0x537) ^ 0x5412;
    const bit = (/** @type {number} */ at) => ((bits >>> at) & 1) === 1;
    for (let at = 0; at <= 5; at++) set(8, at, bit(at));
    set(8, 7, bit(6));
    set(8, 8, bit(7));
    set(7, 8, bit(8));
    for (let at = 9; at < 15; at++) set(14 - at, 8, bit(at));
    for (let at = 0; at < 8; at++) set(size - 1 - at, 8, bit(at));
    for (let at = 8; at < 15; at++) set(8, size - 15 + at, bit(at));
    set(8, size - 8, true);
  };
  format(0);
  const all = bytes(data, version);
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y]?.[x]) continue;
        /** @type {boolean[]} */ (square[y])[x] = at < all.length * 8 && (((all[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
  const masked = (/** @type {number} */ mask) => {
    format(mask);
    return square.map((row, y) => row.map((on, x) => (fixed[y]?.[x] ? on : on !== MASKS[mask]?.(x, y))));
  };
  const best = MASKS.map((_, mask) => ({ mask, cost: penalty(masked(mask)) })).reduce((a, b) => (b.cost < a.cost ? b : a));
  return masked(best.mask);
}
