// A solution: found, shown on the board, written down and taken along.

import { Problem, follow, post } from "./api.js";
import { project } from "./controls.js";
import { byId, count, download, dressed, make, number, say, still } from "./dom.js";
import { opening } from "./engine.js";
import { lab, rowOf, written } from "./lab.js";
import { t } from "./language.js";
import { frames, letters } from "./moves.js";
import { picker } from "./methods.js";
import { reason, sentence, whole } from "./whole.js";

/** @import { Report, Step } from "./types.js" */

const TRACED = 5000;

export function solution() {
  const panel = byId("panel-solution");
  const method = picker({ value: "auto", stepped: false, label: t("How to solve"), changed: (value) => lab.keep({ sm: value }) });
  const find = make("button", { class: "primary", onclick: () => (end ? stop() : solve()) }, t("Solve"));
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const result = make("div", { class: "card", hidden: true });
  const total = whole();
  panel.append(make("div", { class: "card" }, make("h2", {}, t("Solution")), method.element, make("div", { class: "row" }, find), problem, total.element), result);

  /** @type {import("./api.js").End | null} */
  let end = null;
  /** Whether the search has begun, and whether it was asked to end. */
  let [begun, stopping] = [false, false];
  /** @type {Report | null} */
  let report = null;
  /** The boards on the way, and the tile that moved to each. @type {{ board: number[], tile: number }[]} */
  let film = [];
  let at = 0;
  let timer = 0;
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {HTMLInputElement | null} */
  let slider = null;
  /** @type {HTMLButtonElement | null} */
  let play = null;

  /** @param {number} [move] the move to show */
  function solve(move = 0) {
    problem.hidden = true;
    total.begin();
    result.hidden = true;
    find.textContent = t("Stop");
    say(t("Solving."));
    begun = stopping = false;
    end = follow({ ...lab.task, method: method.value, limits: { seconds: 30 } }, {
      started: () => { begun = true; },
      progress: (now) => stopping || total.running(now),
      report: (found) => {
        ended();
        report = found;
        total.ended(found, 0);
        show(found).then(() => move > 0 && film.length > 0 && go(move));
      },
      problem: (error) => {
        ended();
        total.clear();
        problem.textContent = error.text;
        problem.hidden = false;
      },
    });
  }

  function ended() {
    end = null;
    find.textContent = t("Solve");
  }

  /** Ends the search, with what it has found; another press does not wait for that. */
  function stop() {
    const waits = begun && !stopping;
    stopping = true;
    end?.(waits);
    if (!waits) ended();
    total.stopped();
    say(t("Stopped."));
  }

  /** @param {Report} found */
  async function show(found) {
    result.hidden = false;
    if (found.moves === null) {
      const words = found.outcome === "stopped" ? t("No solution found: {reason}. Any solution takes at least {lower_bound} moves.", { reason: reason(found), lower_bound: number(found.lower_bound) }) : t("Unsolvable: see the proof under 'Solvable?'.");
      result.replaceChildren(make("p", { class: "score wrong" }, words));
      say(words);
      return;
    }
    film = frames(found.puzzle.start, found.puzzle.cols, found.moves) ?? [];
    lab.dispatchEvent(new Event("helped"));
    at = 0;
    lab.keep({ sol: "1", sv: "" });
    const gap = found.optimal ? t("Optimal: no solution is shorter") : t("Not proven optimal; at least {lower_bound} are needed", { lower_bound: number(found.lower_bound) });
    const heading = t("Solved in {depth}", { depth: count(found.depth ?? 0, "move") });
    const tile = (await post("convert", { board: written(lab.board, lab.cols), moves: found.moves, from: "blank", to: "tile" }).catch(() => ({ moves: "" }))).moves;
    const names = letters(found.moves);
    buttons = names.map((name, index) => make("button", { onclick: () => go(index + 1), "aria-label": t("Move {index}: {name}", { index: index + 1, name }) }, name));
    slider = make("input", { type: "range", min: 0, max: film.length - 1, value: 0, "aria-label": t("Move"), oninput: () => go(Number(slider?.value)) });
    play = dressed(make("button", { class: "primary", onclick: () => (timer ? pause() : run()) }), "play", t("Play|steps"), t("Play|steps"));
    const copy = (/** @type {string} */ text, /** @type {string} */ what) => {
      const button = make("button", { onclick: () => copied(button, text, what) }, t("Copy {what}", { what }));
      return button;
    };
    result.replaceChildren(
      make("h3", { class: "verdict-big yes" }, heading),
      make("p", {}, t("{gap}. {method}: {expanded} expanded.", { gap, method: found.method, expanded: count(found.counts.expanded, "node") })),
      ...(found.notes ?? []).map((note) => make("p", { class: "note" }, sentence(opening(note)))),
      make("div", { class: "transport" }, dressed(make("button", { onclick: () => go(at - 1) }), "back", t("Step back"), t("Back")), play, dressed(make("button", { onclick: () => go(at + 1) }), "step", t("Step"), t("Step")), make("span", { class: "slide" }, slider)),
      make("ol", { class: "movelist", "aria-label": t("Moves") }, ...buttons.map((button) => make("li", {}, button))),
      make("dl", {}, make("dt", {}, t("Named after where the blank goes")), make("dd", { class: "moves-text", id: "moves-blank" }, found.moves || t("none")), make("dt", {}, t("Named after the tiles")), make("dd", { class: "moves-text", id: "moves-tile" }, tile || t("none"))),
      make("div", { class: "row" }, copy(found.moves, t("moves")), copy(tile, t("tile moves")),
        make("button", { onclick: () => download("solution.svg", "image/svg+xml", strip()) }, t("Export SVG")),
        make("button", { onclick: () => download("solution.json", "application/json", `${JSON.stringify(found, null, 2)}\n`) }, t("Export JSON")),
        make("button", { onclick: trace }, t("Export trace"))),
    );
    say(`${heading}, ${gap}.`);
  }

  /** @param {number} to @param {boolean} [own] whether a person asked for it */
  function go(to, own = true) {
    if (own) pause();
    at = Math.min(Math.max(to, 0), film.length - 1);
    const frame = film[at];
    if (!frame) return;
    project(frame.board, frame.tile || null);
    if (slider) slider.value = String(at);
    buttons.forEach((button, index) => button.setAttribute("aria-current", String(index === at - 1)));
    lab.settings.sv = at ? String(at) : "";
    if (own) lab.tell("settings");
    if (own) say(at === 0 ? t("The start.") : t("Move {at} of {film}: tile {tile}.", { at, film: film.length - 1, tile: frame.tile }));
  }

  function run() {
    if (at >= film.length - 1) go(0, false);
    if (play) dressed(play, "pause", t("Pause"), t("Pause"));
    const step = () => {
      go(at + 1, false);
      timer = at < film.length - 1 ? setTimeout(step, still() ? 900 : 420) : 0;
      if (!timer) pause();
    };
    timer = setTimeout(step, 200);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    if (play) dressed(play, "play", t("Play|steps"), t("Play|steps"));
  }

  /** @param {HTMLButtonElement} button @param {string} text @param {string} what */
  async function copied(button, text, what) {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t("Copied");
      say(t("Copied the {what}.", { what }));
    } catch {
      button.textContent = t("Select the moves instead");
      say(t("The browser does not allow copying here: select the moves instead."));
    }
    setTimeout(() => { button.textContent = t("Copy {what}", { what }); }, 2500);
  }

  /** Every board on the way, as a picture. */
  function strip() {
    const { rows, cols } = lab;
    const [cell, gap, across] = [30, 26, Math.max(1, Math.min(film.length, Math.floor(1000 / (cols * 30 + 26))))];
    const [w, h] = [cols * cell + gap, rows * cell + gap + 14];
    const down = Math.ceil(film.length / across);
    const boards = film.map(({ board, tile }, index) => {
      const [x, y] = [(index % across) * w + gap / 2, Math.floor(index / across) * h + gap];
      const cells = board.map((value, place) => {
        if (value === 0) return "";
        const [cx, cy] = [x + (place % cols) * cell, y + rowOf(place, cols) * cell];
        return `<rect x="${cx + 1}" y="${cy + 1}" width="${cell - 2}" height="${cell - 2}" rx="4" fill="${value === tile ? "#1f5599" : "#fdfcf8"}" stroke="#c9c5b8"/><text x="${cx + cell / 2}" y="${cy + cell / 2 + 5}" text-anchor="middle" fill="${value === tile ? "#fff" : "#1d2126"}">${value}</text>`;
      });
      return `<text x="${x}" y="${y - 6}" fill="#565d66" font-size="11">${index === 0 ? "start" : index}</text><rect x="${x - 2}" y="${y - 2}" width="${cols * cell + 4}" height="${rows * cell + 4}" rx="6" fill="#e6e4dc"/>${cells.join("")}`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${across * w + gap}" height="${down * h + gap}" font-family="system-ui, sans-serif" font-size="14" font-weight="600"><rect width="100%" height="100%" fill="#fff"/>${boards.join("\n")}</svg>\n`;
  }

  /** The steps of the search that found it. auto consists of several searches, so A* is shown instead. */
  function trace() {
    /** @type {Step[]} */
    const events = [];
    let left = 0;
    const told = method.value.startsWith("auto") ? "astar:manhattan" : method.value;
    follow({ puzzle: report?.puzzle ?? lab.puzzle, method: told, limits: { seconds: 20, traced: TRACED } }, {
      steps: (steps) => events.push(...steps),
      omitted: (expansions) => { left = expansions; },
      report: (found) => {
        const lines = events.map((event) => JSON.stringify(event));
        if (left > 0) lines.push(JSON.stringify({ event: "omitted", expansions: left }));
        download("trace.jsonl", "application/jsonl", `${[...lines, JSON.stringify({ event: "report", ...found })].join("\n")}\n`);
      },
      problem: (error) => {
        problem.textContent = error instanceof Problem ? error.text : String(error);
        problem.hidden = false;
      },
    });
  }

  lab.addEventListener("restored", () => {
    if (lab.settings.sm) method.value = lab.settings.sm;
    if (lab.settings.sol) solve(Number(lab.settings.sv) || 0);
  });
  for (const what of ["puzzle", "board"]) {
    lab.addEventListener(what, () => {
      end?.();
      ended();
      pause();
      report = null;
      film = [];
      delete lab.settings.sol;
      delete lab.settings.sv;
      total.clear();
      result.hidden = true;
    });
  }
}
