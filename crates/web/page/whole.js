// How a whole search stands: while it runs, and at its end.

import { count, make, number } from "./dom.js";

/** @import { Progress, Report } from "./types.js" */

/** @param {number} seconds */
export const time = (seconds) => (seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms` : `${seconds.toFixed(1)} s`);

/** How a search ended, in a line. @param {Report} report */
export function outcome(report) {
  if (report.outcome === "solved") return `${count(report.depth ?? 0, "move")}, ${report.optimal ? "optimal" : "not proven optimal"}`;
  if (report.outcome === "unsolvable") return "Unsolvable: nothing is searched.";
  if (report.outcome === "exhausted") return "Unsolvable: everything was looked at.";
  const reasons = /** @type {Record<string, string>} */ ({ time: "the time was up", memory: "the memory was full", expanded: "the limit on nodes was reached", beam: "the beam ended", depth: "everything within the depth was looked at", cancelled: "cancelled" });
  return `Stopped: ${reasons[report.reason ?? ""] ?? report.reason}.`;
}

/** A line and a list of figures, empty until a search begins. */
export function whole() {
  const line = make("p", { class: "score" });
  const list = make("dl", { class: "figures totals" });
  const element = make("div", { class: "whole", role: "group", "aria-label": "The whole search", hidden: true }, line, list);
  /** What was told last, and a second or so before. @type {Progress[]} */
  let told = [];

  /** @param {string} words @param {[string, string][]} figures */
  const show = (words, figures) => {
    element.hidden = false;
    line.textContent = words;
    list.replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  };

  /** @param {Progress} now @returns {[string, string][]} */
  const figures = (now) => {
    const before = told.find(({ seconds, expanded }) => now.seconds - seconds <= 1.2 && expanded <= now.expanded) ?? now;
    const passed = now.seconds - before.seconds;
    const rate = passed > 0.05 ? (now.expanded - before.expanded) / passed : now.seconds > 0 ? now.expanded / now.seconds : 0;
    return [
      ["expanded", number(now.expanded)], ["a second", number(Math.round(rate))], ["generated", number(now.generated)], ["frontier", number(now.frontier)],
      ...(now.best === undefined ? [] : /** @type {[string, string][]} */ ([["best so far", count(now.best, "move")]])),
      ["at least", count(now.bound, "move")], ["time", time(now.seconds)],
    ];
  };

  return {
    element,
    begin() {
      told = [];
      show("Searching ..", [["expanded", "0"], ["time", time(0)]]);
    },
    /** @param {Progress} progress */
    running(progress) {
      told = [...told.filter(({ seconds }) => progress.seconds - seconds <= 1.2), progress];
      show("Searching ..", figures(progress));
    },
    /** What was counted so far stays. */
    stopped() {
      const last = told[told.length - 1];
      show("Stopped by you.", last ? figures(last) : []);
    },
    /** @param {Report} report @param {number} replayed the expansions that can be stepped through */
    ended(report, replayed) {
      const { counts } = report;
      const left = counts.expanded - replayed;
      const words = left > 0 && replayed > 0 ? ` The first ${number(replayed)} of ${count(counts.expanded, "expansion")} can be stepped through; the others are counted.` : "";
      const ends = outcome(report);
      show(`${report.method}: ${ends}${ends.endsWith(".") ? "" : "."}${words}`, [
        ["expanded", number(counts.expanded)], ["generated", number(counts.generated)], ["largest frontier", number(counts.frontier_peak)],
        ...(counts.reopened ? /** @type {[string, string][]} */ ([["reopened", number(counts.reopened)]]) : []),
        ...(report.outcome === "stopped" ? /** @type {[string, string][]} */ ([["at least", count(report.lower_bound ?? 0, "move")]]) : []),
        ["time", time(report.seconds)],
        ...Object.entries(report.course ?? {}).map(([name, value]) => /** @type {[string, string]} */ ([`${report.as}: ${name}`, typeof value === "number" ? number(value) : String(value)])),
      ]);
    },
    clear() {
      element.hidden = true;
      told = [];
    },
  };
}
