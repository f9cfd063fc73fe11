// The layers of a search; the nodes of a folded one are drawn as one.

import { make } from "./dom.js";
import { t } from "./language.js";
import { measured } from "./words.js";

/** @import { Replay } from "./replay.js" */

/** @param {{ folded: Set<number> }} tree @param {(layer: number) => void} fold */
export function layers(tree, fold) {
  const element = make("div", { class: "layers", role: "group", "aria-label": t("Layers; a pressed one is folded") });
  let last = "";
  return {
    element,
    /** @param {Replay | null} replay */
    show(replay) {
      /** @type {Map<number, { expanded: number, waiting: number }>} */
      const found = new Map();
      for (const one of replay?.nodes ?? []) {
        const layer = /** @type {Replay} */ (replay).layer(one);
        const tally = found.get(layer) ?? { expanded: 0, waiting: 0 };
        if (one.state === "waiting") tally.waiting++;
        else tally.expanded++;
        found.set(layer, tally);
      }
      const sorted = [...found].sort(([a], [b]) => a - b).slice(0, 40);
      const name = measured(replay?.layerName ?? "");
      const key = JSON.stringify([sorted, [...tree.folded], name]);
      if (key === last) return;
      last = key;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.layer : undefined;
      const buttons = sorted.map(([layer, { expanded, waiting }]) => make("button", { "data-layer": layer, "aria-pressed": String(tree.folded.has(layer)), title: t("{expanded} expanded, {open} open", { expanded, open: waiting }), "aria-label": t("Fold {name} {layer}: {expanded} expanded, {open} open", { name, layer, expanded, open: waiting }), onclick: () => fold(layer) }, `${layer}`));
      element.replaceChildren(...(sorted.length ? [make("span", { class: "note" }, t("Draw a layer as one node: {name} =", { name }))] : []), ...buttons);
      if (focused) element.querySelector(/** @type {"button"} */ (`[data-layer="${focused}"]`))?.focus();
    },
  };
}
