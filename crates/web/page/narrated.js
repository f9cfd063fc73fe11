// A search in the words of its course, to read and to copy.

import { post } from "./api.js";
import { make, say } from "./dom.js";
import { t } from "./language.js";

/** @param {() => void} closed what is done when it is closed */
export function narrated(closed) {
  const words = make("pre", { tabindex: 0 });
  const copy = make("button", { onclick: async () => {
    try {
      await navigator.clipboard.writeText(words.textContent ?? "");
      copy.textContent = t("Copied");
      say(t("Copied"));
    } catch {
      getSelection()?.selectAllChildren(words);
      say(t("The browser does not allow copying here: the words are selected."));
    }
  } }, t("Copy"));
  const close = make("button", { onclick: () => { element.hidden = true; closed(); } }, t("Close"));
  const element = make("div", { class: "card narrated", hidden: true, role: "region", "aria-label": t("The search in words") }, make("div", { class: "row" }, make("h3", { class: "grow" }, t("The search in words")), copy, close), words);
  return {
    element,
    /** @param {unknown} task @param {() => boolean} isWanted whether the task is still of interest when the answer comes */
    async show(task, isWanted) {
      const { text } = await post("narrate", task);
      if (!isWanted()) return;
      copy.textContent = t("Copy");
      words.textContent = text;
      element.hidden = false;
      words.focus();
    },
  };
}
