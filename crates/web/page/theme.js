// Light or dark, and the whole page or a panel of it, before anything is painted.

/** The chosen theme, or the link's, or the system's. */
(() => {
  let theme = /[#&]th=(light|dark)\b/.exec(location.hash)?.[1] ?? null;
  try {
    theme ??= localStorage.getItem("theme");
  } catch { /* it is for this time only */ }
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  try {
    document.documentElement.dataset.open = localStorage.getItem("taquin.open") ?? "";
  } catch { /* nothing is unfolded */ }
  // Browsers load no modules from a folder, and all the rest of the page is modules.
  if (location.protocol === "file:") addEventListener("DOMContentLoaded", () => {
    const folder = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "");
    const words = document.createElement("p");
    words.className = "problem card";
    words.textContent = `This page needs a web server: browsers do not load it from a folder. Run python3 -m http.server -d '${folder}' and open http://localhost:8000/, or run taquin serve.`;
    document.body.prepend(words);
  });
  // One panel alone, for the page of a course.
  const panel = new URLSearchParams(location.search).get("panel");
  if (panel && ["board", "tree", "race", "solvable", "heuristic", "space", "lesson"].includes(panel)) document.documentElement.dataset.embed = panel;
  // The module for the first answer is fetched while the scripts are; frames have it from a worker.
  const { first, embed } = document.documentElement.dataset;
  if (first && !embed) document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", href: first, crossOrigin: "anonymous", fetchPriority: "low" }));
})();
