"""Boards to try, whole spaces, audits, matches and comparisons."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._core import Board, Instance
from ._progress import Progress
from ._solve import listed as list_boards
from ._tables import Table, columns_of, html
from .errors import OptionError

if TYPE_CHECKING:
    from datetime import timedelta

    from typing_extensions import Unpack

    from ._solve import BoardLike, ComparisonOptions
    from .search import Limits

    Size = str | int | tuple[int, int]

Function = TypeVar("Function", bound=Callable[..., Any])


def gen(
    size: Size = "3x3",
    count: int | None = None,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: float | str | None = None,
    scramble: bool = False,
    notation: str = "blank",
) -> Any:
    """Random boards that can reach the goal: uniformly, at an exact depth, or by a random walk.

    Without ``count`` it is one ``Board``, with it a list. The same seed gives the same boards as
    ``taquin gen`` on any machine. With ``scramble`` it is the moves that lead from the goal to each
    board, instead of the board.

    >>> gen("3x3", seed=7)
    Board('5 6 2/8 3 0/7 1 4')
    """
    boards = _core.generate(
        size, 1 if count is None else count, seed, depth, walk, goal, blanks, memory
    )
    drawn: list[Any] = list(boards)
    if scramble:
        drawn = [_core.scramble(board, goal, notation) for board in boards]
    return drawn[0] if count is None else drawn


def instances(name: str, goal: BoardLike | None = None) -> list[Instance]:
    """The puzzles of an instance set, such as "korf100" or "random 4x4 n=10 seed=1"."""
    return _core.instances(name, goal)


def methods() -> dict[str, Any]:
    """The algorithms, the heuristics and the fields that a method can be made of."""
    listed: dict[str, Any] = json.loads(_core.methods())
    return listed


@dataclass(frozen=True)
class Check:
    """Whether a puzzle can be solved, and why."""

    reachable: bool
    facts: dict[str, Any]

    @classmethod
    def from_json(cls, text: str) -> Check:
        """Read the JSON of ``taquin check``."""
        facts = json.loads(text)
        return cls(facts["reachable"], facts)

    def __bool__(self) -> bool:
        return self.reachable


@dataclass(frozen=True)
class Enumeration(Table):
    """How many boards are at each distance from a goal."""

    rows: int
    cols: int
    goal: Board
    metric: str
    states: int
    depths: list[int]
    max_depth: int
    mean_depth: float
    farthest: list[Board]
    svg: str = field(repr=False, default="", compare=False)

    def plot(self) -> Picture:
        """The number of boards at each distance, as bars."""
        return Picture(self.svg)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns ``depth`` and ``boards``."""
        return {"depth": list(range(len(self.depths))), "boards": self.depths}

    def to_networkx(self, most: int = 200_000) -> Any:
        """The space as a graph of networkx, with the distance of each board as ``depth``.

        It is refused for spaces of more than ``most`` boards.
        """
        import networkx

        if self.states > most:
            raise OptionError(
                f"the space has {self.states:,} boards",
                field="most",
                remedy="choose a smaller board, or raise most",
            )
        if self.metric != "single":
            raise OptionError("the edges of the graph are single moves", field="metric")
        graph = networkx.Graph()
        graph.add_node(self.goal, depth=0)
        layer = [self.goal]
        for depth in range(1, len(self.depths)):
            below: list[Board] = []
            for board in layer:
                for near in board.neighbors():
                    if near not in graph:
                        graph.add_node(near, depth=depth)
                        below.append(near)
                    graph.add_edge(board, near)
            layer = below
        return graph


def enumerate(
    size: Size | None = None,
    *,
    goal: BoardLike | None = None,
    blanks: int = 1,
    metric: str = "single",
    save: bool = False,
    on: str = "cpu",
    memory: float | str | None = None,
    progress: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float | str | timedelta | None = None,
    disk: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
) -> Enumeration:
    """Count the boards at every distance from a goal.

    With ``save`` a table is written to the cache folder that makes ``solve``, ``gen`` and ``audit``
    answer at once. ``on="gpu"`` uses a CUDA device; without one, the processor is used, with a warning.

    ``checkpoint`` saves the progress to a file every ``checkpoint_every`` (60 s); ``disk`` keeps the
    boards in the files of a folder, where memory is short. ``resume`` continues from that file or
    folder, without a size.

    >>> enumerate("2x3").depths[-1]
    1
    """
    with Progress.of_share(progress) as shown:
        text, svg = _core.enumerate(
            size, goal, blanks, metric, save, on, memory, shown, checkpoint, checkpoint_every, disk, resume
        )
    facts = json.loads(text)
    shape = (facts["rows"], facts["cols"])
    facts["goal"] = Board(facts["goal"], shape)
    facts["farthest"] = [Board(board, shape) for board in facts["farthest"]]
    return Enumeration(**facts, svg=svg)


@dataclass(frozen=True)
class Audit(Table):
    """A heuristic compared with the true distances of all boards."""

    admissible: bool
    consistent: bool
    boards: int
    mean_estimate: float
    mean_distance: float
    counterexample: Board | None
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns ``distance``, ``boards``, ``least``, ``mean`` and ``most``."""
        rows = []
        for row in self.facts["distances"]:
            rows.append({**row, "mean": row["total"] / row["boards"]})
        return columns_of(rows, ["distance", "boards", "least", "mean", "most"])


def batch(function: Function) -> Function:
    """Mark a heuristic that takes an array of boards and returns an array of estimates.

    The array has the shape (boards, rows, columns). Audits ask about many boards at once, so that such
    a function is faster there. A search asks about a few boards at a time, some of which it never
    needs: that pays only if the function takes much longer to call than to compute, as a neural network
    does.
    """
    function.batch = True  # type: ignore[attr-defined]
    return function


def audit(
    heuristic: str | Callable[[Any], Any],
    size: Size = "3x3",
    *,
    goal: BoardLike | None = None,
    blanks: int = 1,
    cost: str | Sequence[int] | None = None,
    **limits: Unpack[Limits],
) -> Audit:
    """Say whether a heuristic is admissible and consistent, over all boards.

    ``heuristic`` is one of taquin's, such as "manhattan", or a function of a ``Board``; functions of
    arrays, marked by ``batch``, are faster. ``counterexample`` is a board on which it is above the true
    distance.

    Estimates are judged as they are, fractions included. What floating-point numbers round off counts:
    a sum of square roots may change by 1.0000000000000002 in a move of cost 1, and is not consistent
    then unless you round it.

    >>> audit("manhattan", "2x3").admissible
    True
    >>> audit(lambda board: 30, "2x3").counterexample
    Board('1 2 3/4 5 0')
    """
    facts = json.loads(_core.audit(heuristic, size, goal, blanks, cost, dict(limits)))
    worst = facts["highest"]
    shape = (facts["rows"], facts["cols"])
    return Audit(
        admissible=facts["admissible"],
        consistent=facts["consistent"],
        boards=facts["boards"],
        mean_estimate=facts["mean_estimate"],
        mean_distance=facts["mean_distance"],
        counterexample=None if worst is None else Board(worst["board"], shape),
        facts=facts,
    )


@dataclass(frozen=True)
class Match:
    """A policy that gives the counts."""

    course: str
    name: str
    method: str
    goal: str
    changes: list[str]
    counts: dict[str, int]


@dataclass(frozen=True)
class Matches:
    """The policies that give certain counts."""

    found: list[Match]
    tried: int
    complete: bool


def match(
    board: BoardLike,
    *,
    expanded: int,
    queue: int | None = None,
    generated: int | None = None,
    method: str | None = None,
    as_: str | None = None,
    goal: BoardLike | None = None,
    size: Size | None = None,
    limit: float | str = 30_000_000,
) -> Matches:
    """Find the policies that produce given counts, as ``taquin match`` does.

    >>> match("072461358", expanded=1757, queue=967).found[0].course
    'ucr-list'
    """
    facts = json.loads(
        _core.find_matches(board, expanded, queue, generated, method, as_, goal, limit, size)
    )
    found = [Match(**each) for each in facts["found"]]
    return Matches(found, facts["tried"], facts["complete"])


_COLUMNS = [
    "label",
    "name",
    "verdict",
    "optimum",
    "outcome",
    "reason",
    "cost",
    "depth",
    "expanded",
    "generated",
    "frontier_peak",
    "memory_peak",
    "seconds",
    "moves",
]


@dataclass(frozen=True)
class Comparison(Table):
    """Several methods on the same puzzles. ``rows`` are those of ``taquin compare --json``."""

    rows: list[dict[str, Any]]
    complete: bool
    svg: str

    def to_dict(self) -> dict[str, list[Any]]:
        """One row per method and puzzle."""
        return columns_of(({**row, **row["counts"]} for row in self.rows), _COLUMNS)

    def plot(self) -> Picture:
        """Nodes, largest frontier and time against depth."""
        return Picture(self.svg)

    def _repr_html_(self) -> str:
        shown = ["label", "name", "verdict", "cost", "expanded", "generated", "seconds"]
        columns = self.to_dict()
        return html({name: columns[name] for name in shown})


@dataclass(frozen=True)
class Picture:
    """A picture, which a notebook shows."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file: .svg, .png or .pdf."""
        Path(path).write_bytes(_core.render(self.svg, Path(path).suffix.lstrip(".")))


def compare(
    boards: str | Iterable[BoardLike | Instance] | None = None,
    methods: Sequence[str] | None = None,
    *,
    progress: bool = False,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Run methods on the same puzzles.

    ``boards`` is a list, or the name of an instance set such as "korf100". Without boards and methods
    it is the table of the courses: eight 8-puzzles by uniform-cost search and by A* with two
    heuristics.
    """
    if boards is not None and not isinstance(boards, str):
        boards = list_boards(boards)
    if isinstance(methods, str):
        methods = [methods]
    listed = None if methods is None else list(methods)
    with Progress.of_runs(progress) as shown:
        text, svg = _core.compare(boards, listed, dict(options), shown)
    facts = json.loads(text)
    return Comparison(facts["rows"], facts["complete"], svg)
