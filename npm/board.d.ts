import type { Board, Hint, ScrambleOptions, SolveOptions } from "./taquin.js";

/** The `detail` of a `move` event. */
export interface Moved {
  /** Where the blank went; with several blanks with its tile. */
  move: string;
  tile: number;
  /** All moves since the board was set. */
  moves: string;
}

/**
 * A puzzle to play: `<taquin-board size="4x4">`.
 *
 * Attributes: `size` or `board` (in any notation), `goal`, `label` (for screen readers). Events: `move`, `solved`, and
 * `problem` if an attribute can't be read. Style it with `--size`, `--gap`, `--tile`, `--home`, `--text`, `--mark` and
 * `::part(tile)`.
 */
export class TaquinBoard extends HTMLElement {
  board: Board;
  /** The tiles of the goal. */
  goal: number[];
  /** All moves since the board was set. */
  readonly moves: string;
  readonly solved: boolean;
  /** Set a random board that can be solved. */
  scramble(options?: ScrambleOptions): Promise<Board>;
  /** Find the best next move and mark its tile. */
  hint(options?: SolveOptions): Promise<Hint>;
  /** Mark a tile, or none. */
  mark(tile: number | null): void;
  /** Slide a tile, and those between it and a blank. Returns whether it can move. */
  press(tile: number): boolean;
}

declare global {
  interface HTMLElementTagNameMap {
    "taquin-board": TaquinBoard;
  }
  interface HTMLElementEventMap {
    solved: CustomEvent<{ moves: string }>;
  }
}
