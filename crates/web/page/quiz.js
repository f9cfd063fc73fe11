// Which node comes next? Guesses are scored, and the search continues to the answer.

import { count, make, mini, say } from "./dom.js";
import { lab, written } from "./lab.js";
import { t } from "./language.js";
import { backedUp, sum } from "./words.js";

/** @import { Node, Replay } from "./replay.js" */

/**
 * @param {{ replay: () => Replay | null, hasEnded: () => boolean, informed: () => boolean, moved: () => void }} search
 *   `moved` is called when the search has gone a step on
 */
export function quiz({ replay: current, hasEnded, informed, moved }) {
  const element = make("div", { class: "card", hidden: true, role: "region", "aria-label": t("Prediction") });
  let score = { right: 0, all: 0 };
  let answered = "";
  let isRight = false;
  let last = "";

  function show() {
    const replay = current();
    const found = replay?.candidates();
    const key = `${replay?.step} ${replay?.steps} ${hasEnded()} ${answered}`;
    if (key === last && element.childElementCount > 0) return;
    last = key;
    const heading = [make("h3", {}, t("Which node comes next?")), make("p", { class: "score" }, t("{right} of {all}", { right: score.right, all: score.all }))];
    const told = answered ? [make("p", { class: isRight ? "right score" : "wrong score" }, answered)] : [];
    if (!replay || !found) {
      element.replaceChildren(...heading, ...told, make("p", { class: "note" }, hasEnded() ? t("The search has ended.") : t("Searching ..")));
      return;
    }
    const { open, right, best } = found;
    if (!right) {
      // Nothing waits where a search begins anew.
      const on = () => {
        answered = "";
        replay.seek(replay.step + 1);
        moved();
      };
      element.replaceChildren(...heading, ...told, make("p", {}, t("A new threshold begins, at the start.")), make("button", { onclick: on }, t("Continue")));
      return;
    }
    element.replaceChildren(...heading, ...told,
      make("p", { class: "note" }, t("Choose one here or in the tree. {open}{more}.", { open: count(open, "node is open", "nodes are open"), more: open > best.length ? t("; {best} are shown here", { best: best.length }) : "" })),
      make("div", { class: "candidates" }, ...best.map((one) => make("button", { onclick: () => pick(one), "aria-label": `${written(one.board, lab.cols)}, g ${one.g}, h ${one.h}${backedUp(one, replay)}` }, mini(one.board, lab.cols, one.tile), informed() ? sum(one, replay) : `g ${one.g}`))));
  }

  /** @param {Node} guess */
  function pick(guess) {
    const replay = current();
    const truth = replay?.next();
    if (element.hidden || !replay || !truth || guess.state !== "waiting") return;
    if (replay.stale().has(guess)) {
      isRight = false;
      answered = t("This one is taken out and dropped: its board was expanded before. Choose another.");
      show();
      return say(answered);
    }
    isRight = guess.id === truth.id;
    score = { right: score.right + Number(isRight), all: score.all + 1 };
    answered = isRight ? t("Right.") : t("Not this one: the search took the one now marked, with g = {g}{more}. The reason stands below.", { g: truth.g, more: informed() ? `${t(" and h = {h}", { h: truth.h })}${backedUp(truth, replay)}` : "" });
    replay.seek(replay.step + 1);
    moved();
    element.querySelector("button")?.focus();
    say(t("{answered} {right} of {all}.", { answered, right: score.right, all: score.all }));
  }

  return {
    element,
    show,
    pick,
    reset() { score = { right: 0, all: 0 }; },
    /** @param {boolean} on */
    open(on) {
      element.hidden = !on;
      answered = "";
      if (on) show();
    },
  };
}
