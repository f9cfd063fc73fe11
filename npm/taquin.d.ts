/** A board: its tiles row by row, 0 for a blank. */
export interface Board {
  rows: number;
  cols: number;
  tiles: number[];
}

/** A board in any notation, its tiles, its rows, or a `Board`. */
export type BoardLike = string | readonly number[] | readonly (readonly number[])[] | Readonly<Board>;

/** How a search ended. */
export type Outcome = "solved" | "unsolvable" | "exhausted" | "stopped";

/** The counts of a search. `docs/glossary.md` defines each count. */
export interface Counts {
  expanded: number;
  generated: number;
  duplicates: number;
  reopened: number;
  dropped_cheaper: number;
  frontier_peak: number;
  depth_peak: number;
  stored_peak: number;
  memory_peak: number;
}

/** A start and a goal, row by row. */
export interface Puzzle {
  rows: number;
  cols: number;
  start: number[];
  goal: number[];
}

/** The result of a search, with the fields that `taquin solve --json` prints: `schemas/report.json`. */
export interface Report {
  puzzle: Puzzle;
  /** The method, also if taquin chose it. */
  method: string;
  outcome: Outcome;
  /** Why there is no solution, if there is none. */
  reason: string | null;
  cost: number | null;
  /** The number of moves. */
  depth: number | null;
  /** Every solution costs at least this much. */
  lower_bound: number | null;
  /** Whether it is proven that no solution is cheaper. */
  optimal: boolean;
  /** Where the blank goes: `"DR"`. With several blanks each move has its tile: `"R7 D2"`. */
  moves: string | null;
  notation: "blank" | "tile";
  counts: Counts;
  before_last_bound: Counts | null;
  seconds: number;
  stages: { method: string; counts: Counts; seconds: number }[];
  notes?: string[];
  as?: string;
  /** The figures of the course, if there is one. */
  course?: Record<string, unknown>;
}

/** The progress of a running search. */
export interface Progress {
  expanded: number;
  generated: number;
  frontier: number;
  /** Every solution costs at least this much. */
  bound: number;
  /** The cost of the best solution so far, if the search continues after the first. */
  best?: number;
  seconds: number;
}

/** Ends a request: its promise is rejected with the reason of the signal. */
export interface Cancel {
  signal?: AbortSignal | undefined;
}

/** The goal: `"last"` (1 2 .. 0), `"first"` (0 1 2 ..), `"spiral"` (or `"snail"`), or a board. */
export type Goal = "last" | "first" | "spiral" | "snail" | BoardLike;

/** Options of everything that takes a board. */
export interface BoardOptions extends Cancel {
  /** The goal, `"last"` if there is none. */
  goal?: Goal | undefined;
  /** The size, such as `"3x4"`, if the notation leaves it open. */
  size?: string | undefined;
  /** A course or a paper, which sets goal, method and cost: `courses()` lists them. */
  as?: string | undefined;
  /** The cost of a move: 1, the number of the tile, or one cost for each tile. */
  cost?: "unit" | "tile" | readonly number[] | undefined;
  /** Whether a blank may step onto another. */
  jumps?: boolean | undefined;
}

/** Options of a search. */
export interface SearchOptions extends BoardOptions {
  /** A method as on the command line, such as `"astar:manhattan"`. Without it, taquin chooses. */
  method?: string | undefined;
  /** The most seconds, 120 at most. */
  time?: number | undefined;
  /** The most nodes to expand. */
  nodes?: number | undefined;
  /** The most bytes for the search's tables, 512 MB at most. */
  memory?: number | undefined;
  /** Whether to search even if the goal can't be reached. */
  searchAnyway?: boolean | undefined;
}

export interface SolveOptions extends SearchOptions {
  /** Called up to ten times per second. */
  onProgress?: ((progress: Progress) => unknown) | undefined;
  /** Ends the search too, but with a report of the best solution so far. */
  enough?: AbortSignal | undefined;
}

/** Solve a board. A limit that is reached and a board without a solution are reports, not errors. */
export function solve(board: BoardLike, options?: SolveOptions): Promise<Report>;

/** The next move of the best solution that was found. */
export interface Hint {
  /** Whether there is nothing left to do. */
  solved: boolean;
  /** Where the blank goes, or null if no solution was found. */
  move: string | null;
  /** The tile that moves. */
  tile: number | null;
  /** Where it goes. */
  direction: "up" | "down" | "left" | "right" | null;
  /** Every solution has at least this many moves. If it equals `atMost`, no move is better. */
  atLeast: number | null;
  /** This many moves are enough. */
  atMost: number | null;
  report: Report;
}

/** Find the best next move within `time` seconds, 2 if you give none. */
export function hint(board: BoardLike, options?: SolveOptions): Promise<Hint>;

/** A node of a search. */
export interface Node {
  id: number;
  parent: number | null;
  /** Where the blank went. */
  move: string | null;
  tile: number | null;
  g: number;
  h: number;
  depth: number;
  board: number[];
}

/** A step of a search, as `taquin solve --trace=jsonl` prints it: `schemas/step.json`. */
export type Step =
  | (Node & { event: "expand" | "goal" | "discard" })
  | (Node & { event: "generate"; verdict: "kept" | "cheaper" | "duplicate" | "reopened" | "pruned" })
  | { event: "bound"; bound: number };

export interface TraceOptions extends SearchOptions {
  /** The number of expansions to follow, 1000 if you give none and 20,000 at most. */
  steps?: number | undefined;
}

/** Follow a search step by step. The generator returns the report. */
export function trace(board: BoardLike, options?: TraceOptions): AsyncGenerator<Step, Report, void>;

/** Whether a board can be solved, and why. */
export interface Check {
  puzzle: Puzzle;
  reachable: boolean;
  /** The proof, as `taquin check --json` prints it. */
  proof: { rule: string; [fact: string]: unknown };
  /** A change that makes the goal reachable, if it is not. */
  repair: { change: string; tiles: number[]; cells: number[] } | null;
  [fact: string]: unknown;
}

/** Check whether a board can be solved. */
export function check(board: BoardLike, options?: BoardOptions): Promise<Check>;

/** The verdict on a list of moves. */
export interface Verdict {
  /** Whether the board allows every move. */
  legal: boolean;
  /** Whether the moves reach the goal. */
  solves: boolean;
  length: number | null;
  cost: number | null;
  /** Whether no solution is cheaper, or null if `time` was too short to know. */
  optimal: boolean | null;
  /** The cost of the cheapest solution, if it is known. */
  optimum: number | null;
  lower_bound: number;
  /** How the moves are written. */
  form: string | null;
  /** The tiles after the moves. */
  end: number[] | null;
  /** Why they are no solution. */
  problem: string | null;
}

/** Replay moves in any notation, and check whether they solve a board and are optimal. */
export function verify(board: BoardLike, moves: string, options?: SearchOptions & { notation?: "blank" | "tile" | undefined }): Promise<Verdict>;

export interface ScrambleOptions extends Cancel {
  /** The size, `"3x3"` if you give none. */
  size?: string | undefined;
  blanks?: number | undefined;
  goal?: Goal | undefined;
  /** The same seed gives the same boards, in every release and on every platform. */
  seed?: number | undefined;
  /** The exact number of moves to the goal. */
  depth?: number | undefined;
  /** A walk of this many moves instead of a uniform choice. */
  walk?: number | undefined;
}

/** A random board that can be solved. All such boards are equally likely. */
export function scramble(options?: ScrambleOptions): Promise<Board>;

/** Up to 100 random boards. */
export function scrambles(count: number, options?: ScrambleOptions): Promise<Board[]>;

/** Read a board in any notation. */
export function parse(board: BoardLike, options?: Cancel & { size?: string | undefined }): Promise<Board>;

/** A notation for boards. */
export type Notation = "slashes" | "rows" | "nested" | "flat" | "digits" | "sized";

/** Write a board in a notation, `"slashes"` if you name none. */
export function format(board: BoardLike, notation?: Notation, options?: Cancel & { size?: string | undefined; blank?: string | undefined }): Promise<string>;

/** Each heuristic's estimate for a board. */
export function estimates(board: BoardLike, options?: BoardOptions): Promise<{ heuristic: string; estimate: number | null; about: string }[]>;

/** A whole space: all boards that the goal can be reached from. */
export interface Space {
  rows: number;
  cols: number;
  goal: number[];
  metric: "single" | "multi";
  /** The number of boards. */
  states: number;
  /** The number of boards at each distance from the goal. */
  depths: number[];
  max_depth: number;
  mean_depth: number;
  /** The boards that are farthest from the goal, or some of them. */
  farthest: number[][];
}

/** Count the boards of a size at each distance from a goal: up to two million, as on 3x3 and 2x5. */
export function enumerate(size: string, options?: Cancel & { goal?: Goal | undefined; metric?: "single" | "multi" | undefined }): Promise<Space>;

/** The parts of a method. */
export function methods(): Promise<{
  algorithms: { name: string; title: string; about: string; takes_heuristic: boolean; fields: string[] }[];
  heuristics: { name: string; about: string }[];
  fields: Record<string, string[]>;
}>;

/** The courses and papers that `as` can name. */
export function courses(): Promise<{ name: string; about: string; goal: string; [fact: string]: unknown }[]>;

/** The sets of published puzzles. */
export function instanceSets(): Promise<{ usage: string; [fact: string]: unknown }[]>;

/** The puzzles of a set, such as `"korf100"`, with the lengths of their shortest solutions. */
export function instances(name: string): Promise<{ label: string; puzzle: Puzzle; known: number | null }[]>;

/** A request that taquin refuses. */
export class TaquinError extends Error {
  /** The correction. */
  hint: string | null;
  /** The argument that is wrong, such as `"board"` or `"time"`. */
  field: string | null;
  /** Where in the text of a board, a goal or moves. */
  place: { line: number; column: number } | null;
}

/** A board, a goal, costs or moves that can't be read, or that don't fit. */
export class BoardError extends TaquinError {}

/** An unknown method, or one that can't do what was asked. */
export class MethodError extends TaquinError {}

/** An unknown course, or one that has no such method. */
export class CourseError extends TaquinError {}

/** Another option that is not right. */
export class OptionError extends TaquinError {}
