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

/**
 * Keeps a bar in one row: what has no room goes to a menu, in this order, and comes back when there is room.
 * @param {HTMLElement} bar
 * @param {HTMLElement} menu
 * @param {HTMLElement[]} leaving
 */
export function oneRow(bar, menu, leaving) {
  // The places in the bar, whatever stands there.
  const places = leaving.map((one) => {
    const place = document.createComment("");
    one.after(place);
    return place;
  });
  const middle = (/** @type {HTMLElement} */ one) => one.offsetTop + one.offsetHeight / 2;
  /** Whether all of it is side by side, but what has a row of its own on a small screen. */
  const fits = () => {
    const seen = /** @type {HTMLElement[]} */ ([...bar.children]).filter((one) => one.offsetHeight > 4 && getComputedStyle(one).flexBasis !== "100%");
    return bar.scrollWidth <= bar.clientWidth && seen.every((one) => Math.abs(middle(one) - middle(seen[0] ?? one)) < 8);
  };
  function fit() {
    const focused = document.activeElement;
    leaving.forEach((one, at) => one.parentNode === menu && places[at]?.before(one));
    for (const one of leaving) {
      if (fits()) break;
      menu.append(one);
    }
    menu.hidden = menu.childElementCount === 0;
    if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus({ preventScroll: true });
  }
  let due = 0;
  const seen = new ResizeObserver(() => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(fit);
  });
  for (const one of [bar, ...bar.children]) seen.observe(one);
}
