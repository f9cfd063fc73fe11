// Choosing a method: by name, or by its spelling.

import { get } from "./api.js";
import { make } from "./dom.js";
import { engine } from "./engine.js";
import { t } from "./language.js";

/** @import { Course, Methods } from "./types.js" */

/** @type {Promise<Methods>} */
export const methods = get("methods");
/** @type {Promise<Course[]>} */
export const courses = get("courses");

/** The titles of the algorithms, once they are known. @type {Map<string, string>} */
const titles = new Map();
/** The algorithms that have no steps to show. Those from both ends have steps, but no frontier that explains them. @type {Set<string>} */
const stepless = new Set();
methods.then(({ algorithms }) => algorithms.forEach(({ name, title, has_steps, has_both_ends }) => {
  titles.set(name, title);
  if (!has_steps && !has_both_ends) stepless.add(name);
}), () => {});

/** Whether the search of a method, or of a course's, can be shown step by step. @param {{ as?: string, method: string }} task @param {Course[]} courses */
export function hasSteps({ as, method }, courses) {
  const own = courses.find(({ name }) => name === as)?.methods.find(({ names }) => names.includes(method));
  return !stepless.has((own?.method ?? method).trim().split(/[:,]/)[0] ?? "");
}

/** A method's name, for people. @param {string} spelling */
export function title(spelling) {
  const [head = "", ...fields] = spelling.split(",");
  const [name = "", heuristic] = head.split(":");
  return [engine(titles.get(name) ?? name), heuristic, ...fields].filter(Boolean).join(", ");
}

/**
 * Selects for the algorithm and the heuristic, and a field with the spelling of both.
 * @param {{ value: string, stepped: boolean, label: string, changed: (value: string) => void }} options
 */
export function picker({ value, stepped, label, changed }) {
  const algorithm = make("select", {});
  const heuristic = make("select", {});
  const spelling = make("input", { spellcheck: "false", autocomplete: "off", size: 24 });
  const heuristicLabel = make("label", {}, `${t("Heuristic")} `, heuristic);
  const rules = make("div", { class: "fields" });
  const full = make("label", {}, `${t("Spelling")} `, spelling);
  const rulesCard = make("details", { class: "rules", hidden: true, ontoggle: () => showRules() }, make("summary", {}, t("Rules: ties, order, goal test, duplicates")), rules);
  const element = make("div", { role: "group", "aria-label": label }, make("div", { class: "fields" }, make("label", {}, `${t("Method")} `, algorithm), heuristicLabel, ...(stepped ? [] : [full])));
  /** @type {Methods | null} */
  let known = null;

  const show = () => {
    const head = value.split(",")[0] ?? "";
    const [name = "", estimate = "manhattan"] = head.split(":");
    const own = known?.algorithms.find((one) => one.name === name);
    if (own && ![...algorithm.options].some((option) => option.value === name)) algorithm.append(make("option", { value: name, title: engine(own.about) }, engine(own.title)));
    algorithm.value = name;
    heuristicLabel.hidden = !own?.takes_heuristic;
    if (known && ![...heuristic.options].some((option) => option.value === estimate)) heuristic.append(make("option", { value: estimate }, estimate));
    heuristic.value = estimate;
    spelling.value = value;
    // Paper has no fields, but the name.
    element.dataset.method = value;
    rulesCard.hidden = !own?.fields.some((field) => known?.fields[field]);
    showRules();
  };

  /** A choice for each rule of the method; the first one is the method's own. */
  function showRules() {
    if (!rulesCard.open || !known) return;
    const [head = "", ...given] = value.split(",");
    const own = known.algorithms.find((one) => one.name === head.split(":")[0]);
    const chosen = new Map(given.map((field) => /** @type {[string, string]} */ (field.split("="))));
    const focused = document.activeElement instanceof HTMLElement && rules.contains(document.activeElement) ? document.activeElement.dataset.rule : undefined;
    rules.replaceChildren(...(own?.fields ?? []).filter((field) => known?.fields[field]).map((field) => {
      const select = make("select", { "data-rule": field, onchange: () => {
        chosen.delete(field);
        if (select.value) chosen.set(field, select.value);
        set([head, ...[...chosen].map(([name, one]) => `${name}=${one}`)].join(","));
      } }, make("option", { value: "" }, t("as usual")), ...(known?.fields[field] ?? []).map((one) => make("option", {}, one)));
      select.value = chosen.get(field) ?? "";
      return make("label", {}, `${field} `, select);
    }));
    if (focused) rules.querySelector(/** @type {"select"} */ (`[data-rule="${focused}"]`))?.focus();
  }
  const set = (/** @type {string} */ next) => {
    value = next;
    show();
    changed(value);
  };
  const compose = () => {
    const own = known?.algorithms.find((one) => one.name === algorithm.value);
    const usual = heuristic.value || "manhattan";
    const estimate = own?.needs_databases && !usual.includes("pdb=") ? "zpdb=small" : usual;
    set(own?.takes_heuristic ? `${algorithm.value}:${estimate}` : algorithm.value);
  };
  algorithm.addEventListener("change", compose);
  heuristic.addEventListener("change", compose);
  spelling.addEventListener("change", () => set(spelling.value.trim()));
  methods.then((all) => {
    known = all;
    algorithm.replaceChildren(...all.algorithms.filter((one) => one.has_steps || one.has_both_ends || !stepped).map((one) => make("option", { value: one.name, title: engine(one.about) }, engine(one.title))));
    heuristic.replaceChildren(...all.heuristics.map((one) => make("option", { value: one.name, title: engine(one.about) }, one.name)));
    // Text that is being typed stays.
    const typed = spelling.value;
    show();
    spelling.value = typed;
  }, () => {});
  show();
  return {
    element,
    /** The spelling and the rules: where a search is shown, they are apart from the rest. */
    full,
    rules: rulesCard,
    get value() { return value; },
    set value(next) { value = next; show(); },
  };
}
