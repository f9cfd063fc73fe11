// QR codes are read back by another way than they are written: format, mask, order, correction, text.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { correction, qr } from "../page/qr.js";
import { browse, button, program, shots, site, until, visit } from "./lab.mjs";

/** The 15 bits of the format for the lowest correction, by mask, from the standard's table. */
const FORMATS = ["111011111000100", "111001011110011", "111110110101010", "111100010011101", "110011000101111", "110001100011000", "110110001000001", "110100101110110"];
/** Places of the patterns for alignment, from the standard's table. */
const ALIGNED = { 1: [], 2: [6, 18], 3: [6, 22], 5: [6, 30], 6: [6, 34], 7: [6, 22, 38], 10: [6, 28, 50], 14: [6, 26, 46, 66], 20: [6, 34, 62, 90] };
/** Data and correction in each block, from the standard's table: [blocks, bytes, bytes of data]. */
const BLOCKED = { 1: [[1, 26, 19]], 2: [[1, 44, 34]], 3: [[1, 70, 55]], 5: [[1, 134, 108]], 6: [[2, 86, 68]], 7: [[2, 98, 78]], 10: [[2, 86, 68], [2, 87, 69]], 14: [[3, 145, 115], [1, 146, 116]], 20: [[3, 135, 107], [5, 136, 108]] };

function read(square) {
  const size = square.length;
  const version = (size - 17) / 4;
  const at = (x, y) => Number(square[y][x]);
  const format = [...[0, 1, 2, 3, 4, 5].map((x) => at(x, 8)), at(7, 8), at(8, 8), at(8, 7), ...[5, 4, 3, 2, 1, 0].map((y) => at(8, y))].join("");
  const mask = FORMATS.indexOf(format);
  assert.ok(mask >= 0, `format ${format}`);
  const copy = [...[1, 2, 3, 4, 5, 6, 7].map((up) => at(8, size - up)), ...[8, 7, 6, 5, 4, 3, 2, 1].map((left) => at(size - left, 8))].join("");
  assert.equal(copy, format);
  const flips = [(i, j) => (i + j) % 2, (i) => i % 2, (i, j) => j % 3, (i, j) => (i + j) % 3, (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2, (i, j) => ((i * j) % 2) + ((i * j) % 3), (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2, (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2][mask];
  const lines = ALIGNED[version];
  const isFixed = (x, y) => x === 6 || y === 6 || (x < 9 && y < 9) || (x < 9 && y > size - 9) || (x > size - 9 && y < 9) || (version >= 7 && ((x > size - 12 && y < 6) || (y > size - 12 && x < 6)))
    || lines.some((cx) => lines.some((cy) => Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2 && !(cx === 6 && (cy === 6 || cy === size - 7)) && !(cy === 6 && cx === size - 7)));
  let bits = "";
  let up = true;
  for (let x = size - 1; x > 0; x -= x === 8 ? 3 : 2, up = !up) {
    for (let step = 0; step < size; step++) for (const column of [x, x - 1]) {
      const y = up ? size - 1 - step : step;
      if (!isFixed(column, y)) bits += at(column, y) ^ Number(flips(y, column) === 0);
    }
  }
  const bytes = (bits.match(/.{8}/g) ?? []).map((text) => parseInt(text, 2));
  const blocks = BLOCKED[version].flatMap(([count, all, data]) => Array.from({ length: count }, () => ({ all, data, bytes: [] })));
  let next = 0;
  for (let turn = 0; turn < Math.max(...blocks.map(({ data }) => data)); turn++) for (const block of blocks) if (turn < block.data) block.bytes.push(bytes[next++]);
  for (let turn = 0; turn < blocks[0].all - blocks[0].data; turn++) for (const block of blocks) block.bytes.push(bytes[next++]);
  // Powers of 2 in the field: every block is zero at the first of them.
  const [power, log] = [[], []];
  for (let exponent = 0, value = 1; exponent < 255; exponent++, value = value < 128 ? value * 2 : (value * 2) ^ 285) [power[exponent], log[value]] = [value, exponent];
  for (const block of blocks) for (let root = 0; root < block.all - block.data; root++) assert.equal(block.bytes.reduce((sum, byte) => (sum ? power[(log[sum] + root) % 255] : 0) ^ byte, 0), 0, `block at ${root}`);
  const data = blocks.flatMap((block) => block.bytes.slice(0, block.data)).map((byte) => byte.toString(2).padStart(8, "0")).join("");
  assert.equal(data.slice(0, 4), "0100");
  const head = version < 10 ? 12 : 20;
  const length = parseInt(data.slice(4, head), 2);
  return Buffer.from(Array.from({ length }, (_, index) => parseInt(data.slice(head + index * 8, head + index * 8 + 8), 2))).toString();
}

test("b3 the correction is that of the standard's example", () => {
  // HELLO WORLD, version 1-M.
  assert.deepEqual(correction([32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17], 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

test("b3 a code can be read, at every size of a link", () => {
  for (const [version, length] of [[1, 11], [2, 30], [3, 50], [5, 100], [6, 130], [7, 150], [10, 260], [14, 450], [20, 850]]) {
    const text = `http://192.0.2.1:8015/#${"b=3x3:8.1.3.4.0.2&".repeat(60)}`.slice(0, length);
    const square = qr(text);
    assert.equal(square?.length, version * 4 + 17);
    assert.equal(read(square), text, `version ${version}`);
  }
  assert.equal(read(qr("#b=ü→5")), "#b=ü→5");
  assert.equal(qr("x".repeat(2953))?.length, 177);
  assert.equal(qr("x".repeat(2954)), null);
});

test("b3 the page shows the code of its link, and says who can open it", () => visit(async (page) => {
  await button(page, "QR").click();
  await page.locator("#code svg").waitFor();
  const address = await page.locator("#code-address").textContent();
  const { pathname } = new URL(page.url());
  assert.ok(address.startsWith(`${new URL(page.url()).origin}${pathname}#b=3x3:8.1.3.4.0.2.7.6.5`), address);
  // The drawing is the address's code.
  const drawn = await page.locator("#code path").getAttribute("d");
  assert.equal(drawn, qr(address).flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join(""));
  assert.match(await page.locator("#code-words").textContent(), /Only this machine can open this address\. Start 'taquin serve --public'/);
  await page.screenshot({ path: `${shots}code.png` });
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#code").isVisible(), false);
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last" }));

test("b3 a public server has the address for other machines in the code", { skip: site ? "there is no server" : false }, async (context) => {
  const server = spawn(program, ["serve", "--port", "0", "--public"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
    const own = (await lines.next()).value;
    const { address } = await (await fetch(`${own}api/status`)).json();
    if (address === null) return context.skip("this machine has no address in a network");
    assert.equal((await lines.next()).value, address);
    await browse(async (page) => {
      await page.goto(`${own}#b=3x3:8.1.3.4.0.2.7.6.5&g=last`);
      await page.locator("html[data-ready]").waitFor();
      await button(page, "QR").click();
      await until("the code", () => page.locator("#code path").isVisible());
      assert.ok((await page.locator("#code-address").textContent()).startsWith(`${address}#b=3x3`));
      assert.equal(await page.locator("#code-words").textContent(), "Point a camera at the code.");
    });
  } finally {
    server.kill("SIGTERM");
  }
});
