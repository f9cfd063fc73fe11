// A game against the clock, on the board of the page: it starts with the first move.

import { Problem, post } from "./api.js";
import { scramble } from "./controls.js";
import { byId, count, make, number, say, still } from "./dom.js";
import { clock, pace } from "./game.js";
import { ghost } from "./ghost.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { letters, written } from "./moves.js";
import { records } from "./records.js";
import { review } from "./review.js";
import { scrambles } from "./scrambles.js";

/** @import { Slide } from "./lab.js" */
/** @import { Report } from "./types.js" */

export function play() {
  const panel = byId("panel-play");
  /** ready: nothing was moved; running; over: solved or given up; none: moves were made before. @type {"ready" | "running" | "over" | "none"} */
  let phase = "none";
  let made = "";
  let started = 0;
  let seconds = 0;
  let aided = false;
  /** The game being played. @type {Pick<import("./game.js").Game, "rows" | "cols" | "start" | "goal" | "draw">} */
  let played;
  let frame = 0;
  let asking = new AbortController();

  const shown = make("output", { class: "clock", "aria-live": "off" }, "0.00");
  const figures = make("dl", { class: "figures" });
  const line = make("p", { class: "score" });
  const fresh = make("button", { class: "primary", onclick: anew }, t("New game"));
  const giveUp = make("button", { onclick: () => leave(true) }, t("Give up"));
  const meterOn = make("input", { type: "checkbox", onchange: () => { lab.keep({ ml: meterOn.checked ? "1" : "" }); measure(); } });
  const meter = make("meter", { min: 0, max: 1, value: 0, "aria-label": t("Moves left") });
  const left = make("span", { class: "left" });
  const meterRow = make("div", { class: "row meter", hidden: true }, meter, left);
  const rival = ghost();
  const after = review();
  const kept = records({ again: (game) => lab.set({ rows: game.rows, cols: game.cols, start: game.start, goal: game.goal, goalName: lab.goal.join() === game.goal.join() ? lab.goalName : "own" }) });

  panel.append(
    make("div", { class: "card game" },
      make("h2", {}, t("Play")),
      make("div", { class: "row playing" }, shown, figures, fresh),
      line, meterRow),
    make("div", { class: "card extras" },
      make("div", { class: "row" }, giveUp, make("label", { class: "inline" }, meterOn, t("moves left")), rival.choice),
      make("details", {}, make("summary", {}, t("How to play")),
        make("p", { class: "note" }, t("Press or drag a tile in the row or column of the blank: the tiles between move too. Swipe anywhere, or use the arrow keys or W, A, S, D. The clock starts with the first move. The board is drawn from all that can be solved, or has the depth that is written next to Scramble.")))),
    make("div", { class: "pair" }, rival.element, after.element, kept.element), scrambles());

  const isOpen = () => !panel.hidden;
  const moves = () => letters(made).length;

  /** Another board, with the focus on it. */
  async function anew() {
    fresh.disabled = true;
    await scramble();
    fresh.disabled = false;
    byId("board").focus({ preventScroll: true });
    byId("board").scrollIntoView({ block: "nearest" });
  }

  function begin() {
    cancelAnimationFrame(frame);
    made = "";
    seconds = 0;
    aided = false;
    const { rows, cols, start, goal, draw } = lab;
    played = { rows, cols, start: [...start], goal: [...goal], draw };
    phase = lab.isSolved || lab.moves > 0 ? "none" : "ready";
    after.clear();
    rival.begin(isOpen() && phase === "ready");
    show();
    measure();
  }

  function tick() {
    seconds = (performance.now() - started) / 1000;
    rival.at(seconds);
    show();
    // Less motion: the clock is not a blur.
    if (phase === "running") frame = still() ? window.setTimeout(tick, 500) : requestAnimationFrame(tick);
  }

  /** Ends the clock. */
  function halt() {
    cancelAnimationFrame(frame);
    clearTimeout(frame);
  }

  function showFigures() {
    shown.textContent = clock(seconds);
    giveUp.disabled = phase !== "running";
    const values = /** @type {[string, string][]} */ ([[t("moves"), number(moves())], [t("tiles a second"), pace(moves(), seconds)]]);
    figures.replaceChildren(...values.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  function show() {
    showFigures();
    line.textContent = {
      ready: t("Ready: the clock starts with your first move."),
      running: aided ? t("With help: this game is not counted.") : "",
      over: line.textContent ?? "",
      none: lab.isSolved ? t("Solved. Press New game.") : t("Press New game, or Start over to play this board against the clock."),
    }[phase];
  }

  lab.addEventListener("slid", (event) => {
    if (phase === "ready" && isOpen()) {
      phase = "running";
      started = performance.now();
      aided = meterOn.checked || rival.isOn;
      frame = requestAnimationFrame(tick);
    } else if (phase === "ready") phase = "none";
    if (phase !== "running") return;
    made += written(/** @type {CustomEvent<Slide[]>} */ (event).detail, lab.board, lab.cols);
    if (lab.isSolved) end(false);
    else show();
  });

  /** @param {boolean} given whether it was given up */
  function end(given) {
    halt();
    seconds = (performance.now() - started) / 1000;
    phase = "over";
    const game = { at: new Date().toISOString(), ...played, seconds: given ? null : seconds, made: made.trim(), moves: moves(), aided };
    kept.add(game);
    const words = given ? t("Given up after {moves}.", { moves: count(moves(), "move") }) : t("Solved in {time}, {moves}, {pace} tiles a second.", { time: clock(seconds), moves: count(moves(), "move"), pace: pace(moves(), seconds) });
    const race = given ? "" : rival.verdict(seconds);
    line.textContent = [words, race, aided && !race ? t("With help: it is not counted.") : ""].filter(Boolean).join(" ");
    showFigures();
    rival.end();
    say(line.textContent);
    if (!given) after.show(game, (needed) => kept.needed(game, needed));
  }

  /** Ends a game that runs. @param {boolean} own whether the player asked for it */
  function leave(own) {
    if (phase !== "running") return;
    end(true);
    if (own) byId("board").focus({ preventScroll: true });
  }

  /** How many moves are left, where the player wants to know. */
  async function measure() {
    asking.abort();
    meterRow.hidden = !meterOn.checked || !isOpen();
    if (meterRow.hidden) return;
    if (phase === "running" && !aided) lab.dispatchEvent(new Event("helped"));
    if (lab.isSolved) {
      meter.value = meter.max;
      left.textContent = t("0 left");
      return;
    }
    asking = new AbortController();
    const { signal } = asking;
    left.textContent = "..";
    try {
      const report = /** @type {Report} */ (await post("solve", { puzzle: lab.puzzle, limits: { seconds: 2 } }, signal));
      if (signal.aborted) return;
      const bound = report.lower_bound ?? 0;
      const least = report.optimal ? (report.cost ?? 0) : bound;
      if (phase === "ready" || meter.max <= 1 || least > meter.max) meter.max = Math.max(least, 1);
      meter.value = meter.max - least;
      left.textContent = report.optimal ? t("{count} left", { count: number(least) }) : report.cost === null ? t("at least {low} left", { low: number(bound) }) : t("between {low} and {high} left", { low: number(bound), high: number(report.cost) });
    } catch (error) {
      if (!signal.aborted) left.textContent = error instanceof Problem ? error.text : String(error);
    }
  }

  // Arrow keys play wherever the focus is, while the panel is open; fields and buttons that use them keep them.
  document.addEventListener("keydown", (event) => {
    const own = event.target instanceof Element && event.target.closest("input, select, textarea, [role=tab], [role=application], #board, .board");
    if (!isOpen() || own || !event.key.startsWith("Arrow") || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    byId("board").dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
  });
  lab.addEventListener("helped", () => {
    if (phase === "ready" || phase === "running") aided = true;
    show();
  });
  lab.addEventListener("board", measure);
  lab.addEventListener("puzzle", () => {
    leave(false);
    begin();
  });
  lab.addEventListener("restored", () => {
    meterOn.checked = lab.settings.ml === "1";
    rival.restore();
    begin();
  });
  lab.addEventListener("opened", () => (phase === "running" || phase === "over" ? measure() : begin()));
  rival.changed = () => { if (phase === "ready") begin(); };
  begin();
}
