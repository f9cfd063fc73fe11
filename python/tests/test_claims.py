"""Claims are true: optimality, unreachability, admissibility, and how a table is read."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy
import polars
import pytest

import taquin
from taquin.search import Found, astar, bfs, dijkstra, idastar


def manhattan(board: taquin.Board) -> int:
    rows, cols = board.size
    return sum(
        abs(cell // cols - (tile - 1) // cols) + abs(cell % cols - (tile - 1) % cols)
        for cell, tile in enumerate(board.tiles)
        if tile
    )


@pytest.mark.parametrize("batch", [False, True])
def test_audits_judge_fractions_as_they_are(batch: bool) -> None:
    def constant(value: Any) -> Callable[[Any], Any]:
        return taquin.batch(lambda boards: numpy.full(len(boards), value)) if batch else lambda board: value

    flat = taquin.audit(constant(0.9), "2x3")
    assert not flat.admissible and flat.consistent and flat.counterexample == taquin.Board("123/450")
    assert flat.mean_estimate == pytest.approx(0.9)
    assert flat.facts["highest"]["estimate"] == 0.9 and flat.facts["exact"] == 0
    assert flat.to_dict()["mean"] == pytest.approx([0.9] * 22)
    assert not taquin.audit(constant(Fraction(1, 10**30)), "2x3").admissible
    none = taquin.audit(constant(0), "2x3")
    assert none.admissible and none.facts["lowest"]["estimate"] == 0


def test_audits_judge_more_digits_than_floats_have() -> None:
    bit = Fraction(1, 10**30)
    assert not taquin.audit(lambda board: (1 + bit) * manhattan(board), "1x2").admissible
    assert taquin.audit(lambda board: (1 - bit) * manhattan(board), "1x2").admissible


def test_an_audit_takes_the_mean_of_the_numbers_themselves() -> None:
    half, whole = taquin.audit(lambda board: manhattan(board) / 2, "2x3"), taquin.audit("manhattan", "2x3")
    assert half.admissible and half.consistent
    assert half.mean_estimate == whole.mean_estimate / 2
    assert half.to_dict()["most"] == [most / 2 for most in whole.to_dict()["most"]]


def test_an_audit_asks_about_every_board_once() -> None:
    asked: list[Any] = []

    @taquin.batch
    def arrays(boards: Any) -> Any:
        asked.append(boards)
        return numpy.zeros(len(boards))

    assert taquin.audit(arrays, "2x4").boards == 20_160
    assert len(asked) == 2 and len(numpy.unique(numpy.concatenate(asked).reshape(-1, 8), axis=0)) == 20_160
    single: list[taquin.Board] = []
    taquin.audit(lambda board: len(single.append(board) or ()), "2x3", blanks=5)  # type: ignore[func-returns-value]
    assert len(single) == len(set(single)) == 6


def test_a_limit_of_an_audit_counts_the_boards_that_are_asked_about() -> None:
    with pytest.raises(taquin.TaquinError, match="stopped after 100 boards"):
        taquin.audit(lambda board: 0, "3x3", nodes=100)


def broken(n: int) -> list[Any]:
    raise LookupError


def chain(n: int) -> list[Any]:
    return [n + 1] if n < 9 else broken(n)


def with_costs(successors: Callable[[int], list[int]]) -> Callable[[int], list[tuple[int, int]]]:
    return lambda n: [(state, 1) for state in successors(n)]


SEARCHES: dict[str, Callable[[Callable[[int], list[int]]], Found[int]]] = {
    "bfs": lambda successors: bfs(0, successors, -1),
    "dijkstra": lambda successors: dijkstra(0, with_costs(successors), -1),
    "astar": lambda successors: astar(0, with_costs(successors), lambda n: 0, -1, admissible=True),
    "idastar": lambda successors: idastar(0, with_costs(successors), lambda n: 0, -1, admissible=True),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("successors", [broken, chain])
def test_an_exception_does_not_prove_that_there_is_no_path(name: str, successors: Any) -> None:
    with pytest.raises(LookupError) as caught:
        SEARCHES[name](successors)
    found: Found[int] = caught.value.found  # type: ignore[attr-defined]
    assert not found.unreachable and found.stopped == "cancelled"
    assert str(found) == "stopped: cancelled"
    # The path could continue with the next edge.
    assert found.lower_bound <= 10 and found.counts.expanded <= 1 + 10 * 11 // 2


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("name", SEARCHES)
def test_ctrl_c_does_not_prove_that_there_is_no_path(name: str) -> None:
    def successors(n: int) -> list[int]:
        if n == 50:
            # The signal is sent by the search itself, so that nothing depends on the time.
            signal.raise_signal(signal.SIGINT)
        return [n + 1]

    with pytest.raises(KeyboardInterrupt) as caught:
        SEARCHES[name](successors)
    found: Found[int] = caught.value.found  # type: ignore[attr-defined]
    assert not found.unreachable and found.stopped == "cancelled" and found.lower_bound <= 51


def test_bounds_after_an_exception_are_true() -> None:
    def successors(n: int) -> list[tuple[int, int]]:
        return [(1, 1), (3, 100)] if n == 0 else broken(n)

    searches: list[Callable[[], Found[int]]] = [
        lambda: dijkstra(0, successors, 2),
        lambda: astar(0, successors, lambda n: 0, 2, admissible=True),
    ]
    for search in searches:
        with pytest.raises(LookupError) as caught:
            search()
        # From 1, whose successors are unknown, a goal may be near.
        assert caught.value.found.lower_bound <= 1  # type: ignore[attr-defined]
    numbers = iter(range(1, 100))
    with pytest.raises(ValueError, match="called again") as changed:
        bfs(0, lambda n: [next(numbers)], 3)
    assert not changed.value.found.optimal  # type: ignore[attr-defined]


@pytest.mark.parametrize("search", [astar, idastar])
def test_infinity_is_a_dead_end(search: Any) -> None:
    def estimate(n: int) -> float:
        return math.inf if n > 3 else 0

    found = search(0, lambda n: [(n + 1, 1)], estimate, -1, nodes=10_000)
    assert found.unreachable and found.stopped is None and found.counts.expanded <= 10
    assert search(0, lambda n: [(1, 1)] if n == 0 else [], lambda n: math.inf if n else 0, 9).unreachable
    start = search(0, broken, lambda n: math.inf, 9)
    assert start.unreachable and start.counts.expanded == 0
    assert search(0, broken, lambda n: math.inf, 0).cost == 0
    # A large number is only that, even if it cannot be added to.
    for large in (2**32 - 1, 1e300, 10**30):
        found = search(0, lambda n: [(n + 1, 1)], lambda n: large if n < 3 else 0, 3)
        assert found.cost == 3 or found.stopped == "cost" and search is idastar
    # The way round a dead end.
    grid = lambda at: [((at[0] + x, at[1] + y), 1) for x, y in ((0, 1), (1, 0), (0, -1), (-1, 0))]  # noqa: E731
    walls = lambda at: math.inf if at == (0, 1) or not 0 <= min(at) <= max(at) <= 3 else 0  # noqa: E731
    found = search((0, 0), grid, walls, (0, 2))
    assert found.cost == 4 and (0, 1) not in found.path


def test_optimal_means_the_same_in_solve_and_in_search() -> None:
    board, goal = taquin.gen("3x3", depth=16, seed=3), taquin.Board("123456780")

    def near(at: taquin.Board) -> list[tuple[taquin.Board, int]]:
        return [(next, 1) for next in at.neighbors()]

    for name, search in (("astar", astar), ("ida", idastar)):
        for admissible in (False, True):
            solved = taquin.solve(board, name, heuristic=manhattan, admissible=admissible)
            found = search(board, near, manhattan, goal, admissible=admissible)
            assert solved.cost == found.cost == 16
            assert solved.optimal == found.optimal == admissible
            assert (found.lower_bound == 16) == admissible
        # Nothing is claimed on the word of a heuristic that is too high.
        assert not search(board, near, lambda at: 3 * manhattan(at), goal).optimal
    assert dijkstra(board, near, goal, nodes=10**5).optimal
    with pytest.raises(taquin.OptionError, match="it needs heuristic"):
        taquin.solve(board, "astar", admissible=True)


class Labelled:
    """A table like that of pandas: to iterate over it gives the labels of its columns."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.rows[0])))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.array(self.rows, dtype=dtype)


ROWS = [[8, 6, 7], [2, 5, 4], [3, 0, 1]]


@pytest.mark.parametrize("table", [polars.DataFrame(ROWS, orient="row"), Labelled(ROWS)])
def test_tables_are_read_as_their_values(table: Any) -> None:
    board = taquin.Board(table)
    assert board.rows == ROWS
    goal = taquin.Board("123456780")
    assert taquin.solve(table, "astar:manhattan", nodes=10).board == board
    assert goal.is_solvable(table) == goal.is_solvable(board)
    flat: Any = polars.DataFrame([board.tiles, goal.tiles], orient="row")
    assert [report.board for report in taquin.solve_many(flat, nodes=10)] == [board, goal]
    rows = taquin.compare(flat, ["astar:manhattan"], nodes=10).rows
    assert len(rows) == 2


@pytest.mark.parametrize(
    "value",
    [{1, 2, 3, 0}, frozenset({1, 2, 3, 0}), {1: 2, 3: 0}, {1: 2, 3: 0}.keys(), [{1, 2}, {3, 0}], [{1: 0, 2: 0}, [3, 0]]],
    ids=str,
)
def test_what_has_no_order_is_no_board(value: Any) -> None:
    with pytest.raises(TypeError, match="a board is"):
        taquin.Board(value)


@pytest.mark.skipif(os.name == "nt", reason="exit codes")
@pytest.mark.parametrize(
    "call",
    [
        "taquin.solve_many([HARD] * 9, 'ida:manhattan', goal='first', progress=True)",
        "taquin.solve(HARD, 'ida:manhattan', goal='first')",
        pytest.param(
            "taquin.solve(HARD, 'ida', goal='first', heuristic=lambda board: started.set() or 0)",
            marks=pytest.mark.skip(reason="a call that starts while Python exits may not end"),
        ),
        "taquin.audit(lambda board: started.set() or 0, '2x5')",
        "[None for _ in taquin.trace(HARD, 'ida:manhattan', goal='first')]",
        "idastar(0, lambda n: [(n + 1, 1)], lambda n: started.set() or 0, -1)",
    ],
)
def test_daemon_threads_do_not_abort_the_process(call: str) -> None:
    program = f"""
import threading, time, taquin
from taquin.search import idastar
HARD = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"
started = threading.Event()
def work():
    if "started" not in {call!r}:
        threading.Timer(0.3, started.set).start()
    while True:
        {call}
threading.Thread(target=work, daemon=True).start()
started.wait()
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, text=True)
        assert done.returncode == 0, done.stderr
