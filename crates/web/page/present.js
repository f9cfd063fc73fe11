// The tree or the board on the whole screen, led by arrow and page keys.

import { BoardView } from "./board.js";
import { make, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";

export const presenting = () => document.documentElement.classList.contains("presenting");

/** The board of the step, as large as the tree, for a presentation; the key B and a button change between them. */
export function bigBoard() {
  const board = make("div", {});
  const view = new BoardView(board, t("The board of this step"), {});
  view.watched = true;
  const root = document.documentElement;
  const toggle = make("button", { "aria-pressed": "false", "aria-keyshortcuts": "b", title: t("The board of this step, large or small"), onclick: () => toggle.setAttribute("aria-pressed", String(root.classList.toggle("boarded"))) }, t("Board"));
  const element = make("div", { class: "big" }, board, toggle);
  document.addEventListener("keydown", (event) => {
    if (presenting() && event.key.toLowerCase() === "b" && !event.ctrlKey && !event.altKey && !event.metaKey && !(event.target instanceof Element && event.target.closest("input, select, textarea"))) toggle.click();
  });
  return {
    element,
    /** @param {number[]} tiles @param {number | null} moved */
    show(tiles, moved) {
      view.show({ rows: lab.rows, cols: lab.cols, tiles, goal: lab.goal });
      view.mark(moved);
    },
  };
}

/** @param {{ shown: (on: boolean) => void, advance: () => void, retreat: () => void, go: (step: number) => void, last: () => number }} search */
export function presentation({ shown, advance, retreat, go, last }) {
  /** @param {boolean} on */
  function present(on) {
    document.documentElement.classList.toggle("presenting", on);
    lab.keep({ pm: on ? "1" : "" });
    if (on) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    shown(on);
    say(on ? t("Presenting: arrows and page keys step, Escape ends it.") : t("The whole page is back."));
  }

  document.addEventListener("fullscreenchange", () => !document.fullscreenElement && presenting() && present(false));
  // A presenter's remote sends page keys; they are for the search wherever the focus is.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    // A button that has the focus is pressed by the space bar.
    if (event.key === " " && event.target instanceof Element && event.target.closest("button, summary")) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement;
    if (!presenting() || (typing && !/^(Page|Escape)/.test(event.key))) return;
    if (event.key === "Escape") present(false);
    else if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(event.key)) advance();
    else if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) retreat();
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(last());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  return present;
}
