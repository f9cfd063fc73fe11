// The whole space of a goal: how many boards there are at each distance from it, and the farthest ones.

import { Problem, post } from "./api.js";
import { byId, count, decimal, draw, make, mini, number, say } from "./dom.js";
import { lab, written } from "./lab.js";
import { t } from "./language.js";

/** @import { Space } from "./types.js" */

/** The farthest boards that are shown. */
const SHOWN = 12;

export function space() {
  const panel = byId("panel-space");
  const metric = make("select", {}, make("option", { value: "single" }, t("one tile")), make("option", { value: "multi" }, t("one or more tiles in a line")));
  const words = make("p", { class: "score", role: "status" });
  const figures = make("dl", { class: "figures" });
  const chart = make("div", {});
  const table = make("table", { class: "numbers" });
  const boards = make("div", { class: "candidates" });
  const more = make("p", { class: "note" });
  const found = make("div", { class: "pair", hidden: true },
    make("div", { class: "card wide" }, make("h3", {}, t("Boards at each distance")), chart, make("details", {}, make("summary", {}, t("As a table")), make("div", { class: "scrolled" }, table))),
    make("div", { class: "card" }, make("h3", {}, t("The farthest boards")), boards, more));
  panel.append(
    make("div", { class: "card" },
      make("h2", {}, t("The whole space")),
      make("p", { class: "note" }, t("Every board from which the goal can be reached, and its distance: the number of moves of a shortest solution.")),
      make("div", { class: "row" }, make("label", { class: "inline" }, t("a move is"), " ", metric)),
      words, figures),
    found);
  /** The space that is shown or requested. */
  let asked = "";
  let asking = new AbortController();

  async function show() {
    const { rows, cols, goal, goalName } = lab;
    const wanted = { size: `${rows}x${cols}`, blanks: goal.filter((tile) => tile === 0).length, goal: goalName === "own" ? written(goal, cols) : goalName, metric: metric.value };
    if (panel.hidden || JSON.stringify(wanted) === asked) return;
    asked = JSON.stringify(wanted);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    words.textContent = t("Counting ..");
    figures.replaceChildren();
    found.hidden = true;
    try {
      const answer = /** @type {Space} */ (await post("space", wanted, signal));
      if (!signal.aborted) tell(answer);
    } catch (error) {
      if (signal.aborted) return;
      words.textContent = error instanceof Problem ? error.text : String(error);
    }
  }

  /** @param {Space} answer */
  function tell({ rows, cols, states, depths, max_depth, mean_depth, farthest }) {
    words.textContent = t("{boards} reach the goal; the farthest of them need {moves}.", { boards: count(states, "board"), moves: count(max_depth, "move") });
    const values = /** @type {[string, string][]} */ ([[t("boards"), number(states)], [t("largest distance"), number(max_depth)], [t("mean distance"), decimal(mean_depth, 2)], [t("farthest boards"), number(depths[max_depth])]]);
    figures.replaceChildren(...values.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    found.hidden = false;
    chart.replaceChildren(bars(depths));
    const cell = (/** @type {string} */ text) => make("td", {}, text);
    table.replaceChildren(
      make("thead", {}, make("tr", {}, ...[t("distance"), t("boards"), t("share")].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...depths.map((boards, depth) => make("tr", {}, make("th", { scope: "row" }, number(depth)), cell(number(boards)), cell(`${decimal((100 * boards) / states, 3)} %`)))));
    boards.replaceChildren(...farthest.slice(0, SHOWN).map((start) => {
      const small = mini(start, cols);
      return make("button", { onclick: () => load(rows, cols, start, max_depth), "aria-label": t("Load this board: {board}", { board: small.getAttribute("aria-label") ?? "" }) }, small);
    }));
    const rest = (depths[max_depth] ?? 0) - Math.min(SHOWN, farthest.length);
    more.textContent = rest > 0 ? t("and {boards} as far", { boards: count(rest, "more board") }) : "";
  }

  /** @param {number} rows @param {number} cols @param {number[]} start @param {number} depth */
  function load(rows, cols, start, depth) {
    lab.set({ rows, cols, start });
    say(t("A board exactly {depth} from the goal.", { depth: count(depth, "move") }));
  }

  /** @param {number[]} depths */
  function bars(depths) {
    const [width, height, bottom, top] = [Math.min(Math.max(280, chart.clientWidth), 1100), 260, 40, 12];
    const most = Math.max(...depths);
    const round = 10 ** Math.floor(Math.log10(most));
    const steps = most / round >= 5 ? [0, 2, 4, 6, 8, 10] : most / round >= 2 ? [0, 1, 2, 3, 4] : [0, 0.5, 1, 1.5, 2];
    const lines = steps.map((step) => step * round).filter((value) => value <= most && Number.isInteger(value));
    const left = 16 + 7.5 * number(lines.at(-1)).length;
    const step = (width - left - 8) / depths.length;
    const y = (/** @type {number} */ value) => height - bottom - (value / most) * (height - bottom - top);
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("The number of boards at each distance; the table has the figures") });
    for (const value of lines) svg.append(draw("line", { class: "axis", x1: left, x2: width - 8, y1: y(value), y2: y(value) }), draw("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value)));
    const apart = [1, 2, 5, 10, 20, 50, 100].find((one) => one * step >= 26) ?? 200;
    depths.forEach((boards, depth) => {
      const x = left + depth * step;
      // A board that is alone can be seen as well.
      const high = Math.max(1.5, height - bottom - y(boards));
      svg.append(draw("rect", { class: "bar", x: (x + step * 0.1).toFixed(2), width: (step * 0.8).toFixed(2), y: (height - bottom - high).toFixed(2), height: high.toFixed(2) }, draw("title", {}, t("{depth}: {boards}", { depth, boards: count(boards, "board") }))));
      if (depth % apart === 0) svg.append(draw("text", { x: (x + step / 2).toFixed(1), y: height - bottom + 16, "text-anchor": "middle" }, String(depth)));
    });
    svg.append(draw("text", { x: width - 8, y: height - 6, "text-anchor": "end" }, t("distance in moves")));
    return svg;
  }

  metric.addEventListener("change", () => {
    lab.keep({ wm: metric.value === "multi" ? "multi" : "" });
    show();
  });
  lab.addEventListener("restored", () => {
    metric.value = lab.settings.wm === "multi" ? "multi" : "single";
    show();
  });
  for (const event of ["opened", "puzzle"]) lab.addEventListener(event, show);
  show();
}
