"""Measures the package against its targets, other packages and the textbook.

`cargo xtask bench python` builds the package and the program for release and runs it.
"""

from __future__ import annotations

import heapq
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import taquin
from taquin.search import astar

PROGRAM = sys.argv[1]


def best(work: Callable[[], Any], times: int = 5) -> float:
    """The shortest time of several."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def row(name: str, value: float, unit: str, must: float, aim: float, note: str) -> None:
    """Print a figure that should be small, with its targets, for `cargo xtask bench` to read."""
    facts = {"name": name, "value": value, "unit": unit, "must": must, "aim": aim, "note": note}
    print(json.dumps(facts), flush=True)


# The textbook: A* with a heap and a dictionary, nodes as objects, as aima and many courses have it.
class Node:
    def __init__(self, state: tuple[int, ...], parent: Node | None, cost: int) -> None:
        self.state, self.parent, self.cost = state, parent, cost


NEAR = [
    [there for there in (at - 3, at + 3, at - 1, at + 1)
     if 0 <= there < 9 and (at // 3 == there // 3 or at % 3 == there % 3)]
    for at in range(9)
]


def successors(state: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    blank = state.index(0)
    for there in NEAR[blank]:
        tiles = list(state)
        tiles[blank], tiles[there] = tiles[there], 0
        yield tuple(tiles), 1


def manhattan(state: tuple[int, ...]) -> int:
    return sum(
        abs(cell // 3 - (tile - 1) // 3) + abs(cell % 3 - (tile - 1) % 3)
        for cell, tile in enumerate(state) if tile
    )


GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def textbook(start: tuple[int, ...]) -> int | None:
    number = itertools.count()
    node = Node(start, None, 0)
    frontier = [(manhattan(start), next(number), node)]
    reached = {start: node}
    while frontier:
        node = heapq.heappop(frontier)[2]
        if node.state == GOAL:
            return node.cost
        for state, cost in successors(node.state):
            child = Node(state, node, node.cost + cost)
            if state not in reached or child.cost < reached[state].cost:
                reached[state] = child
                heapq.heappush(frontier, (child.cost + manhattan(state), next(number), child))
    return None


def main() -> None:
    easy = taquin.Board("123406758")
    rust = min(taquin.solve(easy).seconds for _ in range(1000))
    whole = best(lambda: [taquin.solve(easy) for _ in range(1000)]) / 1000
    note = f"{whole * 1e6:.1f} us in all, {rust * 1e6:.1f} us of it the search"
    row("taquin.solve of an easy 8-puzzle, over the search", (whole - rust) * 1e6, "us", 30, 10, note)

    starts = [sys.executable, "-c"]
    empty = best(lambda: subprocess.run([*starts, "pass"], check=True), 10)
    imported = best(lambda: subprocess.run([*starts, "import taquin"], check=True), 10)
    note = f"{imported * 1e3:.0f} ms for the process, {empty * 1e3:.0f} ms without the import"
    row("import taquin", (imported - empty) * 1e3, "ms", 50, 25, note)

    korf = taquin.instances("korf100")
    goal, boards = korf[0].goal, [instance.board for instance in korf] * 5
    # The tables are built, and in memory, before the clock starts.
    taquin.solve_many(boards[:1], "ida:pdb=7-8", goal=goal)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(board.text() for board in boards))
        file.flush()
        command = [PROGRAM, "solve", "--batch", file.name, "--goal", "first", "-m", "ida:pdb=7-8"]
        command += ["--jsonl", "--threads", "2"]

        def here() -> None:
            taquin.solve_many(boards, "ida:pdb=7-8", goal=goal, threads=2)

        def there() -> None:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        times = [(best(here, 1), best(there, 1)) for _ in range(5)]
    own, program = min(time[0] for time in times), min(time[1] for time in times)
    note = f"Korf's hundred five times with 7-8, 2 threads: {own:.3f} s and {program:.3f} s"
    row("taquin.solve_many against solve --batch", own / program, "", 1.03, 1.0, note)

    tiles = [tuple(board.tiles) for board in taquin.gen("3x3", depth=22, count=5, seed=1)]
    costs: list[list[int | None]] = [[], []]
    slow = best(lambda: costs[0].extend(textbook(start) for start in tiles), 3)
    fast = best(lambda: costs[1].extend(astar(start, successors, manhattan, GOAL).cost for start in tiles), 3)
    assert costs[0] == costs[1]
    note = f"8-puzzles of depth 22, the same functions: {fast * 1e3:.1f} ms and {slow * 1e3:.1f} ms"
    row("search.astar against the textbook", fast / slow, "", 1 / 3, 1 / 6, note)

    engine = best(lambda: [taquin.solve(start, "astar:manhattan") for start in tiles], 3)
    note = f"{engine * 1e3:.2f} ms and {slow * 1e3:.1f} ms"
    row("taquin.solve against the textbook", engine / slow, "", 0.1, 0.01, note)

    import slidingpuzzle

    board = slidingpuzzle.from_iter(3, 3, tiles[0])
    other = best(lambda: slidingpuzzle.search(board, "a*", heuristic=slidingpuzzle.manhattan_distance), 1)
    own = best(lambda: taquin.solve(tiles[0], "astar:manhattan"), 3)
    note = f"the package of this name, A* with Manhattan distance: {own * 1e3:.2f} ms and {other * 1e3:.1f} ms"
    row("taquin.solve against slidingpuzzle", own / other, "", 0.1, 0.01, note)


if __name__ == "__main__":
    main()
