// A search as pseudocode, and the parts of a step: select, test, generate, insert.

import { make } from "./dom.js";
import { written } from "./lab.js";
import { t } from "./language.js";
import { fate, measured } from "./words.js";

/** @import { Replay } from "./replay.js" */

/** Part of a step: the line it belongs to, how many events after the choice have happened, and what it does. @typedef {{ line: string, events: number, words: string }} Phase */

/** The next node, in words. @param {Replay} replay */
function choice({ policy }) {
  // By depth and in order of arrival is a queue.
  const isQueue = policy.rank === "depth" && policy.order === "fifo" && policy.tie === "none";
  if (isQueue || policy.rank === "none" || policy.rank === undefined) return { lifo: t("the node that came last"), random: t("any node") }[policy.order ?? ""] ?? t("the oldest open node");
  return t("the node with the lowest {rank}", { rank: measured(policy.rank) });
}

/** The lines of a search: a name, how far it is indented, and the text. @param {Replay} replay @returns {[string, number, string][]} */
function lines(replay) {
  const { policy } = replay;
  const early = policy.goal === "generation";
  const test = /** @type {[string, number, string][]} */ (early ? [] : [["test", 1, t("if it is the goal: end")]]);
  const testEarly = /** @type {[string, number, string][]} */ (early ? [["test", 2, t("if it is the goal: end")]] : []);
  if (replay.deepens) {
    return [["start", 0, t("begin at the start, with the lowest threshold")], ["select", 1, t("take the next node, depth-first")], ...test, ["each", 1, t("for each of its successors:")], ...testEarly,
      ["insert", 2, t("within the threshold: search below it")], ["drop", 2, t("otherwise: give it up")], ["again", 0, t("raise the threshold, and begin again")]];
  }
  if (replay.forgets) {
    return [["start", 0, t("begin at the start")], ["select", 1, t("take the successor with the lowest value along the path")], ...test, ["each", 1, t("for each of its successors:")], ...testEarly, ["insert", 2, t("keep it along the path")], ["drop", 2, t("otherwise: give it up")]];
  }
  if (replay.meets) {
    return [["start", 0, t("put the start and the goal on their open lists")], ["loop", 0, t("while a path cheaper than the best is possible:")], ["select", 1, t("take a node of either search")], ["each", 1, t("for each of its successors:")],
      ["insert", 2, t("if its board is new or cheaper: put it on this open list")], ["meet", 2, t("if the other search has it: a path is found")], ["drop", 2, t("otherwise: drop it")]];
  }
  return [
    ["start", 0, t("put the start on the open list")], ["loop", 0, t("while the open list is not empty:")], ["select", 1, t("take {choice}", { choice: choice(replay) })],
    ...(policy.duplicates === "expanded" ? /** @type {[string, number, string][]} */ ([["late", 1, t("if its board was expanded before: drop it, and take the next")]]) : []), ...test,
    ["each", 1, t("for each of its successors:")], ...testEarly,
    ["insert", 2, ["keep", "expanded"].includes(policy.duplicates ?? "") ? t("put it on the open list") : t("if its board is new or cheaper: put it on the open list")], ["drop", 2, t("otherwise: drop it")],
    ...(policy.k ? /** @type {[string, number, string][]} */ ([["cut", 1, t("of each layer keep the best {k}", { k: policy.k })]]) : []),
  ];
}

/** The parts of the step that is shown, the first of which selects its node. @param {Replay} replay @param {number} cols @returns {Phase[]} */
export function phases(replay, cols) {
  if (replay.step === 0) return [{ line: "start", events: 0, words: "" }];
  const [taken, ...rest] = replay.eventsOf(replay.step);
  const early = replay.policy.goal === "generation" || replay.meets;
  const name = (/** @type {{ board: number[] }} */ { board }) => written(board, cols);
  const is = (/** @type {boolean} */ goal) => (goal ? t("Test: it is the goal.") : t("Test: it is not the goal."));
  /** @type {Phase[]} */
  const list = [{ line: "select", events: 0, words: t("Select: {board}", { board: taken ? name(taken) : "" }) }];
  if (!early) list.push({ line: "test", events: 0, words: is(taken?.event === "goal") });
  rest.forEach((event, at) => {
    if (event.event === "discard") list.push({ line: "cut", events: at + 1, words: t("Cut: {board}", { board: name(event) }) });
    if (event.event !== "generate") return;
    list.push({ line: "each", events: at, words: t("Generate: {board}", { board: name(event) }) });
    const isGoal = rest[at + 1]?.event === "goal";
    if (early && !replay.meets) list.push({ line: "test", events: isGoal ? at + 2 : at, words: is(isGoal) });
    const kept = ["kept", "cheaper", "reopened"].includes(event.verdict ?? "kept");
    if (!isGoal) list.push({ line: kept ? "insert" : "drop", events: at + 1, words: `${kept ? t("Insert") : t("Drop")}: ${fate(event.verdict ?? "kept", null, replay, replay.step)}` });
  });
  return list;
}

/** The card with the lines; the current one is marked. */
export function pseudocode() {
  const list = make("ol", { class: "lines" });
  const words = make("p", { class: "score" });
  const element = make("div", { class: "card code", hidden: true, role: "region", "aria-label": t("Pseudocode") }, make("h3", {}, t("Pseudocode")), list, words);
  return {
    element,
    /** @param {Replay | null} replay @param {Phase | null} phase */
    show(replay, phase) {
      words.textContent = phase?.words ?? "";
      list.replaceChildren(...(replay ? lines(replay) : []).map(([name, indent, text]) => make("li", { class: `in${indent}`, ...(name === (phase?.line ?? "select") ? { "aria-current": "step" } : {}) }, text)));
    },
  };
}
