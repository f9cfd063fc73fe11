// Light or dark, and the whole page or a panel of it, before anything is painted.

/** What was chosen, or what a link says, or as the system has it. */
(() => {
  let theme = /[#&]th=(light|dark)\b/.exec(location.hash)?.[1] ?? null;
  try {
    theme ??= localStorage.getItem("theme");
  } catch { /* it is for this time only */ }
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  // One panel alone, for the page of a course.
  const panel = new URLSearchParams(location.search).get("panel");
  if (panel && ["board", "tree", "race"].includes(panel)) document.documentElement.dataset.embed = panel;
})();
