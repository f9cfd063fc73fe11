"""A script that a course could hand in, under strict type checkers: `test_types.py` checks it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

import taquin
from taquin.search import Found, astar, bfs
from taquin.types import BoardLike, Outcome, Progress

Town = tuple[int, int]


def boards() -> list[BoardLike]:
    """Boards in every form."""
    return ["1 2 3/4 0 6/7 5 8", [[1, 2, 3], [4, 0, 6], [7, 5, 8]], np.array([[1, 2, 3], [4, 5, 6], [7, 0, 8]]), taquin.gen()]


def depths(number: int) -> list[int]:
    """The depths of random boards."""
    reports = taquin.solve_many(taquin.gen("3x3", count=number, seed=1), "astar:manhattan", threads=2)
    return [report.depth for report in reports if report.depth is not None]


def misplaced(board: taquin.Board) -> int:
    """A heuristic."""
    return sum(tile not in (0, cell + 1) for cell, tile in enumerate(board.tiles))


@taquin.batch
def misplaced_in_arrays(boards: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The same of many boards."""
    flat = boards.reshape(len(boards), -1)
    wrong: npt.NDArray[np.int64] = ((flat != np.arange(1, flat.shape[1] + 1)) & (flat != 0)).sum(axis=1)
    return wrong


def own_heuristics() -> None:
    """The places that take one."""
    assert taquin.audit(misplaced, "2x3").admissible and taquin.audit(misplaced_in_arrays, "2x3").consistent
    taquin.solve("123406758", "astar", heuristic=misplaced, admissible=True)
    taquin.solve_many(["123406758"], "ida", heuristic=misplaced)
    comparison = taquin.compare(["123406758"], ["ucs", misplaced, ("ida", misplaced_in_arrays)])
    rows: Iterator[dict[str, object]] = iter(comparison)
    print([row["expanded"] for row in rows], comparison.to_pandas().shape, comparison.to_polars().height)


def expanded(board: BoardLike) -> Iterator[str]:
    """The boards that a search expands."""
    for step in taquin.trace(board, "astar:manhattan"):
        if step.event == "expand" and step.board is not None:
            yield step.board.text()


def shown(progress: Progress) -> None:
    """Shows progress."""
    print(progress.text, progress.done, progress.total or "?")


def limits(board: BoardLike) -> Outcome:
    """A search with limits."""
    report = taquin.solve(board, goal="last", time=timedelta(seconds=5), nodes=1e6, memory="200M", progress=shown)
    counts: dict[str, int] = report.counts.to_dict()
    assert counts["expanded"] == report.counts.expanded
    return report.outcome


def neighbours(town: Town) -> list[tuple[Town, int]]:
    """Roads on a grid."""
    return [((town[0] + x, town[1] + y), 1) for x, y in ((0, 1), (1, 0), (0, -1), (-1, 0))]


def graphs() -> None:
    """Searches in graphs."""
    found: Found[Town] = astar((0, 0), neighbours, lambda town: abs(town[0] - 3) + abs(town[1] - 3), (3, 3))
    last: Town = found.path[-1]
    number: int = bfs(1, lambda n: [2 * n, n + 3], lambda n: n == 10).path[-1]
    print(last, number, found.optimal, found.stopped)


def files(folder: Path) -> None:
    """Files written."""
    taquin.solve("123406758").animate(folder / "solution.svg")
    taquin.compare(["123406758"]).plot().save(folder / "chart.svg")
    experiment = taquin.Experiment(store=folder / "store.sqlite", instances=["courses"], methods=["ucs"], time=5)
    print(len(experiment.run().records), experiment.state, taquin.courses(), taquin.instances())


def wrong() -> tuple[str | None, int | None]:
    """An error in a list."""
    try:
        taquin.compare([taquin.gen(), "1 2 3/4 5 6/7 7 0"])
    except taquin.BoardError as error:
        return error.field, error.index
    return None, None
