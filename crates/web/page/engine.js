// The engine's words in the reader's language: names of methods, and sentences with values.

import { translated } from "./language.js";

/** The texts of the engine that other languages have; `{name}` stands for a value, which may be such a text itself. */
export const TEXTS = [
  "Automatic", "Breadth-first", "Depth-first", "Uniform cost", "Greedy", "Weighted A*", "Dynamic potential", "Explicit estimation", "Improved optimistic", "Anytime weighted A*", "Beam", "Random", "Bidirectional",
  "Iterative deepening", "Recursive best-first", "Budgeted tree search", "Branch and bound", "Breadth-first IDA*", "Layer by layer", "Anytime", "Table of all boards",
  "board: {fault}",
  "there is no board here",
  "write the tiles row by row: {board}",
  "there is no blank",
  "write the blank as {spellings}",
  "'{word}' is not a tile's number",
  "a tile is a number such as 7, a blank is {spellings}",
  "tile {tile} appears twice (first at {place})",
  "tile {tile} is out of range: {tiles} and {blanks} make the numbers 0 to {most}",
  "{what} is missing; did you mean {tile} here?",
  "{tiles} in one row are not a square board",
  "give the size, for example {size}, or end each row with /",
  "row {row} has {tiles}, but row 1 has {first}",
  "all rows of a board have the same number of tiles",
  "all places are taken",
  "try again in a few seconds",
  "you have too many searches at a time",
  "wait for one of them to end, or cancel it",
  "line {line}, column {column}",
  "{number} tiles", "1 tile", "{number} blanks", "1 blank", "the blank", "tile {tile}",
];

const patterns = TEXTS.map((text) => ({ text, names: [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""), pattern: new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "(.+?)")}$`) }));

/** A text of the engine; one that is not known stays as it is. @param {string} text @returns {string} */
export function engine(text) {
  for (const { text: known, names, pattern } of patterns) {
    const [, ...values] = pattern.exec(text) ?? [];
    if (values.length === names.length && pattern.test(text)) return translated(known, Object.fromEntries(names.map((name, at) => [name, engine(values[at] ?? "")])));
  }
  return text;
}
