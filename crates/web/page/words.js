// What the laboratory says about a step, in the words of 'taquin explain'.

import { count, make, mini } from "./dom.js";

/** @import { Explanation } from "./types.js" */
/** @import { Replay } from "./replay.js" */

/**
 * Why a node was taken.
 * @param {Explanation} told
 * @param {Replay} replay
 * @param {number} cols
 * @returns {HTMLElement[]}
 */
export function choice(told, replay, cols) {
  const { policy } = replay;
  const { waiting, same_rank, same_tie, threshold, method } = told;
  const { node } = told;
  const parts = [];
  if (threshold !== null && node.move === null) return [make("p", {}, "Taken because every threshold begins at the start.")];
  if (threshold !== null) {
    const measure = method.startsWith("ids") ? "depth" : "f";
    return [make("p", {}, `Taken because the search goes depth-first: it is the first successor of its parent that was not tried and whose ${measure} is within the threshold of ${threshold}. Nothing else is kept.`)];
  }
  if (replay.forgets && node.move === null) return [make("p", {}, "Taken because it is the start.")];
  if (replay.forgets) return [make("p", {}, "Taken because, of the successors along the path, its value is the lowest: its f, or what was found below it before if that is more. What is below the others is forgotten.")];
  // A beam takes one layer after the other.
  const layer = policy.k ? " of its layer" : "";
  if (waiting <= 1) return [make("p", {}, `Taken because nothing else${layer} waited.`)];
  const others = (/** @type {number} */ number) => (number === 0 ? "no other has it" : number === 1 ? "1 other has it too" : `${number} others have it too`);
  const reasons = [];
  if (policy.rank === "none") reasons.push("all nodes are equal");
  else reasons.push(`its ${policy.rank}${policy.rank === "f" && replay.isWeighted ? ` = ${replay.formula} = ${shown(replay.f(node))}` : ""} is the lowest; ${others(same_rank)}`);
  if (same_rank > 0 && policy.tie !== "none") reasons.push(`of these its g of ${node.g} is the ${policy.tie === "low-g" ? "lowest" : "highest"}; ${others(same_tie)}`);
  if (same_tie > 0) {
    reasons.push(/** @type {Record<string, string>} */ ({ fifo: "it was put there first", lifo: "it was put there last", heap: "a binary heap happened to have it on top", random: "it was drawn at random" })[policy.order ?? ""] ?? policy.order ?? "");
  }
  parts.push(make("p", {}, `Taken from the ${count(waiting, "node")}${layer} that waited, because`), make("ol", { class: "because" }, ...reasons.map((reason) => make("li", {}, reason))));
  if (told.rivals.length > 0) {
    const why = /** @type {Record<string, string>} */ ({ rank: `its higher ${policy.rank}`, tie: policy.tie === "low-g" ? "its higher g" : "its lower g", order: /** @type {Record<string, string>} */ ({ fifo: "being newer", lifo: "being older", heap: "its place in the heap", random: "chance" })[policy.order ?? ""] ?? "" });
    parts.push(make("details", {}, make("summary", {}, "What would have been next"), make("ul", { class: "children" }, ...told.rivals.map((rival) => make("li", {}, mini(rival.board, cols, rival.tile), make("span", {}, `g ${rival.g}, h ${rival.h}${policy.rank === "f" ? `, f ${shown(replay.f(rival))}` : ""}; behind by ${why[rival.behind]}`))))));
  }
  return parts;
}

/** A value that may be no whole number. @param {number} value */
export const shown = (value) => String(Number(value.toFixed(2)));

/**
 * What became of a successor, and why.
 * @param {string} verdict
 * @param {{ g: number, since: number, expanded: number | null } | null} known
 * @param {Replay | null} replay
 * @param {number} step
 */
export function fate(verdict, known, replay, step) {
  const { duplicates = "", depth } = replay?.policy ?? {};
  const when = known ? (known.since === 0 ? "it is the start" : `known since step ${known.since}`) : "its board is known";
  const expanded = known?.expanded ? (known.expanded === step ? ", being expanded" : `, expanded at step ${known.expanded}`) : "";
  const before = `${when}${known ? ` with g = ${known.g}` : ""}${expanded}`;
  switch (verdict) {
    case "kept":
      if (replay?.deepens) return "within the threshold";
      if (replay?.forgets) return "kept along the path";
      if (duplicates === "keep") return "kept: nothing is compared";
      return duplicates === "expanded" ? "kept: compared when it is taken out" : "kept: a new board";
    case "cheaper": return `kept, cheaper: ${before}`;
    case "reopened": return `reopened, cheaper: ${before}`;
    case "pruned": return replay?.deepens ? `above the threshold of ${replay.bound}` : `dropped: beyond depth ${depth ?? ""}`;
    default: return `dropped: ${before}`;
  }
}
