// The parts unfolded next to and above a search, which the browser keeps. The page has it before it
// is painted (theme.js).

import { make } from "./dom.js";

const KEY = "taquin.open";
const root = document.documentElement;

/** @param {string} name */
const isOpen = (name) => (root.dataset.open ?? "").split(" ").includes(name);

/**
 * A button that unfolds a part of the page, and folds it again.
 * @param {string} name
 * @param {string} text
 * @param {HTMLElement | null} part
 */
export function unfolding(name, text, part) {
  const button = make("button", { class: "unfolds", "aria-expanded": String(isOpen(name)), ...(part ? { "aria-controls": part.id } : {}), onclick: () => {
    const others = (root.dataset.open ?? "").split(" ").filter((one) => one && one !== name);
    root.dataset.open = [...others, ...(isOpen(name) ? [] : [name])].join(" ");
    button.setAttribute("aria-expanded", String(isOpen(name)));
    try {
      localStorage.setItem(KEY, root.dataset.open);
    } catch { /* it is for this time only */ }
  } }, text);
  return button;
}
