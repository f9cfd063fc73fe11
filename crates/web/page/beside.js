// A second search next to the first, on the same puzzle and step for step, with its own tree and
// reason.

import { Problem, follow } from "./api.js";
import { make, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { picker, title } from "./methods.js";
import { Replay } from "./replay.js";
import { informed, stepCard, values } from "./step.js";
import { Tree } from "./tree.js";
import { standing } from "./whole.js";

/** @import { Job, Report } from "./types.js" */

/** @typedef {{ puzzle: import("./types.js").Puzzle, search_anyway?: boolean, limits: Record<string, number>, as?: string, method: string }} Task */

/**
 * @param {object} first what the first search does
 * @param {(by: number) => void} first.step
 * @param {() => void} first.grown more of the second search is known
 * @param {() => void} first.asked another method is chosen for it
 * @param {number} first.traced the most expansions that are told
 */
export function beside({ step, grown, asked: chosen, traced }) {
  /** @type {Replay | null} */
  let replay = null;
  /** @type {Report | null} */
  let report = null;
  /** @type {Task | null} */
  let asked = null;
  /** @type {Job | null} */
  let job = null;
  let omitted = 0;
  let wanted = 0;
  let end = () => {};

  const method = picker({ value: "greedy:manhattan", stepped: true, label: t("The second search"), changed: () => chosen() });
  const canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": t("The tree of the second search. Arrows go from node to node, brackets step.") });
  const tree = new Tree(canvas, { select: (node) => say(`${values(node, replay).map((one) => (typeof one === "string" ? one : one.textContent)).join(" ")}`), pick: () => {}, step, moved: () => {}, painted: () => {} });
  tree.wheelZooms = () => true;
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const figures = make("dl", { class: "figures line" });
  const card = stepCard(() => ({ replay, report, asked, key: `${job?.id} ${report === null}`, isFine: false, isStepless: false }));
  card.element.setAttribute("aria-label", t("This step of the second search"));
  const fit = make("button", { "aria-label": t("Fit the whole tree of the second search"), onclick: () => { tree.fit(); tree.follow = false; tree.draw(); } }, t("Fit"));
  const following = make("button", { "aria-label": t("Follow the second search"), onclick: () => { tree.follow = true; render(); } }, t("Follow"));
  const element = make("div", { class: "work second", hidden: true, role: "region", "aria-label": t("The second search") },
    make("div", { class: "tree" }, canvas, make("div", { class: "overlay" }, following, fit)),
    make("div", { class: "foot" }, figures, problem), make("div", { class: "name" }, method.element), card.element);

  function clear() {
    end();
    replay = report = job = null;
    omitted = 0;
    problem.hidden = true;
    render();
  }

  /** @param {boolean} [explains] */
  function render(explains = true) {
    if (element.hidden) return;
    tree.show(replay, lab.cols, informed(replay));
    figures.replaceChildren(...standing(replay, report, omitted).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    if (explains) card.soon();
    else card.now();
  }

  return {
    element,
    card: card.element,
    clear,
    render,
    get isOpen() { return !element.hidden; },
    set isOpen(on) {
      element.hidden = !on;
      if (!on) clear();
    },
    get method() { return method.value; },
    set method(value) { method.value = value; },
    get name() { return title(method.value); },
    get step() { return element.hidden ? 0 : (replay?.step ?? 0); },
    get steps() { return element.hidden ? 0 : (replay?.steps ?? 0); },
    /** Goes to a step, or to the last one. @param {number} to */
    seek(to) {
      wanted = to;
      replay?.seek(to);
    },
    /** Starts the search. @param {Omit<Task, "as" | "method">} task @param {number} to the step to go to */
    start(task, to) {
      clear();
      if (element.hidden) return;
      wanted = to;
      asked = { ...task, limits: { ...task.limits, traced }, method: method.value };
      tree.follow = true;
      end = follow(asked, {
        started: (begun) => {
          job = begun;
          replay = new Replay(begun.policy, begun.method, traced);
        },
        steps: (steps) => {
          replay?.add(steps);
          if (replay && wanted > replay.step) replay.seek(wanted);
          render(false);
          grown();
        },
        omitted: (expansions) => { omitted = expansions; },
        report: (found) => {
          report = found;
          replay?.end(omitted);
          if (replay && wanted > replay.step) replay.seek(wanted);
          render();
          grown();
        },
        problem: (error) => {
          problem.textContent = error instanceof Problem ? error.text : String(error);
          problem.hidden = false;
        },
      });
    },
    /** The step, for screen readers. */
    spoken() {
      const current = replay?.current;
      if (element.hidden || !replay || !current || replay.step === 0) return "";
      return ` ${t("{method}: g {g}, h {h}{more}.", { method: title(method.value), g: current.g, h: current.h, more: current.state === "goal" ? t(", the goal") : "" })}`;
    },
  };
}
