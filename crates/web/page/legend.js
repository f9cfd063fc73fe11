// The meaning of the tree's shapes and colours: from afar, and from near.

import { draw, make } from "./dom.js";
import { t } from "./language.js";

/** @param {string} kind */
function shape(kind) {
  const paint = { fill: `var(--${kind})`, stroke: `var(--${kind}-edge)`, "stroke-width": 2 };
  const now = { fill: "var(--explored)", stroke: "var(--accent)", "stroke-width": 4 };
  const gone = { fill: "none", stroke: "var(--dropped)", "stroke-width": 2 };
  const shapes = /** @type {Record<string, () => SVGElement[]>} */ ({
    waiting: () => [draw("rect", { x: 3, y: 3, width: 14, height: 14, ...paint }), draw("rect", { x: 24, y: 2, width: 13, height: 16, rx: 1, ...paint })],
    explored: () => [draw("circle", { cx: 10, cy: 10, r: 7.5, ...paint }), draw("rect", { x: 24, y: 2, width: 13, height: 16, rx: 5, ...paint })],
    goal: () => [draw("path", { d: "M10 1L19 10L10 19L1 10Z", ...paint }), draw("rect", { x: 24, y: 2, width: 13, height: 16, rx: 6.5, ...paint })],
    now: () => [draw("circle", { cx: 10, cy: 10, r: 7, ...now }), draw("rect", { x: 25, y: 3, width: 12, height: 14, rx: 5, ...now })],
    dropped: () => [draw("path", { d: "M4 4L16 16M16 4L4 16", ...gone }), draw("rect", { x: 24, y: 2, width: 13, height: 16, rx: 1, "stroke-dasharray": "3 3", ...gone })],
  });
  return draw("svg", { viewBox: "0 0 40 20", "aria-hidden": "true" }, ...(shapes[kind]?.() ?? []));
}

export function legend() {
  const entries = [["waiting", t("open")], ["explored", t("expanded")], ["now", t("this step")], ["goal", t("goal")], ["dropped", t("dropped")]];
  return make("ul", { class: "legend", "aria-label": t("What the shapes mean, from afar and from near") }, ...entries.map(([kind = "", text]) => make("li", {}, shape(kind), text)));
}
