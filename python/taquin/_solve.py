"""Solving: one board, many boards, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from ._core import Board, Instance, Report, Trace
from ._progress import Display
from .errors import BoardError, OptionError, Unsolvable
from .types import Amount, BoardLike, Heuristic, Path, ProgressLike, Size, Time


#: The arguments that describe a task. ``_core`` checks them.
_TASK = ("goal", "size", "as_", "cost", "time", "nodes", "memory", "threads", "jumps", "search_anyway")


def task_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function that describe the task."""
    if arguments.get("admissible") and arguments["heuristic"] is None:
        raise OptionError("it needs heuristic", field="admissible")
    return {name: arguments[name] for name in _TASK if name in arguments}


def solve(
    board: BoardLike | None = None,
    method: str | None = None,
    *,
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    threads: int | None = None,
    jumps: bool = False,
    search_anyway: bool = False,
    heuristic: Heuristic | None = None,
    admissible: bool = False,
    progress: ProgressLike = False,
    raise_unsolvable: bool = False,
    checkpoint: Path | None = None,
    checkpoint_every: Time | None = None,
    resume: Path | None = None,
) -> Report:
    """Solve a board.

    ``board`` is a text in any notation, a list, a list of rows, an array or a ``Board``. A course that
    has its own puzzle needs none. ``method`` is written as on the command line, such as
    ``"astar:manhattan"``. Without it taquin chooses.

    ``heuristic`` is a function that takes a ``Board`` and replaces the method's heuristic. See ``batch`` for
    functions that take arrays. Fractions are rounded down. If you know that it is never above the true
    distance, for instance from an ``audit``, say so with ``admissible``. Otherwise the report claims
    optimality only where that is proven without the heuristic.

    ``taquin solve`` has the same options: ``goal``, ``size``, ``as_`` (a course or a paper),
    ``cost``, the limits ``time``, ``nodes`` and ``memory``, ``threads``, ``jumps`` and
    ``search_anyway``. An unsolvable board is a report, and an exception only with
    ``raise_unsolvable``. Ctrl-C ends the search. The exception has what is known as ``report``.

    ``progress=True`` shows progress on standard error. A function is called with a
    ``taquin.types.Progress`` a few times per second.

    ``checkpoint`` is a file for a long search's progress, written every 30 seconds or as
    ``checkpoint_every`` says. ``solve(resume=file)`` continues it.

    >>> solve([[1, 2, 3], [4, 0, 6], [7, 5, 8]], "bfs").counts.expanded
    5
    """
    options = task_of(locals())
    files = None
    if checkpoint is not None or resume is not None:
        if heuristic is not None:
            raise OptionError("a heuristic in Python has no checkpoints", field="heuristic")
        files = (checkpoint, checkpoint_every, resume)
    elif checkpoint_every is not None:
        raise OptionError("it needs checkpoint or resume", field="checkpoint_every")
    with Display.of_search(progress) as shown:
        report = _core.solve(board, method, options, heuristic, shown, files, admissible)
    if raise_unsolvable and report.outcome in ("unsolvable", "exhausted"):
        raise Unsolvable(f"the goal cannot be reached ({report.reason})", field="board")
    return report


@dataclass(frozen=True)
class Solutions:
    """Every shortest solution for a board, or as many as were asked for.

    >>> found = solutions("867254301", limit=3)
    >>> len(found), found.complete, found.report.cost
    (3, False, 31)
    """

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
    limit: Amount = 1000,
    notation: str = "blank",
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    threads: int | None = None,
    jumps: bool = False,
    search_anyway: bool = False,
) -> Solutions:
    """List all shortest solutions, as ``taquin solve --all`` does.

    >>> solutions("867254301", limit=5).complete
    False
    """
    options = task_of(locals())
    return Solutions(*_core.solutions(board, method, options, limit, notation))


def solve_many(
    boards: str | Iterable[BoardLike | Instance],
    method: str | None = None,
    *,
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    threads: int | None = None,
    jumps: bool = False,
    search_anyway: bool = False,
    heuristic: Heuristic | None = None,
    admissible: bool = False,
    progress: ProgressLike = False,
) -> list[Report]:
    """Solve many boards, several at a time: ``threads`` says how many.

    15-puzzles are solved together on a CUDA device if the method is ``ida:pdb=7-8,on=gpu`` or the like,
    ``auto,on=gpu``, or ``auto`` for thousands.

    ``boards`` is a list, or an instance set such as "korf100". Tables that the method needs
    are built first. With your own ``heuristic``, boards are solved one after the other. Ctrl-C ends
    it. The exception has the reports so far as ``reports``. ``taquin.table(reports)`` makes a table.

    >>> [report.cost for report in solve_many(["1 2 3/4 0 6/7 5 8", "123456708"])]
    [2, 1]
    """
    options = task_of(locals())
    listed = _listed(boards, heuristic, goal)
    with Display.of_runs(progress) as shown:
        if heuristic is None:
            return _core.solve_many(listed, method, options, shown)
        reports: list[Report] = []
        try:
            for report in _solved_here(listed, method, options, heuristic, admissible):
                reports.append(report)
                if shown is not None:
                    shown(len(reports), len(listed))
        except BaseException as error:
            error.reports = reports  # type: ignore[attr-defined]
            raise
    return reports


def solve_each(
    boards: str | Iterable[BoardLike | Instance],
    method: str | None = None,
    *,
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    threads: int | None = None,
    jumps: bool = False,
    search_anyway: bool = False,
    heuristic: Heuristic | None = None,
    admissible: bool = False,
) -> Iterator[Report]:
    """Solve many boards as ``solve_many`` does, and yield the reports one by one.

    They are in the boards' order. Each is there as soon as its search and all before it have ended.
    A loop that ends early ends the searches.

    >>> for report in solve_each(["123456708", "1 2 3/4 0 6/7 5 8", "867254301"]):
    ...     if report.cost == 2:
    ...         break
    >>> report.moves
    'DR'
    """
    options = task_of(locals())
    listed = _listed(boards, heuristic, goal)
    if heuristic is None:
        return _core.solve_in_turn(listed, method, options)
    return _solved_here(listed, method, options, heuristic, admissible)


def _listed(boards: Any, heuristic: Heuristic | None, goal: BoardLike | None) -> Any:
    """The boards. A set that only the core needs keeps its name."""
    if not isinstance(boards, str):
        return list_boards(boards)
    return boards if heuristic is None else list(_core.instances(boards, goal))


def _solved_here(
    boards: Sequence[Any], method: str | None, options: dict[str, Any], heuristic: Heuristic, admissible: bool
) -> Iterator[Report]:
    """Solve boards one after the other, with a heuristic in Python."""
    for index, board in enumerate(boards):
        given = options
        if isinstance(board, Instance):
            given = {**options, "goal": board.goal if options["goal"] is None else options["goal"]}
            board = board.board
        try:
            yield _core.solve(board, method, given, heuristic, None, None, admissible)
        except BoardError as error:
            error.at(index)
            raise


def list_boards(boards: Iterable[Any]) -> list[Any]:
    """List boards. The rows of a table are boards, not its labels or its columns."""
    if isinstance(boards, Board):
        raise OptionError("there is one board, not a list", field="boards", remedy="write [board]")
    if hasattr(boards, "__array__"):
        import numpy

        boards = numpy.asarray(boards)
    return list(boards)


def trace(
    board: BoardLike | None = None,
    method: str | None = None,
    *,
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    threads: int | None = None,
    jumps: bool = False,
    search_anyway: bool = False,
    heuristic: Heuristic | None = None,
    admissible: bool = False,
) -> Trace:
    """Iterate over a search's steps.

    The search waits for the loop, so that millions need no memory. At the end the iterator
    has the ``report``. ``heuristic`` is your function, as in ``solve``.

    >>> steps = trace("1 2 3/4 0 6/7 5 8", "astar:manhattan")
    >>> [step.board.text() for step in steps if step.event == "expand"]
    ['1 2 3/4 0 6/7 5 8', '1 2 3/4 5 6/7 0 8']
    >>> steps.report.moves
    'DR'
    """
    options = task_of(locals())
    return _core.trace(board, method, options, heuristic, admissible)
