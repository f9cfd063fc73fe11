// A race's winner, and the places for the names of its lines. Nothing here touches the page.

import { count, listed } from "./dom.js";
import { t } from "./language.js";
import { length, time } from "./whole.js";

/** @import { Report } from "./types.js" */

/** Times that differ by less than this many seconds are equal: another race would have them the other way round. */
const EQUAL = 0.001;

/**
 * The winner, in a sentence or two.
 * @param {{ name: string, report: Report | null }[]} lanes
 * @param {boolean} isEven whether all had the same number of expansions per second
 */
export function verdict(lanes, isEven) {
  const solved = lanes.flatMap(({ name, report }) => (report?.outcome === "solved" ? [{ name, report }] : []));
  const [one] = solved;
  if (!one) return lanes.every(({ report }) => report?.outcome === "unsolvable") ? t("The puzzle is unsolvable: nothing was searched.") : t("No method found a solution.");
  const names = (/** @type {{ name: string }[]} */ lanes) => listed(lanes.map(({ name }) => name));
  const best = solved.reduce((a, b) => ((a.report.cost ?? 0) <= (b.report.cost ?? 0) ? a : b), one).report;
  const quickest = Math.min(...solved.map(({ report }) => report.seconds));
  const first = solved.filter(({ report }) => report.seconds < quickest + EQUAL);
  const fewest = Math.min(...solved.map(({ report }) => report.counts.expanded));
  const least = solved.filter(({ report }) => report.counts.expanded === fewest);
  const longer = solved.filter(({ report }) => (report.cost ?? 0) > (best.cost ?? 0));
  const out = lanes.filter(({ report }) => report?.outcome !== "solved");
  return [
    isEven ? t("First, after {expansions}: {names}.", { expansions: count(fewest, "expansion"), names: names(least) }) : first.length > 1 ? t("Equally fast, within a millisecond: {names}.", { names: names(first) }) : t("{first} was first, in {seconds}.", { first: names(first), seconds: time(quickest) }),
    isEven ? "" : t("{least} expanded least: {expanded}.", { least: names(least), expanded: count(fewest, "node") }),
    longer.length ? t("{name} found a longer way than {best}.", { name: names(longer), best: length(best) }) : t("All that finished found {best}.", { best: length(best) }),
    out.length ? t("{name} found none within the limits.", { name: names(out) }) : "",
  ].filter(Boolean).join(" ");
}

/**
 * Places for names at the right of a chart: in the order of the lines, a gap apart, and as near to them as that allows.
 * @param {number[]} wanted
 * @param {number} gap
 * @param {number} lowest the greatest place that there is
 */
export function spread(wanted, gap, lowest) {
  const order = wanted.map((_, at) => at).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  /** Names that touch, and the first one's place. @type {{ names: number[], top: number }[]} */
  const groups = [];
  for (const name of order) {
    let group = { names: [name], top: wanted[name] ?? 0 };
    for (let above = groups.at(-1); above && above.top + gap * above.names.length > group.top; above = groups.at(-1)) {
      groups.pop();
      const names = [...above.names, ...group.names];
      const middle = names.reduce((sum, one) => sum + (wanted[one] ?? 0), 0) / names.length;
      group = { names, top: middle - (gap * (names.length - 1)) / 2 };
    }
    group.top = Math.max(gap, Math.min(group.top, lowest - gap * (group.names.length - 1)));
    groups.push(group);
  }
  const places = [...wanted];
  for (const { names, top } of groups) names.forEach((name, at) => { places[name] = top + gap * at; });
  return places;
}
