// The solver as a rival: it plays the same board at a pace of one's choice.

import { post } from "./api.js";
import { BoardView } from "./board.js";
import { make, say } from "./dom.js";
import { clock } from "./game.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { frames } from "./moves.js";

/** @import { Report } from "./types.js" */
/** @import { Frame } from "./moves.js" */

/** Moves per second. */
const PACES = [1, 2, 3, 5, 8, 12];

export function ghost() {
  const pace = make("select", {}, make("option", { value: "" }, t("none|opponent")), ...PACES.map((rate) => make("option", { value: rate }, t("solver, {rate} a second", { rate }))));
  const board = make("div", { class: "ghost" });
  const words = make("p", { class: "note" });
  const element = make("div", { class: "card", hidden: true, role: "region", "aria-label": t("The solver's board") }, make("h3", {}, t("The solver")), board, words);
  const view = new BoardView(board, t("The solver's board"), {});
  view.watched = true;
  let asking = new AbortController();
  /** @type {Frame[]} */
  let way = [];
  let shown = -1;

  const rival = {
    element,
    choice: make("label", { class: "inline" }, t("opponent"), " ", pace),
    get isOn() { return pace.value !== ""; },
    changed: () => {},

    /** A board to play. @param {boolean} plays */
    async begin(plays) {
      asking.abort();
      way = [];
      shown = -1;
      element.hidden = !plays || !rival.isOn;
      if (element.hidden) return;
      asking = new AbortController();
      const { signal } = asking;
      const { rows, cols, board: tiles, goal } = lab;
      view.show({ rows, cols, tiles, goal });
      words.textContent = t("It looks for a way ..");
      try {
        const report = /** @type {Report} */ (await post("solve", { puzzle: lab.puzzle, limits: { seconds: 5 } }, signal));
        if (signal.aborted) return;
        way = report.moves === null ? [] : (frames(report.puzzle.start, cols, report.moves) ?? []);
        words.textContent = way.length ? t("It has a way of {moves} moves, and starts when you do.", { moves: way.length - 1 }) : t("It found no way in 5 seconds.");
      } catch {
        if (!signal.aborted) words.textContent = t("It found no way in 5 seconds.");
      }
    },

    /** Where it is after some time. @param {number} seconds */
    at(seconds) {
      if (way.length === 0) return;
      const now = Math.min(Math.floor(seconds * Number(pace.value)), way.length - 1);
      if (now === shown) return;
      shown = now;
      const { rows, cols, goal } = lab;
      view.show({ rows, cols, tiles: way[now]?.board ?? [], goal });
      words.textContent = now === way.length - 1 ? t("It is done: {time}.", { time: clock(rival.time) }) : t("{done} of {all} moves", { done: now, all: way.length - 1 });
      if (now === way.length - 1) say(t("The solver is done."));
    },

    get time() { return (way.length - 1) / Number(pace.value); },

    /** The winner. @param {number} seconds */
    verdict(seconds) {
      if (!rival.isOn || way.length === 0) return "";
      const ahead = rival.time - seconds;
      return ahead > 0 ? t("You won by {time} s.", { time: clock(ahead) }) : t("The solver won by {time} s.", { time: clock(-ahead) });
    },

    end() { asking.abort(); },

    restore() { pace.value = PACES.includes(Number(lab.settings.gh)) ? (lab.settings.gh ?? "") : ""; },
  };
  pace.addEventListener("change", () => {
    lab.keep({ gh: pace.value });
    rival.changed();
  });
  return rival;
}
