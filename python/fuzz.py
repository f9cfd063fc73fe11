"""Random calls of the package, for some seconds of processor time, for ``cargo xtask fuzz``: ``python fuzz.py SECONDS [SEED]``.

A call returns, or raises an exception that says what is wrong. A panic, a fault of taquin, a call
without an end, and a claim that is not so are findings: the call is printed, and the exit code is 1.
"""

from __future__ import annotations

import faulthandler
import itertools
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy

import taquin
from taquin.search import astar, bfs, dijkstra, idastar

ENDLESS = 60
SIZES = ["2x2", "2x3", "3x2", "1x4", "3x3"]
METHODS = [
    *["bfs", "ucs", "astar:manhattan", "ida:linear", "greedy:misplaced", "wastar:manhattan,w=2", "rbfs", "auto", "dfs"],
    *["bae:manhattan", "nbs:linear", "mm:misplaced", "dvcbs:manhattan", "focal:linear", "dps:manhattan", "ees:manhattan,d=linear"],
    *["ios:linear", "awa:manhattan", "ara:linear", "bts:manhattan", "dfbnb:linear", "bfida:manhattan", "sma:manhattan,nodes=50"],
    *["lrta:manhattan,look=5", "wastar:manhattan,phi=pwxdp", "wastar:linear,phi=pwxup,reopen=never", "ids,cutoff=before"],
]
LIMITS = {"nodes": 2_000, "time": 1, "memory": "50M"}


class Wrong(Exception):
    """A claim that is not so."""


def value(chance: random.Random, depth: int = 0) -> Any:
    """Draw any object."""
    plain: list[Callable[[], Any]] = [
        lambda: None,
        lambda: chance.choice([True, False]),
        lambda: chance.choice([-1, 0, 1, 2, 9, 2**16, 2**32, 2**63, 2**64, 10**30]),
        lambda: chance.choice([0.0, -0.5, 1.5, 1e300, math.inf, -math.inf, math.nan]),
        lambda: Fraction(chance.randrange(-9, 99), chance.randrange(1, 9)),
        lambda: "".join(chance.choices("0123456789 /,[]-x_\n\0\ud800e", k=chance.randrange(12))),
        lambda: chance.choice(METHODS + SIZES + ["first", "last", "korf100", "ucr-list", "5s", "2G"]),
        lambda: bytes(chance.choices(range(256), k=4)),
        lambda: taquin.gen(chance.choice(SIZES), seed=chance.randrange(99)),
        lambda: numpy.array(chance.choices(range(12), k=9)).reshape(chance.choice([(9,), (3, 3), (1, 9), (3, 3, 1)])),
        lambda: numpy.array(chance.choices(range(9), k=4), dtype=chance.choice(["float16", "complex64", "object", "U3"])),
        lambda: chance.choice([object(), len, int, itertools.count(), iter([]), range(9), {1: 2}, {1, 0}]),
    ]
    if depth < 3:
        plain.append(lambda: [value(chance, depth + 1) for _ in range(chance.randrange(10))])
        plain.append(lambda: tuple(value(chance, depth + 1) for _ in range(chance.randrange(4))))
    return chance.choice(plain)()


def board(chance: random.Random) -> Any:
    """Draw a board in one of many forms, or any object."""
    if chance.random() < 0.2:
        return value(chance)
    drawn: taquin.Board = taquin.gen(chance.choice(SIZES), seed=chance.randrange(10**6))
    forms = [drawn, drawn.text(), drawn.rows, list(drawn.tiles), numpy.array(drawn), drawn.text("rows")]
    return chance.choice(forms)


def options(chance: random.Random, names: list[str]) -> dict[str, Any]:
    """Draw a few keywords."""
    return {name: value(chance) for name in names if chance.random() < 0.5 / len(names)}


def solve(chance: random.Random) -> None:
    method = chance.choice(METHODS) if chance.random() < 0.8 else value(chance)
    names = ["goal", "size", "as_", "cost", "threads", "jumps", "search_anyway", "progress", "raise_unsolvable"]
    report = taquin.solve(board(chance), method, **{**LIMITS, **options(chance, [*names, "nodes", "time"])})
    if report.solved:
        moved = report.board.slide(report.moves) if report.moves else report.board
        if moved != report.goal:
            raise Wrong(f"{report!r} does not reach the goal")
        if report.optimal != (report.cost == report.lower_bound):
            raise Wrong(f"{report!r} claims an optimum that its bound does not prove")
    if taquin.Report.from_json(report.to_json()) != report:
        raise Wrong(f"{report!r} is another one after JSON")


def own(chance: random.Random) -> None:
    answers = [value(chance) for _ in range(3)] if chance.random() < 0.5 else chance.choices([0, 1, 2.5], k=9)
    heuristic: Any = lambda boards: chance.choice(answers)  # noqa: E731
    if chance.random() < 0.5:
        heuristic = taquin.batch(lambda boards: numpy.array(chance.choices(answers, k=len(boards))))
    if chance.random() < 0.5:
        report = taquin.solve(board(chance), chance.choice(["astar", "ida"]), heuristic=heuristic, **LIMITS)
        best = taquin.solve(report.board).cost if report.optimal else report.cost
        if report.cost != best:
            raise Wrong(f"{report!r} is not optimal")
    else:
        audit = taquin.audit(heuristic, chance.choice(["2x2", "1x4"]))
        if audit.admissible != (audit.counterexample is None):
            raise Wrong(f"{audit!r} has no counterexample")


def graph(chance: random.Random) -> None:
    """Search a random graph, with costs that are known from all paths."""
    count = chance.randrange(1, 8)
    edges = {n: [(chance.randrange(count), chance.randrange(4)) for _ in range(chance.randrange(4))] for n in range(count)}
    true = [math.inf] * count
    goal = chance.randrange(count)
    true[goal] = 0
    for _ in range(count):
        true = [min([true[n], *(cost + true[to] for to, cost in edges[n])]) for n in range(count)]
    estimates = [0 if math.isinf(cost) and chance.random() < 0.5 else cost * chance.random() for cost in true]
    broken = chance.randrange(count) if chance.random() < 0.3 else None

    def successors(n: int) -> list[tuple[int, int]]:
        if n == broken:
            raise LookupError
        return edges[n]

    estimate = lambda n: estimates[n]  # noqa: E731
    searches: list[Callable[[], Any]] = [
        lambda: dijkstra(0, successors, goal),
        lambda: astar(0, successors, estimate, goal, admissible=True),
        lambda: idastar(0, successors, estimate, goal, admissible=True),
        lambda: bfs(0, lambda n: [to for to, _ in successors(n)], goal),
    ]
    search = chance.choice(searches)
    try:
        found = search()
    except LookupError as error:
        found = error.found  # type: ignore[attr-defined]
    if search is searches[3]:
        if found.unreachable and not math.isinf(true[0]):
            raise Wrong(f"{found!r} in {edges} to {goal}")
        return
    facts = f"{found!r} in {edges} to {goal} with {estimates}, broken {broken}"
    if found.unreachable and not math.isinf(true[0]) or found.optimal and found.cost != true[0]:
        raise Wrong(facts)
    if found.lower_bound > true[0] or broken is None and found.cost not in (true[0], None):
        raise Wrong(facts)
    if broken is None and (found.cost is None) != math.isinf(true[0]):
        raise Wrong(facts)


def anything(chance: random.Random) -> None:
    """Call something with objects of any kind."""
    calls: list[Callable[[], Any]] = [
        lambda: taquin.Board(value(chance)),
        lambda: taquin.Board(board(chance), value(chance)),
        lambda: taquin.solve_many([board(chance), board(chance)], "astar:manhattan", **LIMITS),
        lambda: taquin.Board("123406758").slide(value(chance)),
        lambda: taquin.Board("123406758")[value(chance)],
        lambda: taquin.Board("123406758").text(value(chance), value(chance)),
        lambda: taquin.Board("123406758").explain(value(chance)),
        lambda: list(itertools.islice(taquin.trace(board(chance), chance.choice(METHODS), **LIMITS), 500)),
        lambda: taquin.gen(chance.choice(SIZES), **options(chance, ["seed", "depth", "goal", "blanks", "notation"])),
        lambda: taquin.compare([board(chance)], ["astar:manhattan"], **LIMITS),
        lambda: taquin.match(board(chance), expanded=chance.randrange(2_000), queue=value(chance), limit=1_000),
        lambda: taquin.solutions(board(chance), "ida:manhattan", limit=10, **LIMITS),
        lambda: taquin.instances(value(chance), value(chance)),
        lambda: taquin.audit(value(chance), "2x2"),
        lambda: taquin.Report.from_json(value(chance)),
        lambda: taquin.Counts(value(chance)),
        lambda: astar(value(chance), lambda n: value(chance), lambda n: value(chance), value(chance), nodes=50),
        lambda: bfs(value(chance), lambda n: [value(chance)], value(chance), nodes=50, time=1),
    ]
    chance.choice(calls)()


def main() -> int:
    """Call until the time is over."""
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    print(f"seed {seed}", flush=True)
    until, tried, refused = time.process_time() + seconds, Counter[str](), Counter[str]()
    for number in itertools.count(seed):
        if time.process_time() > until:
            break
        target = (solve, own, graph, anything)[number % 4]
        tried[target.__name__] += 1
        # A call that does not come back ends the process with a traceback.
        faulthandler.dump_traceback_later(ENDLESS, exit=True)
        try:
            target(random.Random(number))
        except Exception as error:
            refused[target.__name__] += 1
            is_fault = isinstance(error, (Wrong, SystemError, AttributeError)) or "a fault in taquin" in str(error)
            if is_fault or not str(error) and not isinstance(error, StopIteration):
                print(f"\n{target.__name__}: {type(error).__name__}: {error}\nagain: fuzz.py 0.001 {number}")
                return 1
    faulthandler.cancel_dump_traceback_later()
    for name, calls in tried.items():
        print(f"python {name:<9} {calls:>9} calls, {refused[name]:>8} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
