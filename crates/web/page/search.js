// Search, step by step.

import { Problem, follow } from "./api.js";
import { beside } from "./beside.js";
import { byId, count, download, dressed, make, number, say } from "./dom.js";
import { engine } from "./engine.js";
import { lab, namedGoal, written } from "./lab.js";
import { t } from "./language.js";
import { layers } from "./layers.js";
import { legend } from "./legend.js";
import { courses, hasSteps, methods, picker, title as named } from "./methods.js";
import { narrated } from "./narrated.js";
import { openList, selectedNode } from "./nodes.js";
import { overview } from "./overview.js";
import { bigBoard, presentation, presenting } from "./present.js";
import { phases, pseudocode } from "./pseudocode.js";
import { quiz } from "./quiz.js";
import { Replay } from "./replay.js";
import { informed, stepCard } from "./step.js";
import { LONGEST_TRACE, TraceError, readTrace, sides } from "./trace.js";
import { DRAWN, Tree } from "./tree.js";
import { oneRow, unfolding } from "./open.js";
import { outcome, sentence, standing, whole } from "./whole.js";
import { backedUp, measured } from "./words.js";

/** @import { Course, Job, Progress, Puzzle, Report } from "./types.js" */
/** @import { Node } from "./replay.js" */

/** The number of expansions in a trace. The search continues after it and is counted. */
const TRACED = 5000;
/** Where the tree has the window, and the page nothing to scroll (style.css). */
const STAGE = matchMedia("(min-width: 60rem) and (min-height: 32rem)");
const SPEEDS = [1, 2, 5, 10, 30, 100, 500];

export function search() {
  const panel = byId("panel-search");
  /** @type {Replay | null} */
  let replay = null;
  /** @type {Report | null} */
  let report = null;
  /** @type {Job | null} */
  let job = null;
  let omitted = 0;
  /** @type {Progress | null} */
  let progress = null;
  let end = () => {};
  let playing = 0;
  let searching = false;
  /** Whether the method of the search has no steps to show: only its answer and its totals. */
  let stepless = false;
  let predicting = false;
  /** Whether steps are shown in parts, and which part is shown. */
  let fine = false;
  let phase = 0;
  /** The step to go to when there are enough. */
  let wanted = 0;
  /** The other things that a link shows there. @type {{ view?: number[], node?: number, predicts: boolean } | null} */
  let arriving = null;
  /** @type {Course[]} */
  let known = [];

  const course = make("select", {}, make("option", { value: "" }, t("none")));
  const courseMethod = make("select", {});
  const courseLabel = make("label", { hidden: true }, `${t("Its method")} `, courseMethod);
  const method = picker({ value: "astar:manhattan", stepped: true, label: t("How to search"), changed: () => keep() });
  const run = make("button", { class: "primary run", onclick: () => (searching ? stop(t("Stopped.")) : start()) }, t("Search"));
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  /** The search in words, if there is nothing to choose. */
  const title = make("strong", { class: "title", role: "heading", "aria-level": 2 });

  const icon = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ act, words = "") => dressed(make("button", { onclick: act }), name, label, words);
  const first = icon("first", t("First step"), () => go(0));
  const back = icon("back", t("Step back"), () => retreat(), t("Back"));
  const play = icon("play", t("Play|steps"), () => (playing ? pause() : resume()), t("Play|steps"));
  const forward = icon("step", t("Step"), () => advance(), t("Step"));
  const last = icon("last", t("Last step"), () => go(most()));
  const next = make("button", { onclick: () => goNext() }, t("Next f"));
  const slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("Step"), oninput: () => go(Number(slider.value)) });
  const jump = make("input", { inputmode: "numeric", size: 3, "aria-label": t("Go to step"), autocomplete: "off", onchange: () => go(Number(jump.value) || 0) });
  const of = make("span", { class: "note" }, t("of 0"));
  const speed = make("select", {}, ...SPEEDS.map((rate) => make("option", { value: rate }, `${rate}/s`)));
  speed.value = "2";
  speed.addEventListener("change", () => lab.keep({ sp: speed.value === "2" ? "" : speed.value }));
  const predict = make("button", { class: "extra", "aria-pressed": "false", onclick: () => setPredicting(!predicting) }, t("Predict"));
  const present = dressed(make("button", { "aria-pressed": "false", onclick: () => setPresenting(!presenting()) }), "present", t("Present"));
  const compare = make("button", { class: "extra", "aria-pressed": "false", title: t("Compare with a second search, step by step"), onclick: () => {
    setCompared(!second.isOpen);
    if (second.isOpen && !replay && !stepless) start();
    else startSecond();
    render();
  } }, t("Compare"));
  const exportTrace = make("button", { onclick: () => replay && download("trace.jsonl", "application/jsonl", trace()), disabled: true }, t("Export trace"));
  const openTrace = make("button", { onclick: () => traceFile.click() }, t("Open a trace"));
  const traceFile = make("input", { type: "file", accept: ".jsonl,.json,.yaml,.yml", class: "unseen", tabindex: -1, "aria-label": t("A trace's file"), onchange: () => {
    const chosen = traceFile.files?.[0];
    traceFile.value = "";
    if (chosen) showTrace(chosen);
  } });
  const inWords = make("button", { onclick: narrate, disabled: true }, t("In words"));
  const told = narrated(() => inWords.focus());
  const fineSteps = make("button", { "aria-pressed": "false", onclick: () => setFine(!fine) }, t("Fine steps"));
  const code = pseudocode();

  const canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": t("The tree of the search. Arrows go from node to node, brackets step.") });
  const said = make("span", { class: "said" });
  const tree = new Tree(canvas, { select, pick: (guess) => guesses.pick(guess), step: (by) => (by < 0 ? retreat() : advance()), moved: () => {
    following.setAttribute("aria-pressed", String(tree.follow));
    keepView();
  }, painted: () => {
    lost.hidden = tree.isInView;
    map.show();
  } });
  tree.wheelZooms = () => presenting() || STAGE.matches;
  const map = overview(tree);
  const lost = make("button", { class: "lost primary", hidden: true, onclick: () => fit() }, t("Back to the tree"));
  const following = button(t("Follow"), t("Follow the search"), () => {
    tree.follow = !tree.follow;
    keepView();
    render();
  });
  following.setAttribute("aria-pressed", "true");
  const big = bigBoard();
  const stage = make("div", { class: "tree" }, canvas, map.element, lost, big.element,
    make("div", { class: "overlay" }, following, button(t("Fit"), t("Fit the whole tree"), () => fit()), button("+", t("Zoom in"), () => tree.zoom(1.3)), button("−", t("Zoom out"), () => tree.zoom(1 / 1.3))));
  const figures = make("dl", { class: "figures line" });
  const total = whole();
  const stale = make("p", { class: "stale", hidden: true });
  const folds = layers(tree, fold);
  const stepView = stepCard(() => ({ replay, report, asked, key: `${fine ? phase : ""} ${job?.id} ${report === null}`, isFine: fine, isStepless: stepless }));
  const node = selectedNode();
  const frontier = openList();
  const guesses = quiz({ replay: () => replay, hasEnded: () => report !== null, informed: () => informed(replay), moved: () => {
    lab.keep({ s: String(step()) });
    render();
  } });

  const second = beside({ step: (by) => (by < 0 ? retreat() : advance()), grown: () => { if (!playing) render(false); }, asked: () => {
    lab.keep({ m2: second.method });
    startSecond();
  }, traced: TRACED });

  const heading = make("h2", { class: "unseen" }, t("Search, step by step"));
  const name1 = make("strong", { class: "name" });
  const work = make("div", { class: "work" }, stage, name1,
    make("div", { class: "foot" }, make("span", { class: "slide" }, slider), figures, said), make("div", { class: "low" }, frontier.element, legend()));
  const side = make("div", { class: "side", tabindex: 0, role: "group", "aria-label": t("This step") }, guesses.element, stepView.element, code.element, node.element, total.element);
  const space = make("div", { class: "stage" });

  const puzzle = unfolding("puzzle", t("Puzzle"), byId("puzzle"));
  const place = make("div", { class: "row" }, make("label", { class: "inline" }, make("span", { class: "words" }, `${t("step")} `), jump), of);
  const rate = make("label", { class: "inline" }, make("span", { class: "words" }, `${t("speed")} `), speed);
  const bar = make("div", { class: "bar", role: "toolbar", "aria-label": t("The search") },
    puzzle, title, make("div", { class: "chosen" }, method.element, courseLabel), run,
    make("div", { class: "transport", role: "group", "aria-label": t("Steps") }, first, back, play, forward, last),
    place, next, rate, make("span", { class: "grow" }), compare, predict, present, unfolding("more", t("More"), null));
  const menu = make("div", { class: "row" });
  panel.append(
    heading,
    bar,
    make("div", { class: "more", role: "group", "aria-label": t("More") }, menu,
      make("div", { class: "fields" }, method.full, make("label", {}, `${t("As a course or paper")} `, course)), method.rules,
      make("div", { class: "row" }, fineSteps, inWords, exportTrace, openTrace, traceFile), folds.element),
    make("div", { class: "messages" }, problem, stale),
    told.element,
    space,
  );
  oneRow(bar, menu, [next, rate, predict, compare, present, place, puzzle, first, last]);
  space.append(work, side);

  // A link can name a course, or a method without steps.
  Promise.all([courses, methods]).then(([all]) => {
    known = all;
    course.append(...all.map((one) => make("option", { value: one.name, title: engine(one.about) }, `${one.name}: ${engine(one.about)}`)));
    restore();
  }, (error) => show(error));
  course.addEventListener("change", () => {
    chooseCourse(course.value, null);
    keep();
  });
  courseMethod.addEventListener("change", keep);

  /** Shows the whole tree. */
  function fit() {
    tree.fit();
    tree.follow = false;
    tree.draw();
    render(false);
    keepView();
    canvas.focus();
  }

  /** To the first step whose node is on another layer: of another f, or deeper, or beyond another threshold. */
  function goNext() {
    if (!replay) return start(1);
    go(replay.nextLayer());
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  function button(text, label, act) {
    return make("button", { onclick: act, "aria-label": label, title: label }, text);
  }

  // Two searches have one step: one that has ended waits for the other.
  const step = () => Math.max(replay?.step ?? 0, second.step);
  const most = () => Math.max(replay?.steps ?? 0, second.steps);
  /** @param {number} to */
  const seek = (to) => {
    replay?.seek(to);
    second.seek(Math.min(to, most()));
  };

  /** A second search next to this one, or this one alone. @param {boolean} on */
  function setCompared(on) {
    if (on && predicting) setPredicting(false);
    second.isOpen = on;
    compare.setAttribute("aria-pressed", String(on));
    space.classList.toggle("two", on);
    // The reason is below the tree that it is about.
    if (on) {
      work.append(stepView.element);
      work.after(second.element);
    } else {
      guesses.element.after(stepView.element);
      second.element.remove();
    }
    if (on && !lab.settings.m2) second.method = method.value.startsWith("greedy") ? "astar:manhattan" : "greedy:manhattan";
    lab.keep({ m2: on ? second.method : "" });
    tree.follow = true;
  }

  function startSecond() {
    if (!second.isOpen) return;
    const { puzzle, search_anyway, limits } = task(TRACED);
    second.start({ puzzle, ...(search_anyway ? { search_anyway } : {}), limits }, replay ? step() : wanted);
  }

  /** @param {string} name @param {string | null} chosen */
  function chooseCourse(name, chosen) {
    const one = known.find((each) => each.name === name);
    course.value = one ? name : "";
    method.element.hidden = Boolean(one);
    courseLabel.hidden = !one;
    if (!one) return;
    courseMethod.replaceChildren(...one.methods.map(({ names, method }) => make("option", { value: names[0], title: method }, names.length > 1 ? `${names[1]}` : `${names[0]}`)));
    const usual = one.methods.find(({ names }) => names.includes(chosen ?? one.default));
    courseMethod.value = usual?.names[0] ?? "";
    if (chosen === null && lab.goalName !== one.goal) {
      lab.set({ rows: lab.rows, cols: lab.cols, start: lab.board, goalName: one.goal });
      say(t("The goal of {name} is {goal}.", { name, goal: byId("goal").querySelector(`[value="${one.goal}"]`)?.textContent ?? one.goal }));
    }
  }

  function keep() {
    lab.keep({ m: method.value, c: course.value, cm: course.value ? courseMethod.value : "", ...ofTheTree() });
    renderStale();
  }

  /** The tree's subject, if something else is chosen. */
  function ofTheTree() {
    const differs = asked && (replay || stepless) && name(asked) !== name(task(0));
    return { q: differs ? (asked?.method ?? "") : "", qa: differs ? (asked?.as ?? "") : "" };
  }

  /** @param {{ as?: string, method: string }} task */
  const name = (task) => (task.as ? `${task.as}: ${task.method}` : task.method);

  /** Another choice changes nothing before the next search. */
  function renderStale() {
    stale.hidden = !ofTheTree().q && !opened;
    stale.textContent = opened ? t("This is the trace in {name}: it is shown as the file has it, and nothing is computed.", { name: opened }) : asked ? t("This search is by {asked}. Press Search to run {task}.", { asked: name(asked), task: name(task(0)) }) : "";
  }

  /** The place of a tree that does not follow the search, for the link. */
  function keepView() {
    const text = tree.follow || !replay ? "" : tree.view.join("_");
    if (text !== (lab.settings.z ?? "")) lab.keep({ z: text });
  }

  /** The request to the service. @param {number} traced @returns {{ puzzle: Puzzle, search_anyway?: boolean, limits: Record<string, number>, as?: string, method: string }} */
  function task(traced) {
    const base = { ...lab.task, limits: { seconds: 20, traced } };
    const one = known.find((each) => each.name === course.value);
    return one ? { ...base, as: one.name, method: courseMethod.value } : { ...base, method: method.value };
  }

  /** The file whose trace is shown. */
  let opened = "";

  /** A trace of one's own, in place of a search. @param {File} file */
  async function showTrace(file) {
    problem.hidden = true;
    try {
      if (file.size > LONGEST_TRACE) throw new TraceError(t("the file is longer than {most} MB.", { most: LONGEST_TRACE / 1e6 }));
      const { steps, report: found, puzzle } = readTrace(await file.text());
      const { board } = /** @type {import("./types.js").Step} */ (steps.find(({ event }) => event === "expand"));
      const isGoal = (/** @type {string} */ name) => puzzle && namedGoal(name, puzzle.rows, puzzle.cols, puzzle.goal.filter((tile) => tile === 0).length).join() === puzzle.goal.join();
      if (puzzle) lab.set({ ...puzzle, goalName: ["last", "first", "snail"].find(isGoal) ?? "own" });
      else if (board.length > 0) lab.set({ ...sides(board.length, lab), start: board });
      setCompared(false);
      stop();
      asked = null;
      opened = file.name;
      report = found;
      replay = new Replay({ rank: steps.some(({ h }) => h > 0) ? "f" : "depth", goal: "expansion" }, found?.method ?? "");
      replay.add(steps);
      tree.follow = true;
      tree.selected = null;
      node.element.hidden = true;
      renderStale();
      go(Math.min(1, replay.steps));
      say(t("The trace of {name}: {steps}.", { name: file.name, steps: count(replay.steps, "step") }));
    } catch (error) {
      problem.textContent = error instanceof TraceError ? t("{name} is no trace that can be shown: {why}", { name: file.name, why: error.message }) : String(error);
      problem.hidden = false;
    }
  }
  panel.addEventListener("dragover", (event) => event.preventDefault());
  panel.addEventListener("drop", (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer?.files[0];
    if (dropped) showTrace(dropped);
  });

  /** The request while the puzzle stays as it is. @type {ReturnType<typeof task> | null} */
  let asked = null;

  /**
   * @param {number} [to] the step to go to
   * @param {Set<number>} [folded] the layers to fold
   * @param {{ as?: string, method?: string }} [other] another method than the one that is chosen
   */
  function start(to = 0, folded = new Set(), other = {}) {
    stop();
    wanted = to;
    arriving = null;
    problem.hidden = true;
    guesses.reset();
    asked = task(TRACED);
    if (other.method) {
      delete asked.as;
      Object.assign(asked, other);
    }
    stepless = !hasSteps(asked, known);
    if (stepless) asked.limits.traced = 0;
    const rules = known.find(({ name }) => name === asked?.as);
    total.begin({ isUnit: (rules?.cost ?? "unit") === "unit", tells: !stepless, times: rules?.figures.filter(({ what }) => what === "seconds taken").map(({ key }) => key) ?? [] });
    lab.keep({ q: other.method ?? "", qa: other.as ?? "", z: "", n: "" });
    renderStale();
    run.textContent = t("Stop");
    searching = true;
    say(t("Searching."));
    startSecond();
    end = follow(asked, {
      started: (begun) => {
        job = begun;
        replay = stepless ? null : new Replay(begun.policy, begun.method, TRACED);
        tree.folded = folded;
        tree.follow = true;
        tree.selected = null;
        node.element.hidden = true;
        renderStale();
        if (stepless) render();
      },
      steps: (steps) => {
        const was = replay?.steps ?? 0;
        replay?.add(steps);
        const there = replay && wanted > 0 && replay.steps >= wanted && was < wanted;
        if (there) replay?.seek(wanted);
        render(false);
        if (there) arrive();
      },
      progress: (now) => {
        progress = now;
        total.running(now);
        said.textContent = sayDrawn();
      },
      omitted: (expansions) => { omitted = expansions; },
      report: (found) => {
        report = found;
        replay?.end(omitted);
        finish();
        total.ended(found, stepless ? 0 : found.counts.expanded - omitted);
        if (replay && wanted > replay.steps) replay.seek(replay.steps);
        // The answers of a lesson are not given away.
        if (lab.settings.lesson) say(t("The search has ended."));
        else if (stepless || (wanted === 0 && !replay?.steps)) say(outcome(found));
        else say(`${sentence(outcome(found))} ${t("{steps} to go through.", { steps: count(replay?.steps ?? 0, "step") })}`);
        render();
        arrive();
      },
      problem: (error) => { finish(); total.clear(); show(error); },
    });
  }

  /** Shows the parts of a link other than the step. */
  function arrive() {
    const place = arriving;
    arriving = null;
    if (!place || !replay) return;
    const chosen = place.node === undefined ? undefined : replay.nodes[place.node];
    if (chosen) tree.choose(chosen, false);
    if (place.view) tree.view = place.view;
    if (place.predicts) setPredicting(true);
    if (lab.settings.fs) setFine(true, Number(lab.settings.fp) || 0);
    render();
  }

  /** The search as its course prints it, or in plain words. */
  function narrate() {
    const mine = asked;
    if (mine) told.show({ ...mine, limits: { seconds: 20 } }, () => mine === asked).catch(show);
  }

  /** @param {string} [words] */
  function stop(words) {
    pause();
    end();
    finish();
    if (words) {
      total.stopped();
      render();
      return say(words);
    }
    replay = report = job = progress = null;
    opened = "";
    second.clear();
    stepless = false;
    omitted = 0;
    total.clear();
    if (predicting) setPredicting(false);
  }

  function finish() {
    run.textContent = t("Search");
    searching = false;
  }

  /** @param {unknown} error */
  function show(error) {
    problem.textContent = error instanceof Problem ? error.text : String(error);
    problem.hidden = false;
  }

  /** @param {number} to @param {number} [part] the part of it to show, where steps are fine; the last one if it is negative */
  function go(to, part = 0) {
    pause();
    const focused = document.activeElement;
    seek(to);
    show1(part);
    // A file is not in the link.
    lab.keep({ s: opened ? "" : String(step()), fp: fine && phase ? String(phase) : "" });
    render();
    // A button that has nothing more to do hands the focus on.
    if (focused instanceof HTMLButtonElement && focused.disabled) play.focus();
    const words = spoken() + second.spoken();
    say(words);
    // Why the node was taken is said too, once it is known.
    stepView.soon(words);
  }

  /** The parts of the step. */
  const parts = () => (replay && fine ? phases(replay, lab.cols) : []);

  /** Shows a part of the step. @param {number} part */
  function show1(part) {
    const all = parts();
    phase = Math.min(Math.max(part < 0 ? all.length - 1 : part, 0), Math.max(all.length - 1, 0));
    const shownPart = all[phase];
    if (shownPart) replay?.seek(replay.step, shownPart.events);
    code.show(replay, shownPart ?? null);
  }

  /** @param {boolean} on @param {number} [part] */
  function setFine(on, part = 0) {
    fine = on;
    fineSteps.setAttribute("aria-pressed", String(on));
    code.element.hidden = !on && !presenting();
    lab.keep({ fs: on ? "1" : "", fp: "" });
    if (!on) replay?.seek(replay.step);
    show1(part);
    render();
  }

  function retreat() {
    if (fine && phase > 0) go(step(), phase - 1);
    else go(step() - 1, -1);
  }

  /** A step, for screen readers. */
  function spoken() {
    const current = replay?.current;
    if (!replay || !current || step() === 0) return t("Step {step}.", { step: step() });
    const part = parts()[phase];
    if (part && phase > 0) return part.words;
    const value = informed(replay) ? `g ${current.g}, h ${current.h}${backedUp(current, replay)}` : `g ${current.g}`;
    return t("Step {step}: {cols}, {value}{more}.", { step: step(), cols: written(current.board, lab.cols), value, more: current.state === "goal" ? t(", the goal") : "" });
  }

  function advance() {
    if (stepless) return;
    if (!replay) return start(1);
    if (predicting && replay.next()) return say(t("Say first which node comes next."));
    if (fine && step() > 0 && phase < parts().length - 1) go(step(), phase + 1);
    else go(step() + 1);
  }

  function resume() {
    if (!replay) start();
    if (replay && step() >= most()) seek(0);
    setPredicting(false);
    dressed(play, "pause", t("Pause"), t("Pause"));
    let told = performance.now();
    let due = 0;
    const tick = (/** @type {number} */ now) => {
      due += ((now - told) / 1000) * Number(speed.value);
      told = now;
      const whole = Math.floor(due);
      if (whole > 0 && replay) {
        due -= whole;
        seek(step() + whole);
        show1(-1);
        render(false);
        if (report && step() >= most()) {
          pause();
          lab.keep({ s: String(step()) });
          return render();
        }
      }
      playing = requestAnimationFrame(tick);
    };
    playing = requestAnimationFrame(tick);
  }

  function pause() {
    cancelAnimationFrame(playing);
    if (playing) stepView.soon();
    playing = 0;
    dressed(play, "play", t("Play|steps"), t("Play|steps"));
  }

  /** @param {boolean} [explains] */
  function render(explains = true) {
    const steps = most();
    slider.max = String(steps);
    slider.value = String(step());
    slider.setAttribute("aria-valuetext", t("step {step} of {steps}", { step: step(), steps }));
    if (document.activeElement !== jump) jump.value = String(step());
    of.textContent = t("of {steps}", { steps: number(steps) });
    first.disabled = back.disabled = step() === 0;
    last.disabled = (steps > 0 || report !== null) && step() >= steps;
    forward.disabled = last.disabled && !(fine && phase < parts().length - 1);
    play.disabled = stepless;
    // More than one frontier decides the next node.
    predict.disabled = stepless || opened !== "" || second.isOpen || Boolean(replay?.meets);
    if (stepless) forward.disabled = last.disabled = true;
    inWords.disabled = exportTrace.disabled = searching || stepless || !replay?.events.length && !report;
    next.textContent = replay?.meets ? t("Next bound") : t("Next {layer}", { layer: measured(replay?.layerName ?? "f") });
    next.disabled = stepless || last.disabled;
    title.textContent = opened ? opened : asked && (replay || stepless) ? (asked.as ? `${asked.as}: ${asked.method}` : named(asked.method)) : "";
    name1.textContent = title.textContent;
    following.setAttribute("aria-pressed", String(tree.follow));
    tree.show(replay, lab.cols, informed(replay));
    second.render(explains);
    big.element.hidden = replay?.current?.board.length === 0;
    big.show(replay?.current?.board ?? lab.board, replay?.current?.tile ?? null);
    renderFigures();
    folds.show(second.isOpen ? null : replay);
    if (!fine) code.show(replay, null);
    if (!playing) frontier.show(replay, opened !== "");
    said.textContent = sayDrawn();
    said.classList.toggle("empty", !replay || (report !== null && replay.steps === 0));
    if (explains) stepView.soon();
    else if (playing) stepView.now();
    if (predicting) guesses.show();
  }

  const setPresenting = presentation({ advance, retreat, go, last: most, shown: (on) => {
    present.setAttribute("aria-pressed", String(on));
    // The title of the page is not seen then.
    if (on) heading.setAttribute("aria-level", "1");
    else heading.removeAttribute("aria-level");
    tree.near = on ? 1.3 : 0.75;
    tree.follow = true;
    frontier.element.open = on;
    // The lines of the method are part of a lecture.
    code.element.hidden = !on && !fine;
    if (on && !replay && !stepless) start();
    if (on) canvas.focus();
    render();
  } });

  function sayDrawn() {
    if (stepless) return report ? outcome(report) : t("Searching ..");
    if (!replay) return t("Press Search, then Step or Play: the tree grows here.");
    if (report && replay.steps === 0) return outcome(report);
    const { drawn, nodes } = tree.drawn;
    const left = Math.max(omitted, (progress?.expanded ?? 0) - TRACED);
    const more = left > 0 ? t("; {left} more expansions are counted, not drawn", { left: number(left) }) : "";
    const folded = drawn < nodes ? (nodes > DRAWN ? t("the first {drawn} of {nodes} nodes", { drawn: number(drawn), nodes: number(nodes) }) : t("{drawn} shapes for {nodes}", { drawn: number(drawn), nodes: count(nodes, "node") })) : count(nodes, "node");
    return `${folded}${more}`;
  }

  function renderFigures() {
    const list = stepless ? [] : standing(replay, report, omitted);
    figures.replaceChildren(...list.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  /** @param {number} layer */
  function fold(layer) {
    if (!tree.folded.delete(layer)) tree.folded.add(layer);
    lab.keep({ fold: [...tree.folded].join(".") });
    say(tree.folded.has(layer) ? t("Layer {layer} is folded.", { layer }) : t("Layer {layer} is open.", { layer }));
    render(false);
  }

  /** @param {Node} chosen */
  function select(chosen) {
    const state = node.show(chosen, replay);
    lab.keep({ n: String(chosen.key) });
    say(`${written(chosen.board, lab.cols)}: g ${chosen.g}, h ${chosen.h}${backedUp(chosen, replay)}, ${state}.`);
  }

  /** @param {boolean} on */
  function setPredicting(on) {
    // A new search ends the prediction of the one before.
    if (on && !replay) start();
    predicting = on;
    predict.setAttribute("aria-pressed", String(on));
    lab.keep({ pr: on ? "1" : "" });
    guesses.open(on);
  }

  /** The events, one per line, as 'taquin solve --trace=jsonl' prints them. */
  function trace() {
    const lines = (replay?.events ?? []).map((event) => JSON.stringify(event));
    if (omitted > 0) lines.push(JSON.stringify({ event: "omitted", expansions: omitted }));
    if (report) lines.push(JSON.stringify({ event: "report", ...report }));
    return `${lines.join("\n")}\n`;
  }

  /** As the link says. */
  function restore() {
    const { m, m2, c, cm, s, q, qa, z, n, sp, pr, fold: layersFolded } = lab.settings;
    if (m2) second.method = m2;
    if (m && m !== method.value) method.value = m;
    chooseCourse(c ?? "", cm || (c ? "" : null));
    // Another course, or another method of it, would be another search.
    if (c && (!course.value || !courseMethod.value)) return show(t("The link is damaged: there is no course {name} with a method {method}.", { name: c, method: cm ?? "" }));
    if (lab.settings.pm) setPresenting(true);
    if (sp && SPEEDS.includes(Number(sp))) speed.value = sp;
    if (Boolean(m2) !== second.isOpen) setCompared(Boolean(m2));
    if (s === undefined) return;
    start(Number(s) || 0, new Set((layersFolded ?? "").split(".").filter(Boolean).map(Number)), q ? { method: q, ...(qa ? { as: qa } : {}) } : {});
    const view = (z ?? "").split("_").map(Number);
    arriving = { ...(view.length === 3 && view.every(Number.isFinite) ? { view } : {}), ...(n ? { node: Number(n) } : {}), predicts: Boolean(pr) };
  }

  if (lab.settings.m) method.value = lab.settings.m;
  // The courses and methods are known a little later than the page.
  lab.addEventListener("restored", () => known.length > 0 && restore());
  lab.addEventListener("go", (event) => go(/** @type {CustomEvent<number>} */ (event).detail));
  for (const what of ["puzzle", "board"]) {
    lab.addEventListener(what, () => {
      if (!replay && !job) return;
      stop();
      asked = null;
      told.element.hidden = true;
      for (const key of ["s", "fold", "q", "qa", "z", "n", "pr", "fp"]) delete lab.settings[key];
      renderStale();
      render();
    });
  }
  new MutationObserver(() => tree.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  render();
}
