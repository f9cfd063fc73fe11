"""Boards to try, whole spaces, audits, matches and comparisons."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union, cast, overload

from . import _core
from ._core import Board, Instance
from ._progress import Display
from ._solve import list_boards, task_of
from ._tables import SEARCH_COLUMNS, Table, columns_of, html
from .errors import OptionError
from .types import Amount, BatchHeuristic, BoardLike, Heuristic, Path, ProgressLike, Size, Time

@overload
def gen(
    size: Size = "3x3",
    count: None = None,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: Amount | None = None,
    scramble: Literal[False] = False,
    notation: str = "blank",
) -> Board: ...
@overload
def gen(
    size: Size = ...,
    count: int = ...,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: Amount | None = None,
    scramble: Literal[False] = False,
    notation: str = "blank",
) -> list[Board]: ...
@overload
def gen(
    size: Size = "3x3",
    count: None = None,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: Amount | None = None,
    scramble: Literal[True],
    notation: str = "blank",
) -> str: ...
@overload
def gen(
    size: Size = ...,
    count: int = ...,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: Amount | None = None,
    scramble: Literal[True],
    notation: str = "blank",
) -> list[str]: ...


def gen(
    size: Size = "3x3",
    count: int | None = None,
    *,
    seed: int | None = None,
    depth: int | None = None,
    walk: int | None = None,
    goal: BoardLike | None = None,
    blanks: int = 1,
    memory: Amount | None = None,
    scramble: bool = False,
    notation: str = "blank",
) -> Board | str | list[Board] | list[str]:
    """Random boards that can reach the goal: uniformly, at an exact depth, or by a random walk.

    Without ``count`` it is one ``Board``, with it a list. The same seed gives the same boards as
    ``taquin generate`` on any machine. With ``scramble`` it is the moves that lead from the goal to each
    board, instead of the board.

    >>> gen("3x3", seed=7)
    Board('5 6 2/8 3 0/7 1 4')
    >>> gen("3x3", count=2, depth=3, seed=1, scramble=True)
    ['LUU', 'LUR']
    """
    boards = _core.generate(
        size, 1 if count is None else count, seed, depth, walk, goal, blanks, memory
    )
    if scramble:
        moves = [_core.scramble(board, goal, notation) for board in boards]
        return moves[0] if count is None else moves
    return boards[0] if count is None else boards


@overload
def instances(name: str, goal: BoardLike | None = None) -> list[Instance]: ...
@overload
def instances(name: None = None) -> dict[str, str]: ...
def instances(name: str | None = None, goal: BoardLike | None = None) -> list[Instance] | dict[str, str]:
    """The puzzles in an instance set, such as "korf100" or "random 4x4 n=10 seed=1".

    Without a name, the sets that exist and what they contain.

    >>> instances("korf100")[0].optimum
    57
    >>> instances()["korf100"]
    "Korf's 100 15-puzzles (1985)"
    """
    return dict(_core.instance_sets()) if name is None else _core.instances(name, goal)


def courses() -> dict[str, str]:
    """The courses and papers that ``as_`` can name, with their titles.

    >>> "ucr-list" in courses()
    True
    """
    return dict(_core.courses())


def methods() -> dict[str, Any]:
    """The algorithms, the heuristics and the fields that a method can be made of.

    >>> [heuristic["name"] for heuristic in methods()["heuristics"]][:2]
    ['zero', 'misplaced']
    """
    listed: dict[str, Any] = json.loads(_core.methods())
    return listed


@dataclass(frozen=True)
class Check:
    """Whether a puzzle can be solved, and why.

    >>> check = Board("1 2 3/4 5 6/8 7 0").explain()
    >>> bool(check), check.facts["proof"]["rule"]
    (False, 'parity')
    """

    reachable: bool
    facts: dict[str, Any]

    @classmethod
    def from_json(cls, text: str) -> Check:
        """Read the JSON of ``taquin solvable``."""
        facts = json.loads(text)
        return cls(facts["reachable"], facts)

    def __bool__(self) -> bool:
        return self.reachable


@dataclass(frozen=True, repr=False)
class Enumeration(Table):
    """How many boards are at each distance from a goal.

    >>> space = enumerate("2x3")
    >>> space.states, space.max_depth, space.farthest
    (360, 21, [Board('4 5 0/1 2 3')])
    """

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

    def _schema(self) -> Mapping[str, type]:
        return {"depth": int, "boards": int}

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
    memory: Amount | None = None,
    progress: ProgressLike = False,
    checkpoint: Path | None = None,
    checkpoint_every: Time | None = None,
    disk: Path | None = None,
    resume: Path | None = None,
) -> Enumeration:
    """Count the boards at every distance from a goal.

    With ``save`` a table is written to the cache folder that makes ``solve``, ``gen`` and ``audit``
    answer at once. ``on="gpu"`` uses a CUDA device. Without one, the processor is used, with a warning.

    ``checkpoint`` saves the progress to a file every ``checkpoint_every`` (60 s). ``disk`` keeps the
    boards in the files of a folder, where memory is short. ``resume`` continues from that file or
    folder, without a size.

    >>> enumerate("2x3").depths[-1]
    1
    """
    with Display.of_share(progress) as shown:
        text, svg = _core.enumerate(
            size, goal, blanks, metric, save, on, memory, shown, checkpoint, checkpoint_every, disk, resume
        )
    facts = json.loads(text)
    shape = (facts["rows"], facts["cols"])
    facts["goal"] = Board(facts["goal"], shape)
    facts["farthest"] = [Board(board, shape) for board in facts["farthest"]]
    return Enumeration(**facts, svg=svg)


@dataclass(frozen=True, repr=False)
class Audit(Table):
    """A heuristic compared with all true distances.

    >>> found = audit("manhattan", "2x3")
    >>> found.admissible, found.consistent, found.boards
    (True, True, 360)
    """

    admissible: bool
    consistent: bool
    boards: int
    mean_estimate: float
    mean_distance: float
    counterexample: Board | None
    facts: dict[str, Any]

    def _schema(self) -> Mapping[str, type]:
        return {"distance": int, "boards": int, "least": float, "mean": float, "most": float}

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns ``distance``, ``boards``, ``least``, ``mean`` and ``most``."""
        rows = []
        for row in self.facts["distances"]:
            rows.append({**row, "mean": row["total"] / row["boards"]})
        return columns_of(rows, self._schema())


def batch(function: Callable[[Any], Any]) -> BatchHeuristic:
    """Mark a heuristic that takes many boards as an array and returns their estimates.

    The array has the shape (boards, rows, columns). An audit asks about thousands at a time. A
    search asks ahead: about the boards that it will probably need next, up to 4,096 at a time as long as it
    needs most. The counts are the same as with a plain function.

    >>> @batch
    ... def wrong(boards):
    ...     return (boards.reshape(len(boards), -1)[:, :5] != [1, 2, 3, 4, 5]).sum(axis=1)
    >>> audit(wrong, "2x3").boards
    360
    """
    function.batch = True  # type: ignore[attr-defined]
    return cast(BatchHeuristic, function)


def audit(
    heuristic: str | Heuristic,
    size: Size = "3x3",
    *,
    goal: BoardLike | None = None,
    blanks: int = 1,
    cost: str | Sequence[int] | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    progress: ProgressLike = False,
) -> Audit:
    """Say whether a heuristic is admissible and consistent, over all boards.

    ``heuristic`` is one of taquin's, such as "manhattan", or a function that takes a ``Board``. Functions that
    take arrays, marked by ``batch``, are faster. ``counterexample`` is a board on which it is above the true
    distance.

    Estimates are judged as they are, fractions included. Rounding errors count:
    a sum with square roots may change by 1.0000000000000002 in a move that costs 1, and is not consistent
    then unless you round it.

    >>> audit("manhattan", "2x3").admissible
    True
    >>> audit(lambda board: 30, "2x3").counterexample
    Board('1 2 3/4 5 0')
    """
    limits = {"nodes": nodes, "time": time, "memory": memory}
    with Display.of_boards(progress) as shown:
        facts = json.loads(_core.audit(heuristic, size, goal, blanks, cost, limits, shown))
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
    """A policy that gives the counts, and what it changes in the course.

    >>> found = match("072461358", expanded=1757, queue=967).found[0]
    >>> found.course, found.counts["expanded"]
    ('ucr-list', 1757)
    """

    course: str
    name: str
    method: str
    goal: str
    changes: list[str]
    counts: dict[str, int]


@dataclass(frozen=True)
class Matches:
    """The policies that give certain counts.

    >>> matches = match("123406758", expanded=3, method="astar:manhattan")
    >>> matches.complete, len(matches.found) > 0
    (True, True)
    """

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
    limit: Amount = 30_000_000,
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


#: The columns of a comparison that a search does not have.
COMPARED: Mapping[str, type] = {"label": str, "name": str, "verdict": str, "optimum": int}


@dataclass(frozen=True, repr=False)
class Comparison(Table):
    """Several methods on the same puzzles. ``rows`` are the rows of ``taquin compare --json``.

    >>> comparison = compare(["1 2 3/4 0 6/7 5 8"], ["bfs", "astar:manhattan"])
    >>> comparison.to_dict()["expanded"]
    [5, 2]
    """

    rows: list[dict[str, Any]]
    complete: bool
    svg: str

    def _schema(self) -> Mapping[str, type]:
        return {**COMPARED, **SEARCH_COLUMNS}

    def to_dict(self) -> dict[str, list[Any]]:
        """One row per method and puzzle."""
        return columns_of(map(_compared, self.rows), self._schema())

    def plot(self) -> Picture:
        """Nodes, largest frontier and time against depth."""
        return Picture(self.svg)

    def _repr_html_(self) -> str:
        shown = ["label", "name", "verdict", "cost", "expanded", "generated", "seconds"]
        columns = self.to_dict()
        return html({name: columns[name] for name in shown})


def _compared(row: dict[str, Any]) -> dict[str, Any]:
    puzzle = row["puzzle"]
    boards = {"board": puzzle["start"], "goal": puzzle["goal"]}
    cols = puzzle["cols"]

    def text(tiles: list[int]) -> str:
        rows = (tiles[at : at + cols] for at in range(0, len(tiles), cols))
        return "/".join(" ".join(map(str, each)) for each in rows)

    return {**row, **row["counts"], **{name: text(tiles) for name, tiles in boards.items()}}


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, which a notebook shows.

    >>> compare(["1 2 3/4 0 6/7 5 8"], ["bfs"]).plot()._repr_svg_()[:4]
    '<svg'
    """

    svg: str

    def __repr__(self) -> str:
        return f"<Picture: {len(self.svg):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path) -> None:
        """Write the picture to a file: .svg, .png or .pdf."""
        file = pathlib.Path(path)
        file.write_bytes(_core.render(self.svg, file.suffix.lstrip(".")))


def compare(
    boards: str | Iterable[BoardLike | Instance] | None = None,
    methods: str | Sequence[str | Heuristic | tuple[str, Heuristic]] | None = None,
    *,
    goal: BoardLike | None = None,
    size: Size | None = None,
    as_: Path | None = None,
    cost: str | Sequence[int] | None = None,
    time: Time | None = None,
    nodes: Amount | None = None,
    memory: Amount | None = None,
    progress: ProgressLike = False,
) -> Comparison:
    """Run methods on the same puzzles.

    ``boards`` is a list, or an instance set such as "korf100". Without boards and methods
    it is the table of the courses: eight 8-puzzles by uniform-cost search and by A* with two
    heuristics.

    A method is a text, your own heuristic for A*, or a pair such as ``("ida", heuristic)``.

    >>> def wrong(board):
    ...     return sum(tile not in (0, cell + 1) for cell, tile in builtins.enumerate(board.tiles))
    >>> comparison = compare(["8 6 7/2 5 4/3 0 1"], ["astar:misplaced", wrong])
    >>> [(row["name"], row["expanded"]) for row in comparison]
    [('astar:misplaced', 121529), ('astar:wrong()', 121529)]
    """
    options = task_of(locals())
    listed = boards if boards is None or isinstance(boards, str) else list_boards(boards)
    asked = [methods] if isinstance(methods, str) else methods or []
    with Display.of_runs(progress) as shown:
        text, svg, own = _core.compare(listed, [_method(method) for method in asked], options, shown)
    facts = json.loads(text)
    for row in facts["rows"]:
        if row["name"] in own:
            row["method"] = row["name"]
    return Comparison(facts["rows"], facts["complete"], svg)


def _method(method: Union[str, Heuristic, tuple[str, Heuristic]]) -> tuple[str, Any]:
    if isinstance(method, str):
        return method, None
    return method if isinstance(method, tuple) else ("astar", method)
