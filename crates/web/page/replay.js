// A search that was told, to be gone through forwards and backwards.

/** @import { Policy, Step } from "./types.js" */

/**
 * A node of the tree.
 * @typedef {object} Node
 * @property {number} key its number among the nodes that are drawn
 * @property {number} id its number in the search
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {string | null} move
 * @property {number | null} tile
 * @property {number} g
 * @property {number} h
 * @property {number} depth
 * @property {number | undefined} value what recursive best-first search ranks it by: more than f if more was found below it
 * @property {number[]} board
 * @property {string | undefined} label what a node is called that has no board
 * @property {"waiting" | "expanded" | "pruned" | "goal" | "discarded"} state
 * @property {number} order the step at which it was taken, 0 if it was not
 * @property {number} since the step at which it was generated
 * @property {number} pushed its number among all that were put on the frontier
 */

/** @typedef {{ verdict: string, seen: Step, node: Node | null }} Child */

export class Replay {
  /** @type {Step[]} */
  events = [];
  /** Where in the events each step ends; step 0 is before anything was taken. @type {number[]} */
  #ends = [0];
  /** The numbers of the nodes in the trace. @type {Set<number>} */
  #told = new Set();
  /** The step that is shown. */
  step = 0;
  #at = 0;
  /** @type {Node[]} */
  nodes = [];
  /** @type {Map<number, Node>} */
  #byId = new Map();
  /** @type {Node | null} */
  current = null;
  /** Where two searches have met: the node of the search from the goal. @type {Node | null} */
  twin = null;
  /** The fates of the last expanded node's successors. @type {Child[]} */
  children = [];
  /** @type {number | null} */
  bound = null;
  /** Expansions so far, and at this threshold: a node that is reopened is expanded again. */
  expanded = 0;
  expandedHere = 0;
  generated = 0;
  waiting = 0;
  /** The nodes dropped from the frontier, and before this step. */
  discarded = 0;
  discardedHere = 0;
  #pushed = 0;
  /** The number of expansions in the trace. */
  #expansions = 0;
  /** A goal after the last expansion of the trace: the end of the search says whether it is the next step. @type {Step | null} */
  #held = null;

  /**
   * @param {Policy} policy
   * @param {string} method
   * @param {number} [traced] the most expansions that the trace holds
   */
  constructor(policy, method, traced = Infinity) {
    this.policy = policy;
    /** Whether the search goes depth-first under a threshold. */
    this.deepens = /^(ida|ids)\b/.test(method);
    /** Whether it keeps the successors along one path, and forgets what is below the others. */
    this.forgets = /^rbfs\b/.test(method);
    /** Whether it searches from both ends: nodes from the goal have odd numbers. */
    this.meets = /^(bae|nbs|mm|dvcbs)\b/.test(method);
    this.method = method;
    this.traced = traced;
    const [numerator = 1, denominator = 1] = (policy.w ?? "1").split("/").map(Number);
    /** f is g plus this times h. */
    this.weight = { numerator, denominator };
  }

  /** How many steps there are so far. */
  get steps() {
    return this.#ends.length - 1;
  }

  /** More of what the search told. @param {Step[]} events */
  add(events) {
    for (const event of events) {
      const index = this.events.push(event) - 1;
      if (event.event === "expand") this.#expansions++;
      else if (event.event === "goal" && this.#expansions >= this.traced) {
        this.#held = event;
        continue;
      }
      // The goal is always in the trace, even if what led to it is not.
      const isEnd = event.event === "goal" && (event.parent === null || (this.policy.goal === "expansion" && this.#told.has(event.id)));
      const isStep = event.event === "expand" || isEnd;
      if (event.event !== "goal") this.#told.add(event.id);
      if (isStep) this.#ends.push(index + 1);
      // Generated nodes belong to the step, a threshold or a drop to the next step.
      else if ((event.event === "generate" || (event.event === "goal" && this.#told.has(event.id))) && this.steps > 0) this.#ends[this.steps] = index + 1;
    }
    if (this.step === 0 && this.#at === 0) this.#root();
  }

  /** The search has ended; `omitted` of its expansions are not in the trace. @param {number} omitted */
  end(omitted) {
    const goal = this.#held;
    this.#held = null;
    if (!goal || omitted > 0) return;
    this.traced = Infinity;
    this.events.pop();
    this.add([goal]);
  }

  /** The start waits without having been generated, and so does the goal of a search from both ends. */
  #root() {
    for (const id of this.meets ? [0, 1] : [undefined]) {
      const first = this.events.find((event) => (event.event === "expand" || event.event === "goal") && (id === undefined || event.id === id));
      if (first && !this.nodes.some((node) => id === undefined || node.id === id)) this.#enter(first, null, "waiting");
    }
  }

  /** Whether a node is of the search from the goal. @param {Node} node */
  isFromGoal(node) {
    return this.meets && node.id % 2 === 1;
  }

  /** The nodes that wait, of one side. @param {boolean} fromGoal */
  waitingOn(fromGoal) {
    return this.nodes.filter((node) => node.state === "waiting" && this.isFromGoal(node) === fromGoal);
  }

  /** The node that the next step takes: its number and its board. */
  next() {
    const end = this.#ends[this.step + 1];
    if (end === undefined) return null;
    for (let at = this.#at; at < end; at++) {
      const event = this.events[at];
      if (event?.event === "expand" || event?.event === "goal") return event;
    }
    return null;
  }

  /** Waiting nodes that are dropped before the next step, because their board was expanded meanwhile. @returns {Set<Node>} */
  stale() {
    /** @type {Set<Node>} */
    const found = new Set();
    for (let at = this.#at; !this.policy.k && at < this.events.length; at++) {
      const event = /** @type {Step} */ (this.events[at]);
      if (event.event === "expand" || event.event === "goal") break;
      const node = event.event === "discard" ? this.#byId.get(event.id) : undefined;
      if (node?.state === "waiting") found.add(node);
    }
    return found;
  }

  /** Where among the events the node of a step is taken. @param {number} step */
  #taken(step) {
    let at = this.#ends[step - 1] ?? 0;
    while (this.events[at] && !["expand", "goal"].includes(this.events[at]?.event ?? "")) at++;
    return at;
  }

  /** The events of a step from the choice of its node on. @param {number} step */
  eventsOf(step) {
    return this.events.slice(this.#taken(step), this.#ends[step]);
  }

  /**
   * Goes to a step, or to a part of it.
   * @param {number} step
   * @param {number} [events] how many of its events after the choice of its node have happened
   */
  seek(step, events = Infinity) {
    const wanted = Math.min(Math.max(step, 0), this.steps);
    const end = this.#ends[wanted] ?? 0;
    const limit = wanted === 0 || events === Infinity ? end : Math.min(end, this.#taken(wanted) + 1 + events);
    if (limit < this.#at || wanted < this.step) {
      Object.assign(this, { nodes: [], current: null, twin: null, children: [], bound: null, expanded: 0, expandedHere: 0, generated: 0, waiting: 0, discarded: 0, discardedHere: 0, step: 0 });
      this.#byId = new Map();
      this.#at = 0;
      this.#pushed = 0;
      this.#root();
    }
    while (this.step < wanted) {
      this.#run(this.#ends[this.step] ?? 0);
      this.step++;
      this.children = [];
      this.discardedHere = 0;
      this.#run(this.step === wanted ? limit : (this.#ends[this.step] ?? 0));
    }
    this.#run(limit);
  }

  /** @param {number} end */
  #run(end) {
    for (; this.#at < end; this.#at++) this.#apply(/** @type {Step} */ (this.events[this.#at]));
  }

  /** @param {Step} event */
  #apply(event) {
    switch (event.event) {
      case "bound":
        this.bound = event.bound ?? null;
        if (this.deepens) {
          // Each threshold begins anew.
          this.nodes = [];
          this.#byId = new Map();
          this.waiting = 0;
          this.expandedHere = 0;
        }
        break;
      case "expand":
        this.expanded++;
        this.expandedHere++;
        this.#take(event, "expanded");
        break;
      case "goal":
        this.#take(event, "goal");
        break;
      case "discard": {
        const node = this.#byId.get(event.id);
        if (node?.state === "waiting") this.#leave(node, "discarded");
        this.discarded++;
        this.discardedHere++;
        break;
      }
      case "generate":
        this.#generate(event);
    }
  }

  /** @param {Step} event @param {"expanded" | "goal"} state */
  #take(event, state) {
    const node = this.#byId.get(event.id) ?? this.#enter(event, null, "waiting");
    if (this.forgets) {
      this.#forget(node);
      node.value = event.value;
    }
    if (node.state === "waiting") this.#leave(node, state);
    node.state = state;
    node.order = this.step;
    if (state === "expanded" || this.policy.goal === "expansion" || event.parent === null) this.current = node;
    if (this.meets && state === "goal") this.#meet(node);
  }

  /** Where the search from the goal has met another. @param {Node} node */
  #meet(node) {
    const twin = this.nodes.find((one) => this.isFromGoal(one) && one.board.every((tile, cell) => tile === node.board[cell]));
    if (!twin) return;
    if (twin.state === "waiting") this.waiting--;
    twin.state = "goal";
    this.twin = twin;
  }

  /** Forgets what is below the path that is left for another node. @param {Node} next */
  #forget(next) {
    const way = new Set();
    for (let at = /** @type {Node | null} */ (next); at; at = at.parent) way.add(at);
    let left = this.current;
    while (left?.parent && !way.has(left.parent)) left = left.parent;
    if (!left || (way.has(left) && left !== next)) return;
    // The remaining node keeps the lowest value below it.
    for (let at = this.current; at; at = at === left ? null : at.parent) at.value = Math.min(...at.children.filter(({ state }) => state !== "discarded").map(({ value = Infinity }) => value));
    const below = [...left.children];
    left.children.forEach((child) => { child.state = child.state === "waiting" ? (this.waiting--, "discarded") : "discarded"; });
    for (let at = 0; at < below.length; at++) {
      for (const child of below[at]?.children ?? []) {
        if (child.state === "waiting") this.waiting--;
        child.state = "discarded";
        below.push(child);
      }
    }
    // It waits again.
    if (left !== next && left.state !== "waiting") {
      left.state = "waiting";
      this.waiting++;
    }
  }

  /** @param {Node} node @param {Node["state"]} state */
  #leave(node, state) {
    node.state = state;
    this.waiting--;
  }

  /** @param {Step} event */
  #generate(event) {
    this.generated++;
    const parent = event.parent === null ? null : (this.#byId.get(event.parent) ?? null);
    const verdict = event.verdict ?? "kept";
    let node = this.#byId.get(event.id) ?? null;
    if (verdict === "kept") node = this.#enter(event, parent, "waiting");
    else if (verdict === "pruned") node = this.#enter(event, parent, "pruned");
    else if ((verdict === "cheaper" || verdict === "reopened") && node) {
      if (node.parent) node.parent.children = node.parent.children.filter((child) => child !== node);
      if (node.state !== "waiting") this.waiting++;
      Object.assign(node, { parent, g: event.g, h: event.h, depth: event.depth, move: event.move, tile: event.tile, value: event.value, state: "waiting", since: this.step, pushed: ++this.#pushed });
      parent?.children.push(node);
    }
    this.children.push({ verdict, seen: event, node });
  }

  /** @param {Step} event @param {Node | null} parent @param {"waiting" | "pruned"} state */
  #enter(event, parent, state) {
    /** @type {Node} */
    const node = { key: this.nodes.length, id: event.id, parent, children: [], move: event.move, tile: event.tile, g: event.g, h: event.h, depth: event.depth, value: event.value, board: event.board, label: event.label, state, order: 0, since: this.step, pushed: ++this.#pushed };
    this.nodes.push(node);
    parent?.children.push(node);
    if (state === "waiting") {
      // Nodes that are given up have no number of their own.
      this.#byId.set(event.id, node);
      this.waiting++;
    }
    return node;
  }

  /** The waiting nodes, as the search sorts them: the first is next. The order within a heap or by chance is unknown. */
  frontier() {
    const { tie, order, k } = this.policy;
    const byTie = (/** @type {Node} */ a, /** @type {Node} */ b) => (tie === "low-g" ? a.g - b.g : tie === "high-g" ? b.g - a.g : 0);
    const byOrder = (/** @type {Node} */ a, /** @type {Node} */ b) => (order === "lifo" ? b.pushed - a.pushed : a.pushed - b.pushed);
    const byLayer = (/** @type {Node} */ a, /** @type {Node} */ b) => (k ? a.depth - b.depth : 0);
    return this.nodes.filter((node) => node.state === "waiting").sort((a, b) => byLayer(a, b) || this.rank(a) - this.rank(b) || byTie(a, b) || byOrder(a, b));
  }

  /**
   * The candidates for the next node, for a question: the best few nodes and the right one among them, in the order in
   * which they came. The right one is null if a search begins anew.
   * @param {number} [most]
   */
  candidates(most = 7) {
    const truth = this.next();
    if (!truth) return null;
    const stale = this.stale();
    // A beam takes the nodes of the next layer later.
    const open = this.nodes.filter((one) => one.state === "waiting" && !stale.has(one) && (!this.policy.k || one.depth === truth.depth));
    const value = (/** @type {Node} */ one) => (this.forgets ? (one.value ?? 0) : this.rank(one));
    const best = [...open].sort((a, b) => value(a) - value(b) || b.g - a.g || b.key - a.key).slice(0, most);
    const right = open.find((one) => one.id === truth.id) ?? null;
    if (right && !best.includes(right)) best.push(right);
    return { open: open.length, right, best: best.sort((a, b) => a.key - b.key) };
  }

  /** f as the search reckons it: of a priority by pieces, the service has the bits. @param {{ g: number, h: number, value?: number | undefined }} node */
  f(node) {
    if (this.#hasPieces) return new Float32Array(Uint32Array.of(node.value ?? 0).buffer)[0] ?? 0;
    return this.#weighted(node) / this.#weighted({ g: 1, h: 0 });
  }

  /** A weighted f in whole numbers, as the service has it. @param {{ g: number, h: number }} node */
  #weighted({ g, h }) {
    const { numerator, denominator } = this.weight;
    if (!this.isCurved) return g * denominator + h * numerator;
    const [p, q, wideG, wideH, parts] = [BigInt(numerator), BigInt(denominator), BigInt(g), BigInt(h), 1n << 10n];
    const isDown = this.policy.phi === "xdp";
    const sum = isDown ? q * wideG + (2n * p - q) * wideH : q * (wideG + wideH);
    const square = isDown ? (q * (wideG - wideH)) ** 2n + 4n * p * q * wideG * wideH : sum ** 2n + 4n * p * (p - q) * wideH ** 2n;
    return Number(sum * parts + rootOf(square * parts * parts));
  }

  /** How f is reckoned. */
  get formula() {
    const { w, phi } = this.policy;
    if (this.isCurved) return `${phi}(g, h)`;
    return this.isWeighted ? `g + ${w} h` : "g + h";
  }

  /** Whether f is no sum, but another priority with this weight. */
  get isCurved() {
    return this.isWeighted && (this.policy.phi ?? "wa") !== "wa";
  }

  /** Whether the priority grows during the search, so that events have it. */
  get #hasPieces() {
    return this.isCurved && (this.policy.phi ?? "").startsWith("pw");
  }

  get isWeighted() {
    return this.weight.numerator !== this.weight.denominator;
  }

  /** The rank of a node, as the service has it: a weighted f in whole numbers. @param {{ g: number, h: number, depth: number, value?: number | undefined }} node */
  rank(node) {
    switch (this.policy.rank) {
      case "f": return this.#hasPieces ? (node.value ?? 0) : this.#weighted(node);
      case "g": return node.g;
      case "h": return node.h;
      case "depth": return node.depth;
      default: return 0;
    }
  }

  /** A node's rank, which is the layer it belongs to. @param {Node} node */
  layer(node) {
    switch (this.policy.rank) {
      case "f": return this.f(node);
      case "g": return node.g;
      case "h": return node.h;
      default: return (this.deepens || this.forgets) && node.h > 0 ? node.g + node.h : node.depth;
    }
  }

  /** The first step after this one whose node is on another layer, or the last. A search that deepens has one for each threshold. */
  nextLayer() {
    const at = this.step;
    const here = () => (this.deepens || this.meets ? this.bound : this.current && this.layer(this.current));
    const from = here();
    while (this.step < this.steps) {
      this.seek(this.step + 1);
      if (at === 0 || here() !== from) break;
    }
    const found = this.step;
    this.seek(at);
    return found;
  }

  /** The layers' name. */
  get layerName() {
    const { rank } = this.policy;
    return rank === "f" || rank === "g" || rank === "h" ? rank : (this.deepens || this.forgets) && this.nodes.some((node) => node.h > 0) ? "f" : "depth";
  }
}

/** The square root, rounded down. @param {bigint} square */
function rootOf(square) {
  let root = BigInt(Math.floor(Math.sqrt(Number(square))));
  while (root * root > square) root--;
  while ((root + 1n) ** 2n <= square) root++;
  return root;
}
