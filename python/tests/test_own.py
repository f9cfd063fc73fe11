"""Heuristics and graphs of one's own."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import taquin
from taquin.search import astar, bfs, dijkstra, idastar


def misplaced(board: taquin.Board) -> int:
    return sum(tile not in (0, cell + 1) for cell, tile in enumerate(board.tiles))


@taquin.batch
def misplaced_in_arrays(boards: Any) -> Any:
    flat = boards.reshape(len(boards), -1)
    return ((flat != numpy.arange(1, flat.shape[1] + 1)) & (flat != 0)).sum(axis=1)


@pytest.mark.parametrize("method", ["astar", "ida", "greedy", "wastar"])
@pytest.mark.parametrize("heuristic", [misplaced, misplaced_in_arrays])
def test_counts_are_those_of_the_same_heuristic_in_rust(method: str, heuristic: Any) -> None:
    board = taquin.gen("3x3", depth=14, seed=2)
    own = taquin.solve(board, method, heuristic=heuristic)
    rust = taquin.solve(board, f"{method}:misplaced")
    assert (own.moves, own.counts.expanded, own.counts.generated) == (
        rust.moves,
        rust.counts.expanded,
        rust.counts.generated,
    )
    assert own.method == f"{method}:{heuristic.__name__}"


def test_an_own_heuristic_proves_nothing() -> None:
    board = taquin.gen("3x3", depth=20, seed=1)
    report = taquin.solve(board, "astar", heuristic=lambda board: 40)
    assert report.solved and not report.optimal
    assert (report.lower_bound or 0) <= 20


@pytest.mark.parametrize("heuristic", [misplaced, misplaced_in_arrays])
def test_an_audit_is_that_of_the_same_heuristic_in_rust(heuristic: Any) -> None:
    own, rust = taquin.audit(heuristic, "2x3"), taquin.audit("misplaced", "2x3")
    assert own.admissible and own.consistent and own.boards == 360
    assert own.to_dict() == rust.to_dict()


def test_a_counterexample() -> None:
    audit = taquin.audit(lambda board: 3 * misplaced(board), "2x3")
    assert not audit.admissible and audit.counterexample is not None
    assert 3 * misplaced(audit.counterexample) > (taquin.solve(audit.counterexample).cost or 0)


def test_an_exception_in_a_heuristic_is_the_exception_of_the_call() -> None:
    def broken(board: taquin.Board) -> int:
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea") as caught:
        taquin.solve("867254301", "astar", heuristic=broken)
    assert caught.value.report.reason == "cancelled"  # type: ignore[attr-defined]
    with pytest.raises(LookupError):
        taquin.audit(broken, "2x3")
    with pytest.raises(ValueError, match="not a cost"):
        taquin.solve("867254301", "astar", heuristic=lambda board: -1)
    with pytest.raises(taquin.MethodError):
        taquin.solve("867254301", "bfs", heuristic=misplaced)


def roads(town: str) -> list[tuple[str, int]]:
    return {"Basel": [("Bern", 100), ("Sion", 290)], "Bern": [("Sion", 150)], "Sion": []}[town]


def test_searching_any_graph() -> None:
    found = dijkstra("Basel", roads, "Sion")
    assert (found.path, found.cost, found.optimal) == (["Basel", "Bern", "Sion"], 250, True)
    assert bfs(1, lambda n: [2 * n, n + 3], lambda n: n == 10).path == [1, 2, 5, 10]
    assert dijkstra("Sion", roads, "Basel").unreachable
    stopped = bfs(0, lambda n: [n + 1], -1, nodes=100)
    assert stopped.stopped == "expanded" and stopped.counts.expanded == 100


@pytest.mark.parametrize("search", [astar, idastar])
def test_searching_boards_as_a_graph(search: Any) -> None:
    board = taquin.gen("3x3", depth=12, seed=4)
    goal = taquin.Board("123456780")

    def distance(board: taquin.Board) -> int:
        return sum(
            abs(cell // 3 - (tile - 1) // 3) + abs(cell % 3 - (tile - 1) % 3)
            for cell, tile in enumerate(board.tiles)
            if tile
        )

    found = search(board, lambda at: [(near, 1) for near in at.neighbors()], distance, goal, admissible=True)
    assert (found.cost, found.optimal) == (12, True)
    assert found.path[0] == board and found.path[-1] == goal


def test_errors_of_functions_and_states() -> None:
    with pytest.raises(ZeroDivisionError):
        bfs(1, lambda n: [1 // 0], 5)
    with pytest.raises(TypeError, match="pairs"):
        dijkstra(1, lambda n: [n + 1], 5)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="unhashable"):
        bfs([1], lambda n: [n], [2])  # type: ignore[type-var]
