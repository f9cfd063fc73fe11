"""Search in any graph: states are hashable objects, and Python functions give the successors.

>>> from taquin.search import bfs
>>> bfs(1, lambda n: [2 * n, n + 3], 10).path
[1, 2, 5, 10]

Every function returns a ``Found`` with ``path``, ``cost``, ``optimal``, ``lower_bound``, ``counts``,
``stopped`` and ``unreachable``. ``goal`` is a state, or a function that says whether a state is a goal.
The limits are ``nodes`` (expanded), ``time`` (seconds, or a text such as "5m") and ``memory`` (bytes, or
"2G", for the search's own tables).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
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
    estimate: Callable[[S], float],
    goal: S | Callable[[S], Any],
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with A*.

    ``successors`` returns pairs of a state and the cost of the edge to it. The path is optimal if
    ``estimate`` is never above the true cost; an estimate that is not whole is rounded down.
    """
    return _core.astar(start, successors, estimate, goal, dict(limits))


def idastar(
    start: S,
    successors: Callable[[S], Iterable[tuple[S, int]]],
    estimate: Callable[[S], float],
    goal: S | Callable[[S], Any],
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with iterative-deepening A*, which stores only the current path."""
    return _core.idastar(start, successors, estimate, goal, dict(limits))


def dijkstra(
    start: S,
    successors: Callable[[S], Iterable[tuple[S, int]]],
    goal: S | Callable[[S], Any],
    **limits: Unpack[Limits],
) -> Found:
    """Find a cheapest path with Dijkstra's algorithm, which is uniform-cost search."""
    return _core.dijkstra(start, successors, goal, dict(limits))


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
    return _core.bfs(start, successors, goal, dict(limits))
