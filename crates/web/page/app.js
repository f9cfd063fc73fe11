// The laboratory: what is on the page, put together.

import { controls } from "./controls.js";
import { byId, make, say } from "./dom.js";
import { lab } from "./lab.js";
import { LANGUAGES, choose, language, speak, t } from "./language.js";
import { courses, methods } from "./methods.js";
import { restore, sayDamaged, share } from "./share.js";

await speak();

const TABS = ["play", "search", "race", "solution", "solvable", "space", "lessons"];

/** Shows one of the panels. @param {string} name @param {boolean} [own] whether a person asked for it */
function open(name, own = true) {
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
    byId(`panel-${tab}`).hidden = tab !== name;
  }
  document.documentElement.dataset.panel = name;
  // On a small screen the row of tabs is longer than the screen.
  const [row, tab] = [byId("tabs"), byId(`tab-${name}`)];
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  lab.dispatchEvent(new Event("opened"));
  if (own) {
    lab.keep({ t: name });
    say(byId(`tab-${name}`).textContent ?? "");
    if (innerWidth < 960 && name !== "play") byId("view").scrollIntoView({ block: "start" });
  }
}

for (const [index, tab] of TABS.entries()) {
  const button = byId(`tab-${tab}`);
  button.addEventListener("click", () => open(tab));
  button.addEventListener("keydown", (event) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = TABS[(to + TABS.length) % TABS.length] ?? tab;
    open(next);
    byId(`tab-${next}`).focus();
  });
}

/** Light, dark, or as the system has it. @param {string | null} theme */
function paint(theme) {
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? t("Light") : t("Dark");
  byId("theme").setAttribute("aria-label", dark ? t("Change to light") : t("Change to dark"));
}

/** The choice is kept where the browser allows it. */
const kept = {
  get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (/** @type {string} */ theme) => { try { localStorage.setItem("theme", theme); } catch { /* it is for this time only */ } },
};
paint(kept.get());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paint(kept.get()));
byId("theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  kept.set(next);
  delete lab.settings.th;
  paint(next);
  say(next === "dark" ? t("The page is dark now.") : t("The page is light now."));
});
const languages = /** @type {HTMLSelectElement} */ (byId("language"));
languages.append(...Object.entries(LANGUAGES).map(([name, title]) => make("option", { value: name, lang: name }, title)));
languages.value = language;
languages.addEventListener("change", () => choose(languages.value));
byId("help").addEventListener("click", () => /** @type {HTMLDialogElement} */ (byId("keys")).showModal());

controls(open);
share();
if (!restore()) {
  lab.tell("puzzle");
  sayDamaged(t("This is the usual puzzle instead."));
}
/** The panel and the theme of the link; a page within another has one panel. */
function arrange() {
  const { t: tab, th } = lab.settings;
  const { embed } = document.documentElement.dataset;
  open(embed === "tree" ? "search" : embed === "race" ? "race" : (TABS.find((one) => one === tab) ?? "search"), false);
  if (th === "dark" || th === "light") paint(th);
}
arrange();
lab.addEventListener("restored", arrange);
// The board is there at once; what is done with it follows.
const [{ lessons }, { play }, { search }, { race }, { solution }, { solvable }, { space }] = await Promise.all([import("./lessons.js"), import("./play.js"), import("./search.js"), import("./race.js"), import("./solution.js"), import("./solvable.js"), import("./space.js")]);
play();
solvable();
search();
race();
solution();
space();
lessons();
if (location.hash.length > 1) lab.dispatchEvent(new Event("restored"));
// Ready: a search can be started, and nothing that comes later changes what is typed.
await Promise.allSettled([methods, courses]);
document.documentElement.dataset.ready = String(Math.round(performance.now()));
