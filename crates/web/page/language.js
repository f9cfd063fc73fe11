// The words of the page in the language of its reader.

/** The languages, each under its own name; any but English has a file of words. */
export const LANGUAGES = /** @type {Record<string, string>} */ ({ en: "English" });

/** The words of the language by those of English. @type {Record<string, string>} */
let words = {};

/** The language that is shown. */
export let language = "en";

/**
 * A text in the language of the reader: `{name}` stands for a value.
 * @param {string} text as it is in English
 * @param {Record<string, string | number | null | undefined>} [values]
 */
export const t = (text, values = {}) => (words[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));
