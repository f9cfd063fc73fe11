// Describes a step in the words of 'taquin explain'.

import { count, make, mini } from "./dom.js";
import { t } from "./language.js";

/** @import { Explanation } from "./types.js" */
/** @import { Node, Replay } from "./replay.js" */

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
  if (threshold !== null && node.move === null) return [make("p", {}, t("Chosen because every threshold begins at the start."))];
  if (threshold !== null) {
    const measure = measured(method.startsWith("ids") ? "depth" : "f");
    return [make("p", {}, t("Chosen because the search goes depth-first: it is the first successor of its parent that was not tried and whose {measure} is within the threshold of {threshold}. Nothing else is kept.", { measure, threshold }))];
  }
  if (replay.forgets && node.move === null) return [make("p", {}, t("Chosen because it is the start."))];
  if (replay.forgets) return [make("p", {}, t("Chosen because, of the successors along the path, its value of {value} is the lowest: its f, or what was found below it or its parent before if that is more. What is below the others is forgotten.", { value: shown(node.value ?? 0) }))];
  // A beam takes one layer after the other.
  const layer = policy.k ? ` ${t("of its layer")}` : "";
  if (waiting <= 1) return [make("p", {}, t("Chosen because nothing else{layer} was open.", { layer }))];
  const others = (/** @type {number} */ number) => (number === 0 ? t("no other has it") : number === 1 ? t("1 other has it too") : t("{value} others have it too", { value: number }));
  const reasons = [];
  if (policy.rank === "none") reasons.push(t("all nodes are equal"));
  else reasons.push(t("its {rank}{node} is the lowest; {same_rank}", { rank: measured(policy.rank ?? ""), node: policy.rank === "f" && replay.isWeighted ? ` = ${replay.formula} = ${shown(replay.f(node))}` : "", same_rank: others(same_rank) }));
  if (same_rank > 0 && policy.tie !== "none") reasons.push(t("of these its g of {g} is the {tie}; {same_tie}", { g: node.g, tie: policy.tie === "low-g" ? t("lowest") : t("highest"), same_tie: others(same_tie) }));
  if (same_tie > 0) {
    reasons.push(/** @type {Record<string, string>} */ ({ fifo: t("it was put there first"), lifo: t("it was put there last"), heap: t("a binary heap happened to have it on top"), indexed: t("a binary heap happened to have it on top"), random: t("it was drawn at random") })[policy.order ?? ""] ?? policy.order ?? "");
  }
  parts.push(make("p", {}, t("Chosen from the {open}{layer}, because", { open: count(waiting, "open node"), layer })), make("ol", { class: "because" }, ...reasons.map((reason) => make("li", {}, reason))));
  if (told.rivals.length > 0) {
    const why = /** @type {Record<string, string>} */ ({ rank: t("its higher {rank}", { rank: measured(policy.rank ?? "") }), tie: policy.tie === "low-g" ? t("its higher g") : t("its lower g"), order: /** @type {Record<string, string>} */ ({ fifo: t("being newer"), lifo: t("being older"), heap: t("its place in the heap"), indexed: t("its place in the heap"), random: t("chance") })[policy.order ?? ""] ?? "" });
    parts.push(make("details", {}, make("summary", {}, t("What would have been next")), make("ul", { class: "children" }, ...told.rivals.map((rival) => make("li", {}, mini(rival.board, cols, rival.tile), make("span", {}, t("g {g}, h {h}{rival}; behind by {behind}", { g: rival.g, h: rival.h, rival: policy.rank === "f" ? `, f ${shown(replay.f(rival))}` : "", behind: why[rival.behind] })))))));
  }
  return parts;
}

/** How a search from both ends chooses. @param {Replay} replay */
const chooses = ({ method }) => /** @type {Record<string, string>} */ ({
  bae: t("Of a search, BAE* takes the node with the lowest b = 2g + h − h′: h is the estimate ahead, h′ the one back to where this search began."),
  nbs: t("NBS takes both nodes of a pair, one from each search, whose bound is the lowest: no path through the pair costs less than f, f′ or g + g′ + 1."),
  mm: t("MM takes the node, from either search, for which the greater of f and 2g + 1 is the lowest: so neither search goes beyond the middle."),
  dvcbs: t("DVCBS takes the fewest nodes that cover all pairs known to be necessary: a least vertex cover."),
})[/^\w+/.exec(method)?.[0] ?? ""] ?? "";

/** Why it was this search's turn, if that is a rule of its own. @param {Replay} replay */
const takesSide = ({ method }) => (!method.startsWith("bae") ? "" : method.includes("side=pohl") ? t("It is this search's turn because no more nodes are open in it than in the other.") : t("Both searches take turns."));

/** Why a search from both ends expanded the node of its step: the facts known without asking. @param {Replay} replay @returns {HTMLElement[]} */
export function bothEnds(replay) {
  const { current } = replay;
  if (!current) return [];
  if (current.state === "goal") return [make("p", {}, t("The searches have met here. No path is shorter, because the lower bound has reached the length of this one."))];
  const fromGoal = replay.isFromGoal(current);
  const others = replay.waitingOn(fromGoal).length;
  const why = [takesSide(replay), chooses(replay), replay.bound === null ? "" : t("No path costs less than {bound}.", { bound: replay.bound })].filter(Boolean).join(" ");
  return [make("p", {}, fromGoal ? t("Chosen by the search from the goal, where {nodes} now.", { nodes: count(others, "node is open", "nodes are open") }) : t("Chosen by the search from the start, where {nodes} now.", { nodes: count(others, "node is open", "nodes are open") })), make("p", { class: "note" }, why)];
}

/** The value that ranks nodes. @param {string} name as the service has it */
export const measured = (name) => (name === "depth" ? t("depth") : name);

/** A value that may be no whole number; a search has this many for none. @param {number} value */
export const shown = (value) => (value >= 2 ** 32 - 1 ? "∞" : String(Number(value.toFixed(2))));

/** f as a sum, and the value of a node below which more was found. @param {Node} node @param {Replay} replay */
export function sum(node, replay) {
  const f = replay.f(node);
  const formula = replay.isCurved ? `${replay.policy.phi}(${node.g}, ${node.h})` : `${node.g}+${replay.isWeighted ? `${replay.policy.w}·` : ""}${node.h}`;
  return `${formula}=${shown(f)}${node.value === undefined || node.value === f || replay.isCurved ? "" : ` ↑${shown(node.value)}`}`;
}

/** The value that recursive best-first search ranks a node by. @param {{ value?: number | undefined }} node @param {Replay | null} replay */
export const backedUp = ({ value }, replay) => (value === undefined || replay?.isCurved ? "" : t(", value {value}", { value: shown(value) }));

/**
 * A successor's fate, and the reason.
 * @param {string} verdict
 * @param {{ g: number, since: number, expanded: number | null } | null} known
 * @param {Replay | null} replay
 * @param {number} step
 */
export function fate(verdict, known, replay, step) {
  const { duplicates = "", depth } = replay?.policy ?? {};
  const when = known ? (known.since === 0 ? t("it is the start") : t("known since step {since}", { since: known.since })) : t("its board is known");
  const expanded = known?.expanded ? (known.expanded === step ? t(", being expanded") : t(", expanded at step {expanded}", { expanded: known.expanded })) : "";
  const before = `${when}${known ? t(" with g = {g}", { g: known.g }) : ""}${expanded}`;
  switch (verdict) {
    case "kept":
      if (replay?.deepens) return t("within the threshold");
      if (replay?.forgets) return t("kept along the path");
      if (duplicates === "keep") return t("kept: nothing is compared");
      return duplicates === "expanded" ? t("kept: compared when it is taken out") : t("kept: a new board");
    case "cheaper": return t("kept, cheaper: {before}", { before });
    case "reopened": return t("reopened, cheaper: {before}", { before });
    case "pruned": return replay?.deepens ? t("above the threshold of {bound}", { bound: replay.bound }) : t("dropped: beyond depth {depth}", { depth: depth ?? "" });
    default: return t("dropped: {before}", { before });
  }
}
