// Search, step by step.

import { Problem, follow, post } from "./api.js";
import { byId, count, download, draw, dressed, make, mini, number, say } from "./dom.js";
import { lab, written } from "./lab.js";
import { t } from "./language.js";
import { courses, picker } from "./methods.js";
import { Replay } from "./replay.js";
import { DRAWN, Tree } from "./tree.js";
import { outcome, whole } from "./whole.js";
import { choice, fate, shown } from "./words.js";

/** @import { Course, Explanation, Job, Progress, Puzzle, Report, Seen } from "./types.js" */
/** @import { Node } from "./replay.js" */

/** The number of expansions in a trace. The search goes on after it and is counted. */
const TRACED = 5000;
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
  let predicting = false;
  let score = { right: 0, all: 0 };
  /** The step to go to when there are enough. */
  let wanted = 0;
  /** What else a link shows there. @type {{ view?: number[], node?: number, predicts: boolean } | null} */
  let arriving = null;
  /** @type {Course[]} */
  let known = [];

  const course = make("select", {}, make("option", { value: "" }, "no: the method itself"));
  const courseMethod = make("select", {});
  const courseLabel = make("label", { hidden: true }, "Its method ", courseMethod);
  const method = picker({ value: "astar:manhattan", stepped: true, label: "How to search", changed: () => keep() });
  const run = make("button", { class: "primary", onclick: () => (searching ? stop("Stopped.") : start()) }, "Search");
  const problem = make("p", { class: "problem", role: "alert", hidden: true });

  const icon = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ act, words = "") => dressed(make("button", { onclick: act }), name, label, words);
  const first = icon("first", "First step", () => go(0));
  const back = icon("back", "Step back", () => go(step() - 1), "Back");
  const play = icon("play", "Play", () => (playing ? pause() : resume()), "Play");
  const forward = icon("step", "Step", () => advance(), "Step");
  const last = icon("last", "Last step", () => go(replay?.steps ?? 0));
  const slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => go(Number(slider.value)) });
  const jump = make("input", { inputmode: "numeric", size: 4, "aria-label": "Go to step", autocomplete: "off", onchange: () => go(Number(jump.value) || 0) });
  const of = make("span", { class: "note" }, "of 0");
  const speed = make("select", {}, ...SPEEDS.map((rate) => make("option", { value: rate }, `${rate}/s`)));
  speed.value = "2";
  speed.addEventListener("change", () => lab.keep({ sp: speed.value === "2" ? "" : speed.value }));
  const predict = make("button", { "aria-pressed": "false", onclick: () => setPredicting(!predicting) }, "Predict");
  const present = make("button", { "aria-pressed": "false", onclick: () => presentation(!presenting()) }, "Present");
  const exportTrace = make("button", { onclick: () => replay && download("trace.jsonl", "application/jsonl", trace()), disabled: true }, "Export trace");
  const inWords = make("button", { onclick: narrate, disabled: true }, t("In words"));
  const words = make("pre", { tabindex: 0 });
  const copyWords = make("button", { onclick: async () => {
    await navigator.clipboard.writeText(words.textContent ?? "").then(() => { copyWords.textContent = t("Copied"); }, () => getSelection()?.selectAllChildren(words));
    say(t("Copied"));
  } }, t("Copy"));
  const narrated = make("div", { class: "card narrated", hidden: true, role: "region", "aria-label": t("The search in words") }, make("div", { class: "row" }, make("h3", { class: "grow" }, t("The search in words")), copyWords, make("button", { onclick: () => { narrated.hidden = true; inWords.focus(); } }, t("Close"))), words);

  const canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": "The tree of the search. Arrows go from node to node, brackets step." });
  const said = make("span", { class: "said" });
  const tree = new Tree(canvas, { select, pick, step: (by) => (by < 0 ? go(step() - 1) : advance()), moved: () => {
    following.setAttribute("aria-pressed", String(tree.follow));
    keepView();
  } });
  const following = button("Follow", "Follow the search", () => {
    tree.follow = !tree.follow;
    keepView();
    render();
  });
  following.setAttribute("aria-pressed", "true");
  const stage = make("div", { class: "tree" }, canvas,
    make("div", { class: "overlay" }, following, button("Fit", "Fit the whole tree", () => { tree.fit(); tree.follow = false; tree.draw(); render(false); keepView(); }), button("+", "Zoom in", () => tree.zoom(1.3)), button("−", "Zoom out", () => tree.zoom(1 / 1.3))), said);
  const figures = make("dl", { class: "figures" });
  const total = whole();
  const stale = make("p", { class: "stale", hidden: true });
  const layers = make("div", { class: "layers", role: "group", "aria-label": "Layers; a pressed one is folded" });
  const why = make("div", { class: "card", "aria-label": "This step", role: "region" });
  const node = make("div", { class: "card", hidden: true, role: "region", "aria-label": "The chosen node" });
  const frontier = make("details", { class: "card frontier", hidden: true, ontoggle: () => renderFrontier() });
  const quiz = make("div", { class: "card", hidden: true, role: "region", "aria-label": "Prediction" });

  panel.append(
    make("div", { class: "card" },
      make("h2", {}, "Search, step by step"),
      make("div", { class: "choices" }, method.element, make("div", { class: "fields" }, courseLabel, make("label", {}, "As a course or paper ", course))),
      make("div", { class: "row" }, run, predict, present, exportTrace, inWords), problem, total.element, stale),
    narrated,
    make("div", { class: "stage" },
      make("div", { class: "card" },
        make("div", { class: "transport", role: "group", "aria-label": "Steps" }, first, back, play, forward, last, make("span", { class: "slide" }, slider)),
        make("div", { class: "row" }, make("label", { class: "inline" }, "step ", jump), of, make("label", { class: "inline" }, "speed ", speed)),
        figures, stage, legend(), layers),
      make("div", { class: "side" }, quiz, why, frontier, node)),
  );

  courses.then((all) => {
    known = all;
    course.append(...all.map((one) => make("option", { value: one.name, title: one.about }, `${one.name}: ${one.about}`)));
    restore();
  }, (error) => show(error));
  course.addEventListener("change", () => {
    chooseCourse(course.value, null);
    keep();
  });
  courseMethod.addEventListener("change", keep);

  /** @param {string} text @param {string} label @param {() => void} act */
  function button(text, label, act) {
    return make("button", { onclick: act, "aria-label": label, title: label }, text);
  }

  const step = () => replay?.step ?? 0;

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
      say(`The goal of ${name} is ${one.goal}.`);
    }
  }

  function keep() {
    lab.keep({ m: method.value, c: course.value, cm: course.value ? courseMethod.value : "", ...ofTheTree() });
    renderStale();
  }

  /** What the tree is of, where something else is chosen. */
  function ofTheTree() {
    const differs = asked && replay && name(asked) !== name(task(0));
    return { q: differs ? (asked?.method ?? "") : "", qa: differs ? (asked?.as ?? "") : "" };
  }

  /** @param {{ as?: string, method: string }} task */
  const name = (task) => (task.as ? `${task.as}: ${task.method}` : task.method);

  /** Another choice changes nothing before the next search. */
  function renderStale() {
    stale.hidden = !ofTheTree().q;
    stale.textContent = asked ? `What you see is a search by ${name(asked)}. Press Search for ${name(task(0))}.` : "";
  }

  /** The place of a tree that does not follow the search, for the link. */
  function keepView() {
    const text = tree.follow || !replay ? "" : tree.view.join("_");
    if (text !== (lab.settings.z ?? "")) lab.keep({ z: text });
  }

  /** What the service is asked for. @param {number} traced @returns {{ puzzle: Puzzle, limits: Record<string, number>, as?: string, method: string }} */
  function task(traced) {
    const base = { puzzle: lab.puzzle, limits: { seconds: 20, traced } };
    const one = known.find((each) => each.name === course.value);
    return one ? { ...base, as: one.name, method: courseMethod.value } : { ...base, method: method.value };
  }

  /** What is asked for while the puzzle stays as it is. @type {ReturnType<typeof task> | null} */
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
    score = { right: 0, all: 0 };
    asked = task(TRACED);
    if (other.method) {
      delete asked.as;
      Object.assign(asked, other);
    }
    total.begin();
    lab.keep({ q: other.method ?? "", qa: other.as ?? "", z: "", n: "" });
    renderStale();
    run.textContent = "Stop";
    searching = true;
    say("Searching.");
    end = follow(asked, {
      started: (begun) => {
        job = begun;
        replay = new Replay(begun.policy, begun.method, TRACED);
        tree.folded = folded;
        tree.follow = true;
        tree.selected = null;
        node.hidden = true;
        renderStale();
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
        total.ended(found, found.counts.expanded - omitted);
        if (replay && wanted > replay.steps) replay.seek(replay.steps);
        if (wanted === 0 && !replay?.steps) say(outcome(found));
        else say(`${outcome(found)} ${count(replay?.steps ?? 0, "step")} to go through.`);
        render();
        arrive();
      },
      problem: (error) => { finish(); total.clear(); show(error); },
    });
  }

  /** Shows what a link shows besides the step. */
  function arrive() {
    const place = arriving;
    arriving = null;
    if (!place || !replay) return;
    const chosen = place.node === undefined ? undefined : replay.nodes[place.node];
    if (chosen) tree.choose(chosen, false);
    if (place.view) tree.view = place.view;
    if (place.predicts) setPredicting(true);
    render();
  }

  /** The search as its course prints it, or in plain words. */
  async function narrate() {
    const mine = asked;
    if (!mine) return;
    copyWords.textContent = t("Copy");
    try {
      const { text } = await post("narrate", { ...mine, limits: { seconds: 20 } });
      if (mine !== asked) return;
      words.textContent = text;
      narrated.hidden = false;
      words.focus();
    } catch (error) {
      show(error);
    }
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
    omitted = 0;
    total.clear();
    if (predicting) setPredicting(false);
  }

  function finish() {
    run.textContent = "Search";
    searching = false;
  }

  /** @param {unknown} error */
  function show(error) {
    problem.textContent = error instanceof Problem ? error.text : String(error);
    problem.hidden = false;
  }

  /** @param {number} to */
  function go(to) {
    pause();
    const focused = document.activeElement;
    replay?.seek(to);
    lab.keep({ s: String(step()) });
    render();
    // A button that has nothing more to do hands the focus on.
    if (focused instanceof HTMLButtonElement && focused.disabled) play.focus();
    say(spoken());
  }

  /** A step, for those who listen. */
  function spoken() {
    const current = replay?.current;
    if (!replay || !current || step() === 0) return `Step ${step()}.`;
    const value = informed() ? `g ${current.g}, h ${current.h}` : `g ${current.g}`;
    return `Step ${step()}: ${written(current.board, lab.cols)}, ${value}${current.state === "goal" ? ", the goal" : ""}.`;
  }

  function advance() {
    if (!replay) return start(1);
    if (predicting && replay.next()) return say("Say first which node comes next.");
    go(step() + 1);
  }

  function resume() {
    if (!replay) start();
    if (replay && step() >= replay.steps) replay.seek(0);
    setPredicting(false);
    dressed(play, "pause", "Pause", "Pause");
    let told = performance.now();
    let due = 0;
    const tick = (/** @type {number} */ now) => {
      due += ((now - told) / 1000) * Number(speed.value);
      told = now;
      const whole = Math.floor(due);
      if (whole > 0 && replay) {
        due -= whole;
        replay.seek(step() + whole);
        render(false);
        if (report && step() >= replay.steps) {
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
    if (playing) explainSoon();
    playing = 0;
    dressed(play, "play", "Play", "Play");
  }

  const informed = () => Boolean(replay?.nodes.some((one) => one.h > 0));

  /** @param {boolean} [explains] */
  function render(explains = true) {
    const steps = replay?.steps ?? 0;
    slider.max = String(steps);
    slider.value = String(step());
    slider.setAttribute("aria-valuetext", `step ${step()} of ${steps}`);
    if (document.activeElement !== jump) jump.value = String(step());
    of.textContent = `of ${number(steps)}`;
    first.disabled = back.disabled = step() === 0;
    forward.disabled = last.disabled = (steps > 0 || report !== null) && step() >= steps;
    inWords.disabled = exportTrace.disabled = searching || !replay?.events.length && !report;
    following.setAttribute("aria-pressed", String(tree.follow));
    tree.show(replay, lab.cols, informed());
    renderFigures();
    renderLayers();
    if (!playing) renderFrontier();
    said.textContent = sayDrawn();
    said.classList.toggle("empty", !replay || (report !== null && replay.steps === 0));
    if (explains) explainSoon();
    else if (playing) renderNow();
    if (predicting) renderQuiz();
  }

  /** The best of what waits, in the order of the search. */
  function renderFrontier() {
    const list = replay && !replay.deepens && !replay.forgets ? replay.frontier() : [];
    frontier.hidden = list.length === 0;
    const order = /** @type {Record<string, string>} */ ({ heap: "; a heap orders equals", random: "; chance orders equals" })[replay?.policy.order ?? ""] ?? "";
    const shownOnes = frontier.open ? list.slice(0, 12) : [];
    frontier.replaceChildren(
      make("summary", {}, `The frontier, next first${order}`),
      make("ol", { class: "children" }, ...shownOnes.map((one) => make("li", {}, mini(one.board, lab.cols, one.tile), make("span", {}, ...values(one).slice(0, 1))))),
      ...(list.length > 12 && frontier.open ? [make("p", { class: "note" }, `and ${number(list.length - 12)} more`)] : []));
  }

  const presenting = () => document.documentElement.classList.contains("presenting");

  /** The tree on the whole screen, with large digits. @param {boolean} on */
  function presentation(on) {
    document.documentElement.classList.toggle("presenting", on);
    present.setAttribute("aria-pressed", String(on));
    lab.keep({ pm: on ? "1" : "" });
    tree.near = on ? 1.3 : 0.75;
    tree.wheelZooms = on;
    tree.follow = true;
    frontier.open = on;
    if (on) {
      document.documentElement.requestFullscreen?.().catch(() => {});
      if (!replay) start();
      canvas.focus();
    } else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    render();
    say(on ? "Presenting: arrows and page keys step, Escape ends it." : "The whole page is back.");
  }

  document.addEventListener("fullscreenchange", () => !document.fullscreenElement && presenting() && presentation(false));
  // A presenter's remote sends page keys; they are for the search wherever the focus is.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement;
    if (!presenting() || typing) return;
    if (event.key === "Escape") presentation(false);
    else if (["ArrowRight", "ArrowDown", "PageDown", " "].includes(event.key)) advance();
    else if (["ArrowLeft", "ArrowUp", "PageUp"].includes(event.key)) go(step() - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(replay?.steps ?? 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });

  function sayDrawn() {
    if (!replay) return "Press Search: the tree grows here.";
    if (report && replay.steps === 0) return outcome(report);
    const { drawn, nodes } = tree.drawn;
    const left = Math.max(omitted, (progress?.expanded ?? 0) - TRACED);
    const more = left > 0 ? `; ${number(left)} more expansions are counted, not drawn` : "";
    const folded = drawn < nodes ? (nodes > DRAWN ? `the first ${number(drawn)} of ${number(nodes)} nodes` : `${number(drawn)} shapes for ${count(nodes, "node")}`) : count(nodes, "node");
    return `${folded}${more}`;
  }

  function renderFigures() {
    const list = /** @type {[string, string][]} */ ([
      ["expanded", number(replay?.expanded)],
      ...(replay?.deepens ? [["at this threshold", number(replay.expandedHere)]] : []),
      ["generated", number(replay?.generated)],
      [replay?.deepens ? "within the threshold" : replay?.forgets ? "kept along the path" : "waiting", number(replay?.waiting)],
    ]);
    if (replay?.policy.k) list.push(["cut by the beam", number(replay.discarded)]);
    if (replay?.bound !== null && replay?.bound !== undefined) list.push([replay.deepens ? "threshold" : `layer ${replay.layerName}`, number(replay.bound)]);
    // A search that is longer than what is replayed does not end here.
    if (report && step() >= (replay?.steps ?? 0)) list.push(omitted > 0 ? ["replayed", `${number(replay?.expanded)} of ${count(report.counts.expanded, "expansion")}`] : ["end", outcome(report)]);
    figures.replaceChildren(...list.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  let shownLayers = "";

  function renderLayers() {
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
    const key = JSON.stringify([sorted, [...tree.folded], replay?.layerName]);
    if (key === shownLayers) return;
    shownLayers = key;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.layer : undefined;
    layers.replaceChildren(...(sorted.length ? [make("span", { class: "note" }, `Fold ${replay?.layerName} =`)] : []), ...sorted.map(([layer, { expanded, waiting }]) =>
      make("button", { "data-layer": layer, "aria-pressed": String(tree.folded.has(layer)), title: `${expanded} taken, ${waiting} waiting`, "aria-label": `Fold ${replay?.layerName} ${layer}: ${expanded} taken, ${waiting} waiting`, onclick: () => fold(layer) }, `${layer}`)));
    if (focused) layers.querySelector(/** @type {"button"} */ (`[data-layer="${focused}"]`))?.focus();
  }

  /** @param {number} layer */
  function fold(layer) {
    if (!tree.folded.delete(layer)) tree.folded.add(layer);
    lab.keep({ fold: [...tree.folded].join(".") });
    say(tree.folded.has(layer) ? `Layer ${layer} is folded.` : `Layer ${layer} is open.`);
    render(false);
  }

  let timer = 0;
  let shownStep = "";

  /** Why the node of this step was taken: the service knows. */
  function explainSoon() {
    clearTimeout(timer);
    renderNow();
    const [mine, replayed] = [step(), replay];
    if (!replay || mine === 0 || !asked) return;
    timer = setTimeout(async () => {
      try {
        const explanation = /** @type {Explanation} */ (await post(`explain?step=${mine}&rivals=4`, { ...asked, limits: { seconds: 10 } }));
        if (replay === replayed && step() === mine) renderWhy(explanation);
      } catch {
        // What the tree shows stays; a step that ends the search has no more to say.
      }
    }, 80);
  }

  /** What is known at once: the node, and what became of its successors. */
  function renderNow() {
    const current = replay?.current;
    const key = `${step()} ${current?.key} ${job?.id} ${report === null}`;
    if (key === shownStep && why.childElementCount > 0) return;
    shownStep = key;
    if (!replay || !current || step() === 0) {
      why.replaceChildren(make("h3", {}, "This step"), make("p", { class: "note" }, report && !replay?.steps ? "There is none. The proof is under 'Solvable?'." : replay ? "Only the start waits. Step on." : "Why a node was taken, and what became of its successors, will stand here."));
      return;
    }
    why.replaceChildren(
      make("h3", {}, `Step ${number(step())}`),
      make("div", { class: "why" }, mini(current.board, lab.cols, current.tile), make("p", {}, ...values(current))),
      ...(replay.policy.k && replay.discardedHere ? [make("p", { class: "note" }, `Before this step the beam cut ${count(replay.discardedHere, "node")}: of each layer it keeps ${replay.policy.k}.`)] : []),
      make("div", { class: "reasons" }),
      ...children());
  }

  /** @param {Node} one */
  function values(one) {
    const text = informed() && replay ? `g = ${one.g}, h = ${one.h}, f = ${replay.isWeighted ? `${replay.formula} = ` : ""}${shown(replay.f(one))}` : `g = ${one.g}`;
    return [make("strong", {}, text), make("br"), one.move ? `by ${one.move}${one.tile ? `, tile ${one.tile}` : ""}` : "the start"];
  }

  function children() {
    const id = replay?.current?.id;
    // A depth-first search comes back to a node, and its other successors come then.
    const list = (replay?.children ?? []).filter(({ seen }) => seen.parent === id);
    if (list.length === 0) return replay?.current?.state === "goal" ? [make("p", { class: "right score" }, "The goal: the search ends here.")] : [];
    const items = list.map(({ verdict, seen }) => successor(seen, verdict, fate(verdict, null, replay, step())));
    return [make("h3", {}, "Its successors"), make("ul", { class: "children" }, ...items)];
  }

  /** @param {Seen} seen @param {string} verdict @param {string} text */
  function successor(seen, verdict, text) {
    const kept = ["kept", "cheaper", "reopened"].includes(verdict);
    return make("li", { class: kept ? "" : "dropped" }, mini(seen.board, lab.cols, seen.tile), make("span", {}, make("strong", {}, `${seen.move ?? ""} `), informed() && replay ? `f = ${shown(replay.f(seen))}: ` : "", make("span", { class: "fate" }, text)));
  }

  /** @param {Explanation} explanation */
  function renderWhy(explanation) {
    const reasons = why.querySelector(".reasons");
    reasons?.replaceChildren(...(replay ? choice(explanation, replay, lab.cols) : []));
    const list = [...why.children].find((child) => child.matches(".children"));
    list?.replaceChildren(...explanation.successors.map((seen) => successor(seen, seen.verdict, seen.is_goal ? "the goal: the search ends here" : fate(seen.verdict, seen.known, replay, step()))));
  }

  /** @param {Node} chosen */
  function select(chosen) {
    node.hidden = false;
    const state = { waiting: "waiting", expanded: `taken at step ${chosen.order}`, goal: "the goal", pruned: "given up: beyond the limit", discarded: replay?.policy.k ? `cut: the beam keeps ${replay.policy.k} of each layer` : replay?.forgets ? "forgotten: only the successors along one path are kept" : "dropped when taken out" }[chosen.state];
    const path = [];
    for (let at = /** @type {Node | null} */ (chosen); at?.move; at = at.parent) path.unshift(at.move);
    node.replaceChildren(make("h3", {}, "The chosen node"), make("div", { class: "why" }, mini(chosen.board, lab.cols, chosen.tile), make("p", {}, ...values(chosen), make("br"), `${state}${chosen.since ? `, generated at step ${chosen.since}` : ""}`)), make("p", { class: "note moves-text" }, path.length ? path.join("") : "the start"));
    lab.keep({ n: String(chosen.key) });
    say(`${written(chosen.board, lab.cols)}: g ${chosen.g}, h ${chosen.h}, ${state}.`);
  }

  /** @param {boolean} on */
  function setPredicting(on) {
    predicting = on;
    predict.setAttribute("aria-pressed", String(on));
    quiz.hidden = !on;
    lab.keep({ pr: on ? "1" : "" });
    if (on) {
      if (!replay) start();
      answered = "";
      renderQuiz();
    }
  }

  let answered = "";
  let shownQuiz = "";

  function renderQuiz() {
    const found = replay?.candidates();
    const key = `${step()} ${replay?.steps} ${answered}`;
    if (key === shownQuiz && quiz.childElementCount > 0) return;
    shownQuiz = key;
    const heading = [make("h3", {}, "Which node comes next?"), make("p", { class: "score" }, `${score.right} of ${score.all}`)];
    const told = answered ? [make("p", { class: answered.startsWith("Right") ? "right score" : "wrong score" }, answered)] : [];
    if (!replay || !found) {
      quiz.replaceChildren(...heading, ...told, make("p", { class: "note" }, report ? "The search has ended." : "Searching .."));
      return;
    }
    const { open, right, best } = found;
    if (!right) {
      // Nothing waits where a search begins anew.
      const on = () => { answered = ""; /** @type {Replay} */ (replay).seek(step() + 1); render(); };
      quiz.replaceChildren(...heading, ...told, make("p", {}, "A new threshold begins, at the start."), make("button", { onclick: on }, "Go on"));
      return;
    }
    quiz.replaceChildren(...heading, ...told,
      make("p", { class: "note" }, `Choose one here or in the tree. ${count(open, "node waits", "nodes wait")}${open > best.length ? `; ${best.length} are shown here` : ""}.`),
      make("div", { class: "candidates" }, ...best.map((one) => make("button", { onclick: () => pick(one), "aria-label": `${written(one.board, lab.cols)}, g ${one.g}, h ${one.h}` }, mini(one.board, lab.cols, one.tile), informed() && replay ? `${one.g}+${replay.isWeighted ? `${replay.policy.w}·` : ""}${one.h}=${shown(replay.f(one))}` : `g ${one.g}`))));
  }

  /** @param {Node} guess */
  function pick(guess) {
    if (!predicting || !replay || guess.state !== "waiting") return;
    const truth = replay.next();
    if (!truth) return;
    const right = guess.id === truth.id;
    score = { right: score.right + Number(right), all: score.all + 1 };
    answered = right ? "Right." : `Not this one: the search took the one now marked, with g = ${truth.g}${informed() ? ` and h = ${truth.h}` : ""}. The reason stands below.`;
    replay.seek(step() + 1);
    lab.keep({ s: String(step()) });
    render();
    quiz.querySelector("button")?.focus();
    say(`${answered} ${score.right} of ${score.all}.`);
  }

  /** What was told, a line each, as 'taquin solve --trace=jsonl' prints it. */
  function trace() {
    const lines = (replay?.events ?? []).map((event) => JSON.stringify(event));
    if (omitted > 0) lines.push(JSON.stringify({ event: "omitted", expansions: omitted }));
    if (report) lines.push(JSON.stringify({ event: "report", ...report }));
    return `${lines.join("\n")}\n`;
  }

  /** As the link says. */
  function restore() {
    const { m, c, cm, s, q, qa, z, n, sp, pr, fold: layersFolded } = lab.settings;
    if (m) method.value = m;
    chooseCourse(c ?? "", cm || (c ? "" : null));
    if (lab.settings.pm) presentation(true);
    if (sp && SPEEDS.includes(Number(sp))) speed.value = sp;
    if (s === undefined) return;
    start(Number(s) || 0, new Set((layersFolded ?? "").split(".").filter(Boolean).map(Number)), q ? { method: q, ...(qa ? { as: qa } : {}) } : {});
    const view = (z ?? "").split("_").map(Number);
    arriving = { ...(view.length === 3 && view.every(Number.isFinite) ? { view } : {}), ...(n ? { node: Number(n) } : {}), predicts: Boolean(pr) };
  }

  if (lab.settings.m) method.value = lab.settings.m;
  // The courses that a link names are known a little later than the page.
  lab.addEventListener("restored", () => known.length > 0 && restore());
  lab.addEventListener("go", (event) => go(/** @type {CustomEvent<number>} */ (event).detail));
  for (const what of ["puzzle", "board"]) {
    lab.addEventListener(what, () => {
      if (!replay && !job) return;
      stop();
      asked = null;
      narrated.hidden = true;
      for (const key of ["s", "fold", "q", "qa", "z", "n", "pr"]) delete lab.settings[key];
      renderStale();
      render();
    });
  }
  new MutationObserver(() => tree.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  render();
}

/** What the shapes and colours mean. */
function legend() {
  const shape = (/** @type {string} */ kind) => {
    const paint = { fill: `var(--${kind})`, stroke: `var(--${kind}-edge)`, "stroke-width": 2 };
    const shapes = /** @type {Record<string, () => SVGElement>} */ ({
      waiting: () => draw("rect", { x: 3, y: 3, width: 14, height: 14, ...paint }),
      explored: () => draw("circle", { cx: 10, cy: 10, r: 7.5, ...paint }),
      goal: () => draw("path", { d: "M10 1L19 10L10 19L1 10Z", ...paint }),
      now: () => draw("circle", { cx: 10, cy: 10, r: 7, fill: "var(--explored)", stroke: "var(--accent)", "stroke-width": 4 }),
      dropped: () => draw("path", { d: "M4 4L16 16M16 4L4 16", stroke: "var(--dropped)", "stroke-width": 2.5 }),
    });
    return draw("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, shapes[kind]?.());
  };
  const entries = [["waiting", "frontier: waiting"], ["explored", "explored"], ["now", "taken in this step"], ["goal", "goal"], ["dropped", "given up"]];
  return make("ul", { class: "legend", "aria-label": "What the shapes mean" }, ...entries.map(([kind = "", text]) => make("li", {}, shape(kind), text)));
}
