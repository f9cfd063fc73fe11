// Nodes of a search: those on the open list, and the one that a person selects.

import { make, mini, number } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { values } from "./step.js";

/** @import { Node, Replay } from "./replay.js" */

/** More nodes of the open list are counted. */
const LISTED = 12;

/** The best of what waits, in the order of the search. */
export function openList() {
  /** @type {Replay | null} */
  let replay = null;
  /** Whether the search comes from a file, whose order among equals is not known. */
  let isFile = false;
  const element = make("details", { class: "frontier", hidden: true, ontoggle: () => render() });

  /** @param {Node[]} all */
  function listed(all) {
    const stale = replay?.stale();
    return [
      make("ol", { class: "children", tabindex: 0, "aria-label": t("The open list") }, ...all.slice(0, LISTED).map((one) => make("li", stale?.has(one) ? { class: "dropped" } : {}, mini(one.board, lab.cols, one.tile), make("span", {}, values(one, replay)[0], stale?.has(one) ? ` ${t("dropped when taken out")}` : "")))),
      ...(all.length > LISTED ? [make("p", { class: "note" }, t("and {list} more", { list: number(all.length - LISTED) }))] : [])];
  }

  function render() {
    const list = replay && !replay.deepens && !replay.forgets ? replay.frontier() : [];
    element.hidden = list.length === 0;
    const order = /** @type {Record<string, string>} */ ({ heap: t("; a heap orders equals"), indexed: t("; a heap orders equals"), random: t("; chance orders equals") })[replay?.policy.order ?? ""] ?? "";
    if (replay?.meets) {
      const [forth, back] = [false, true].map((fromGoal) => list.filter((one) => replay?.isFromGoal(one) === fromGoal));
      element.replaceChildren(make("summary", {}, t("Both open lists, by f")),
        ...(element.open ? [make("h3", {}, t("from the start")), ...listed(forth ?? []), make("h3", {}, t("from the goal")), ...listed(back ?? [])] : []));
      return;
    }
    element.replaceChildren(make("summary", {}, isFile ? t("Open list, by f") : t("Open list, next first{order}", { order })), ...(element.open ? listed(list) : []));
  }

  return {
    element,
    /** @param {Replay | null} shown @param {boolean} ofFile */
    show(shown, ofFile) {
      replay = shown;
      isFile = ofFile;
      render();
    },
  };
}

/** The node that was selected. */
export function selectedNode() {
  const element = make("div", { class: "card", hidden: true, role: "region", "aria-label": t("The selected node") });
  return {
    element,
    /** Shows a node, and returns its state in words. @param {Node} one @param {Replay | null} replay */
    show(one, replay) {
      element.hidden = false;
      const state = { waiting: t("open"), expanded: t("expanded at step {order}", { order: one.order }), goal: t("the goal"), pruned: t("dropped: beyond the limit"), discarded: replay?.policy.k ? t("cut: the beam keeps {k} of each layer", { k: replay.policy.k }) : replay?.forgets ? t("forgotten: only the successors along one path are kept") : t("dropped when taken out") }[one.state];
      const path = [];
      for (let at = /** @type {Node | null} */ (one); at?.move; at = at.parent) path.unshift(at.move);
      element.replaceChildren(make("h3", {}, t("The selected node")), make("div", { class: "why" }, mini(one.board, lab.cols, one.tile), make("p", {}, ...values(one, replay), make("br"), `${state}${one.since ? t(", generated at step {since}", { since: one.since }) : ""}`)), make("p", { class: "note moves-text" }, path.length ? path.join("") : t("the start")));
      return state;
    },
  };
}
