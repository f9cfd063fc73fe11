// After a game: how many moves were needed, and which move was the first that did not help.

import { Problem, post } from "./api.js";
import { project } from "./controls.js";
import { count, make, mini, number, say } from "./dom.js";
import { t } from "./language.js";
import { frames, letters, wayOfTile } from "./moves.js";

/** @import { Game } from "./game.js" */
/** @import { Frame } from "./moves.js" */
/** @import { Report } from "./types.js" */

/** Seconds for each question. */
const PATIENCE = 10;

export function review() {
  const words = make("p", { class: "score" });
  const more = make("div", { class: "why" });
  const element = make("div", { class: "card", hidden: true, role: "region", "aria-label": t("How well it was played") }, make("h3", {}, t("How well it was played")), words, more);
  let asking = new AbortController();

  /** @param {Game} game @param {number[]} start @param {AbortSignal} signal @returns {Promise<Report>} */
  const solve = ({ rows, cols, goal }, start, signal) => post("solve", { puzzle: { rows, cols, start, goal }, limits: { seconds: PATIENCE } }, signal);

  /**
   * The first move that did not bring the goal nearer, if every distance that is asked for can be proven.
   * Moves and distance together never fall, so the place where they first rise can be found by halving.
   * @param {Game} game @param {Frame[]} way @param {number} needed @param {AbortSignal} signal
   */
  async function firstWaste(game, way, needed, signal) {
    let [fine, wasted] = [0, way.length - 1];
    /** A shortest way from the last board that is known to be on one. */
    let best = "";
    while (wasted - fine > 1 || !best) {
      const middle = wasted - fine > 1 ? Math.floor((fine + wasted) / 2) : fine;
      const report = await solve(game, /** @type {Frame} */ (way[middle]).board, signal);
      if (!report.optimal || report.cost === null || signal.aborted) return null;
      if (middle + report.cost === needed) [fine, best] = [middle, report.moves ?? ""];
      else wasted = middle;
      if (middle === 0) break;
    }
    return { move: wasted, best };
  }

  return {
    element,
    clear() {
      asking.abort();
      element.hidden = true;
    },

    /** @param {Game} game @param {(needed: number) => void} told the number of moves of a shortest solution */
    async show(game, told) {
      asking.abort();
      asking = new AbortController();
      const { signal } = asking;
      element.hidden = false;
      words.textContent = t("Looking for a shortest solution ..");
      more.replaceChildren();
      try {
        const report = await solve(game, game.start, signal);
        if (signal.aborted) return;
        const took = { took: count(game.moves, "move") };
        if (!report.optimal || report.cost === null) {
          const low = number(report.lower_bound);
          words.textContent = report.cost === null ? t("You took {took}; at least {low} are needed. How many exactly is not known.", { ...took, low }) : t("You took {took}. At least {low} are needed, and the solver found {high}; how many exactly is not known.", { ...took, low, high: number(report.cost) });
          say(words.textContent);
          return;
        }
        const needed = report.cost;
        told(needed);
        words.textContent = t("You took {took}; the minimum is {needed}.", { ...took, needed: number(needed) });
        say(words.textContent);
        const way = frames(game.start, game.cols, game.made);
        if (!way || game.moves === needed) {
          more.replaceChildren(make("p", { class: "right score" }, t("No solution is shorter.")));
          return;
        }
        more.replaceChildren(make("p", { class: "note" }, t("Looking for your first wasteful move ..")));
        const found = await firstWaste(game, way, needed, signal);
        if (signal.aborted) return;
        if (!found) {
          more.replaceChildren(make("p", { class: "note" }, t("Which move was the first wasteful one can't be proven in {seconds} seconds.", { seconds: PATIENCE })));
          return;
        }
        const { move, best } = found;
        const [before, played] = [/** @type {Frame} */ (way[move - 1]), /** @type {Frame} */ (way[move])];
        const [first = ""] = letters(best);
        const better = frames(before.board, game.cols, first)?.[1]?.tile;
        const name = letters(game.made)[move - 1] ?? "";
        const text = t("Move {move}, tile {tile} {way}, was the first that did not help: the goal was {left} away before it. One of the best was tile {better} {betterWay}.", {
          move, tile: played.tile, way: wayOfTile(name[0] ?? ""), left: count(needed - move + 1, "move"), better, betterWay: wayOfTile(first[0] ?? ""),
        });
        more.replaceChildren(mini(before.board, game.cols, played.tile), make("p", {}, text), make("button", { onclick: () => project(before.board, better ?? null) }, t("Show it on the board")));
        say(text);
      } catch (error) {
        if (!signal.aborted) words.textContent = error instanceof Problem ? error.text : String(error);
      }
    },
  };
}
