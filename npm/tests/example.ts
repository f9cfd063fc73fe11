// The package as an editor and a compiler see it.

import "taquin/board";
import { BoardError, hint, scramble, solve, trace, verify, type Board, type Report, type Step } from "taquin";

const board: Board = await scramble({ size: "4x4", seed: 7 });
const report: Report = await solve(board, { method: "astar:manhattan", time: 5, onProgress: ({ expanded }) => expanded > 1000 });
const cost: number | null = report.cost;
const { tile } = await hint([[1, 2, 3], [4, 0, 6], [7, 5, 8]]);
const moves: string = report.moves ?? "";
const { optimal } = await verify(board, moves);
for await (const step of trace(board, { steps: 10 })) {
  const seen: Step = step;
  if (seen.event === "generate") console.log(seen.verdict, seen.h);
}
const element = document.querySelector("taquin-board");
element?.addEventListener("solved", ({ detail }) => console.log(detail.moves));
await element?.hint();
try {
  // @ts-expect-error a misspelled option
  await solve(board, { tmie: 5 });
  // @ts-expect-error a goal is a name or a board
  await solve(board, { goal: 5 });
} catch (error) {
  if (error instanceof BoardError) console.log(error.field, error.place?.line);
}
console.log(cost, tile, optimal);
