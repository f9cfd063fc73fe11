// The laboratory: puts the parts of the page together.

import { arrived } from "./api.js";
import { controls } from "./controls.js";
import { byId, make, say } from "./dom.js";
import { home } from "./home.js";
import { lab } from "./lab.js";
import { LANGUAGES, choose, language, speak, t } from "./language.js";
import { inFull, restore, sayDamaged, share } from "./share.js";

await speak();

const TABS = ["play", "search", "race", "solution", "solvable", "heuristic", "space", "lessons"];

const { embed } = document.documentElement.dataset;

/** Shows one of the panels. @param {string} name @param {boolean} [own] whether a person asked for it */
function open(name, own = true) {
  // A page within another has one panel. The others open next to it.
  if (own && embed) {
    lab.settings.t = name;
    window.open(inFull(), "_blank", "noopener");
    return;
  }
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    // The first page has no tab: the first of them is reached from it.
    button.tabIndex = tab === name || (name === "home" && tab === TABS[0]) ? 0 : -1;
    byId(`panel-${tab}`).hidden = tab !== name;
  }
  byId("panel-home").hidden = name !== "home";
  document.title = name === "home" ? t("taquin: how searches solve sliding-tile puzzles") : `${byId(`tab-${name}`).textContent} · taquin`;
  document.documentElement.dataset.panel = name;
  // On a small screen the row of tabs is longer than the screen.
  const [row, tab] = [byId("tabs"), byId(`tab-${name === "home" ? TABS[0] : name}`)];
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  lab.dispatchEvent(new Event("opened"));
  if (own) {
    lab.keep({ t: name });
    say(name === "home" ? document.title : (byId(`tab-${name}`).textContent ?? ""));
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
byId("home").addEventListener("click", () => open("home"));
share();
// A page without a link has a front door.
const isLink = location.hash.length > 1;
if (!isLink) lab.settings.t = "home";
if (!restore()) {
  lab.tell("puzzle");
  sayDamaged(t("This is the usual puzzle instead."));
}
/** The panel and the theme of the link; a page within another has one panel. */
function arrange() {
  const { t: tab, th } = lab.settings;
  // A lesson chooses its panel.
  const only = embed === "tree" ? "search" : embed === "lesson" ? undefined : TABS.find((one) => one === embed);
  open(only ?? (embed === "board" ? "solution" : undefined) ?? (TABS.find((one) => one === tab) ?? (tab === "home" ? "home" : "search")), false);
  if (th === "dark" || th === "light") paint(th);
}
home(open);
arrange();
lab.addEventListener("restored", arrange);
// The board is there at once; what is done with it follows. On the first page nothing else is needed, and the module for
// the first answer has the line to itself.
if (document.documentElement.dataset.panel === "home") await Promise.race([arrived, new Promise((resolve) => lab.addEventListener("opened", resolve, { once: true }))]);
const [{ courses, methods }, { lessons }, { play }, { search }, { race }, { solution }, { solvable }, { heuristic }, { space }] = await Promise.all([import("./methods.js"), import("./lessons.js"), import("./play.js"), import("./search.js"), import("./race.js"), import("./solution.js"), import("./solvable.js"), import("./heuristic.js"), import("./space.js")]);
play();
solvable();
heuristic();
search();
if (embed) (await import("./embedded.js")).embedded();
race();
solution();
space();
lessons();
if (isLink) lab.dispatchEvent(new Event("restored"));
// Ready: a search can be started, and nothing that comes later changes what is typed.
await Promise.allSettled([methods, courses]);
document.documentElement.dataset.ready = String(Math.round(performance.now()));
