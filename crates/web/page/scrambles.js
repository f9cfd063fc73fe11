// The notation of speed-solvers: letters name where the tile goes, with counts. The service converts.

import { Problem, post } from "./api.js";
import { make, say } from "./dom.js";
import { lab, written } from "./lab.js";
import { t } from "./language.js";
import { frames, reversed, written as named } from "./moves.js";

/** @import { Report } from "./types.js" */

/** With a space between the moves. @param {string} moves */
const spaced = (moves) => (moves.match(/[A-Z]\d*/g) ?? []).join(" ");

export function scrambles() {
  const text = make("textarea", { rows: 1, spellcheck: "false", autocomplete: "off", id: "scramble-text" });
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const out = make("p", { class: "moves-text", id: "scramble-out", hidden: true });
  const form = make("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); set(); } },
    make("label", { for: "scramble-text" }, t("Scramble string, from the solved board")),
    make("div", { class: "row tight" }, text, make("button", {}, t("Set"))));
  const element = make("details", { class: "card" }, make("summary", {}, t("Notation of speed-solvers")),
    make("p", { class: "note" }, t("R2 D L3: each letter names where a tile goes, and the number how many tiles go. Elsewhere on this page letters name where the blank goes.")),
    form, problem,
    make("div", { class: "row" }, make("button", { onclick: () => write(scramble) }, t("Write the scramble")), make("button", { onclick: () => write(own) }, t("Write your moves")), make("button", { onclick: () => write(solution) }, t("Write a solution"))),
    out);

  /** @param {unknown} error */
  function refuse(error) {
    problem.textContent = error instanceof Problem ? error.text : String(error);
    problem.hidden = false;
  }

  /** Reads a scramble. */
  async function set() {
    problem.hidden = true;
    const { rows, cols, goal } = lab;
    try {
      const { moves } = await post("convert", { board: written(goal, cols), moves: text.value, from: "tile", to: "blank" });
      const start = frames(goal, cols, moves)?.at(-1)?.board;
      if (!start) return;
      lab.set({ rows, cols, start });
      say(t("The board of the scramble."));
    } catch (error) {
      refuse(error);
    }
  }

  /** @param {number[]} board @param {string} moves where the blank goes @returns {Promise<string>} */
  const tiles = async (board, moves) => spaced((await post("convert", { board: written(board, lab.cols), moves, from: "blank", to: "tile" })).moves);

  /** A solution of the start, or of the board as it is. @param {number[]} start */
  async function solved(start) {
    lab.dispatchEvent(new Event("helped"));
    const report = /** @type {Report} */ (await post("solve", { puzzle: { ...lab.puzzle, start }, limits: { seconds: 3 } }));
    if (report.moves === null) throw new Problem({ detail: t("no solution was found in 3 seconds") });
    return report.moves;
  }

  /** From the goal to the start. */
  const scramble = async () => {
    const { start, goal } = lab;
    return tiles(goal, reversed(await solved(start)));
  };
  const solution = async () => tiles(lab.board, await solved(lab.board));
  /** The moves since the start. */
  const own = async () => {
    const board = [...lab.start];
    const moves = lab.past.flat().map(([from, to]) => {
      [board[to], board[from]] = [board[from] ?? 0, 0];
      return named([[from, to]], board, lab.cols);
    });
    return tiles(lab.start, moves.join(""));
  };

  /** @param {() => Promise<string>} what */
  async function write(what) {
    problem.hidden = true;
    out.hidden = false;
    out.textContent = "..";
    try {
      out.textContent = (await what()) || t("none");
      say(out.textContent);
    } catch (error) {
      out.hidden = true;
      refuse(error);
    }
  }

  return element;
}
