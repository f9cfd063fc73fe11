// Two to four methods on the same puzzle, side by side.

import { Problem, follow } from "./api.js";
import { byId, count, draw, make, mini, number, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { picker, title } from "./methods.js";
import { time } from "./whole.js";

/** @import { Progress, Report } from "./types.js" */

const USUAL = ["bfs", "astar:manhattan", "ida:manhattan", "greedy:manhattan"];
const MOST = 4;
/** The number of expansions between two that are shown. */
const GLIMPSES = 512;

/**
 * @typedef {object} Lane
 * @property {ReturnType<typeof picker>} method
 * @property {HTMLElement} element
 * @property {HTMLElement} state
 * @property {HTMLElement} board
 * @property {HTMLElement} figures
 * @property {[number, number, number][]} points seconds, expanded, frontier
 * @property {Report | null} report
 * @property {string | null} problem
 * @property {() => void} end
 */

export function race() {
  const panel = byId("panel-race");
  /** @type {Lane[]} */
  let lanes = [];
  let running = 0;
  let painted = 0;

  const list = make("div", { class: "lanes" });
  const add = make("button", { onclick: () => { addLane(USUAL[lanes.length] ?? "bfs"); keep(); say(count(lanes.length, "lane")); } }, t("Add a method"));
  const remove = make("button", { onclick: () => { lanes.pop()?.element.remove(); keep(); update(); say(count(lanes.length, "lane")); } }, t("Remove one"));
  const seconds = make("select", {}, ...[1, 5, 10, 30, 60].map((value) => make("option", { value }, `${value} s`)));
  seconds.value = "10";
  const nodes = make("select", {}, ...[["", t("any number")], ["10000", "10,000"], ["100000", "100,000"], ["1000000", "1,000,000"]].map(([value, text = ""]) => make("option", { value }, text)));
  seconds.addEventListener("change", keep);
  nodes.addEventListener("change", keep);
  const go = make("button", { class: "primary", onclick: () => (running ? stop() : start()) }, t("Start the race"));
  const result = make("p", { class: "score" });
  const chart = make("div", {});
  panel.append(
    make("div", { class: "card" }, make("h2", {}, t("Race")), make("p", { class: "note" }, t("The same puzzle, the same limits: who is first, who finds the optimum, who runs out?")),
      make("div", { class: "row" }, go, add, remove, make("label", { class: "inline" }, `${t("time")} `, seconds), make("label", { class: "inline" }, `${t("expansions")} `, nodes)), result),
    list,
    make("div", { class: "card" }, make("h3", {}, t("Nodes over time")), make("p", { class: "note" }, t("Full line: expanded. Dotted: the frontier. Each step of the scale is ten times the one below.")), chart),
  );

  /** @param {string} value */
  function addLane(value) {
    const number = lanes.length + 1;
    const method = picker({ value, stepped: false, label: t("Method {value}", { value: number }), changed: () => keep() });
    const state = make("p", { class: "state" }, t("ready"));
    const board = make("div", {});
    const figures = make("dl", { class: "figures" });
    const element = make("div", { class: `card lane l${number}`, role: "group", "aria-label": t("Lane {value}", { value: number }) }, method.element, state, make("div", { class: "why" }, board, figures));
    lanes.push({ method, element, state, board, figures, points: [], report: null, problem: null, end: () => {} });
    list.append(element);
    update();
  }

  function update() {
    add.disabled = running > 0 || lanes.length >= MOST;
    remove.disabled = running > 0 || lanes.length <= 2;
    go.textContent = running ? t("Stop") : t("Start the race");
    for (const lane of lanes) {
      lane.board.replaceChildren(mini(lane.points.length ? (shown.get(lane) ?? lab.board) : lab.board, lab.cols));
    }
  }

  /** What each lane is looking at. @type {Map<Lane, number[]>} */
  const shown = new Map();

  function keep() {
    lab.keep({ r: lanes.map(({ method }) => method.value).join(";"), rs: seconds.value, rn: nodes.value, rg: "" });
  }

  function start() {
    result.textContent = "";
    running = lanes.length;
    for (const lane of lanes) {
      Object.assign(lane, { points: [[0, 0, 0]], report: null, problem: null });
      shown.delete(lane);
      lane.state.textContent = t("running");
      const limits = { seconds: Number(seconds.value), glimpses: GLIMPSES, ...(nodes.value ? { expanded: Number(nodes.value) } : {}) };
      lane.end = follow({ ...lab.task, method: lane.method.value, limits }, {
        progress: (progress) => advance(lane, progress),
        report: (report) => finish(lane, report),
        problem: (problem) => fail(lane, problem),
      });
    }
    lab.keep({ rg: "1" });
    update();
    paint();
    say(t("The race has begun: {value}.", { value: lanes.map(({ method }) => title(method.value)).join(" against ") }));
  }

  function stop() {
    for (const lane of lanes) {
      if (lane.report || lane.problem) continue;
      lane.end();
      lane.state.textContent = t("stopped");
    }
    running = 0;
    update();
    say(t("The race is stopped."));
  }

  /** @param {Lane} lane @param {Progress} progress */
  function advance(lane, progress) {
    lane.points.push([progress.seconds, progress.expanded, progress.frontier]);
    // A long race keeps its shape, not every point.
    if (lane.points.length > 600) lane.points = lane.points.filter((_, at) => at % 2 === 0 || at > 590);
    if (progress.board) shown.set(lane, progress.board);
    lane.board.replaceChildren(mini(shown.get(lane) ?? lab.board, lab.cols));
    tally(lane, progress.expanded, progress.generated, progress.frontier, t("at least {bound}", { bound: number(progress.bound) }));
    paint();
  }

  /** @param {Lane} lane @param {number} expanded @param {number} generated @param {number} frontier @param {string} bound */
  function tally(lane, expanded, generated, frontier, bound) {
    const list = [[t("expanded"), number(expanded)], [t("generated"), number(generated)], [t("frontier"), number(frontier)], [t("moves"), bound]];
    lane.figures.replaceChildren(...list.map(([name = "", value = ""]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  /** @param {Lane} lane @param {Report} report */
  function finish(lane, report) {
    lane.report = report;
    const { counts, outcome, optimal, reason, depth } = report;
    lane.points.push([report.seconds, counts.expanded, counts.frontier_peak]);
    lane.state.textContent = outcome === "solved" ? `✓ ${count(depth ?? 0, "move")}${optimal ? t(", optimal") : ""}, ${time(report.seconds)}` : outcome === "stopped" ? t("✗ ran out: {reason}", { reason: { time: t("the time was up"), memory: t("the memory was full"), expanded: t("the limit on nodes") }[reason ?? ""] ?? reason }) : outcome === "unsolvable" ? t("✗ unsolvable: nothing is searched") : t("✗ unsolvable: everything was looked at");
    if (outcome === "solved") shown.set(lane, lab.goal);
    lane.board.replaceChildren(mini(shown.get(lane) ?? lab.board, lab.cols));
    tally(lane, counts.expanded, counts.generated, counts.frontier_peak, outcome === "solved" ? number(depth) : outcome === "stopped" ? t("at least {lower_bound}", { lower_bound: number(report.lower_bound) }) : "none");
    ended();
  }

  /** @param {Lane} lane @param {Problem} problem */
  function fail(lane, problem) {
    lane.problem = problem.text;
    lane.state.textContent = `✗ ${problem.text}`;
    ended();
  }

  function ended() {
    running = Math.max(0, running - 1);
    paint();
    if (running > 0) return;
    update();
    result.textContent = verdict();
    // The race was the person's own.
    say(t("The race is over. {textContent}", { textContent: result.textContent }));
  }

  /** Who won, in a sentence or two. */
  function verdict() {
    const solved = lanes.filter(({ report }) => report?.outcome === "solved");
    if (solved.length === 0) return lanes.every(({ report }) => report?.outcome === "unsolvable") ? t("The puzzle is unsolvable: nothing was searched.") : t("No method found a solution.");
    const name = (/** @type {Lane} */ lane) => title(lane.method.value);
    const best = Math.min(...solved.map(({ report }) => report?.cost ?? Infinity));
    const first = solved.reduce((a, b) => ((a.report?.seconds ?? 0) <= (b.report?.seconds ?? 0) ? a : b));
    const least = solved.reduce((a, b) => ((a.report?.counts.expanded ?? 0) <= (b.report?.counts.expanded ?? 0) ? a : b));
    const longer = solved.filter(({ report }) => (report?.cost ?? 0) > best);
    const out = lanes.filter((lane) => !solved.includes(lane));
    return [
      t("{first} was first, in {seconds}.", { first: name(first), seconds: time(first.report?.seconds ?? 0) }),
      t("{least} expanded least: {expanded}.", { least: name(least), expanded: count(least.report?.counts.expanded ?? 0, "node") }),
      longer.length ? t("{name} found a longer way than {best}.", { name: longer.map(name).join(" and "), best: count(best, "move") }) : t("All that finished found {best}.", { best: count(best, "move") }),
      out.length ? t("{name} ran out.", { name: out.map(name).join(" and ") }) : "",
    ].filter(Boolean).join(" ");
  }

  function paint() {
    cancelAnimationFrame(painted);
    painted = requestAnimationFrame(() => chart.replaceChildren(plot()));
  }

  function plot() {
    const [width, height, bottom] = [Math.min(Math.max(300, chart.clientWidth), 1100), 260, 28];
    const names = Math.min(130, width * 0.3);
    const most = Math.max(10, ...lanes.flatMap(({ points }) => points.map(([, expanded, frontier]) => Math.max(expanded, frontier))));
    const late = Math.max(0.01, ...lanes.flatMap(({ points }) => points.map(([at]) => at)));
    const decades = Math.ceil(Math.log10(most));
    // The greatest number has to fit.
    const left = 16 + 7.5 * number(10 ** decades).length;
    const x = (/** @type {number} */ at) => left + (at / late) * (width - left - names);
    const y = (/** @type {number} */ value) => height - bottom - (Math.log10(Math.max(1, value)) / decades) * (height - bottom - 14);
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Expanded nodes and frontier of each method over time; the lanes above have the figures") });
    for (let decade = 0; decade <= decades; decade++) {
      svg.append(draw("line", { class: "axis", x1: left, x2: width - names, y1: y(10 ** decade), y2: y(10 ** decade) }), draw("text", { x: left - 8, y: y(10 ** decade) + 4, "text-anchor": "end" }, number(10 ** decade)));
    }
    svg.append(draw("text", { x: left, y: height - 6 }, "0"), draw("text", { x: x(late), y: height - 6, "text-anchor": "end" }, time(late)));
    /** Names beside the ends, none on another. @type {number[]} */
    const taken = [];
    lanes.forEach(({ points, method }, at) => {
      const last = points[points.length - 1];
      if (!last || points.length < 2) return;
      const line = (/** @type {1 | 2} */ which) => points.map((point, index) => `${index ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[which]).toFixed(1)}`).join("");
      svg.append(draw("path", { class: `frontier l${at + 1}`, d: line(2) }), draw("path", { class: `l${at + 1}`, d: line(1) }));
      let place = y(last[1]) + 4;
      while (taken.some((other) => Math.abs(other - place) < 14)) place += 14;
      taken.push(place);
      svg.append(draw("text", { class: `l${at + 1}`, x: x(last[0]) + 8, y: place }, method.value.slice(0, 18)));
    });
    return svg;
  }

  /** As the link says. */
  function restore() {
    const { r, rs, rn, rg } = lab.settings;
    lanes.forEach(({ element }) => element.remove());
    lanes = [];
    (r ? r.split(";").slice(0, MOST) : USUAL.slice(0, 2)).forEach(addLane);
    while (lanes.length < 2) addLane("bfs");
    if (rs) seconds.value = rs;
    if (rn) nodes.value = rn;
    // A race that was run is run again: its times are those of this machine.
    if (rg) start();
  }

  lab.addEventListener("restored", restore);
  for (const what of ["puzzle", "board"]) {
    lab.addEventListener(what, () => {
      for (const lane of lanes) {
        lane.end();
        Object.assign(lane, { points: [], report: null, problem: null });
        lane.state.textContent = t("ready");
        lane.figures.replaceChildren();
      }
      shown.clear();
      running = 0;
      delete lab.settings.rg;
      result.textContent = "";
      update();
      paint();
    });
  }
  // A link is read when everything is there.
  if (location.hash.length <= 1) restore();
  paint();
}
