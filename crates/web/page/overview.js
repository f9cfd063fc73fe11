// The whole tree in small, with a frame around what is in view: a press goes there.

import { make } from "./dom.js";

/** @import { Tree } from "./tree.js" */

const [WIDTH, HEIGHT] = [168, 104];

/** @param {Tree} tree */
export function overview(tree) {
  // Keys and buttons do the same; this is for a mouse and a finger.
  const element = make("canvas", { class: "map", "aria-hidden": "true", hidden: true });
  const context = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
  /** From places of the tree to those of the map. */
  let [left, top, across, down] = [0, 0, 1, 1];
  let drawn = "";

  function show() {
    const { bounds, window: seen, isWhole, version } = tree.extent;
    const appears = element.hidden && !isWhole;
    element.hidden = isWhole;
    if (appears) tree.covered();
    if (isWhole) return;
    const style = getComputedStyle(element);
    const color = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    const key = `${version} ${seen.map(Math.round)} ${color("ink")}`;
    if (key === drawn) return;
    drawn = key;
    const ratio = devicePixelRatio || 1;
    [element.width, element.height] = [WIDTH * ratio, HEIGHT * ratio];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [x0, y0, x1, y1] = bounds;
    [across, down] = [(WIDTH - 16) / Math.max(1, x1 - x0), (HEIGHT - 16) / Math.max(1, y1 - y0)];
    // A small tree keeps its proportions; a wide one would be a line.
    if (across > down) across = Math.min(across, down);
    [left, top] = [8 - x0 * across + (WIDTH - 16 - (x1 - x0) * across) / 2, 8 - y0 * down];
    tree.eachDot((x, y, kind) => {
      context.fillStyle = color(kind === "now" ? "accent" : kind === "dropped" ? "dropped" : `${kind}-edge`);
      const size = kind === "now" || kind === "goal" ? 4 : 2;
      context.fillRect(x * across + left - size / 2, y * down + top - size / 2, size, size);
    });
    const [wx, wy, wx1, wy1] = seen;
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 1), most - 1);
    const [fx, fy, fx1, fy1] = [clamp(wx * across + left, WIDTH), clamp(wy * down + top, HEIGHT), clamp(wx1 * across + left, WIDTH), clamp(wy1 * down + top, HEIGHT)];
    context.lineWidth = 1.5;
    context.strokeStyle = color("accent");
    context.strokeRect(fx, fy, Math.max(3, fx1 - fx), Math.max(3, fy1 - fy));
  }

  /** @param {PointerEvent} event */
  const goTo = (event) => tree.centre((event.offsetX - left) / across, (event.offsetY - top) / down);
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    goTo(event);
  });
  element.addEventListener("pointermove", (event) => { if (event.buttons) goTo(event); });
  return { element, show };
}
