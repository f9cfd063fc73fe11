// The words of the page in the language of its reader. A language is a file of words, by those of English,
// and a line here.

/** The languages under their own names. */
export const LANGUAGES = /** @type {Record<string, string>} */ ({ en: "English", de: "Deutsch", es: "Español" });

const STORED = "language";

/** The words of the language by those of English. @type {Record<string, string>} */
let words = {};
/** The words for what the engine says (engine.js). @type {Record<string, string>} */
export let phrases = {};

/** The language that is shown. */
export let language = "en";

/**
 * A text in the language of the reader: `{name}` stands for a value.
 * @param {string} text as it is in English; where other languages need another word for another use, the use follows `|`
 * @param {Record<string, string | number | null | undefined>} [values]
 */
export const t = (text, values = {}) => (words[text] ?? text.replace(/\|.*/, "")).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));

/** Attributes with words. */
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

/** Takes the language that was chosen, or the first of the browser's that there is. */
export async function speak() {
  let chosen = null;
  try {
    chosen = localStorage.getItem(STORED);
  } catch { /* the browser's is taken */ }
  const wanted = [chosen ?? "", ...navigator.languages].map((name) => name.split("-")[0] ?? "");
  const found = wanted.find((name) => Object.hasOwn(LANGUAGES, name)) ?? "en";
  if (found === "en") return;
  ({ default: words, engine: phrases } = await import(`./words.${found}.js`));
  language = found;
  document.documentElement.lang = found;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = texts.nextNode(); at; at = texts.nextNode()) {
    const text = at.nodeValue?.trim() ?? "";
    if (words[text]) at.nodeValue = (at.nodeValue ?? "").replace(text, () => t(text));
  }
  for (const name of ATTRIBUTES) document.querySelectorAll(`[${name}]`).forEach((element) => element.setAttribute(name, t(element.getAttribute(name) ?? "")));
}

/** Keeps a choice, and shows the page in it. @param {string} name */
export function choose(name) {
  try {
    localStorage.setItem(STORED, name);
  } catch { /* it can't be kept */ }
  location.reload();
}
