"""Measures the package against its targets, other packages and the textbook.

`cargo xtask bench python` builds the package and the program for release and runs it.
"""

from __future__ import annotations

import heapq
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import taquin
from taquin.search import astar, dijkstra

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


State = tuple[int, ...]
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)

NEAR = [
    [there for there in (at - 3, at + 3, at - 1, at + 1)
     if 0 <= there < 9 and (at // 3 == there // 3 or at % 3 == there % 3)]
    for at in range(9)
]


def successors(state: State) -> Iterator[tuple[State, int]]:
    blank = state.index(0)
    for there in NEAR[blank]:
        tiles = list(state)
        tiles[blank], tiles[there] = tiles[there], 0
        yield tuple(tiles), 1


# How far each tile is from home at each cell.
TABLE = [
    [abs(cell // 3 - (tile - 1) // 3) + abs(cell % 3 - (tile - 1) % 3) if tile else 0 for tile in range(9)]
    for cell in range(9)
]


def manhattan(state: State) -> int:
    return sum(row[tile] for row, tile in zip(TABLE, state))


# The textbook in the style of aima: a problem, nodes that can be compared, and a queue with a key.
class Problem:
    def __init__(self, start: State) -> None:
        self.start = start

    def successors(self, state: State) -> Iterator[tuple[State, int]]:
        return successors(state)

    def is_goal(self, state: State) -> bool:
        return state == GOAL

    def h(self, node: Node) -> int:
        return manhattan(node.state)


class Node:
    def __init__(self, state: State, parent: Node | None = None, cost: int = 0) -> None:
        self.state, self.parent, self.cost = state, parent, cost

    def __lt__(self, other: Node) -> bool:
        return self.cost < other.cost


def expand(problem: Problem, node: Node) -> Iterator[Node]:
    for state, cost in problem.successors(node.state):
        yield Node(state, node, node.cost + cost)


class Queue:
    def __init__(self, key: Callable[[Node], int]) -> None:
        self.key = key
        self.items: list[tuple[int, Node]] = []

    def add(self, node: Node) -> None:
        heapq.heappush(self.items, (self.key(node), node))

    def pop(self) -> Node:
        return heapq.heappop(self.items)[1]

    def __len__(self) -> int:
        return len(self.items)


def textbook(start: State) -> int | None:
    problem = Problem(start)
    frontier = Queue(lambda node: node.cost + problem.h(node))
    node = Node(start)
    frontier.add(node)
    reached = {start: node}
    while frontier:
        node = frontier.pop()
        if problem.is_goal(node.state):
            return node.cost
        for child in expand(problem, node):
            if child.state not in reached or child.cost < reached[child.state].cost:
                reached[child.state] = child
                frontier.add(child)
    return None


# The same as one short loop, without classes.
def lean(start: State) -> int | None:
    number = itertools.count()
    frontier = [(manhattan(start), next(number), 0, start)]
    reached = {start: 0}
    while frontier:
        _, _, g, state = heapq.heappop(frontier)
        if state == GOAL:
            return g
        for child, cost in successors(state):
            if child not in reached or g + cost < reached[child]:
                reached[child] = g + cost
                heapq.heappush(frontier, (g + cost + manhattan(child), next(number), g + cost, child))
    return None


def in_functions(tiles: list[State]) -> float:
    """The time of the caller's functions alone, called as often as `astar` calls them."""
    calls: list[tuple[Callable[[State], Any], State]] = []

    def counted(function: Callable[[State], Any]) -> Callable[[State], Any]:
        def call(state: State) -> Any:
            calls.append((function, state))
            return function(state)

        return call

    for start in tiles:
        astar(start, counted(successors), counted(manhattan), GOAL)
    expanded = [state for function, state in calls if function is successors]
    estimated = [state for function, state in calls if function is manhattan]

    def work() -> None:
        for state in expanded:
            for _ in successors(state):
                pass
        for state in estimated:
            manhattan(state)

    return best(work, 9)


def wrong(board: taquin.Board) -> int:
    """How many tiles are away from home, with numpy."""
    tiles = numpy.array(board.tiles)
    return int(((tiles != HOME[: len(tiles)]) & (tiles != 0)).sum())


@taquin.batch
def wrong_in_arrays(boards: Any) -> Any:
    tiles = boards.reshape(len(boards), -1)
    return ((tiles != HOME[: tiles.shape[1]]) & (tiles != 0)).sum(axis=1)


def distance(board: taquin.Board) -> int:
    """Manhattan distance, as a plain function computes it best."""
    return sum(row[tile] for row, tile in zip(TABLE, board.tiles))


@taquin.batch
def distance_in_arrays(boards: Any) -> Any:
    return AWAY[CELLS, boards.reshape(len(boards), -1)].sum(axis=1)


HOME = numpy.arange(1, 17)
AWAY, CELLS = numpy.array(TABLE), numpy.arange(9)


def batches() -> None:
    """Heuristics of arrays against plain functions."""
    boards = taquin.gen("3x3", depth=24, count=5, seed=1)

    def search(heuristic: Any) -> list[int]:
        return [taquin.solve(board, "astar", heuristic=heuristic).counts.expanded for board in boards]

    def audit(heuristic: Any) -> Any:
        return taquin.audit(heuristic, "3x3").facts

    works: list[tuple[str, Callable[[Any], Any], Any, Any, float]] = [
        ("a search with numpy", search, wrong, wrong_in_arrays, 1 / 2),
        ("a search with a table", search, distance, distance_in_arrays, 1.0),
        ("an audit with numpy", audit, wrong, wrong_in_arrays, 1 / 3),
        ("an audit with a table", audit, distance, distance_in_arrays, 1 / 3),
    ]
    for name, work, plain, array, must in works:
        assert work(plain) == work(array)
        rounds = [(best(lambda: work(plain), 1), best(lambda: work(array), 1)) for _ in range(5)]
        slow, fast = (min(times) for times in zip(*rounds))
        note = f"{fast * 1e3:.0f} ms and {slow * 1e3:.0f} ms"
        row(f"{name}, arrays against a plain function", fast / slow, "", must, must, note)


def grid() -> None:
    """Dijkstra on a grid of 300x300 with costs from 1 to 10, against rustworkx."""
    import rustworkx

    side = 300
    costs = [random.Random(number).randint(1, 10) for number in range(side * side)]
    near = [
        [(there, costs[there]) for there in (at - side, at + side, at - 1, at + 1)
         if 0 <= there < side * side and (at // side == there // side or at % side == there % side)]
        for at in range(side * side)
    ]
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(side * side))
    graph.add_edges_from([(at, there, cost) for at, each in enumerate(near) for there, cost in each])
    last = side * side - 1

    def theirs() -> float:
        return float(rustworkx.dijkstra_shortest_path_lengths(graph, 0, float, goal=last)[last])

    def ours() -> int | None:
        return dijkstra(0, near.__getitem__, last).cost

    assert theirs() == ours()
    rounds = [(best(ours, 1), best(theirs, 1)) for _ in range(7)]
    own, other = (min(times) for times in zip(*rounds))
    note = f"{own * 1e3:.0f} ms and {other * 1e3:.0f} ms"
    row("search.dijkstra against rustworkx, a grid of 300x300", own / other, "", 1.3, 1.0, note)


def main() -> None:
    batches()
    grid()
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
    searches: list[Callable[[State], int | None]] = [
        textbook,
        lean,
        lambda start: astar(start, successors, manhattan, GOAL).cost,
        lambda start: astar(start, successors, TABLE, GOAL).cost,
    ]
    for search in searches:
        assert [search(start) for start in tiles] == [22] * 5
    # In turn, so that none has the quieter time.
    rounds = [[best(lambda: [search(start) for start in tiles], 1) for search in searches] for _ in range(15)]
    slow, short, fast, faster = (min(times) for times in zip(*rounds))
    own = in_functions(tiles)
    note = f"8-puzzles of depth 22, the same functions: {fast * 1e3:.1f} ms and {slow * 1e3:.1f} ms"
    row("search.astar against the textbook (aima style)", fast / slow, "", 1 / 3, 1 / 6, note)
    note = f"the same, with the estimate as a table: {faster * 1e3:.1f} ms"
    row("search.astar with a table against the textbook", faster / slow, "", 1 / 3, 1 / 6, note)
    note = f"a loop without classes, {short * 1e3:.1f} ms; the functions alone take {own / short:.2f} of its time"
    row("search.astar against a lean loop", fast / short, "", 2 / 3, 1 / 3, note)
    note = f"{fast * 1e3:.1f} ms, of which {own * 1e3:.1f} ms are the caller's functions"
    row("search.astar against its functions alone", fast / own, "", 2.0, 1.2, note)

    engine = best(lambda: [taquin.solve(start, "astar:manhattan") for start in tiles], 3)
    note = f"{engine * 1e3:.2f} ms and {slow * 1e3:.1f} ms"
    row("taquin.solve against the textbook", engine / slow, "", 0.1, 0.01, note)

    # It needs an old numpy, so that it is not in the environment of the tests.
    sys.path.insert(0, sys.argv[2])
    import slidingpuzzle

    board = slidingpuzzle.from_iter(3, 3, tiles[0])
    other = best(lambda: slidingpuzzle.search(board, "a*", heuristic=slidingpuzzle.manhattan_distance), 1)
    own = best(lambda: taquin.solve(tiles[0], "astar:manhattan"), 3)
    note = f"the package of this name, A* with Manhattan distance: {own * 1e3:.2f} ms and {other * 1e3:.1f} ms"
    row("taquin.solve against slidingpuzzle", own / other, "", 0.1, 0.01, note)


if __name__ == "__main__":
    main()
