// Two to four methods on the same puzzle, side by side.

import { Problem, follow } from "./api.js";
import { byId, count, draw, listed, make, mini, number, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { picker, title } from "./methods.js";
import { Replay } from "./replay.js";
import { spread, verdict } from "./verdict.js";
import { length, proven, reason, time } from "./whole.js";

/** @import { Progress, Report } from "./types.js" */

const USUAL = ["bfs", "astar:manhattan", "ida:manhattan", "greedy:manhattan"];
const MOST = 4;
/** The number of expansions between two that are shown. */
const GLIMPSES = 512;
/** The most expansions of each method at an equal pace: all of them are replayed. */
const REPLAYED = 10_000;

/**
 * @typedef {object} Lane
 * @property {ReturnType<typeof picker>} method
 * @property {HTMLElement} element
 * @property {HTMLElement} state
 * @property {HTMLElement} board
 * @property {HTMLElement} figures
 * @property {[number, number, number][]} points seconds (at an equal pace, expansions), expanded, frontier
 * @property {Replay | null} replay at an equal pace, what the search did
 * @property {Report | null} told at an equal pace, the end of the search, which the race may not have reached
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
  /** Expansions per second that each method makes, 0 if each is as fast as it can. */
  let pace = 0;
  /** At an equal pace: the most expansions, those so far, and when they were counted. */
  let [most, at, counted] = [0, 0, 0];
  let frame = 0;

  const list = make("div", { class: "lanes" });
  const add = make("button", { onclick: () => { addLane(USUAL[lanes.length] ?? "bfs"); keep(); say(count(lanes.length, "lane")); } }, t("Add a method"));
  const remove = make("button", { onclick: () => { lanes.pop()?.element.remove(); keep(); update(); say(count(lanes.length, "lane")); } }, t("Remove one"));
  const seconds = make("select", {}, ...[1, 5, 10, 30, 60].map((value) => make("option", { value }, `${value} s`)));
  seconds.value = "10";
  const nodes = make("select", {}, make("option", { value: "" }, t("any|number")), ...[10_000, 100_000, 1_000_000].map((value) => make("option", { value }, number(value))));
  const rate = make("select", {}, make("option", { value: "" }, t("full|pace")), ...[10, 100, 1000].map((value) => make("option", { value }, `${number(value)}/s`)));
  rate.addEventListener("change", () => { clear(); keep(); });
  seconds.addEventListener("change", keep);
  nodes.addEventListener("change", keep);
  const go = make("button", { class: "primary", onclick: () => (running ? stop() : start()) }, t("Start the race"));
  const result = make("p", { class: "score" });
  const chart = make("div", {});
  const [about, heading, legend] = [make("p", { class: "note" }), make("h3", {}), make("p", { class: "note" })];
  panel.append(
    make("div", { class: "card" }, make("h2", {}, t("Race")), about,
      make("div", { class: "row" }, go, add, remove, make("label", { class: "inline" }, `${t("pace")} `, rate), make("label", { class: "inline" }, `${t("time")} `, seconds), make("label", { class: "inline" }, `${t("expansions")} `, nodes)), result),
    list,
    make("div", { class: "card" }, heading, legend, chart),
  );

  /** @param {string} value */
  function addLane(value) {
    const number = lanes.length + 1;
    const method = picker({ value, stepped: false, label: t("Method {value}", { value: number }), changed: () => keep() });
    const state = make("p", { class: "state" }, t("ready"));
    const board = make("div", {});
    const figures = make("dl", { class: "figures" });
    const element = make("div", { class: `card lane l${number}`, role: "group", "aria-label": t("Lane {value}", { value: number }) }, method.element, state, make("div", { class: "why" }, board, figures));
    lanes.push({ method, element, state, board, figures, points: [], replay: null, told: null, report: null, problem: null, end: () => {} });
    list.append(element);
    update();
  }

  function update() {
    add.disabled = running > 0 || lanes.length >= MOST;
    remove.disabled = running > 0 || lanes.length <= 2;
    go.textContent = running ? t("Stop") : t("Start the race");
    for (const select of [rate, seconds, nodes]) select.disabled = running > 0;
    for (const lane of lanes) {
      lane.board.replaceChildren(mini(lane.points.length ? (shown.get(lane) ?? lab.board) : lab.board, lab.cols));
    }
  }

  /** The nodes that each lane is looking at. @type {Map<Lane, number[]>} */
  const shown = new Map();

  function keep() {
    lab.keep({ r: lanes.map(({ method }) => method.value).join(";"), rs: seconds.value, rn: nodes.value, rp: rate.value, rg: "" });
  }

  function start() {
    result.textContent = "";
    running = lanes.length;
    most = Math.min(pace * Number(seconds.value), Number(nodes.value) || Infinity, REPLAYED);
    for (const lane of lanes) {
      Object.assign(lane, { points: pace ? [] : [[0, 0, 0]], replay: null, told: null, report: null, problem: null });
      shown.delete(lane);
      lane.state.textContent = t("running");
      const limits = { seconds: Number(seconds.value), ...(pace ? { traced: most, expanded: most } : { glimpses: GLIMPSES, ...(nodes.value ? { expanded: Number(nodes.value) } : {}) }) };
      lane.end = follow({ ...lab.task, method: lane.method.value, limits }, {
        problem: (problem) => fail(lane, problem),
        ...(pace
          ? {
              started: ({ policy, method }) => { lane.replay = new Replay(policy, method, most); },
              steps: (steps) => lane.replay?.add(steps),
              report: (report) => { lane.told = report; },
            }
          : { progress: (progress) => advance(lane, progress), report: (report) => finish(lane, report) }),
      });
    }
    [at, counted] = [0, performance.now()];
    cancelAnimationFrame(frame);
    if (pace) frame = requestAnimationFrame(run);
    lab.keep({ rg: "1" });
    update();
    paint();
    say(t("The race has begun: {value}.", { value: listed(lanes.map(({ method }) => title(method.value))) }));
  }

  function stop() {
    for (const lane of lanes) {
      if (!isOpen(lane)) continue;
      lane.end();
      lane.state.textContent = t("stopped");
    }
    running = 0;
    update();
    say(t("The race is stopped."));
  }

  /** Whether a lane is still in the race. @param {Lane} lane */
  const isOpen = (lane) => !lane.report && !lane.problem;

  /**
   * At an equal pace: continues with the searches' work, which is ahead of it. None gets ahead of another: all
   * wait for the one that has reported least. @param {number} now
   */
  function run(now) {
    if (!running) return;
    const open = lanes.filter(isOpen);
    // After a pause, as in a hidden tab, the race continues where it was.
    const passed = Math.min(0.1, Math.max(0, now - counted) / 1000);
    at = Math.min(at + pace * passed, ...open.map(({ told, replay }) => (told ? Infinity : (replay?.steps ?? 0))));
    counted = now;
    for (const lane of open) {
      if (lane.told && lane.told.counts.expanded <= at) finish(lane, lane.told);
      else replayed(lane, Math.floor(at));
    }
    paint();
    frame = requestAnimationFrame(run);
  }

  /** @param {Lane} lane @param {number} expansions */
  function replayed(lane, expansions) {
    const { replay, points } = lane;
    const last = points[points.length - 1]?.[1] ?? 0;
    if (!replay || last === expansions) return;
    // The scale shows each of the first expansions, of which a frame may have many.
    for (let early = last + 1; early < Math.min(expansions, 100); early++) {
      replay.seek(early);
      plotted(lane, [early, early, replay.waiting]);
    }
    replay.seek(expansions);
    plotted(lane, [expansions, expansions, replay.waiting]);
    if (replay.current) shown.set(lane, replay.current.board);
    lane.board.replaceChildren(mini(shown.get(lane) ?? lab.board, lab.cols));
    tally(lane, expansions, replay.generated, replay.waiting, number(replay.current?.depth), t("depth"));
  }

  /** @param {Lane} lane @param {[number, number, number]} point */
  function plotted(lane, point) {
    lane.points.push(point);
    // A long race keeps its shape, not every point.
    if (lane.points.length > 600) lane.points = lane.points.filter((_, at) => at % 2 === 0 || at > 590);
  }

  /** @param {Lane} lane @param {Progress} progress */
  function advance(lane, progress) {
    plotted(lane, [progress.seconds, progress.expanded, progress.frontier]);
    if (progress.board) shown.set(lane, progress.board);
    lane.board.replaceChildren(mini(shown.get(lane) ?? lab.board, lab.cols));
    tally(lane, progress.expanded, progress.generated, progress.frontier, t("at least {bound}", { bound: number(progress.bound) }));
    paint();
  }

  /** @param {Lane} lane @param {number} expanded @param {number} generated @param {number} frontier @param {string} bound @param {string} [name] */
  function tally(lane, expanded, generated, frontier, bound, name = t("moves")) {
    const list = [[t("expanded"), number(expanded)], [t("generated"), number(generated)], [t("open list"), number(frontier)], [name, bound]];
    lane.figures.replaceChildren(...list.map(([name = "", value = ""]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  /** @param {Lane} lane @param {Report} report */
  function finish(lane, report) {
    lane.report = report;
    const { counts, outcome, depth } = report;
    const took = pace ? count(counts.expanded, "expansion") : time(report.seconds);
    // The time of an equal pace is a number of expansions.
    const isTime = pace > 0 && most === pace * Number(seconds.value);
    if (pace) replayed(lane, Math.min(counts.expanded, lane.replay?.steps ?? 0));
    else lane.points.push([report.seconds, counts.expanded, counts.frontier_peak]);
    lane.state.textContent = outcome === "solved" ? `✓ ${length(report)}${report.optimal ? `, ${proven(report)}` : ""}, ${took}` : outcome === "stopped" ? t("✗ stopped: {reason}", { reason: report.reason === "expanded" && isTime ? t("the time was up") : reason(report) }) : outcome === "unsolvable" ? t("✗ unsolvable: nothing is searched") : t("✗ unsolvable: everything was looked at");
    if (outcome === "solved") shown.set(lane, lab.goal);
    lane.board.replaceChildren(mini(shown.get(lane) ?? lab.board, lab.cols));
    tally(lane, counts.expanded, counts.generated, counts.frontier_peak, outcome === "solved" ? number(depth) : outcome === "stopped" ? t("at least {lower_bound}", { lower_bound: number(report.lower_bound) }) : t("none"));
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
    result.textContent = verdict(lanes.map(({ method, report }) => ({ name: title(method.value), report })), pace > 0);
    // The race was the person's own.
    say(t("The race is over. {textContent}", { textContent: result.textContent }));
  }

  function paint() {
    cancelAnimationFrame(painted);
    painted = requestAnimationFrame(() => chart.replaceChildren(plot()));
  }

  function plot() {
    const [width, height, bottom] = [Math.min(Math.max(300, chart.clientWidth), 1100), 260, 28];
    const names = Math.min(130, width * 0.3);
    const most = Math.max(10, ...lanes.flatMap(({ points }) => points.map(([, expanded, frontier]) => Math.max(pace ? 0 : expanded, frontier))));
    const late = Math.max(pace ? 10 : 0.0001, ...lanes.flatMap(({ points }) => points.map(([at]) => at)));
    const decades = Math.ceil(Math.log10(most));
    // The greatest number has to fit.
    const left = 16 + 7.5 * number(10 ** decades).length;
    const scale = (/** @type {number} */ at) => (pace ? Math.log10(Math.max(1, at)) / Math.log10(late) : at / late);
    const x = (/** @type {number} */ at) => left + scale(at) * (width - left - names);
    const y = (/** @type {number} */ value) => height - bottom - (Math.log10(Math.max(1, value)) / decades) * (height - bottom - 14);
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": pace ? t("Open list of each method by expansions; the lanes above have the figures") : t("Expanded and open nodes of each method over time; the lanes above have the figures") });
    for (let decade = 0; decade <= decades; decade++) {
      svg.append(draw("line", { class: "axis", x1: left, x2: width - names, y1: y(10 ** decade), y2: y(10 ** decade) }), draw("text", { x: left - 8, y: y(10 ** decade) + 4, "text-anchor": "end" }, number(10 ** decade)));
    }
    for (let at = 10; pace && x(at) < x(late) - 110; at *= 10) svg.append(draw("text", { x: x(at), y: height - 6, "text-anchor": "middle" }, number(at)));
    svg.append(draw("text", { x: left, y: height - 6 }, pace ? "1" : "0"), draw("text", { x: x(late), y: height - 6, "text-anchor": "end" }, pace ? count(late, "expansion") : time(late)));
    const ends = lanes.map(({ points }) => (points.length < 2 ? null : points[points.length - 1] ?? null));
    const heights = ends.flatMap((last) => (last ? [y(last[pace ? 2 : 1])] : []));
    const places = spread(heights, 14, height - bottom);
    lanes.forEach(({ points, method }, at) => {
      const last = ends[at];
      const place = last ? places.shift() : undefined;
      if (!last || place === undefined) return;
      const line = (/** @type {1 | 2} */ which) => points.map((point, index) => `${index ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[which]).toFixed(1)}`).join("");
      if (pace) svg.append(draw("path", { class: `l${at + 1}`, d: line(2) }));
      else svg.append(draw("path", { class: `frontier l${at + 1}`, d: line(2) }), draw("path", { class: `l${at + 1}`, d: line(1) }));
      // The name stands at the side, and a thin line leads to it.
      const side = width - names + 8;
      svg.append(draw("line", { class: "axis", x1: x(last[0]), y1: y(last[pace ? 2 : 1]), x2: side - 4, y2: place }), draw("text", { class: `l${at + 1}`, x: side, y: place + 4 }, method.value.slice(0, 18)));
    });
    return svg;
  }

  /** As the link says. */
  function restore() {
    const { r, rs, rn, rp, rg } = lab.settings;
    lanes.forEach(({ element }) => element.remove());
    lanes = [];
    (r ? r.split(";").slice(0, MOST) : USUAL.slice(0, 2)).forEach(addLane);
    while (lanes.length < 2) addLane("bfs");
    const fields = /** @type {const} */ ([[seconds, rs], [nodes, rn], [rate, rp]]);
    const isDamaged = fields.some(([select, value]) => value && ![...select.options].some((option) => option.value === value)) || (r ?? "").split(";").length > MOST;
    for (const [select, value] of fields) if (value && !isDamaged) select.value = value;
    if (!rp) rate.value = "";
    clear();
    // A race that was run is run again: its times are those of this machine.
    if (isDamaged) result.textContent = t("The link is damaged: the methods or the limits of its race can't be read.");
    else if (rg) start();
  }

  /** Ends the race and forgets it. */
  function clear() {
    for (const lane of lanes) {
      lane.end();
      Object.assign(lane, { points: [], replay: null, told: null, report: null, problem: null });
      lane.state.textContent = t("ready");
      lane.figures.replaceChildren();
    }
    shown.clear();
    running = 0;
    result.textContent = "";
    pace = Number(rate.value);
    about.textContent = pace ? t("The same puzzle, and the same number of expansions a second: methods are compared, not the speed of their engines.") : t("The same puzzle, the same limits: which method is first, which finds the optimum, and which runs out of time or memory?");
    heading.textContent = pace ? t("Open list by expansions") : t("Nodes over time");
    legend.textContent = pace ? t("The open list of each method after the same number of expansions. Each step of both scales is ten times the one before.") : t("Full line: expanded. Dotted: the open list. Each step of the scale is ten times the one below.");
    update();
    paint();
  }

  lab.addEventListener("restored", restore);
  for (const what of ["puzzle", "board"]) {
    lab.addEventListener(what, () => {
      delete lab.settings.rg;
      clear();
    });
  }
  // A link is read when everything is there.
  if (location.hash.length <= 1) restore();
  paint();
}
