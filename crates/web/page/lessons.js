// Lessons: a text next to the page, boards and searches to look at, and questions that the engine checks.

import { Problem, follow, post } from "./api.js";
import { byId, count, download, make, mini, number, say } from "./dom.js";
import { lab } from "./lab.js";
import { t } from "./language.js";
import { LessonError, checkBoard, figure, fileText, least, optimal, packed, readLesson, subject, unpacked } from "./lesson.js";
import { title as named } from "./methods.js";
import { Replay } from "./replay.js";
import { informed } from "./step.js";
import { choice as reasons } from "./words.js";

/** @import { Lesson, LessonPage, Question } from "./lesson.js" */
/** @import { Puzzle, Report } from "./types.js" */

/** The lessons of the page. */
const INCLUDED = ["blind", "ucs", "greedy", "astar", "ties", "admissible", "ida", "pdb", "bidirectional", "parity", "large"];
const STORED = "taquin.lessons";
/** Seconds for each answer of the engine. */
const PATIENCE = 20;

/** An answer: the first one counts. @typedef {{ page: number, question: string, given: string, answer: string, right: boolean, tries: number }} Answer */
/** The engine's verdict: the answer in words, whether the given answer is right, the name of the right choice, and why. @typedef {{ answer: string, right: boolean, choice?: string, why?: Node[] }} Verdict */

export function lessons() {
  const panel = byId("panel-lessons");
  const place = byId("lesson");
  const list = make("div", { class: "pair" });
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const file = make("input", { type: "file", accept: ".json,application/json", class: "unseen", tabindex: -1, "aria-label": t("A lesson's file"), onchange: async () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) await attempt(async () => {
      const text = await fileText(chosen);
      readLesson(text);
      await open(`z${await packed(text)}`, 0);
      focus();
    });
  } });
  const home = make("div", { class: "card" }, make("h2", {}, t("Lessons")), make("p", { class: "note" }, t("A text next to the page, searches that you step through, and questions whose answers the engine checks.")), list,
    make("div", { class: "row" }, make("button", { onclick: () => file.click() }, t("Open a lesson's file")), file), problem);
  panel.append(home);

  /** @type {Lesson | null} */
  let lesson = null;
  let key = "";
  /** Which of a page's boards it has this time. */
  let visit = 0;
  let at = 0;
  /** Which of the page's stops is shown. */
  let stop = 0;
  /** The puzzle and the method of the page. @type {{ puzzle: Puzzle, method: string, as?: string } | null} */
  let task = null;
  /** @type {Answer[]} */
  let answers = [];
  let student = "";
  let entering = false;

  /** The browser's record, by lesson. @returns {Record<string, { answers: Answer[], student: string }>} */
  function kept() {
    try {
      const all = JSON.parse(localStorage.getItem(STORED) ?? "{}");
      return typeof all === "object" && all !== null && !Array.isArray(all) ? all : {};
    } catch {
      return {};
    }
  }

  /** Under what a lesson's answers are kept: a lesson of the page has other titles in other languages. */
  const keptAs = () => (INCLUDED.includes(key) ? key : (lesson?.title ?? ""));

  function keep() {
    if (!lesson) return;
    try {
      localStorage.setItem(STORED, JSON.stringify({ ...kept(), [keptAs()]: { answers, student } }));
    } catch { /* it is for this time only */ }
  }

  /** @param {unknown} error */
  function refuse(error) {
    problem.textContent = error instanceof Problem ? error.text : error instanceof Error ? error.message : String(error);
    problem.hidden = false;
    (lesson && !place.hidden ? place : home).append(problem);
    say(problem.textContent);
  }

  /** Whether some work was done; otherwise it is said why not. @param {() => Promise<void>} work */
  async function attempt(work) {
    problem.hidden = true;
    try {
      await work();
      return true;
    } catch (error) {
      refuse(error);
      return false;
    }
  }

  /** The text of a lesson of the page, or of one in a link. @param {string} name */
  async function text(name) {
    if (name.startsWith("z")) return unpacked(name.slice(1));
    if (!INCLUDED.includes(name)) throw new LessonError(t("There is no lesson {name}.", { name }));
    const response = await fetch(`lesson-${name}.json`).catch(() => null);
    if (!response?.ok) throw new LessonError(t("The lesson can't be fetched."));
    return response.text();
  }

  /** @param {string} name @param {number} page @param {boolean} [shows] whether its board is shown @param {number} [which] of its boards */
  async function open(name, page, shows = true, which = Math.floor(Math.random() * 60)) {
    lesson = readLesson(await text(name));
    key = name;
    visit = which;
    const before = kept()[keptAs()];
    answers = Array.isArray(before?.answers) ? before.answers.filter((one) => Number.isInteger(one?.page) && typeof one.right === "boolean") : [];
    student = typeof before?.student === "string" ? before.student : "";
    await enter(Math.min(Math.max(page, 0), lesson.pages.length - 1), shows);
  }

  /** @param {number} page @param {boolean} [shows] */
  async function enter(page, shows = true) {
    if (!lesson) return;
    const own = /** @type {LessonPage} */ (lesson.pages[page]);
    const about = subject(lesson, page, visit);
    const { board, goal, method, as } = about;
    const read = await post("convert", { board, goal });
    const { rows, cols, board: start } = read;
    const puzzle = { rows, cols, start, goal: read.goal };
    checkBoard(about, await post("check", { puzzle }));
    at = page;
    stop = 0;
    task = { puzzle, method, ...(as ? { as } : {}) };
    if (shows) {
      const goalName = ["last", "first", "snail"].includes(goal) ? goal : "own";
      entering = true;
      lab.set({ rows, cols, start, goal: read.goal, goalName });
      lab.settings = {
        lesson: key, lp: String(at), lv: String(visit), t: about.panel, ...(as ? { c: as, cm: method } : { m: method }),
        ...(own.methods ? { r: own.methods.join(";") } : {}), ...(about.panel === "search" ? { s: String(own.stops[0] ?? 0) } : {}),
      };
      lab.dispatchEvent(new Event("restored"));
      entering = false;
      lab.tell("settings");
    }
    show();
    say(t("{title}: page {page} of {pages}.", { title: lesson.title, page: at + 1, pages: lesson.pages.length }));
  }

  /** A lesson that begins has the focus, because the pressed button is gone. */
  const focus = () => place.querySelector("h2")?.focus();

  function close() {
    lesson = null;
    place.hidden = true;
    delete lab.settings.lesson;
    delete lab.settings.lp;
    delete lab.settings.lv;
    lab.tell("settings");
    showList();
    byId("tab-lessons").focus();
  }

  const score = () => t("{right} of {all} right", { right: answers.filter(({ right }) => right).length, all: lesson?.pages.filter(({ ask }) => ask).length ?? 0 });

  /** Paragraphs; what stands between backticks is code. @param {string} words */
  const paragraphs = (words) => words.split(/\n\s*\n/).map((one) => make("p", {}, ...one.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part))));

  function show() {
    if (!lesson) return;
    const { title, pages } = lesson;
    const page = /** @type {LessonPage} */ (pages[at]);
    const more = stop < page.stops.length - 1;
    const go = (/** @type {number} */ to) => attempt(() => enter(to)).then(focus);
    const heading = make("h2", { tabindex: -1 }, title);
    const name = make("input", { autocomplete: "name", value: student, size: 16, onchange: () => { student = name.value; keep(); } });
    const back = make("button", { onclick: () => go(at - 1), ...(at === 0 ? { disabled: true } : {}) }, t("Back"));
    const next = make("button", { class: "primary", onclick: () => (more ? onward() : go(at + 1)), ...(!more && at === pages.length - 1 ? { disabled: true } : {}) }, more ? t("To step {step}", { step: page.stops[stop + 1] }) : t("Next"));
    place.hidden = false;
    place.replaceChildren(
      make("div", { class: "row" }, heading, make("span", { class: "note grow" }, t("page {page} of {pages}", { page: at + 1, pages: pages.length })), make("span", { class: "score" }, score())),
      ...paragraphs(page.text), ...(page.ask && !more ? [asked(page.ask)] : []),
      make("div", { class: "row" }, back, next, make("button", { class: "link", onclick: () => go(at) }, t("Show this page's board")), make("span", { class: "grow" }),
        ...(at === pages.length - 1 ? [make("label", { class: "inline" }, t("your name"), name), make("button", { onclick: hand }, t("Export the result"))] : []),
        copyButton(), make("button", { class: "link", onclick: close }, t("Close the lesson"))));
  }

  /** To the next step that the page stops at. */
  function onward() {
    stop++;
    lab.dispatchEvent(new CustomEvent("go", { detail: lesson?.pages[at]?.stops[stop] ?? 0 }));
    show();
    focus();
  }

  function copyButton() {
    const button = make("button", { class: "link", onclick: async () => {
      const address = `${location.href.split("#")[0]}#lesson=${key}`;
      try {
        await navigator.clipboard.writeText(address);
        button.textContent = t("Link copied");
      } catch {
        button.textContent = address;
      }
      say(t("The link to this lesson is copied."));
    } }, t("Link to the lesson"));
    return button;
  }

  /** The file that students hand in. */
  function hand() {
    if (!lesson) return;
    const questions = lesson.pages.filter(({ ask }) => ask).length;
    download("taquin-lesson-result.json", "application/json", `${JSON.stringify({ format: "taquin-lesson-result", version: 1, lesson: lesson.title, student, right: answers.filter(({ right }) => right).length, questions, answers }, null, 2)}\n`);
  }

  /** The question in words. @param {Question} ask */
  function wording({ kind, text: own, figure, heuristic }) {
    if (own) return own;
    const words = /** @type {Record<string, string>} */ ({
      next: t("Which node does the search take next?"), optimal: t("Is the solution that this search finds a shortest one?"), moves: t("How many moves has the solution that is found?"),
      expanded: t("How many nodes does the whole search expand?"), generated: t("How many nodes does the whole search generate?"), reopened: t("How many nodes are reopened?"), frontier: t("How long does the open list become?"), stored: t("How many nodes are stored at the same time, at most?"),
      solvable: t("Can this board be solved?"), estimate: t("What does this heuristic say about the board: {name}?", { name: heuristic ?? "" }),
      least: figure === "stored" ? t("Which method stores the fewest nodes?") : figure === "expanded" ? t("Which method expands the fewest nodes?") : t("Which method has the lowest figure ({figure})?", { figure: figure ?? "" }),
    });
    return words[kind] ?? "";
  }

  /** A question, and what was answered. @param {Question} ask */
  function asked(ask) {
    const words = wording(ask);
    const told = make("p", { class: "score", role: "status" });
    const why = make("div", { class: "answered" });
    const choices = make("div", { class: "candidates" });
    const before = answers.find((one) => one.page === at);
    const say1 = (/** @type {boolean} */ right, /** @type {string} */ answer) => {
      told.className = right ? "score right" : "score wrong";
      told.textContent = right ? t("Right: {answer}.", { answer }) : t("Not so: {answer}.", { answer });
    };
    if (before) say1(before.right, before.answer);
    if (before && ask.why) why.replaceChildren(...paragraphs(ask.why));

    /** @param {string} given @param {() => Promise<Verdict>} judge */
    const answer = (given, judge) => attempt(async () => {
      const [mine, page] = [lesson, at];
      told.className = "note";
      told.textContent = t("The engine looks ..");
      const { answer: truth, right, choice: best, why: reasons = [] } = await judge().finally(() => { told.textContent = ""; });
      if (mine !== lesson || page !== at) return;
      const first = answers.find((one) => one.page === at);
      if (first) first.tries++;
      else answers = [...answers, { page: at, question: words, given, answer: truth, right, tries: 1 }];
      keep();
      say1(right, truth);
      // Shows the right answer, and why.
      for (const one of choices.querySelectorAll("button")) {
        const name = one.getAttribute("aria-label") ?? one.textContent ?? "";
        one.classList.toggle("true", name === best);
        one.classList.toggle("false", name === given && !right);
      }
      why.replaceChildren(...(ask.why ? paragraphs(ask.why) : []), ...reasons);
      const shown = place.querySelector(".row > .score");
      if (shown) shown.textContent = score();
    });
    const choice = (/** @type {string} */ label, /** @type {() => Promise<Verdict>} */ judge, /** @type {Node | null} */ picture = null) => make("button", { onclick: () => answer(label, judge), ...(picture ? { "aria-label": label } : {}) }, ...(picture ? [picture] : [label]));

    if (ask.kind === "next") {
      choices.append(make("span", { class: "note" }, ".."));
      candidates(ask, choice).then((all) => choices.replaceChildren(...all), (error) => {
        if (!choices.isConnected) return;
        choices.replaceChildren();
        refuse(error);
      });
    } else if (ask.kind === "optimal") {
      const judge = (/** @type {boolean} */ yes) => async () => {
        const found = await shortest();
        return { answer: found.text, right: yes === found.isShortest, choice: found.isShortest ? t("Yes") : t("No") };
      };
      choices.append(choice(t("Yes"), judge(true)), choice(t("No"), judge(false)));
    } else if (ask.kind === "solvable") {
      const judge = (/** @type {boolean} */ yes) => async () => {
        const { reachable } = await post("check", { puzzle: task?.puzzle });
        return { answer: reachable ? t("it can be solved") : t("it can't be solved"), right: yes === reachable, choice: reachable ? t("Yes") : t("No") };
      };
      choices.append(choice(t("Yes"), judge(true)), choice(t("No"), judge(false)));
    } else if (ask.kind === "least") {
      choices.append(...(ask.methods ?? []).map((method) => choice(named(method), async () => {
        const found = await Promise.all((ask.methods ?? []).map(async (one) => ({ method: one, report: await solve({ method: one }) })));
        const { winner, figures } = least(ask.figure ?? "expanded", found);
        return { answer: figures.map(({ method, value }) => `${named(method)} ${number(value)}`).join("; "), right: method === winner, choice: named(winner) };
      })));
    } else {
      const input = make("input", { inputmode: "numeric", size: 8, autocomplete: "off", "aria-label": words });
      const judge = async () => {
        const value = ask.kind === "estimate" ? await estimate(ask.heuristic ?? "") : figure(ask.kind, await solve());
        const given = Number(input.value.replace(/[ ,.']/g, ""));
        return { answer: value === null ? t("there is no solution") : number(value), right: value !== null && input.value.trim() !== "" && Math.abs(given - value) <= (ask.within ?? 0) * value };
      };
      choices.append(make("form", { class: "row", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (input.value.trim()) answer(input.value, judge); } }, input, make("button", {}, t("Answer"))));
    }
    return make("div", { class: "ask", role: "group", "aria-label": t("Question") }, make("h3", {}, words), choices, told, why);
  }

  /** A heuristic's estimate for the page's board. @param {string} heuristic */
  async function estimate(heuristic) {
    const { estimates } = await post("heuristic", { puzzle: task?.puzzle });
    const found = estimates.find((/** @type {{ heuristic: string }} */ one) => one.heuristic === heuristic);
    if (!found) throw new LessonError(t("There is no heuristic {name}.", { name: heuristic }));
    return found.estimate;
  }

  /** The report of the page's search, or of another one. @param {{ method?: string }} [other] @returns {Promise<Report>} */
  async function solve(other = {}) {
    if (!task) throw new LessonError(t("The page's board is not known."));
    const { as, ...plain } = task;
    return post("solve", { ...plain, ...(as && !other.method ? { as } : {}), ...other, limits: { seconds: PATIENCE } });
  }

  /** Whether the search's solution is a shortest one: proven by itself, or by comparison. */
  async function shortest() {
    const report = await solve();
    if (report.depth === null) return { isShortest: false, text: t("it finds none") };
    const { isShortest, best } = await optimal(report, () => solve({ method: "auto" }));
    return { isShortest, text: t("it has {found}, and a shortest one has {best}", { found: count(report.depth, "move"), best: number(best) }) };
  }

  /**
   * Buttons for the nodes that may be next.
   * @param {Question} ask
   * @param {(label: string, judge: () => Promise<Verdict>, picture: Node) => HTMLButtonElement} choice
   */
  async function candidates(ask, choice) {
    const step = lesson?.pages[at]?.stops.at(-1) ?? 0;
    const cols = task?.puzzle.cols ?? 3;
    const replay = await replayed(step + 1);
    replay.seek(step);
    const found = replay.candidates();
    if (!found?.right) throw new LessonError(t("The lesson asks for a node after step {step}, and there is none ({kind}).", { step, kind: ask.kind }));
    const { right, best } = found;
    const label = (/** @type {import("./replay.js").Node} */ one) => mini(one.board, cols).getAttribute("aria-label") ?? "";
    /** A blind search has no estimate to speak of. */
    const truth = informed(replay) ? t("it takes the board with g = {g} and h = {h}", { g: right.g, h: right.h }) : t("it takes the board with g = {g} that is marked", { g: right.g });
    return best.map((one) => choice(label(one), async () => {
      const told = await post(`explain?step=${step + 1}&rivals=0`, { ...task, limits: { seconds: PATIENCE } });
      replay.seek(step + 1);
      return { answer: truth, right: one.id === right.id, choice: label(right), why: reasons(told, replay, cols) };
    }, mini(one.board, cols, one.tile)));
  }

  /** The first steps of the page's search. @param {number} steps @returns {Promise<Replay>} */
  const replayed = (steps) => new Promise((resolve, reject) => {
    /** @type {Replay | null} */
    let replay = null;
    let omitted = 0;
    follow({ ...task, limits: { seconds: PATIENCE, traced: steps + 1 } }, {
      started: (job) => { replay = new Replay(job.policy, job.method, steps + 1); },
      steps: (more) => replay?.add(more),
      omitted: (expansions) => { omitted = expansions; },
      report: () => {
        replay?.end(omitted);
        if (replay) resolve(replay);
      },
      problem: reject,
    });
  });

  async function showList() {
    const all = kept();
    const cards = await Promise.all(INCLUDED.map(async (name) => {
      const { title, about, pages } = readLesson(await text(name));
      const done = (all[name] ?? all[title])?.answers;
      const questions = pages.filter(({ ask }) => ask).length;
      return make("div", { class: "card" }, make("h3", {}, title), make("p", {}, about),
        make("p", { class: "note" }, Array.isArray(done) && done.length ? t("{done} of {all} answered", { done: done.length, all: questions }) : count(questions, "question")),
        make("div", { class: "row" }, make("button", { onclick: () => attempt(() => open(name, 0)).then(focus), "aria-label": t("Begin: {title}", { title }) }, t("Begin"))));
    }));
    list.replaceChildren(...cards);
  }

  /** The lesson of a link; a board that is in the link too is what its sender saw. */
  function restore() {
    if (entering) return;
    const { lesson: name, lp, lv } = lab.settings;
    if (!name) {
      place.hidden = true;
      lesson = null;
      return;
    }
    attempt(() => open(name, Number(lp) || 0, !lab.linked, lv === undefined ? undefined : Number(lv) || 0)).then((done) => done || byId("tab-lessons").click());
  }
  lab.addEventListener("restored", restore);
  lab.addEventListener("opened", () => { if (!panel.hidden && !list.hasChildNodes()) showList().catch(refuse); });
}
