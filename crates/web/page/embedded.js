// One panel within another page: the reason in a line, a way to the whole page, and the host's theme.

import { byId, make } from "./dom.js";
import { lab } from "./lab.js";
import { inFull } from "./share.js";

/** The line's text, if the panel does not show it itself. */
const SAID = /** @type {Record<string, string>} */ ({ tree: "#panel-search .reasons", lesson: "#panel-search:not([hidden]) .reasons" });

export function embedded() {
  const root = document.documentElement;
  byId("embedded").hidden = false;
  const link = /** @type {HTMLAnchorElement} */ (byId("embedded-full"));
  const words = byId("embedded-words");
  const show = () => {
    link.href = inFull();
    const parts = [...document.querySelectorAll(`${SAID[root.dataset.embed ?? ""] ?? "none"} > :not(details)`)].flatMap((one) => (one.matches("ol") ? [...one.children] : [one]));
    words.textContent = parts.map((one) => one.textContent).join("; ").replace(/(because|:); /, "$1 ");
  };
  for (const what of ["board", "puzzle", "settings", "restored"]) lab.addEventListener(what, () => setTimeout(show));
  new MutationObserver(show).observe(byId("panel-search"), { childList: true, subtree: true });
  // A host may be light or dark, and change.
  addEventListener("message", ({ data }) => {
    if (data?.theme === "light" || data?.theme === "dark") root.dataset.theme = data.theme;
  });
  show();
  // The header, which has the title of the page, is not there.
  document.querySelector("main")?.prepend(make("h1", { class: "unseen" }, document.title));
}
