// One step of a search: the expanded node, the reason, and its successors' fates.

import { post } from "./api.js";
import { byId, count, make, mini, number, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { wayOfTile } from "./moves.js";
import { backedUp, bothEnds, choice, fate, shown } from "./words.js";

/** @import { Explanation, Report, Seen } from "./types.js" */
/** @import { Node, Replay } from "./replay.js" */

/**
 * The card's subject.
 * @typedef {object} Shown
 * @property {Replay | null} replay
 * @property {Report | null} report
 * @property {Record<string, unknown> | null} asked what the service was asked for
 * @property {string} key another one for another search, or another part of a step
 * @property {boolean} isFine whether parts of the step are shown
 * @property {boolean} isStepless whether the method has no steps
 */

/** Whether a search has an estimate. @param {Replay | null} replay */
export const informed = (replay) => Boolean(replay?.nodes.some((one) => one.h > 0));

/** The known facts about a node. @param {Node} one @param {Replay | null} replay */
export function values(one, replay) {
  const text = informed(replay) && replay ? `g = ${one.g}, h = ${one.h}, f = ${replay.isWeighted ? `${replay.formula} = ` : ""}${shown(replay.f(one))}${backedUp(one, replay)}` : `g = ${one.g}`;
  return [...(one.label === undefined ? [] : [make("strong", {}, one.label), make("br")]), make("strong", {}, text), make("br"), one.parent && !one.move ? "" : one.move ? t("by {move}{more}", { move: one.move, more: one.tile ? t(": tile {tile} goes {way}", { tile: one.tile, way: wayOfTile(one.move.charAt(0)) }) : "" }) : t("the start")];
}

/** @param {() => Shown} about */
export function stepCard(about) {
  const element = make("div", { class: "card step", "aria-label": t("This step"), role: "region" });
  let timer = 0;
  let last = "";

  /**
   * Why the node of this step was taken: the service knows.
   * @param {string} [spoken] what is said about the step; the reason is said after it, unless something else was
   */
  function soon(spoken) {
    clearTimeout(timer);
    now();
    const { replay, asked } = about();
    const mine = replay?.step ?? 0;
    if (!replay || mine === 0 || !asked) return;
    if (replay.meets) {
      const reason = bothEnds(replay).map((part) => part.textContent).join(" ");
      timer = setTimeout(() => { if (spoken && byId("live").textContent?.trim() === spoken.trim()) say(reason); }, 80);
      return;
    }
    timer = setTimeout(async () => {
      try {
        const explanation = /** @type {Explanation} */ (await post(`explain?step=${mine}&rivals=4`, { ...asked, limits: { seconds: 10 } }));
        const present = about();
        if (present.replay !== replay || replay.step !== mine) return;
        const reason = explain(explanation, replay, present.isFine);
        if (spoken && byId("live").textContent?.trim() === spoken.trim()) say(reason);
      } catch {
        // The tree keeps its contents. A step that ends the search adds nothing.
      }
    }, 80);
  }

  /** The facts known at once: the node, and its successors' fates. */
  function now() {
    const { replay, report, key, isStepless } = about();
    const { current = null, step = 0 } = replay ?? {};
    const shownNow = `${step} ${current?.key} ${key}`;
    if (shownNow === last && element.childElementCount > 0) return;
    last = shownNow;
    if (!replay || !current || step === 0) {
      const none = report?.outcome === "unsolvable" ? t("There is none. The proof is under 'Solvable?'.") : isStepless ? t("This method has no steps to show, only its answer and its totals.") : report && !replay?.steps ? t("There is none.") : "";
      element.replaceChildren(make("h3", {}, t("This step")), make("p", { class: "note" }, none || (replay ? t("Only the start is open. Step on.") : t("Here you will read why a node was chosen and what became of its successors."))));
      return;
    }
    element.replaceChildren(
      make("h3", {}, t("Step {step}", { step: number(step) })),
      make("div", { class: "why" }, mini(current.board, lab.cols, current.tile), make("p", {}, ...values(current, replay))),
      ...(replay.discardedHere ? [make("p", { class: "note" }, replay.policy.k ? t("Before this step the beam cut {discardedHere}: of each layer it keeps {k}.", { discardedHere: count(replay.discardedHere, "node"), k: replay.policy.k }) : t("Removed from the open list and dropped before this step, because the board had been expanded: {nodes}.", { nodes: count(replay.discardedHere, "node") }))] : []),
      make("div", { class: "reasons" }, ...(replay.meets ? bothEnds(replay) : [])),
      ...children(replay),
      ...(informed(replay) && !replay.isWeighted && !replay.meets ? [make("p", { class: "note letters" }, t("In the tree, g + h = f is below each board: the moves made, the estimated moves left, and their sum. Above it is its step."))] : []));
  }

  /** @param {Replay} replay */
  function children(replay) {
    const id = replay.current?.id;
    // A depth-first search comes back to a node, and its other successors come then.
    const list = replay.children.filter(({ seen }) => seen.parent === id);
    if (list.length === 0) return replay.current?.state === "goal" && !replay.meets ? [make("p", { class: "right score" }, t("The goal: the search ends here."))] : [];
    const items = list.map(({ verdict, seen }) => successor(seen, verdict, fate(verdict, null, replay, replay.step), replay));
    return [make("h3", {}, t("Its successors")), make("ul", { class: "children" }, ...items)];
  }

  /** @param {Seen} seen @param {string} verdict @param {string} text @param {Replay} replay */
  function successor(seen, verdict, text, replay) {
    const kept = ["kept", "cheaper", "reopened"].includes(verdict);
    return make("li", { class: kept ? "" : "dropped" }, mini(seen.board, lab.cols, seen.tile), make("span", {}, make("strong", {}, `${seen.move ?? seen.label ?? ""} `), informed(replay) ? `f = ${shown(replay.f(seen))}${backedUp(seen, replay)}: ` : "", make("span", { class: "fate" }, text)));
  }

  /** Shows an explanation, and returns its reason in words. @param {Explanation} explanation @param {Replay} replay @param {boolean} isFine */
  function explain(explanation, replay, isFine) {
    const reasons = element.querySelector(".reasons");
    const parts = choice(explanation, replay, lab.cols);
    reasons?.replaceChildren(...parts);
    const list = [...element.children].find((child) => child.matches(".children"));
    if (!isFine) list?.replaceChildren(...explanation.successors.map((seen) => successor(seen, seen.verdict, seen.is_goal ? t("the goal: the search ends here") : fate(seen.verdict, seen.known, replay, replay.step), replay)));
    return parts.filter((part) => !part.matches("details")).flatMap((part) => (part.matches("ol") ? [...part.children] : [part])).map((part) => part.textContent ?? "").join("; ").replace(/(because|:); /, "$1 ").replace(/\.?$/, ".");
  }

  return { element, soon, now };
}
