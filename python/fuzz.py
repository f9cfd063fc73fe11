"""Calls of the package with mutated values, for ``cargo xtask fuzz``: an answer or an exception that
says what is wrong, and never a panic, a crash or a call without end.

Prints the number of calls; ends with 1 and the call if there is a finding.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import taquin
from taquin.search import astar, bfs, dijkstra, idastar

BOARD = "123406758"
LIMITS: dict[str, Any] = {"time": 0.05, "nodes": 2_000, "memory": 20_000_000}

SEEDS: list[Any] = [
    "1 2 3/4 0 6/7 5 8", "867254301", [[1, 2, 3], [4, 0, 6], [7, 5, 8]], (1, 2, 0, 3), "2x3", "3x3", 3,
    "astar:manhattan", "ida:linear", "wastar:linear,w=3/2", "ucr-list", "last", "snail", "tile", [1, 1, 2],
    0, 1, -1, 7, 1.5, float("nan"), float("inf"), 10**30, None, True, b"12", "", "\0", [], {}, object(),
    "DRUL", "R7 U3", "random 3x3 n=2 seed=1", '{"board": "123406758"}', "svg", "1s", "5M",
]  # fmt: skip


def option(function: Callable[..., Any], first: Any, keyword: str) -> Callable[[Any], Any]:
    return lambda value: function(first, **{**LIMITS, keyword: value})


CALLS: dict[str, Callable[[Any], Any]] = {
    "Board": taquin.Board,
    "solve": lambda value: taquin.solve(value, **LIMITS),
    "solve_many": lambda value: taquin.solve_many([BOARD, value], **LIMITS),
    "method": lambda value: taquin.solve(BOARD, value, **LIMITS),
    **{
        f"solve {keyword}": option(taquin.solve, BOARD, keyword)
        for keyword in ("goal", "size", "as_", "cost", "threads", "jumps", "heuristic")
    },
    "solutions": lambda value: taquin.solutions(BOARD, limit=value, **LIMITS),
    "check": lambda value: taquin.Board(BOARD).explain(value),
    "gen": lambda value: taquin.gen(value, seed=1),
    "gen depth": lambda value: taquin.gen("2x3", depth=value),
    "audit": lambda value: taquin.audit(value, "2x2"),
    "match": lambda value: taquin.match(BOARD, expanded=value, limit=200),
    "compare": lambda value: taquin.compare([value], ["astar"], **LIMITS),
    "trace": lambda value: next(taquin.trace(value, **LIMITS)),
    "slide": lambda value: taquin.Board(BOARD).slide(value),
    "text": lambda value: taquin.Board(BOARD).text(value),
    "from_json": taquin.Report.from_json,
    "estimate": lambda value: astar(0, lambda n: [(n + 1, 1)], lambda n: value, 5, nodes=20),
    "edge": lambda value: dijkstra(0, lambda n: [(n + 1, value)], 5, nodes=20),
    "successor": lambda value: idastar(0, lambda n: [(value, 1)], lambda n: 0, 5, nodes=20),
    "limit": lambda value: bfs(0, lambda n: [n + 1], 5, nodes=value),
}


def mutated(numbers: random.Random) -> Any:
    """One of the seeds, often with a change."""
    value = numbers.choice(SEEDS)
    kind = numbers.randrange(4)
    if isinstance(value, str) and kind:
        at = numbers.randrange(len(value) + 1)
        part = value[: numbers.randrange(len(value) + 1)]
        return value[:at] + numbers.choice(["", " ", "0", "9", "x", ",", "/", "\n", "é", part]) + value[at + kind - 1 :]
    if isinstance(value, int) and kind:
        return value * numbers.choice([2, -3, 1 << 16, 1 << 40]) + numbers.randrange(10)
    if isinstance(value, list) and kind:
        return [*value, mutated(numbers)]
    return value


def main(seconds: float, seed: int) -> int:
    numbers = random.Random(seed)
    until = time.monotonic() + seconds
    calls = answered = 0
    while time.monotonic() < until:
        name = numbers.choice(list(CALLS))
        value = mutated(numbers)
        started = time.monotonic()
        problem = ""
        try:
            CALLS[name](value)
            answered += 1
        except Exception as error:
            if not str(error) or "a fault in taquin" in str(error) or isinstance(error, SystemError):
                problem = f"{type(error).__name__}: {error}"
        except BaseException as error:  # A panic is no Exception.
            problem = f"{type(error).__name__}: {error}"
        calls += 1
        if time.monotonic() - started > 20:
            problem = "took more than 20 s"
        if problem:
            print(f"python: {name}({value!r}): {problem}")
            return 1
    print(f"python     {calls:>9} inputs, {answered:>8} accepted")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
