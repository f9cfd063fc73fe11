"""Search in any graph: states are hashable objects, and Python functions give the successors.

>>> from taquin.search import bfs
>>> bfs(1, lambda n: [2 * n, n + 3], 10).path
[1, 2, 5, 10]

Every function returns a ``Found`` with ``path``, ``cost``, ``optimal``, ``lower_bound``, ``counts``,
``stopped`` and ``unreachable``. ``goal`` is a state, or a function that says whether a state is a goal.
An exception of a function, or Ctrl-C, has what is known as ``found``.
The limits are ``nodes`` (expanded), ``time`` (seconds, or a text such as "5m") and ``memory`` (bytes, or
"2G", for the search's own tables).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._core import Found

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class Limits(TypedDict, total=False):
        """When to stop."""

        nodes: float | str | None
        time: float | str | None
        memory: float | str | None


S = TypeVar("S", bound=Hashable)

__all__ = ["Found", "astar", "bfs", "dijkstra", "idastar", "ucs"]


def astar(
    start: S,
    successors: Callable[[S], Iterable[tuple[S, int]]],
    estimate: Callable[[S], float] | Sequence[Sequence[int]],
    goal: S | Callable[[S], Any],
    *,
    admissible: bool = False,
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with A*.

    ``successors`` returns pairs of a state and the cost of the edge to it. The path is a cheapest one if
    ``estimate`` is never above the true cost. If you know that it is not, say so with ``admissible``:
    only then does the result claim to be ``optimal``, and have a ``lower_bound``.

    An estimate that is not whole is rounded down, a negative one is 0, and infinity marks a dead end,
    which is never expanded. ``estimate`` is called once for each state.

    Nearly all time goes into these functions. If states are tuples of small numbers and each element
    adds to the estimate by itself, ``estimate`` can be a table, which is faster than a function:
    ``estimate[i][x]`` is what ``x`` adds at place ``i``.

    >>> away = [[0 if x in (0, i + 1) else 1 for x in range(4)] for i in range(4)]
    >>> swaps = lambda s: [((s[1], s[0], *s[2:]), 1), ((s[2], s[1], s[0], s[3]), 1), ((s[3], *s[1:3], s[0]), 1)]
    >>> astar((2, 3, 1, 0), swaps, [[cost // 2 for cost in row] for row in away], (1, 2, 3, 0)).cost
    2
    """
    return _core.search("astar", start, successors, estimate, goal, dict(limits), admissible)


def idastar(
    start: S,
    successors: Callable[[S], Iterable[tuple[S, int]]],
    estimate: Callable[[S], float] | Sequence[Sequence[int]],
    goal: S | Callable[[S], Any],
    *,
    admissible: bool = False,
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with iterative-deepening A*, which stores only the current path.

    The arguments are those of ``astar``. The functions are called again for each path to a state.
    """
    return _core.search("idastar", start, successors, estimate, goal, dict(limits), admissible)


def dijkstra(
    start: S,
    successors: Callable[[S], Iterable[tuple[S, int]]],
    goal: S | Callable[[S], Any],
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with Dijkstra's algorithm, which is uniform-cost search."""
    return _core.search("dijkstra", start, successors, None, goal, dict(limits))


ucs = dijkstra


def bfs(
    start: S,
    successors: Callable[[S], Iterable[S]],
    goal: S | Callable[[S], Any],
    **limits: Unpack[Limits],
) -> Found:
    """Find a path with the fewest edges with breadth-first search.

    ``successors`` returns states without costs.
    """
    return _core.search("bfs", start, successors, None, goal, dict(limits))
