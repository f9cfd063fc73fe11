// The tree of a search, drawn on a canvas: only what is in view, and less of it the smaller it is.

import { say, still } from "./dom.js";
import { t } from "./language.js";
import { measured, sum } from "./words.js";

/** @import { Node, Replay } from "./replay.js" */

/** Left, top, right and bottom. @typedef {[number, number, number, number]} Rect */

/**
 * A node, or a folded group of nodes, with its place.
 * @typedef {{ node: Node, parent: Placed | null, children: Placed[], folded: number, layer: number, x: number, y: number, fromX: number, fromY: number }} Placed
 */

const CELL = 15;
/** From this width on, in pixels, a node is drawn as a board. */
const BOARD = 24;
/** A tree is shown whole, while the search is followed, if its boards are at least this wide. */
const READABLE = 29;
/** More nodes than this are not drawn. */
export const DRAWN = 20_000;

export class Tree {
  /** @type {Placed[]} */
  #placed = [];
  /** @type {Map<Node, Placed>} */
  #of = new Map();
  #scale = 1;
  #x = 0;
  #y = 0;
  /** The scale at which everything is seen, and how much taller a wide tree is drawn there. */
  #far = { scale: 1, stretch: 1 };
  /** How large nodes are where not all of them are seen. */
  near = 0.75;
  /** Whether the wheel alone zooms, as where the page can't be scrolled. */
  wheelZooms = () => false;
  /** Whether any node is in view. */
  isInView = true;
  /** Whether the view follows the search. */
  follow = true;
  /** @type {Node | null} */
  selected = null;
  /** @type {Set<number>} */
  folded = new Set();
  #moved = 1;
  #frame = 0;
  /** @type {Replay | null} */
  #replay = null;
  #cols = 3;
  #informed = true;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ select: (node: Node) => void, pick: (node: Node) => void, step: (by: number) => void, moved: () => void, painted: () => void }} handlers
   */
  constructor(canvas, handlers) {
    this.canvas = canvas;
    this.handlers = handlers;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#listen();
  }

  get #box() {
    const rows = Math.max(1, (this.#placed[0]?.node.board.length ?? 9) / this.#cols);
    // Two digits need more room than one.
    const cell = rows * this.#cols > 10 ? CELL + 4 : CELL;
    return { cell, width: Math.max(this.#cols * cell, 46), height: rows * CELL + 18, rows };
  }

  /**
   * Shows a search where it stands.
   * @param {Replay | null} replay
   * @param {number} cols
   * @param {boolean} informed whether there is an estimate
   */
  show(replay, cols, informed) {
    this.#replay = replay;
    this.#cols = cols;
    this.#informed = informed;
    const old = this.#of;
    this.#layout();
    const animate = !still() && this.#placed.length < 1500 && old.size > 0;
    for (const placed of this.#placed) {
      const before = old.get(placed.node) ?? (placed.parent ? old.get(placed.parent.node) : undefined);
      placed.fromX = before && animate ? before.x : placed.x;
      placed.fromY = before && animate ? before.y : placed.y;
    }
    if (this.selected && !this.#of.has(this.selected)) this.selected = null;
    this.#moved = animate ? 0 : 1;
    if (this.follow) this.#aim();
    this.draw();
  }

  /** How many nodes are drawn of how many. */
  get drawn() {
    return { drawn: this.#placed.length, nodes: this.#replay?.nodes.length ?? 0 };
  }

  /**
   * Parents before their children: a node that was reached more cheaply has a younger parent.
   * @param {Replay} replay
   */
  #fromTheTop(replay) {
    const list = replay.nodes.filter((node) => !node.parent);
    for (let at = 0; at < list.length && list.length < DRAWN; at++) list.push(...(list[at]?.children ?? []));
    return list;
  }

  /** Leaves side by side, each parent in the middle above its children. */
  #layout() {
    const replay = this.#replay;
    this.#placed = [];
    this.#of = new Map();
    if (!replay) return;
    /** Nodes of a folded layer stand for those below them in the same layer. @type {Map<Node, Placed>} */
    const of = this.#of;
    for (const node of this.#fromTheTop(replay)) {
      const layer = replay.layer(node);
      const above = node.parent ? (of.get(node.parent) ?? null) : null;
      if (above && this.folded.has(layer) && above.layer === layer) {
        above.folded++;
        of.set(node, above);
        continue;
      }
      const placed = { node, parent: above, children: /** @type {Placed[]} */ ([]), folded: this.folded.has(layer) ? 1 : 0, layer, x: 0, y: 0, fromX: 0, fromY: 0 };
      above?.children.push(placed);
      of.set(node, placed);
      this.#placed.push(placed);
    }
    const { width, height } = this.#box;
    // Deep trees would overflow a recursion. Children come after their parents in the list.
    let slot = 0;
    /** @type {Placed[]} */
    const stack = this.#placed.filter((placed) => !placed.parent).reverse();
    while (stack.length > 0) {
      const placed = /** @type {Placed} */ (stack.pop());
      placed.y = (placed.parent ? placed.parent.y : 0) + (placed.parent ? height + 34 : 0);
      if (placed.children.length === 0) placed.x = slot++ * (width + 16);
      for (let at = placed.children.length - 1; at >= 0; at--) stack.push(/** @type {Placed} */ (placed.children[at]));
    }
    const order = [...this.#placed].sort((a, b) => b.y - a.y);
    for (const placed of order) {
      const first = placed.children[0];
      const last = placed.children[placed.children.length - 1];
      if (first && last) placed.x = (first.x + last.x) / 2;
    }
  }

  /** The size of the canvas on the page. */
  get #size() {
    return { width: this.canvas.clientWidth || 1, height: this.canvas.clientHeight || 1 };
  }

  /** From here on trees have their own proportions. */
  static #NEAR = 0.35;

  /** How much taller than wide the tree is drawn at a scale: a wide one would be a line from afar. */
  #stretchAt(scale = this.#scale) {
    const { scale: far, stretch } = this.#far;
    if (scale >= Tree.#NEAR || far >= Tree.#NEAR) return 1;
    return stretch ** Math.min(1, Math.log(Tree.#NEAR / scale) / Math.log(Tree.#NEAR / far));
  }

  #bounds() {
    let [left, right, bottom] = [Infinity, -Infinity, 0];
    for (const { x, y } of this.#placed) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      bottom = Math.max(bottom, y);
    }
    return { left, right, bottom };
  }

  /** Shows everything. */
  fit() {
    const { width, height } = this.#size;
    const box = this.#box;
    const { left, right, bottom } = this.#bounds();
    if (this.#placed.length === 0) return;
    // Above the tree there is room for the buttons, below it for the words.
    const [w, h] = [right - left + box.width + 60, bottom + box.height + 30];
    const scale = Math.min(2 * this.near, width / w, (height - 85) / h);
    this.#far = { scale, stretch: Math.max(1, (height - 85) / (h * scale)) };
    this.#scale = scale;
    this.#x = width / 2 - ((left + right) / 2) * scale;
    // Titles of two trees are below the buttons.
    this.#y = Math.max(this.#replay?.meets ? 84 : 60, (height - (bottom + box.height) * scale * this.#stretchAt()) / 2);
  }

  /** Everything if it is readable, otherwise where the search is. */
  #aim() {
    this.fit();
    const current = this.#replay?.current;
    const placed = current ? this.#of.get(current) : null;
    if (!placed) return;
    if (this.#scale * this.#box.width >= READABLE) return this.#uncover(placed);
    const { width, height } = this.#size;
    this.#scale = Math.max(this.#scale, Math.min(this.near, width / 500));
    // The node is in the middle, unless there is nothing but room beyond an edge of the tree.
    const stretched = this.#scale * this.#stretchAt();
    const { left, right, bottom } = this.#bounds();
    const within = (/** @type {number} */ start, /** @type {number} */ low, /** @type {number} */ high) => (low > high ? (low + high) / 2 : Math.min(Math.max(start, low), high));
    const [side, box] = [this.#box.width * this.#scale, this.#box.height * stretched];
    this.#x = within(width / 2 - placed.x * this.#scale, width - 30 - side - right * this.#scale, 30 + side - left * this.#scale);
    this.#y = within(height / 2 - placed.y * stretched, height - 124 - box - bottom * stretched, 60);
    this.#uncover(placed);
  }

  /** Where a node and its children are on the canvas: left, top, right, bottom. @param {Placed} placed @returns {Rect[]} */
  #near(placed) {
    const [scale, stretched] = [this.#scale, this.#scale * this.#stretchAt()];
    const { width, height } = this.#box;
    return [placed, ...placed.children].map(({ x, y }) => {
      const [middle, top] = [x * scale + this.#x, y * stretched + this.#y];
      return [middle - (width / 2 + 6) * scale, top - 6 * scale, middle + (width / 2 + 6) * scale, top + (height + 4) * scale];
    });
  }

  /** Moves the view until neither a node nor its children are below the buttons, the map or the board. @param {Placed} placed */
  #uncover(placed) {
    const { width, height } = this.#size;
    const own = this.canvas.getBoundingClientRect();
    const near = this.#near(placed);
    /** @type {Rect[]} */
    const covers = [...this.canvas.parentElement?.querySelectorAll(":scope > :is(.map, .overlay), .big .board, .big > button") ?? []].filter((one) => one.checkVisibility()).map((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return [left - own.left - 4, top - own.top - 4, right - own.left + 4, bottom - own.top + 4];
    });
    const isSeen = (/** @type {Rect} */ [left, top, right, bottom], /** @type {number} */ dx, /** @type {number} */ dy) => left + dx >= 0 && top + dy >= 0 && right + dx <= width && bottom + dy <= height && !covers.some(([l, t, r, b]) => left + dx < r && right + dx > l && top + dy < b && bottom + dy > t);
    if (near.every((one) => isSeen(one, 0, 0))) return;
    // The useful moves: to just next to, above or below a cover of a node, or into the window.
    const across = [0, ...near.flatMap(([left, , right]) => [-left, width - right, ...covers.flatMap(([l, , r]) => [r - left, l - right])])];
    const down = [0, ...near.flatMap(([, top, , bottom]) => [-top, height - bottom, ...covers.flatMap(([, t, , b]) => [b - top, t - bottom])])];
    let best = { cost: Infinity, dx: 0, dy: 0 };
    for (const dx of across) {
      for (const dy of down) {
        // The node counts more than all of its children, and they more than how far the view moves.
        const cost = near.reduce((sum, one, at) => sum + (isSeen(one, dx, dy) ? 0 : at === 0 ? 1e7 : 1e5), Math.abs(dx) + Math.abs(dy));
        if (cost < best.cost) best = { cost, dx, dy };
      }
    }
    this.#x += best.dx;
    this.#y += best.dy;
  }

  /** Something new covers a part of the canvas. */
  covered() {
    if (this.follow) this.#aim();
    this.draw();
  }

  /** The middle of the view and its scale, for another window. */
  get view() {
    const { width, height } = this.#size;
    return [this.#scale, (width / 2 - this.#x) / this.#scale, (height / 2 - this.#y) / this.#scale / this.#stretchAt()].map((value) => Number(value.toPrecision(4)));
  }

  set view([scale = 1, x = 0, y = 0]) {
    const { width, height } = this.#size;
    this.fit();
    this.#scale = Math.min(Math.max(scale, 0.004), 4);
    this.#x = width / 2 - x * this.#scale;
    this.#y = height / 2 - y * this.#scale * this.#stretchAt();
    this.follow = false;
    this.draw();
    this.handlers.moved();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] */
  zoom(factor, x = this.#size.width / 2, y = this.#size.height / 2) {
    const scale = Math.min(Math.max(this.#scale * factor, 0.004), 4);
    this.#x = x - ((x - this.#x) * scale) / this.#scale;
    const stretched = (scale * this.#stretchAt(scale)) / (this.#scale * this.#stretchAt());
    this.#y = y - (y - this.#y) * stretched;
    this.#scale = scale;
    this.follow = false;
    this.draw();
    this.handlers.moved();
  }

  #resize() {
    const { width, height } = this.#size;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (this.follow) this.#aim();
    this.draw();
  }

  #listen() {
    const { canvas } = this;
    /** @type {Map<number, { x: number, y: number }>} */
    const fingers = new Map();
    let far = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (fingers.size === 1) far = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.offsetX - before.x, event.offsetY - before.y];
      far += Math.hypot(dx, dy);
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const [other] = others;
      fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (far < 5) return;
      if (other) {
        const was = Math.hypot(before.x - other.x, before.y - other.y);
        const is = Math.hypot(event.offsetX - other.x, event.offsetY - other.y);
        if (was > 0) this.zoom(is / was, other.x, other.y);
      } else this.pan(dx, dy);
    });
    const up = (/** @type {PointerEvent} */ event) => {
      fingers.delete(event.pointerId);
      if (event.type === "pointerup" && far < 5 && fingers.size === 0) {
        const node = this.#nodeAt(event.offsetX, event.offsetY);
        if (node) this.choose(node, true);
      }
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("wheel", (event) => {
      // The wheel alone scrolls the page, on which the tree is large; a pinch comes with Ctrl.
      if (!event.ctrlKey && !event.metaKey && !this.wheelZooms()) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / (event.ctrlKey ? 200 : 400)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.#x += dx;
    this.#y += dy;
    this.follow = false;
    this.draw();
    this.handlers.moved();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const way = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[event.key];
    if (way && event.shiftKey) this.pan(-60 * way[0], -60 * way[1]);
    else if (way) this.#go(way);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") {
      this.fit();
      this.follow = false;
      this.draw();
      this.handlers.moved();
      say(t("The whole tree."));
    } else if (event.key === "Enter" && this.selected) this.handlers.pick(this.selected);
    else if (event.key === "[") this.handlers.step(-1);
    else if (event.key === "]") this.handlers.step(1);
    else return;
    event.preventDefault();
  }

  /** @param {[number, number]} way */
  #go([dx, dy]) {
    const at = this.selected ?? this.#replay?.current ?? this.#placed[0]?.node;
    const placed = at ? this.#of.get(at) : null;
    if (!placed) return;
    let to = null;
    if (!this.selected) to = placed;
    else if (dy < 0) to = placed.parent;
    else if (dy > 0) to = placed.children[0] ?? null;
    else {
      const row = this.#placed.filter((one) => one.y === placed.y).sort((a, b) => a.x - b.x);
      to = row[row.indexOf(placed) + dx] ?? null;
    }
    if (to) this.choose(to.node, false);
  }

  /** @param {Node} node @param {boolean} picks whether this may be a prediction */
  choose(node, picks) {
    this.selected = node;
    const placed = this.#of.get(node);
    const { width, height } = this.#size;
    if (placed) {
      const [x, y] = [placed.x * this.#scale + this.#x, placed.y * this.#scale * this.#stretchAt() + this.#y];
      if (x < 30 || y < 30 || x > width - 30 || y > height - 60) {
        this.#x += width / 2 - x;
        this.#y += height / 2 - y;
        this.follow = false;
        this.handlers.moved();
      }
    }
    this.draw();
    this.handlers.select(node);
    if (picks) this.handlers.pick(node);
  }

  /** @param {number} x @param {number} y */
  #nodeAt(x, y) {
    const box = this.#box;
    const stretch = this.#stretchAt();
    const [tx, ty] = [(x - this.#x) / this.#scale, (y - this.#y) / this.#scale];
    const near = 14 / this.#scale;
    let best = null;
    let least = Infinity;
    for (const placed of this.#placed) {
      const dx = Math.max(0, Math.abs(placed.x - tx) - box.width / 2);
      const dy = Math.max(0, placed.y * stretch - ty, ty - placed.y * stretch - box.height);
      const far = Math.hypot(dx, dy);
      if (far < Math.min(least, near)) {
        least = far;
        best = placed.node;
      }
    }
    return best;
  }

  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    const { context } = this;
    const { width, height } = this.#size;
    const ratio = devicePixelRatio || 1;
    const style = getComputedStyle(this.canvas);
    const color = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.#moved = Math.min(1, this.#moved + 0.12);
    const eased = 1 - (1 - this.#moved) ** 3;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(this.#x, this.#y);
    context.scale(this.#scale, this.#scale);
    const box = this.#box;
    const small = this.#scale * box.width < BOARD;
    this.canvas.dataset.drawn = small ? "marks" : "boards";
    const stretch = this.#stretchAt();
    const place = (/** @type {Placed} */ placed) => ({ x: placed.fromX + (placed.x - placed.fromX) * eased, y: (placed.fromY + (placed.y - placed.fromY) * eased) * stretch });
    const [left, right] = [(-this.#x - 80) / this.#scale - box.width, (width - this.#x + 80) / this.#scale + box.width];
    const [top, bottom] = [-this.#y / this.#scale - box.height * 2, (height - this.#y) / this.#scale + box.height];

    const way = new Set();
    for (const end of [this.#replay?.current ?? null, this.#replay?.twin ?? null]) for (let node = end; node; node = node.parent) way.add(node);
    context.lineWidth = Math.max(1, 1 / this.#scale);
    for (const onWay of [false, true]) {
      context.beginPath();
      for (const placed of this.#placed) {
        if (!placed.parent || (way.has(placed.node) && way.has(placed.parent.node)) !== onWay) continue;
        const [a, b] = [place(placed.parent), place(placed)];
        if (b.y < top || a.y > bottom + 60 || Math.max(a.x, b.x) < left || Math.min(a.x, b.x) > right) continue;
        const from = a.y + (small ? box.height / 2 : box.height);
        const to = b.y + (small ? box.height / 2 : 0);
        context.moveTo(a.x, from);
        context.bezierCurveTo(a.x, (from + to) / 2, b.x, (from + to) / 2, b.x, to);
      }
      context.strokeStyle = color(onWay ? "accent" : "dropped");
      if (onWay) context.lineWidth *= 2.2;
      context.stroke();
    }
    if (this.#replay?.meets) this.#ends(place, color, small);
    let seen = 0;
    for (const placed of this.#placed) {
      const at = place(placed);
      if (at.x < left || at.x > right || at.y < top || at.y > bottom) continue;
      seen++;
      if (small) this.#dot(placed, at, color);
      else this.#card(placed, at, color);
    }
    this.isInView = seen > 0 || this.#placed.length === 0;
    const now = this.#replay?.current ? this.#of.get(this.#replay.current) : undefined;
    this.canvas.dataset.near = now ? JSON.stringify(this.#near(now).map((one) => one.map(Math.round))) : "";
    this.handlers.painted();
    if (this.#moved < 1) this.draw();
  }

  /**
   * Labels the two trees of a search from both ends, and draws the way from one to the other.
   * @param {(placed: Placed) => { x: number, y: number }} place @param {(name: string) => string} color @param {boolean} small
   */
  #ends(place, color, small) {
    const { context } = this;
    const replay = /** @type {Replay} */ (this.#replay);
    context.font = `600 ${13 / Math.min(1, this.#scale)}px ${getComputedStyle(this.canvas).fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillStyle = color("soft");
    for (const placed of this.#placed) {
      if (placed.parent) continue;
      const { x, y } = place(placed);
      context.fillText(replay.isFromGoal(placed.node) ? t("from the goal") : t("from the start"), x, y - 12 / Math.min(1, this.#scale));
    }
    const [here, there] = [replay.current, replay.twin].map((node) => (node ? this.#of.get(node) : undefined));
    if (!here || !there) return;
    const [a, b] = [place(here), place(there)];
    const middle = small ? this.#box.height / 2 : this.#box.height;
    const low = Math.max(a.y, b.y) + middle + 60;
    context.beginPath();
    context.moveTo(a.x, a.y + middle);
    context.bezierCurveTo(a.x, low, b.x, low, b.x, b.y + middle);
    context.lineWidth = Math.max(2.2, 2.2 / this.#scale);
    context.strokeStyle = color("goal-edge");
    context.setLineDash([6 / this.#scale, 4 / this.#scale]);
    context.stroke();
    context.setLineDash([]);
  }

  /** The tree's bounds and those of what is in view, in places of the tree; the version changes with the nodes. */
  get extent() {
    const { width, height } = this.#size;
    const stretched = this.#scale * this.#stretchAt();
    const { left, right, bottom } = this.#bounds();
    const box = this.#box;
    /** @type {[number, number, number, number]} */
    const window = [-this.#x / this.#scale, -this.#y / stretched, (width - this.#x) / this.#scale, (height - this.#y) / stretched];
    /** @type {[number, number, number, number]} */
    const bounds = [left - box.width / 2, 0, right + box.width / 2, bottom + box.height];
    const isWhole = this.#placed.length < 2 || window[0] <= bounds[0] && window[1] <= 0 && window[2] >= bounds[2] && window[3] >= bottom;
    return { bounds, window, isWhole, version: `${this.#replay?.step} ${this.#placed.length} ${this.#replay?.nodes.length}` };
  }

  /** Every node as a dot. @param {(x: number, y: number, kind: string) => void} dot */
  eachDot(dot) {
    const now = this.#replay?.current;
    for (const { node, x, y } of this.#placed) if (node !== now) dot(x, y, this.#kind(node));
    const placed = now ? this.#of.get(now) : null;
    if (placed) dot(placed.x, placed.y, "now");
  }

  /** Has a place of the tree in the middle. @param {number} x @param {number} y */
  centre(x, y) {
    const { width, height } = this.#size;
    this.pan(width / 2 - x * this.#scale - this.#x, height / 2 - y * this.#scale * this.#stretchAt() - this.#y);
  }

  /** @param {Node} node */
  #kind(node) {
    if (node.state === "goal") return "goal";
    if (node.state === "waiting") return "waiting";
    return node.state === "expanded" ? "explored" : "dropped";
  }

  /**
   * Explored nodes are round, waiting ones square, a goal is a diamond, and what was given up a cross.
   * @param {Placed} placed @param {{ x: number, y: number }} at @param {(name: string) => string} color
   */
  #dot({ node, folded }, { x, y }, color) {
    const { context } = this;
    const kind = this.#kind(node);
    const isCurrent = node === this.#replay?.current;
    // From afar thousands share the width: small marks, so that the shape of the tree is seen.
    const size = isCurrent || kind === "goal" ? 7 : this.#scale < 0.03 ? 1.5 : this.#scale < 0.1 ? 2.5 : 4;
    const radius = (size + Math.min(4, Math.sqrt(folded))) / this.#scale;
    const cy = y + this.#box.height / 2;
    context.beginPath();
    if (kind === "explored") context.arc(x, cy, radius, 0, 2 * Math.PI);
    else if (kind === "waiting") context.rect(x - radius, cy - radius, 2 * radius, 2 * radius);
    else if (kind === "goal") {
      context.moveTo(x, cy - 1.6 * radius);
      context.lineTo(x + 1.6 * radius, cy);
      context.lineTo(x, cy + 1.6 * radius);
      context.lineTo(x - 1.6 * radius, cy);
      context.closePath();
    } else {
      context.moveTo(x - radius, cy - radius);
      context.lineTo(x + radius, cy + radius);
      context.moveTo(x + radius, cy - radius);
      context.lineTo(x - radius, cy + radius);
    }
    context.lineWidth = (isCurrent || node === this.selected ? 3 : 1.2) / this.#scale;
    context.strokeStyle = isCurrent || node === this.selected ? color("accent") : kind === "dropped" ? color("dropped") : color(`${kind}-edge`);
    if (kind !== "dropped") {
      context.fillStyle = color(kind);
      context.fill();
    }
    context.stroke();
  }

  /** @param {Placed} placed @param {{ x: number, y: number }} at @param {(name: string) => string} color */
  #card({ node, folded, layer }, { x, y }, color) {
    const { context } = this;
    const { cell, width, height, rows } = this.#box;
    const cols = this.#cols;
    const kind = this.#kind(node);
    const isCurrent = node === this.#replay?.current;
    const left = x - width / 2 - 4;
    context.beginPath();
    const radius = kind === "explored" ? 12 : kind === "goal" ? 20 : 2;
    context.roundRect(left, y - 4, width + 8, height + 6, radius);
    context.fillStyle = kind === "dropped" ? color("surface") : color(kind);
    context.fill();
    context.lineWidth = isCurrent || node === this.selected ? 3.5 : 1.4;
    context.strokeStyle = isCurrent || node === this.selected ? color("accent") : kind === "dropped" ? color("dropped") : color(`${kind}-edge`);
    context.setLineDash(kind === "dropped" ? [4, 4] : node === this.selected && !isCurrent ? [6, 3] : []);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = color("ink");
    const family = getComputedStyle(this.canvas).fontFamily;
    if (folded > 0) {
      context.font = `600 13px ${family}`;
      context.fillText(`${measured(this.#replay?.layerName ?? "")} = ${layer}`, x, y + height / 2 - 12);
      context.fillText(t("{folded} nodes", { folded }), x, y + height / 2 + 6);
      return;
    }
    if (node.label !== undefined && node.board.length === 0) {
      context.font = `600 12px ${family}`;
      context.fillText(node.label, x, y + 8, width + 4);
    }
    const size = cell;
    const start = x - (cols * size) / 2;
    context.font = `600 ${CELL * 0.72}px ${family}`;
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const tile = node.board[row * cols + col];
        if (!tile) continue;
        const [cx, cy] = [start + (col + 0.5) * size, y + 2 + (row + 0.5) * CELL];
        context.fillStyle = tile === node.tile ? color("accent") : color("tile");
        context.fillRect(cx - size / 2 + 0.6, cy - CELL / 2 + 0.6, size - 1.2, CELL - 1.2);
        context.fillStyle = tile === node.tile ? color("accent-ink") : color("ink");
        context.fillText(String(tile), cx, cy + 0.5);
      }
    }
    context.fillStyle = color("ink");
    context.font = `10px ${family}`;
    const replay = /** @type {Replay} */ (this.#replay);
    const text = this.#informed ? sum(node, replay) : `g ${node.g}`;
    context.fillText(text, x, y + height - 7, width + 4);
    if (node.order > 0) {
      context.font = `9px ${family}`;
      context.textAlign = "right";
      context.fillText(`${node.order}`, left + width + 6, y - 10);
    }
  }
}
