// The types of the service, as the page uses them.

/** @typedef {{ rows: number, cols: number, start: number[], goal: number[] }} Puzzle */
/** @typedef {{ expanded: number, generated: number, duplicates: number, reopened: number, dropped_cheaper: number, frontier_peak: number, depth_peak: number, stored_peak: number, memory_peak: number }} Counts */
/** @typedef {{ puzzle: Puzzle, method: string, outcome: string, reason: string | null, cost: number | null, depth: number | null, lower_bound: number | null, optimal: boolean, moves: string | null, counts: Counts, seconds: number, notes?: string[], as?: string, course?: Record<string, unknown> }} Report */
/** @typedef {{ id: number, parent: number | null, move: string | null, tile: number | null, g: number, h: number, depth: number, value?: number, board: number[], label?: string }} Seen */
/** @typedef {Seen & { event: string, verdict?: string, bound?: number }} Step */
/** @typedef {{ expanded: number, generated: number, frontier: number, bound: number, best?: number, seconds: number, board?: number[] }} Progress */
/** @typedef {Record<string, string>} Policy */
/** @typedef {{ id: string, events: string, method: string, policy: Policy }} Job */
/** @typedef {{ name: string, title: string, about: string, takes_heuristic: boolean, needs_databases: boolean, has_steps: boolean, has_both_ends: boolean, fields: string[] }} Algorithm */
/** @typedef {{ algorithms: Algorithm[], heuristics: { name: string, about: string }[], fields: Record<string, string[]> }} Methods */
/** @typedef {{ name: string, about: string, goal: string, cost: string, jumps: boolean, board: string | null, default: string, methods: { names: string[], method: string }[], figures: { key: string, what: string }[] }} Course */
/** @typedef {{ total: number, row: number, goal_row: number, row_counts: boolean, sum: number, wanted: string }} Inversions */
/** @typedef {{ rule: string, blanks?: number, difference?: { place: number, start: number, goal: number } | null, cycles?: number[][], fixed?: number, exchanges?: number, permutation?: string, blank?: number, blank_goal?: number, distance?: number, inversions?: Inversions }} Proof */
/** @typedef {{ change: string, tiles: number[], cells: number[] }} Repair */
/** @typedef {{ reachable: boolean, proof: Proof, repair: Repair | null, inversion_table?: { tile: number, precedes: number[] }[] }} Checked */
/** @typedef {{ rows: number, cols: number, goal: number[], metric: string, states: number, depths: number[], max_depth: number, mean_depth: number, farthest: number[][] }} Space */
/** @typedef {Seen & { rank: number, since: number }} Ranked */
/** @typedef {{ method: string, step: number, node: Ranked, path: string, is_goal: boolean, threshold: number | null, waiting: number, same_rank: number, same_tie: number, rivals: (Ranked & { behind: string })[], successors: (Seen & { rank: number, verdict: string, is_goal: boolean, known: { g: number, since: number, expanded: number | null } | null })[], complete: boolean, skips_undo: boolean }} Explanation */

export {};
