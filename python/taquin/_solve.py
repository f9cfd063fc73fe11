"""Solving: one board, many boards, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._core import Board, Instance, Report, Trace
from ._progress import Progress
from .errors import OptionError, Unsolvable

if TYPE_CHECKING:
    from datetime import timedelta
    from os import PathLike

    from typing_extensions import TypeAlias, TypedDict, Unpack

    BoardLike: TypeAlias = Union[
        Board, str, Sequence[int], Sequence[Sequence[int]], "SupportsToList"
    ]

    class ComparisonOptions(TypedDict, total=False):
        """The options of comparisons, whose searches have one thread each."""

        goal: BoardLike | None
        size: str | int | tuple[int, int] | None
        as_: str | PathLike[str] | None
        cost: str | Sequence[int] | None
        time: float | str | timedelta | None
        nodes: float | str | None
        memory: float | str | None

    class Options(ComparisonOptions, total=False):
        """The options of the command line."""

        threads: int | None
        jumps: bool
        search_anyway: bool

    class SupportsToList:
        """An array."""

        def tolist(self) -> Any: ...


def solve(
    board: BoardLike | None = None,
    method: str | None = None,
    *,
    heuristic: Callable[[Any], Any] | None = None,
    admissible: bool = False,
    progress: bool = False,
    raise_unsolvable: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float | str | timedelta | None = None,
    resume: str | PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Report:
    """Solve a board.

    ``board`` is a text in any notation, a list, a list of rows, an array or a ``Board``; a course that
    has a puzzle of its own needs none. ``method`` is written as on the command line, such as
    ``"astar:manhattan"``; without it taquin chooses.

    ``heuristic`` is a function of a ``Board`` that replaces the method's heuristic; see ``batch`` for
    functions of arrays. Fractions are rounded down. If you know that it is never above the true
    distance, for instance from an ``audit``, say so with ``admissible``. Otherwise the report claims
    optimality only where that is proven without the heuristic.

    The options are those of ``taquin solve``: ``goal``, ``size``, ``as_`` (a course or a paper),
    ``cost``, the limits ``time``, ``nodes`` and ``memory``, ``threads``, ``jumps`` and
    ``search_anyway``. An unsolvable board is a report, and an exception only with
    ``raise_unsolvable``. Ctrl-C ends the search; the exception has what is known as ``report``.

    ``checkpoint`` is a file for the progress of a long search, written every 30 seconds or as
    ``checkpoint_every`` says; ``solve(resume=file)`` continues it.

    >>> solve([[1, 2, 3], [4, 0, 6], [7, 5, 8]], "bfs").counts.expanded
    5
    """
    if admissible and heuristic is None:
        raise OptionError("it needs heuristic", field="admissible")
    files = None
    if checkpoint is not None or resume is not None:
        if heuristic is not None:
            raise OptionError("a heuristic in Python has no checkpoints", field="heuristic")
        files = (checkpoint, checkpoint_every, resume)
    elif checkpoint_every is not None:
        raise OptionError("it needs checkpoint or resume", field="checkpoint_every")
    with Progress.of_search(progress) as shown:
        report = _core.solve(board, method, dict(options), heuristic, shown, files, admissible)
    if raise_unsolvable and report.outcome in ("unsolvable", "exhausted"):
        raise Unsolvable(f"the goal cannot be reached ({report.reason})", field="board")
    return report


@dataclass(frozen=True)
class Solutions:
    """Every shortest solution of a board, or as many as were asked for."""

    report: Report
    moves: list[str]
    complete: bool

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[str]:
        return iter(self.moves)


def solutions(
    board: BoardLike | None = None,
    method: str | None = None,
    *,
    limit: float | str = 1000,
    notation: str = "blank",
    **options: Unpack[Options],
) -> Solutions:
    """List all shortest solutions, as ``taquin solve --all`` does.

    >>> solutions("867254301", limit=5).complete
    False
    """
    return Solutions(*_core.solutions(board, method, dict(options), limit, notation))


def solve_many(
    boards: str | Iterable[BoardLike | Instance],
    method: str | None = None,
    *,
    progress: bool = False,
    **options: Unpack[Options],
) -> list[Report]:
    """Solve many boards, several at a time: ``threads`` says how many.

    15-puzzles are solved together on a CUDA device if the method is ``ida:pdb=7-8,on=gpu`` or the like,
    ``auto,on=gpu``, or ``auto`` for thousands of them.

    ``boards`` is a list, or the name of an instance set such as "korf100". Tables that the method needs are built first. Ctrl-C ends it; the exception has the reports so far
    as ``reports``.
    """
    if not isinstance(boards, str):
        boards = listed(boards)
    with Progress.of_runs(progress) as shown:
        return _core.solve_many(boards, method, dict(options), shown)


def listed(boards: Iterable[Any]) -> list[Any]:
    """List boards. The rows of a table are boards, not its labels or its columns."""
    if hasattr(boards, "__array__") and not isinstance(boards, Board):
        import numpy

        boards = numpy.asarray(boards)
    return list(boards)


def trace(
    board: BoardLike | None = None,
    method: str | None = None,
    **options: Unpack[Options],
) -> Trace:
    """Iterate over the steps of a search.

    The search waits for the loop, so that millions of steps need no memory. At the end the iterator
    has the ``report``.

    >>> steps = trace("1 2 3/4 0 6/7 5 8", "astar:manhattan")
    >>> [str(step.board.text()) for step in steps if step.event == "expand"]
    ['1 2 3/4 0 6/7 5 8', '1 2 3/4 5 6/7 0 8']
    >>> steps.report.moves
    'DR'
    """
    return _core.trace(board, method, dict(options))
