// The engine's words in the reader's language: names, notes, and sentences with values.

import { phrases } from "./language.js";

/** The texts that are known, the longest without their values first: a short one may fit what a longer one says better. @type {[RegExp, string][]} */
let patterns = [];
let made = phrases;

/** How long a text is without its values. @param {string} known */
const letters = (known) => known.replace(/\{\w+\}/g, "").length;

/** A text as a pattern; a field is one word. @param {string} known */
const pattern = (known) => new RegExp(`^${known.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === "field" ? "\\w+" : ".+?"})`)}$`);

/** A text of the engine that begins a sentence. @param {string} text */
export function opening(text) {
  const words = engine(text);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text of the engine; one that is not known stays as it is. @param {string} text @returns {string} */
export function engine(text) {
  // The words come while the page is loading.
  if (made !== phrases) patterns = Object.entries(made = phrases).sort(([a], [b]) => letters(b) - letters(a)).map(([known, words]) => [pattern(known), words]);
  for (const [known, words] of patterns) {
    const found = known.exec(text);
    if (found) return words.replace(/\{(\w+)\}/g, (all, name) => engine(found.groups?.[name] ?? all));
  }
  return text;
}
