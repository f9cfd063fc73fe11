// The whole state in the fragment of the address, so that a link shows what its sender saw.

import { get } from "./api.js";
import { setPicture, smallPicture } from "./controls.js";
import { byId, draw, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { readLink } from "./link.js";

/** The state as the fragment has it. */
function fragment() {
  const { rows, cols, start, goal, goalName, past, settings } = lab;
  const parts = new URLSearchParams({ b: `${rows}x${cols}:${start.join(".")}`, g: goalName === "own" ? goal.join(".") : goalName });
  if (past.length) parts.set("u", past.map((push) => push.map(([from, to]) => (from * rows * cols + to).toString(36)).join(".")).join("_"));
  for (const [key, value] of Object.entries(settings)) if (value) parts.set(key, value);
  const picture = smallPicture();
  if (picture) parts.set("p", picture);
  return parts.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%3B", ";").replaceAll("%3D", "=");
}

/** The address of the whole page with what is seen. */
export const inFull = () => `${location.href.split(/[?#]/)[0]}#${fragment()}`;

/** Takes the state from the fragment, and says whether there was one. */
export function restore() {
  const { puzzle, settings, picture, damaged } = readLink(location.hash);
  if (damaged) return false;
  // Another puzzle forgets what belongs to the one before it; the link has that of its own.
  if (location.hash.length > 1) lab.settings = { ...settings };
  lab.linked = puzzle !== null;
  if (!puzzle) return false;
  lab.set(puzzle);
  // The history before the link is not part of it.
  lab.before = [];
  lab.tell("board");
  lab.settings = settings;
  if (picture) setPicture(picture);
  return true;
}

/** Says if a part of the link is lost. @param {string} instead what is shown instead */
export function sayDamaged(instead) {
  const { damaged } = readLink(location.hash);
  if (!damaged) return;
  const part = { board: t("its board"), goal: t("its goal"), moves: t("its moves") }[damaged];
  const place = byId("text-problem");
  place.textContent = t("The link is damaged: {part} can't be read. {instead}", { part, instead });
  place.hidden = false;
}

/** The link as a code for a camera, with what it needs to be opened. */
async function showCode() {
  const isLocal = /^(127\.|localhost$|\[::1\]$)/.test(location.hostname);
  // A public server knows its address for other machines.
  const shared = isLocal ? await get("status").then(({ address }) => address, () => null) : null;
  const isOwn = isLocal && !shared;
  // A picture makes a link too long for a code.
  const address = `${shared ?? location.href.split("#")[0]}#${fragment().replace(/&p=data[^&]*/, "")}`;
  const { qr } = await import("./qr.js");
  const square = qr(address);
  byId("code-words").textContent = !square ? t("The link is too long for a code.") : isOwn ? t("Only this machine can open this address. Start 'taquin serve --public', and open the address that it prints for other machines.") : t("Point a camera at the code.");
  byId("code-address").textContent = address;
  const size = (square?.length ?? 0) + 8;
  const path = (square ?? []).flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join("");
  byId("code-square").replaceChildren(...(square ? [draw("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("QR code of the link") }, draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }))] : []));
  /** @type {HTMLDialogElement} */ (byId("code")).showModal();
}

let written = "";

/** Keeps the address up to date. */
export function share() {
  let timer = 0;
  const write = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = `#${fragment()}`;
      history.replaceState(null, "", written);
    }, 150);
  };
  for (const what of ["board", "puzzle", "settings"]) lab.addEventListener(what, write);
  addEventListener("hashchange", () => {
    // The way past the menu is no link.
    if (location.hash === written || !location.hash.includes("=")) return;
    if (restore()) lab.dispatchEvent(new Event("restored"));
    else sayDamaged(t("The puzzle stays as it was."));
  });
  byId("qr").addEventListener("click", showCode);
  byId("share").addEventListener("click", async () => {
    // The theme is everybody's own, unless it is sent.
    lab.settings.th = document.documentElement.dataset.theme ?? "light";
    const address = `${location.href.split("#")[0]}#${fragment()}`;
    written = `#${fragment()}`;
    history.replaceState(null, "", address);
    const button = byId("share");
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = t("Link copied");
      say(t("The link is copied. It holds everything that you see."));
    } catch {
      button.textContent = t("Copy the address");
      say(t("The address of this page is the link: it holds everything that you see."));
    }
    setTimeout(() => { button.textContent = t("Share"); }, 2500);
  });
}
