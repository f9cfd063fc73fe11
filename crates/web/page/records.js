// The games of this browser: statistics, a list, and files to take along.

import { count, date, decimal, download, make, number, say } from "./dom.js";
import { clock, exported, imported, kind, merged, pace, statistics } from "./game.js";
import { lab } from "./lab.js";
import { t } from "./language.js";

/** @import { Game } from "./game.js" */

const STORED = "taquin.games";
/** Games in the list. */
const LISTED = 12;

/** @param {{ again: (game: Game) => void }} does */
export function records({ again }) {
  const heading = make("h3", {});
  const table = make("table", { class: "numbers" });
  const list = make("table", { class: "numbers" });
  const words = make("p", { class: "note", role: "status" });
  const file = make("input", { type: "file", accept: ".json,application/json", class: "unseen", tabindex: -1, "aria-label": t("A file of games"), onchange: () => file.files?.[0] && take(file.files[0]) });
  const save = make("button", { onclick: () => download("taquin-games.json", "application/json", exported(games)) }, t("Export games"));
  const clear = make("button", { onclick: forget }, t("Forget all games"));
  const element = make("div", { class: "card" }, heading, make("div", { class: "scrolled" }, table), make("details", {}, make("summary", {}, t("Last games")), make("div", { class: "scrolled" }, list)),
    make("div", { class: "row" }, save, make("button", { onclick: () => file.click() }, t("Import games")), clear, file), words);

  let games = read();
  let sure = false;

  /** The browser's record of games. Other entries are dropped. @returns {Game[]} */
  function read() {
    try {
      return imported(localStorage.getItem(STORED) ?? "").games;
    } catch {
      return [];
    }
  }

  function keep() {
    try {
      localStorage.setItem(STORED, exported(games));
    } catch {
      words.textContent = t("The browser does not keep the games: export them.");
    }
    show();
  }

  /** A row with a name first. @param {(string | Node)[]} cells */
  const row = ([name = "", ...cells]) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell)));
  /** @param {string[]} names */
  const head = (names) => make("thead", {}, make("tr", {}, ...names.map((name) => (name ? make("th", { scope: "col" }, name) : make("td", {})))));

  function show() {
    const own = games.filter((game) => kind(game) === kind(lab));
    const all = statistics(own);
    const draw = lab.draw === "uniform" ? t("random boards") : lab.draw === "given" ? t("boards of your own") : t("boards of {depth} moves", { depth: lab.draw.slice(6) });
    heading.textContent = t("{size}, {draw}: {games}", { size: `${lab.rows} × ${lab.cols}`, draw, games: count(all.played, "game") });
    const none = "–";
    const time = (/** @type {number | null | undefined} */ value) => (value === undefined ? none : clock(value));
    const moves = (/** @type {number | null | undefined} */ value) => (value === undefined ? none : value === null ? t("DNF") : decimal(value, Number.isInteger(Number(value.toFixed(1))) ? 0 : 1));
    const [s, m] = [all.seconds, all.moves];
    const best = (/** @type {{ now: number | null | undefined, best: number | null }} */ one, /** @type {(value: number | null | undefined) => string} */ as) => as(one.now === undefined ? undefined : one.best);
    table.replaceChildren(
      make("caption", { class: "unseen" }, t("Statistics")),
      head(["", t("time"), t("moves")]),
      make("tbody", {},
        row([t("best"), time(all.solved ? s.best : undefined), moves(all.solved ? m.best : undefined)]),
        row([t("ao5, now"), time(s.five.now), moves(m.five.now)]), row([t("ao5, best"), best(s.five, time), best(m.five, moves)]),
        row([t("ao12, now"), time(s.twelve.now), moves(m.twelve.now)]), row([t("ao12, best"), best(s.twelve, time), best(m.twelve, moves)]),
        row([t("mean of all"), time(s.mean ?? undefined), moves(m.mean ?? undefined)])));
    const last = [...own].reverse().slice(0, LISTED);
    list.replaceChildren(
      make("caption", { class: "note" }, t("ao5 and ao12 are the averages of the last 5 and 12 games without the best and the worst, as speed-solvers count; DNF: given up.")),
      head([t("when"), t("time"), t("moves"), t("needed"), t("tiles a second"), ""]),
      make("tbody", {}, ...last.map((game) => row([
        date(game.at), `${clock(game.seconds)}${game.aided ? ` ${t("(with help)")}` : ""}`, number(game.moves), game.needed === undefined ? none : number(game.needed), game.seconds === null ? none : pace(game.moves, game.seconds),
        make("span", { class: "row tight" }, make("button", { onclick: () => again(game), "aria-label": t("Play the board of {time} again", { time: clock(game.seconds) }) }, t("Again")), make("button", { onclick: () => remove(game), "aria-label": t("Remove the game of {time}", { time: clock(game.seconds) }) }, t("Remove"))),
      ]))));
    save.disabled = clear.disabled = games.length === 0;
    sure = false;
    clear.textContent = t("Forget all games");
  }

  /** @param {Game} game */
  function remove(game) {
    games = games.filter((one) => one !== game);
    keep();
    say(t("The game is removed."));
    save.focus();
  }

  function forget() {
    if (!sure) {
      sure = true;
      clear.textContent = t("Forget {games}: sure?", { games: count(games.length, "game") });
      return;
    }
    games = [];
    words.textContent = t("All games are forgotten.");
    keep();
  }

  /** @param {File} chosen */
  async function take(chosen) {
    file.value = "";
    try {
      const { games: found, damaged } = imported(await chosen.text());
      const before = games.length;
      games = merged(games, found);
      keep();
      words.textContent = [t("{games} added.", { games: count(games.length - before, "game") }), damaged ? t("{entries} of the file are no games: their moves do not solve their boards, or something is missing.", { entries: count(damaged, "entry", "entries") }) : ""].filter(Boolean).join(" ");
    } catch {
      words.textContent = t("This file holds no games: choose one that was exported here.");
    }
  }

  lab.addEventListener("puzzle", show);
  addEventListener("storage", (event) => {
    if (event.key !== STORED) return;
    games = read();
    show();
  });
  show();
  return {
    element,
    /** @param {Game} game */
    add(game) {
      games = merged(games, [game]);
      keep();
    },
    /** @param {Game} game @param {number} needed */
    needed(game, needed) {
      games = games.map((one) => (one.at === game.at ? { ...one, needed } : one));
      keep();
    },
  };
}
