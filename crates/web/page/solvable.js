// Whether the goal can be reached, and the proof.

import { repairButton, verdict } from "./controls.js";
import { byId, count, draw, make, mini, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";

/** @import { Checked, Inversions, Proof } from "./types.js" */

export function solvable() {
  const panel = byId("panel-solvable");
  const show = () => {
    const checked = verdict();
    if (checked) panel.replaceChildren(heading(checked), ...proof(checked));
  };
  lab.addEventListener("verdict", show);
  show();
}

/** @param {Checked} checked */
function heading(checked) {
  const yes = checked.reachable;
  return make(
    "div",
    { class: "card" },
    make("h2", { class: `verdict-big ${yes ? "yes" : "no"}` }, yes ? t("Solvable") : t("Unsolvable")),
    make("p", {}, summary(checked)),
    make("div", { class: "row" }, mini(lab.board, lab.cols), make("span", { "aria-hidden": "true" }, "→"), mini(lab.goal, lab.cols), checked.repair ? repairButton(checked) : null),
  );
}

/** @param {Checked} checked */
function summary({ reachable, proof }) {
  if (proof.rule === "blanks") return t("With {blanks} blanks every arrangement can be reached: two blanks can be exchanged without any visible change, and that changes the parity.", { blanks: proof.blanks });
  if (proof.rule === "line") {
    return proof.difference
      ? t("On a single line tiles can't pass each other. Blanks left out, place {place} has tile {start} in the start and tile {goal} in the goal.", { place: proof.difference.place + 1, start: proof.difference.start, goal: proof.difference.goal })
      : t("On a single line tiles can't pass each other, and start and goal have them in the same order.");
  }
  return reachable
    ? t("Every move keeps the two parities below in step, and here they agree: there is a way, and half of all arrangements have one.")
    : t("Every move keeps the two parities below in step, and here they differ: no sequence of moves leads to the goal.");
}

/** @param {Checked} checked @returns {HTMLElement[]} */
function proof(checked) {
  const { proof, inversion_table: table } = checked;
  if (proof.rule !== "parity" || !proof.inversions) return [];
  const cards = [];
  if (table) cards.push(arcs(table, proof.inversions));
  cards.push(make("div", { class: "proof" }, byInversions(proof.inversions, checked.reachable), byPermutation(proof, checked.reachable)));
  return cards;
}

/**
 * The tiles in a line, and an arc for each pair that stands the wrong way round.
 * @param {{ tile: number, precedes: number[] }[]} table
 * @param {Inversions} inversions
 */
function arcs(table, inversions) {
  const step = 46;
  const at = new Map(table.map(({ tile }, index) => [tile, index * step + step / 2]));
  const width = table.length * step;
  const longest = Math.max(1, ...table.flatMap(({ precedes }, index) => precedes.map((tile) => ((at.get(tile) ?? 0) - index * step - step / 2) / step)));
  const top = Math.min(longest * 15, 200) + 12;
  const even = inversions.total % 2 === 0;
  const svg = draw("svg", { class: `arcs${even ? " even" : ""}`, viewBox: `0 0 ${width} ${top + step + 4}`, role: "group", "aria-label": t("Tiles in their order, with an arc for each inversion") });
  svg.style.maxWidth = `${width * 1.6}px`;
  /** @type {{ path: SVGElement, from: number, to: number }[]} */
  const paths = [];
  for (const { tile, precedes } of table) {
    for (const later of precedes) {
      const [x1, x2] = [at.get(tile) ?? 0, at.get(later) ?? 0];
      const height = Math.min(((x2 - x1) / step) * 20, 260);
      const path = draw("path", { d: `M${x1} ${top}C${x1} ${top - height},${x2} ${top - height},${x2} ${top}` });
      paths.push({ path, from: tile, to: later });
      svg.append(path);
    }
  }
  const said = make("p", { class: "note pressed" }, t("Press a tile to see its inversions."));
  for (const { tile, precedes } of table) {
    const x = at.get(tile) ?? 0;
    const light = (/** @type {boolean} */ on) => {
      for (const { path, from, to } of paths) {
        path.classList.toggle("strong", on && (from === tile || to === tile));
        path.classList.toggle("faint", on && from !== tile && to !== tile);
      }
      group.classList.toggle("on", on);
    };
    const tell = () => {
      const text = precedes.length ? t("{tile} stands before {precedes} and should not: {precedes2}.", { tile, precedes: precedes.join(", "), precedes2: count(precedes.length, "inversion") }) : t("{tile} stands before nothing that belongs before it.", { tile });
      said.textContent = text;
      say(text);
    };
    const group = draw("g", { tabindex: 0, role: "button", "aria-label": t("Tile {tile}: {precedes}", { tile, precedes: count(precedes.length, "inversion") }), onpointerenter: () => light(true), onpointerleave: () => light(false), onfocus: () => light(true), onblur: () => light(false), onclick: tell, onkeydown: (/** @type {KeyboardEvent} */ event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), tell()) },
      draw("rect", { x: x - 19, y: top + 2, width: 38, height: 38, rx: 7 }),
      draw("text", { x, y: top + 21 }, String(tile)));
    svg.append(group);
  }
  return make("div", { class: "card" }, make("h3", {}, `${count(inversions.total, "inversion")}: ${even ? t("even") : t("odd")}`), svg, said);
}

/** @param {string | undefined} name as the service has it */
const parity = (name) => (name === "even" ? t("even") : t("odd"));

/** @param {Inversions} inversions @param {boolean} reachable */
function byInversions({ total, row, goal_row, row_counts, sum, wanted }, reachable) {
  const is = reachable ? t("it is") : t("it is not");
  const columns = lab.cols;
  return make(
    "div",
    { class: "card" },
    make("h3", {}, t("By inversions")),
    make("p", {}, t("Read the tiles row by row, blank left out, and count the pairs that stand in the other order than in the goal.")),
    row_counts
      ? make("p", {}, t("With an even number of columns ({columns}) a move up or down changes the count's parity, so the blank's row counts too: {total} inversions + row {row} from the bottom = {sum}. The blank belongs in row {goal_row}, so the sum must be {wanted}: ", { columns, total, row, sum, goal_row, wanted: parity(wanted) }), make("strong", {}, `${is}.`))
      : make("p", {}, t("With an odd number of columns ({columns}) no move changes the count's parity, so the number must be even: {total} ", { columns, total }), make("strong", {}, reachable ? t("is.") : t("is not."))),
  );
}

/** @param {Proof} proof @param {boolean} reachable */
function byPermutation(proof, reachable) {
  const cycles = proof.cycles ?? [];
  return make(
    "div",
    { class: "card" },
    make("h3", {}, t("By the permutation")),
    make("p", {}, t("A move exchanges the blank with a tile, and takes the blank one step: both parities change at once.")),
    make("ul", { class: "cycles", "aria-label": t("The permutation from start to goal, as cycles") }, ...(cycles.length ? cycles.map((cycle) => make("li", {}, cycle.map((tile) => (tile === 0 ? t("blank") : tile)).join(" → "))) : [make("li", {}, t("every tile is at home"))])),
    make("p", {}, t("{exchanges} the start into the goal ({permutation}); the blank is {distance} from its place ({parity}): ", { exchanges: count(proof.exchanges ?? 0, "exchange turns", "exchanges turn"), permutation: parity(proof.permutation), distance: count(proof.distance ?? 0, "step"), parity: parity((proof.distance ?? 0) % 2 === 0 ? "even" : "odd") }), make("strong", {}, reachable ? t("they agree.") : t("they differ."))),
  );
}
