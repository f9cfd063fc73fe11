// Elements, numbers and the voice of the page.

import { language, t } from "./language.js";

/**
 * The element with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return /** @type {T} */ (element);
}

/**
 * Makes an element: properties that begin with `on` are listeners, the others attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  dress(element, properties, children);
  return element;
}

/**
 * The same for pictures.
 * @param {string} name
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | null | undefined)} children
 * @returns {SVGElement}
 */
export function draw(name, properties = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", name));
  dress(element, properties, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} properties
 * @param {(Node | string | null | undefined)[]} children
 */
function dress(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
}

/**
 * Announces something to screen readers. Only the results of a person's own action are
 * announced.
 * @param {string} text
 */
export function say(text) {
  const live = byId("live");
  // The same words twice are said twice.
  live.textContent = live.textContent === text ? `${text} ` : text;
}

/** The language of numbers, dates and lists. */
const locale = () => (language === "en" ? "en-GB" : language);

/** @param {number | null | undefined} value */
export const number = (value) => (value ?? 0).toLocaleString(locale());

/** A number with a fraction. @param {number} value @param {number} digits those after the point */
export const decimal = (value, digits) => value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** When something was. @param {string} at */
export const date = (at) => new Date(at).toLocaleString(locale());

/**
 * A count and its noun.
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const count = (count, one, many = `${one}s`) => `${number(count)} ${t(count === 1 ? one : many)}`;

/** Names in a sentence. @param {string[]} names */
export const listed = (names) => new Intl.ListFormat(locale()).format(names);

/**
 * A small board that only shows.
 * @param {number[]} tiles
 * @param {number} cols
 * @param {number | null} [moved] the tile that moved last
 */
export function mini(tiles, cols, moved = null) {
  const rows = Array.from({ length: Math.ceil(tiles.length / cols) }, (_, row) => tiles.slice(row * cols, (row + 1) * cols).join(" "));
  if (tiles.length === 0) return make("div", {});
  const board = make("div", { class: "mini", role: "img", "aria-label": t("Board {rows}", { rows: rows.join("/") }) });
  board.style.setProperty("--cols", String(cols));
  for (const tile of tiles) {
    const kind = tile === 0 ? "blank" : tile === moved ? "moved" : "";
    board.append(make("span", { class: kind }, tile === 0 ? "" : String(tile)));
  }
  return board;
}

const ICONS = /** @type {Record<string, string>} */ ({
  first: "M2 2h2.5v12H2zM14 2v12L5.5 8z", back: "M12 2v12L3 8z", play: "M4 2v12l9-6z", pause: "M3 2h3.5v12H3zM9.5 2H13v12H9.5z", step: "M2.5 2H5v12H2.5zM6.5 2v12l8-6z", last: "M2 2v12l8.5-6zM11.5 2H14v12h-2.5z", present: "M1 2h14v9H9v2.5h2V15H5v-1.5h2V11H1zM2.5 3.5v6h11v-6z",
});

/**
 * A button with an icon, and words if there is room for them.
 * @param {HTMLButtonElement} button
 * @param {string} icon
 * @param {string} label
 * @param {string} [words]
 */
export function dressed(button, icon, label, words = "") {
  button.setAttribute("aria-label", label);
  button.title = label;
  const svg = draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, draw("path", { d: ICONS[icon] }));
  button.replaceChildren(svg, words && make("span", { class: "words" }, words));
  return button;
}

/** Whether a person asked for less motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Gives a file to the person.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
