// The engine's words in the reader's language: names, notes, and sentences with values.

import { phrases } from "./language.js";

/** The texts that are known, the longest first: a short one may fit what a longer one says better. @type {[RegExp, string][]} */
let patterns = [];
let made = phrases;

/** A text of the engine; one that is not known stays as it is. @param {string} text @returns {string} */
export function engine(text) {
  // The words come while the page is loading.
  if (made !== phrases) patterns = Object.entries(made = phrases).sort(([a], [b]) => b.length - a.length).map(([known, words]) => [new RegExp(`^${known.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`), words]);
  for (const [pattern, words] of patterns) {
    const found = pattern.exec(text);
    if (found) return words.replace(/\{(\w+)\}/g, (all, name) => engine(found.groups?.[name] ?? all));
  }
  return text;
}
