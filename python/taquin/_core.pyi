"""
Everything that `python/taquin` uses.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from taquin import Check
from taquin.types import BoardLike, Event, Move, Outcome, Size, TileIterator, Tiles, Verdict
from typing import Any, Final, SupportsFloat, SupportsIndex, final

__all__ = ["VERSION", "Board", "Counts", "Instance", "Report", "Reports", "Stage", "Step", "Store", "Trace", "arrow_stream", "audit", "check", "compare", "courses", "end_calls", "enumerate", "find_matches", "generate", "instance_sets", "instances", "methods", "render", "run_program", "scramble", "search", "solutions", "solve", "solve_in_turn", "solve_many", "trace"]

VERSION: Final[str]
"""
The version of taquin.
"""

@final
class Board:
    """
    A board: the tiles of a puzzle, row by row, with 0 for a blank.

    It is made from a text in any notation, a list, a list of rows, or an array.

    >>> Board("8 6 7/2 5 4/3 0 1").tiles
    (8, 6, 7, 2, 5, 4, 3, 0, 1)
    """
    def __array__(self, /, dtype: Any | None = None, copy: bool | None = None) -> Any:
        """
        The rows as a numpy array.
        """
    def __copy__(self, /) -> Board: ...
    def __deepcopy__(self, /, _memo: Any) -> Board: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __getitem__(self, step: Move, /) -> Board:
        """
        The board after one move: `board["L"]`.
        """
    def __getnewargs__(self, /) -> tuple[str]: ...
    def __hash__(self, /) -> int: ...
    def __iter__(self, /) -> TileIterator:
        """
        Iterates over the tiles, row by row.
        """
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, board: BoardLike, size: Size | None = None) -> Board: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_svg_(self, /) -> str: ...
    @property
    def blanks(self, /) -> list[int]:
        """
        The cells that are blank, numbered row by row.
        """
    def explain(self, /, goal: BoardLike | None = None) -> Check:
        """
        Why the goal can or cannot be reached: a `Check`.
        """
    def is_solvable(self, /, goal: BoardLike | None = None) -> bool:
        """
        Whether the goal can be reached.
        """
    def is_solved(self, /, goal: BoardLike | None = None) -> bool:
        """
        Whether this is the goal.
        """
    def moves(self, /) -> list[str]:
        """
        The moves that are possible, named after where the blank goes: "U", "D", "L" or "R". With
        several blanks each begins with the tile that moves, as in "7L".
        """
    def neighbors(self, /) -> list[Board]:
        """
        The boards that one move leads to.
        """
    @property
    def rows(self, /) -> list[list[int]]:
        """
        The rows.
        """
    @property
    def size(self, /) -> tuple[int, int]:
        """
        The number of rows and the number of columns.
        """
    def slide(self, /, moves: str, notation: str = "blank") -> Board:
        """
        The board after several moves.

        >>> Board("123456780").slide("LU")
        Board('1 2 3/4 0 6/7 5 8')
        """
    def text(self, /, format: str = "slashes", blank: str = "0") -> str:
        """
        The board as text: "slashes", "rows", "nested", "flat", "digits" or "sized".
        """
    @property
    def tiles(self, /) -> Tiles:
        """
        The tiles, row by row; 0 is a blank.
        """

@final
class Counts:
    """
    The counts of a search. 'taquin list methods' explains them.

    >>> counts = taquin.solve("1 2 3/4 0 6/7 5 8", "bfs").counts
    >>> counts.expanded, counts.generated, counts.duplicates
    (5, 12, 0)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, counts: "dict[str, int]") -> Counts: ...
    def __reduce__(self, /) -> tuple[Any, tuple[Any]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def depth_peak(self, /) -> int:
        """
        The largest depth of a node.
        """
    @property
    def dropped_cheaper(self, /) -> int:
        """
        Nodes that were dropped although their path was cheaper.
        """
    @property
    def duplicates(self, /) -> int:
        """
        Nodes that were generated although a node with the same state was known.
        """
    @property
    def expanded(self, /) -> int:
        """
        Nodes that were expanded.
        """
    @property
    def frontier_peak(self, /) -> int:
        """
        The largest number of open nodes.
        """
    @property
    def generated(self, /) -> int:
        """
        Nodes that were generated.
        """
    @property
    def memory_peak(self, /) -> int:
        """
        The largest memory of the search's own tables, in bytes.
        """
    @property
    def reopened(self, /) -> int:
        """
        Nodes that were expanded again after a cheaper path to them was found.
        """
    @property
    def stored_peak(self, /) -> int:
        """
        The largest number of nodes in memory.
        """
    def to_dict(self, /) -> "dict[str, int]":
        """
        All counts as a dictionary.
        """

@final
class Instance:
    """
    A puzzle of an instance set.

    >>> one = taquin.instances("korf100")[0]
    >>> one.label, one.optimum, one.board.size
    ('Korf 1', 57, (4, 4))
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __getnewargs__(self, /) -> tuple[str, Board, Board, int | None]: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, label: str, board: Board, goal: Board, optimum: SupportsIndex | None = None) -> Instance: ...
    def __repr__(self, /) -> str: ...
    def _repr_svg_(self, /) -> str: ...
    @property
    def board(self, /) -> Board:
        """
        The start.
        """
    @property
    def goal(self, /) -> Board:
        """
        The goal.
        """
    @property
    def label(self, /) -> str:
        """
        The name of the puzzle.
        """
    @property
    def optimum(self, /) -> int | None:
        """
        The length of the shortest solutions, if it is known.
        """

@final
class Report:
    """
    The result of a search.

    >>> report = taquin.solve("1 2 3/4 0 6/7 5 8", "astar:manhattan")
    >>> report.moves, report.cost, report.optimal, report.boards[-1]
    ('DR', 2, True, Board('1 2 3/4 5 6/7 8 0'))
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    def animate(self, /, path: str | PathLike[str]) -> None:
        """
        Writes the solution as an animation: an SVG, GIF or (animated) PNG file.
        """
    @property
    def board(self, /) -> Board:
        """
        The board at the start.
        """
    @property
    def boards(self, /) -> list[Board]:
        """
        The boards of the solution, the start and the goal included; empty if there is none.
        """
    @property
    def cost(self, /) -> int | None:
        """
        The cost of the solution.
        """
    @property
    def counts(self, /) -> Counts:
        """
        The counts of the search.
        """
    @property
    def depth(self, /) -> int | None:
        """
        The number of moves.
        """
    @staticmethod
    def from_json(text: str) -> Report:
        """
        Makes a report from its JSON.
        """
    @property
    def goal(self, /) -> Board:
        """
        The goal.
        """
    @property
    def lower_bound(self, /) -> int | None:
        """
        No solution costs less: this is proven.
        """
    @property
    def method(self, /) -> str:
        """
        The method, in full.
        """
    @property
    def moves(self, /) -> str | None:
        """
        The moves of the solution, named after where the blank goes; `None` if there is none.
        """
    @property
    def notes(self, /) -> list[str]:
        """
        Remarks for a reader.
        """
    @property
    def optimal(self, /) -> bool:
        """
        Whether the solution is proven to be optimal.
        """
    @property
    def outcome(self, /) -> Outcome:
        """
        How it ended: "solved", "unsolvable", "exhausted" or "stopped".
        """
    @property
    def reason(self, /) -> str | None:
        """
        Why there is no solution, such as "parity", "time" or "memory".
        """
    @property
    def seconds(self, /) -> float:
        """
        The time it took, in seconds, without the building of tables.
        """
    @property
    def solved(self, /) -> bool:
        """
        Whether there is a solution.
        """
    @property
    def stages(self, /) -> list[Stage]:
        """
        The searches that were run.
        """
    def svg(self, /) -> str:
        """
        The solution as an animated SVG picture; the board if there is none.
        """
    def to_dict(self, /) -> "dict[str, Any]":
        """
        The report as a dictionary.
        """
    def to_json(self, /) -> str:
        """
        The report as JSON, as `taquin solve --json` prints it.
        """
    def write_moves(self, /, notation: str = "blank") -> str | None:
        """
        The moves in a notation: "blank" or "tile", or another that `taquin solve --help` lists.
        """

@final
class Reports:
    """
    The reports of many boards, as they come.
    """
    def __iter__(self, /) -> Reports: ...
    def __next__(self, /) -> Report: ...

@final
class Stage:
    """
    One of the searches of a method.

    >>> taquin.solve("1 2 3/4 0 6/7 5 8", "astar:linear").stages[0].method
    'astar:linear'
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def counts(self, /) -> Counts:
        """
        Its counts.
        """
    @staticmethod
    def from_json(text: str) -> Stage:
        """
        Makes a stage from its JSON.
        """
    @property
    def method(self, /) -> str:
        """
        The method.
        """
    @property
    def outcome(self, /) -> Outcome:
        """
        How it ended.
        """
    @property
    def seconds(self, /) -> float:
        """
        The time it took, in seconds.
        """

@final
class Step:
    """
    A step of a search.

    >>> step = list(taquin.trace("1 2 3/4 0 6/7 5 8", "astar:manhattan"))[1]
    >>> step.event, step.board, step.g, step.h
    ('expand', Board('1 2 3/4 0 6/7 5 8'), 0, 2)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def board(self, /) -> Board | None:
        """
        The board of the node.
        """
    @property
    def bound(self, /) -> int | None:
        """
        The rank of the layer that begins, or the threshold.
        """
    @property
    def depth(self, /) -> int | None:
        """
        The number of moves to the node.
        """
    @property
    def event(self, /) -> Event:
        """
        The kind of event: "expand", "generate", "discard", "goal", or "bound" for a new layer.
        """
    @staticmethod
    def from_json(text: str) -> Step:
        """
        Makes a step from its JSON.
        """
    @property
    def g(self, /) -> int | None:
        """
        The cost of the path to the node.
        """
    @property
    def h(self, /) -> int | None:
        """
        The estimated cost from the node to the goal.
        """
    @property
    def id(self, /) -> int | None:
        """
        The number of the node; a duplicate has the number of the node that it repeats.
        """
    @property
    def move(self, /) -> str | None:
        """
        The move that led to it.
        """
    @property
    def parent(self, /) -> int | None:
        """
        The number of the node that it came from.
        """
    @property
    def tile(self, /) -> int | None:
        """
        The tile that this move moved.
        """
    def to_dict(self, /) -> "dict[str, Any]":
        """
        The step as a dictionary.
        """
    @property
    def verdict(self, /) -> Verdict | None:
        """
        The fate of a generated node: "kept", "cheaper", "duplicate", "reopened" or "pruned".
        """

@final
class Store:
    """
    The store of an experiment: one SQLite file.
    """
    def __new__(cls, /, path: str | PathLike[str]) -> Store:
        """
        Opens a store, or makes it if it does not exist.
        """
    @staticmethod
    def check(text: str, folder: str, own: dict[str, tuple[str, Any]]) -> int:
        """
        The number of runs of a plan.
        """
    @staticmethod
    def example() -> str:
        """
        An example of a plan, with comments.
        """
    def export(self, /, format: str, all: bool) -> str:
        """
        The finished runs of the plan, or all, as "csv" or "jsonl".
        """
    def merge(self, /, other: str | PathLike[str]) -> tuple[int, int, int]:
        """
        Joins another store to this one: the finished runs that were new, were known, and were known
        with another result.
        """
    def plan(self, /, text: str, folder: str, own: dict[str, tuple[str, Any]], retry: bool = False) -> int:
        """
        Enters the runs of a plan. Returns the number of finished runs that a limit had ended which
        is higher now.
        """
    def report(self, /, baseline: str | None, format: str) -> tuple[str, list[tuple[str, str]]]:
        """
        The report as "html", "markdown" or "latex", and the charts as (name, SVG).
        """
    def run(self, /, own: dict[str, tuple[str, Any]], jobs: Any | None = None, shard: str | None = None, progress: Any | None = None) -> tuple[int, int]:
        """
        Runs what is due; returns how many runs were finished and how many are left. `progress` is
        called with the finished runs and the number of runs.
        """
    def state(self, /) -> str:
        """
        The progress as JSON.
        """

@final
class Trace:
    """
    The steps of a search: an iterator. The search waits until a step is asked for, so that the steps take
    no memory. It ends when the iterator is deleted.

    >>> steps = taquin.trace("1 2 3/4 0 6/7 5 8", "astar:manhattan")
    >>> next(steps).event
    'bound'
    >>> steps.cancel()
    """
    def __iter__(self, /) -> Trace: ...
    def __next__(self, /) -> Step: ...
    def cancel(self, /) -> None:
        """
        Ends the search; the steps so far can still be read.
        """
    @property
    def report(self, /) -> Report | None:
        """
        The report, once all steps have been read.
        """

def arrow_stream(columns: dict) -> Any:
    """
    A table as a stream of Arrow, from the types and the lists of its columns. A type is "bool", "int",
    "float" or "str", and a list may have `None` in it.
    """

def audit(heuristic: Any, size: Any, goal: Any | None, blanks: Any, cost: Any | None, limits: dict | None, progress: Any | None = None) -> str:
    """
    Compares a heuristic with the true distances: one of taquin's, or a function in Python.
    """

def check(board: Any, goal: Any | None = None) -> str:
    """
    Whether a puzzle can be solved, with the proof.
    """

def compare(boards: Any | None, methods: SupportsGetItem[int, tuple[str, Any | None]], options: dict | None, progress: Any | None) -> tuple[str, str, list[str]]:
    """
    Runs methods on the same puzzles: the results as JSON, the charts as one SVG picture, and the names
    of methods with a heuristic in Python. A method is a text, and a heuristic for it or `None`.
    `progress` is called with the finished runs and the number of runs.
    """

def courses() -> list[tuple[str, str]]:
    """
    The names of the courses, and what they are.
    """

def end_calls() -> None:
    """
    Ends the calls of all threads. It is registered to be called before the interpreter ends.
    """

def enumerate(size: Any | None, goal: Any | None, blanks: Any, metric: str, save: bool, on: str, memory: Any | None, progress: Any | None, checkpoint: str | PathLike[str] | None, checkpoint_every: Any | None, disk: str | PathLike[str] | None, resume: str | PathLike[str] | None) -> tuple[str, str]:
    """
    How many boards are at each distance from a goal, as JSON and as a chart. `progress` is called with
    the share.
    """

def find_matches(board: Any, expanded: Any, queue: Any | None, generated: Any | None, method: str | None, course: str | None, goal: Any | None, limit: Any, size: Any | None) -> str:
    """
    The policies that give certain counts.
    """

def generate(size: Any, count: Any, seed: Any | None, depth: Any | None, walk: Any | None, goal: Any | None, blanks: Any, memory: Any | None) -> list[Board]:
    """
    Random boards, and the seed that gives the same ones again.
    """

def instance_sets() -> list[tuple[str, str]]:
    """
    The instance sets, and what they contain.
    """

def instances(name: str, goal: Any | None = None) -> list[Instance]:
    """
    The puzzles of an instance set.
    """

def methods() -> str:
    """
    Everything that a method can be made of.
    """

def render(svg: str, ending: str) -> bytes:
    """
    A drawing as the bytes of a file whose name has the ending "svg", "png" or "pdf".
    """

def run_program(arguments: SupportsGetItem[int, str], program: str | PathLike[str] | None = None) -> int:
    """
    Runs the program with its name and its arguments, and returns its exit code; errors in the arguments
    end the process. `program` is what starts it again.
    """

def scramble(board: Board, goal: Any | None, notation: str) -> str:
    """
    The moves that lead from the goal to a board.
    """

def search(name: str, start: Any, successors: Any, estimate: Any | None, goal: Any, limits: dict | None = None, admissible: bool = False, unit: SupportsFloat | SupportsIndex | None = None, back: tuple[Any, Any | None] | None = None, watch: Any | None = None) -> Any:
    """
    Searches a graph: "astar", "idastar", "bfs", "dijkstra", "bae" or "nbs". The options are limits;
    `back` has the predecessors and the estimates from the start, and `watch` is called with each node.
    """

def solutions(board: Any | None, method: str | None, options: dict | None, limit: Any, notation: str) -> tuple[Report, list[str], bool]:
    """
    Every shortest solution, up to `limit`: the report of the first, the moves of all in a notation, and
    whether there are no others.
    """

def solve(board: Any | None = None, method: str | None = None, options: dict | None = None, heuristic: Any | None = None, progress: Any | None = None, files: tuple[str | PathLike[str] | None, Any | None, str | PathLike[str] | None] | None = None, admissible: bool = False) -> Report:
    """
    Solves a board. `progress` is called with the time, the counts, the bound and the best cost.
    """

def solve_in_turn(boards: Any, method: str | None = None, options: dict | None = None) -> Reports:
    """
    Solves many boards on threads of their own.
    """

def solve_many(boards: Any, method: str | None = None, options: dict | None = None, progress: Any | None = None) -> list[Report]:
    """
    Solves many boards, several at a time. `progress` is called with the number of reports and the number
    of boards.
    """

def trace(board: Any | None = None, method: str | None = None, options: dict | None = None, heuristic: Any | None = None, admissible: bool = False) -> Trace:
    """
    Starts a search, with a heuristic in Python if there is one, and returns its steps.
    """
