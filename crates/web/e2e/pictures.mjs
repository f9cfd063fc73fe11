// The picture of the page in README.md: `cargo xtask page --pictures` runs this.

import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { until, visit } from "./lab.mjs";

const file = new URL("../../../docs/pictures/page.webp", import.meta.url).pathname;

test("the picture of the page", () => visit(async (page) => {
  await until("the step", async () => (await page.locator(".reasons").textContent()) !== "" && (await page.locator("#panel-search .whole").isVisible()));
  await page.locator("#panel-search .frontier summary").click();
  await page.mouse.move(0, 0);
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)));
  await page.waitForTimeout(600);
  const picture = (await page.screenshot()).toString("base64");
  // The browser writes smaller files than a screenshot's.
  await page.goto("about:blank");
  const small = await page.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
  }, picture);
  await writeFile(file, Buffer.from(small, "base64"));
}, { hash: "#b=3x3:8.1.3.4.0.2.7.6.5&g=last&m=astar:manhattan&s=12", opened: false, viewport: { width: 1280, height: 900 }, colorScheme: "light" }));
