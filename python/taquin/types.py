"""The types that arguments and results have, for annotations.

>>> from taquin.types import BoardLike
>>> def moves(board: BoardLike) -> str | None:
...     return taquin.solve(board).moves
>>> moves("1 2 3/4 0 6/7 5 8")
'DR'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, SupportsFloat, TypeAlias, Union

from ._core import Board

__all__ = [
    "Amount",
    "ArrayLike",
    "BatchHeuristic",
    "BoardLike",
    "Event",
    "Heuristic",
    "Move",
    "Outcome",
    "Path",
    "Progress",
    "ProgressLike",
    "Size",
    "TileIterator",
    "Tiles",
    "Time",
    "Verdict",
]


class ArrayLike(Protocol):
    """An array from numpy, a data frame from pandas or polars, a tensor on the CPU."""

    def __array__(self) -> Any:
        """The values as an array of numpy."""


class BatchHeuristic(Protocol):
    """A heuristic for many boards at once, as ``taquin.batch`` marks it."""

    __name__: str
    batch: bool

    def __call__(self, boards: Any, /) -> Any:
        """The estimates of an array with the shape (boards, rows, columns)."""


class Progress(NamedTuple):
    """The argument for a function that is given as ``progress``.

    ``done`` counts nodes, boards, searches or percents. ``total`` is ``None`` if it is not known.

    >>> seen = []
    >>> reports = taquin.solve_many(["1 2 3/4 0 6/7 5 8"], "astar", heuristic=lambda board: 0, progress=seen.append)
    >>> seen
    [Progress(text='1 of 1 searches', done=1, total=1)]
    """

    text: str
    done: int
    total: int | None


#: A board: a text in any notation, a list, a list of rows, an array, a data frame or a ``Board``.
BoardLike: TypeAlias = Union[Board, str, Sequence[int], Sequence[Sequence[int]], ArrayLike]

#: A size: "3x4", 4, or (3, 4).
Size: TypeAlias = Union[str, int, tuple[int, int]]

#: A time: a number of seconds, a text such as "5m", or a ``timedelta``.
Time: TypeAlias = Union[float, str, timedelta]

#: A count of nodes or bytes: a number, or a text such as "2M".
Amount: TypeAlias = Union[float, str]

#: The path of a file.
Path: TypeAlias = Union[str, PathLike[str]]

#: A heuristic: a function of a ``Board``, or of many boards at once.
Heuristic: TypeAlias = Union[Callable[[Board], SupportsFloat], BatchHeuristic]

#: Whether to show progress, or a function to call with it.
ProgressLike: TypeAlias = Union[bool, Callable[[Progress], object]]

#: The tiles of a board, row by row.
Tiles: TypeAlias = tuple[int, ...]

#: The tiles of a board, one by one.
TileIterator: TypeAlias = Iterator[int]

#: A move: where the blank goes, such as "L". With several blanks the tile too, as in "7L".
Move: TypeAlias = str

#: How a search ended.
Outcome: TypeAlias = Literal["solved", "unsolvable", "exhausted", "stopped"]

#: The event in a step of a search.
Event: TypeAlias = Literal["expand", "generate", "discard", "goal", "bound"]

#: A generated node's fate.
Verdict: TypeAlias = Literal["kept", "cheaper", "duplicate", "reopened", "pruned"]
