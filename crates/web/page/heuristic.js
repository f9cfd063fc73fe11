// The heuristics' estimates for a board, and each tile's share.

import { Problem, post } from "./api.js";
import { byId, draw, listed, make, number } from "./dom.js";
import { engine } from "./engine.js";
import { lab, rowOf } from "./lab.js";
import { t } from "./language.js";
import { conflicts, crowds, shares } from "./shares.js";

/** The service's answer about a heuristic. @typedef {{ heuristic: string, estimate: number | null, about: string }} Estimate */

export function heuristic() {
  const panel = byId("panel-heuristic");
  const picture = make("div", { class: "shares" });
  const sum = make("p", { class: "score", role: "status" });
  const ways = make("p", { class: "note" });
  const table = make("table", { class: "numbers" });
  const lines = make("div", { class: "row scrolled", tabindex: 0, role: "group", "aria-label": t("Walking distance") });
  panel.append(
    make("div", { class: "card" }, make("h2", {}, t("Heuristics on the tiles")), make("p", { class: "note" }, t("A heuristic estimates how many moves are left. The Manhattan distance adds up what each tile needs alone; the number below a tile is its share."))),
    make("div", { class: "pair" }, make("div", { class: "card" }, picture, sum, ways),
      make("div", { class: "card" }, make("h3", {}, t("What each heuristic says")), make("div", { class: "scrolled" }, table))),
    make("div", { class: "card" }, make("h3", {}, t("Walking distance")), make("p", { class: "note" }, t("It looks at rows and at columns alone, and takes tiles that belong in the same one for alike. The fewest moves that bring all into their rows, and the fewest that bring all into their columns, are added up.")), lines));
  let asking = new AbortController();

  async function show() {
    if (panel.hidden) return;
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const { board, goal, cols, rows } = lab;
    const [found, pairs] = [shares(board, goal, cols), conflicts(board, goal, cols)];
    picture.replaceChildren(drawn(board, rows, cols, found, pairs));
    lines.replaceChildren(crowd(t("rows"), t("row {line}|board"), crowds(board, goal, cols, "row")), crowd(t("columns"), t("column {line}|board"), crowds(board, goal, cols, "column")));
    sum.textContent = "";
    ways.textContent = pairs.length ? t("In each other's way, in the row or column of both: {pairs}. Linear conflicts add moves for them.", { pairs: listed(pairs.map(([a, b]) => t("{a} and {b}", { a: board[a], b: board[b] }))) }) : t("No two tiles are in each other's way in their own row or column.");
    try {
      const { estimates } = /** @type {{ estimates: Estimate[] }} */ (await post("heuristic", { puzzle: lab.puzzle }, signal));
      if (signal.aborted) return;
      const far = [...found.values()].map((one) => one.far);
      const manhattan = estimates.find((one) => one.heuristic === "manhattan")?.estimate;
      // With alike blanks or costs of tiles the sum is another one.
      if (manhattan === far.reduce((all, one) => all + one, 0)) sum.textContent = `${far.join(" + ")} = ${manhattan}`;
      table.replaceChildren(make("tbody", {}, ...estimates.map((one) => make("tr", {}, make("th", { scope: "row" }, one.heuristic), make("td", {}, one.estimate === null ? "–" : number(one.estimate)), make("td", { class: "about" }, engine(one.about))))));
    } catch (error) {
      if (!signal.aborted) sum.textContent = error instanceof Problem ? error.text : String(error);
    }
  }

  /** A table: of the tiles in each line, how many belong in which. @param {string} caption @param {string} name @param {number[][]} lines */
  function crowd(caption, name, lines) {
    const title = (/** @type {number} */ at) => name.replace("{line}", String(at + 1));
    return make("table", { class: "numbers crowd" }, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, make("td", {}), ...lines.map((_, at) => make("th", { scope: "col" }, t("of {line}", { line: title(at) }))))),
      make("tbody", {}, ...lines.map((line, at) => make("tr", {}, make("th", { scope: "row" }, t("in {line}", { line: title(at) })), ...line.map((count, home) => make("td", { class: home === at ? "home" : count ? "away" : "none" }, String(count)))))));
  }

  /** @param {number[]} board @param {number} rows @param {number} cols @param {ReturnType<typeof shares>} found @param {[number, number][]} pairs */
  function drawn(board, rows, cols, found, pairs) {
    const cell = 60;
    const [width, height] = [cols * cell, rows * cell];
    const at = (/** @type {number} */ place) => ({ x: (place % cols) * cell, y: rowOf(place, cols) * cell });
    const svg = draw("svg", { viewBox: `-4 -4 ${width + 8} ${height + 8}`, role: "img", "aria-label": t("Each tile with its distance from home: {shares}", { shares: [...found].map(([place, { far }]) => `${board[place]}: ${far}`).join(", ") }) });
    svg.style.maxWidth = `${Math.min(30, cols * 7)}rem`;
    svg.append(draw("rect", { class: "well", x: -4, y: -4, width: width + 8, height: height + 8, rx: 8 }));
    for (const [place, { far }] of found) {
      const { x, y } = at(place);
      svg.append(draw("rect", { class: far ? "face" : "face home", x: x + 2, y: y + 2, width: cell - 4, height: cell - 4, rx: 6 }), draw("text", { class: "digit", x: x + cell / 2, y: y + 25 }, String(board[place])), draw("text", { class: "share", x: x + cell / 2, y: y + 47 }, `+${far}`));
    }
    for (const [a, b] of pairs) {
      const [from, to] = [at(a), at(b)];
      svg.append(draw("path", { class: "clash", d: `M${from.x + cell / 2} ${from.y + 6}Q${(from.x + to.x) / 2 + cell / 2 + (from.x === to.x ? cell / 2 : 0)} ${(from.y + to.y) / 2 - (from.x === to.x ? 0 : 12)} ${to.x + cell / 2} ${to.y + 6}` }));
    }
    return svg;
  }

  for (const what of ["board", "puzzle", "opened", "restored"]) lab.addEventListener(what, show);
  show();
}
