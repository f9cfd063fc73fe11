// How a whole search stands: while it runs, and at its end.

import { count, decimal, make, number } from "./dom.js";
import { t } from "./language.js";
import { measured } from "./words.js";

/** @import { Replay } from "./replay.js" */
/** @import { Progress, Report } from "./types.js" */

/** @param {number} seconds */
export const time = (seconds) => (seconds < 1 ? `${decimal(seconds * 1000, seconds < 0.01 ? 2 : 0)} ms` : `${decimal(seconds, 1)} s`);

/** Words with a full stop. @param {string} words */
export const sentence = (words) => (words.endsWith(".") ? words : `${words}.`);

/** Whether what a search makes small is the number of moves. @param {Report} report */
const isUnit = ({ cost, depth }) => cost === depth;

/** How long a solution is: its moves, and what they cost if that is something else. @param {Report} report */
export const length = (report) => (isUnit(report) ? count(report.depth ?? 0, "move") : t("cost {cost} ({moves})", { cost: number(report.cost), moves: count(report.depth ?? 0, "move") }));

/** The proven facts about a solution: there may be a shorter one than the cheapest. @param {Report} report */
export const proven = (report) => (isUnit(report) ? (report.optimal ? t("optimal") : t("not proven optimal")) : report.optimal ? t("cheapest") : t("not proven cheapest"));

/** How a search ended, in a line. @param {Report} report */
export function outcome(report) {
  if (report.outcome === "solved") return `${length(report)}, ${proven(report)}`;
  if (report.outcome === "unsolvable") return t("Unsolvable: nothing is searched.");
  if (report.outcome === "exhausted") return t("Unsolvable: everything was looked at.");
  return t("Stopped: {reason}.", { reason: reason(report) });
}

/** Why a search found nothing. @param {Report} report */
export function reason({ reason, counts }) {
  // A board that was met deeper before is not looked at again.
  if (reason === "depth" && counts.dropped_cheaper > 0) return t("{paths} dropped at the limit on depth, so solutions may have been missed", { paths: count(counts.dropped_cheaper, "cheaper path was", "cheaper paths were") });
  const reasons = /** @type {Record<string, string>} */ ({ time: t("the time was up"), memory: t("the memory was full"), expanded: t("the limit on nodes was reached"), beam: t("the beam ended"), depth: t("everything within the depth was looked at"), tables: t("a table that the method needs is missing"), cancelled: t("cancelled") });
  return reasons[reason ?? ""] ?? reason ?? "";
}

/** The figures of a search at its step. @param {Replay | null} replay @param {Report | null} report @param {number} omitted the expansions that are not replayed */
export function standing(replay, report, omitted) {
  const list = /** @type {[string, string][]} */ ([
    [t("expanded"), number(replay?.expanded)],
    ...(replay?.deepens ? [[t("at this threshold"), number(replay.expandedHere)]] : []),
    [t("generated"), number(replay?.generated)],
    [replay?.deepens ? t("within the threshold") : replay?.forgets ? t("kept along the path") : replay?.meets ? t("open, from the start and the goal") : t("open"), replay?.meets ? `${number(replay.waitingOn(false).length)} + ${number(replay.waitingOn(true).length)}` : number(replay?.waiting)],
  ]);
  if (replay?.policy.k) list.push([t("cut by the beam"), number(replay.discarded)]);
  if (replay?.bound !== null && replay?.bound !== undefined) list.push([replay.deepens ? t("threshold") : replay.meets ? t("at least") : t("layer {layerName}", { layerName: measured(replay.layerName) }), number(replay.bound)]);
  // A search that is longer than what is replayed does not end here.
  if (report && (replay?.step ?? 0) >= (replay?.steps ?? 0)) list.push(omitted > 0 ? [t("replayed"), t("{expanded} of {expanded2}", { expanded: number(replay?.expanded), expanded2: count(report.counts.expanded, "expansion") })] : [t("end"), outcome(report)]);
  return list;
}

/** A line and a list of figures, empty until a search begins. */
export function whole() {
  const line = make("p", { class: "score" });
  const list = make("dl", { class: "figures totals" });
  const element = make("div", { class: "whole", role: "group", "aria-label": t("The whole search"), hidden: true }, line, list);
  /** The last message, and the one a second or so before. @type {Progress[]} */
  let told = [];
  /** Whether moves cost one each, whether the search reports its steps, which takes most of its time, and which figures of a course are times. */
  let about = { isUnit: true, tells: false, times: /** @type {string[]} */ ([]) };
  const measure = (/** @type {number} */ cost) => (about.isUnit ? count(cost, "move") : t("cost {cost}", { cost: number(cost) }));

  /** @param {string} words @param {[string, string][]} figures */
  const show = (words, figures) => {
    element.hidden = false;
    line.textContent = words;
    list.replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  };

  /** @param {Progress} now @param {boolean} [timed] @returns {[string, string][]} */
  const figures = (now, timed = true) => {
    const before = told.find(({ seconds, expanded }) => now.seconds - seconds <= 1.2 && expanded <= now.expanded) ?? now;
    const passed = now.seconds - before.seconds;
    const rate = passed > 0.05 ? (now.expanded - before.expanded) / passed : now.seconds > 0 ? now.expanded / now.seconds : 0;
    return [
      [t("expanded"), number(now.expanded)], ...(timed ? /** @type {[string, string][]} */ ([[t("a second"), number(Math.round(rate))]]) : []), [t("generated"), number(now.generated)], [t("open list"), number(now.frontier)],
      ...(now.best === undefined ? [] : /** @type {[string, string][]} */ ([[t("best so far"), measure(now.best)]])),
      [t("at least"), measure(now.bound)], ...(timed ? /** @type {[string, string][]} */ ([[t("time"), time(now.seconds)]]) : []),
    ];
  };

  return {
    element,
    begin(search = { isUnit: true, tells: false, times: /** @type {string[]} */ ([]) }) {
      told = [];
      about = search;
      show(t("Searching .."), [[t("expanded"), "0"], [t("time"), time(0)]]);
    },
    /** @param {Progress} progress */
    running(progress) {
      told = [...told.filter(({ seconds }) => progress.seconds - seconds <= 1.2), progress];
      show(t("Searching .."), figures(progress));
    },
    /** Earlier counts stay. */
    stopped() {
      const last = told[told.length - 1];
      show(t("Stopped by you."), last ? figures(last, !about.tells) : []);
    },
    /** @param {Report} report @param {number} replayed the expansions that can be stepped through */
    ended(report, replayed) {
      const { counts } = report;
      const left = counts.expanded - replayed;
      const words = left > 0 && replayed > 0 ? t(" The first {replayed} of {expanded} can be stepped through; the others are counted.", { replayed: number(replayed), expanded: count(counts.expanded, "expansion") }) : "";
      show(`${report.method}: ${sentence(outcome(report))}${words}`, [
        [t("expanded"), number(counts.expanded)], [t("generated"), number(counts.generated)], [t("longest open list"), number(counts.frontier_peak)],
        ...(counts.reopened ? /** @type {[string, string][]} */ ([[t("reopened"), number(counts.reopened)]]) : []),
        ...(report.outcome === "stopped" ? /** @type {[string, string][]} */ ([[t("at least"), measure(report.lower_bound ?? 0)]]) : []),
        // The race measures: telling the steps takes longer than the search.
        ...(about.tells ? [] : /** @type {[string, string][]} */ ([[t("time"), time(report.seconds)]])),
        ...Object.entries(report.course ?? {}).filter(([name]) => !about.tells || !about.times.includes(name)).map(([name, value]) => /** @type {[string, string]} */ ([`${report.as}: ${name}`, typeof value === "number" ? number(value) : String(value)])),
      ]);
    },
    clear() {
      element.hidden = true;
      told = [];
    },
  };
}
