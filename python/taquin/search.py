"""Search in any graph: states are hashable objects, and Python functions give the successors.

>>> from taquin.search import bfs
>>> bfs(1, lambda n: [2 * n, n + 3], 10).path
[1, 2, 5, 10]

Every function returns a ``Found`` with ``path``, ``cost``, ``optimal``, ``lower_bound``, ``counts``,
``stopped`` and ``unreachable``. ``goal`` is a state, or a function that says whether a state is a goal.
An exception in a function, or Ctrl-C, has the result so far as ``found``.
Costs are whole numbers below 2^32 in total. For others, choose a ``unit``: costs are counted in it and
rounded up, estimates are rounded down, and a path's ``cost`` is a number of units. It is exact if the
unit divides every cost. Otherwise it is too high by less than one unit per edge.
``watch`` is a function that is called with each state before it is expanded, its cost so far and its estimate.
In a search from both ends it also gets whether the state was reached from the goal. Both numbers are then counted
from there.
The limits are ``nodes`` (expanded), ``time`` (seconds, or a text such as "5m") and ``memory`` (bytes, or
"2G", for the search's own tables).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from . import _core
from ._core import Counts
from .types import Amount, Time

S = TypeVar("S", bound=Hashable)

__all__ = ["Found", "Node", "astar", "bae", "bfs", "dijkstra", "idastar", "nbs", "steps", "ucs"]


@dataclass(frozen=True, repr=False)
class Found(Generic[S]):
    """The result of a search in a graph.

    ``path`` has the states from the start to a goal. It is empty, and ``cost`` is ``None``, if no path was
    found. ``stopped`` says why the search ended early: "cost" if all paths that are left cost 2^32 units or more,
    "cancelled" after an exception. No path costs less than ``lower_bound``: this is proven, or follows from
    ``admissible``.

    >>> found = bfs(1, lambda n: [2 * n, n + 3], 10)
    >>> found.path, found.cost, found.optimal
    ([1, 2, 5, 10], 3, True)
    >>> bfs(1, lambda n: [], 10).unreachable
    True
    """

    path: list[S]
    cost: int | None
    stopped: Literal["expanded", "time", "memory", "cost", "cancelled"] | None
    lower_bound: int
    counts: Counts

    @property
    def optimal(self) -> bool:
        """Whether no path is cheaper: this is proven, or follows from ``admissible``."""
        return self.cost == self.lower_bound

    @property
    def unreachable(self) -> bool:
        """Whether it is proven that there is no path, given that infinite estimates mark dead ends."""
        return self.cost is None and self.stopped is None

    def __str__(self) -> str:
        if self.cost is not None:
            return f"found: cost {self.cost}, {len(self.path)} states"
        return f"stopped: {self.stopped}" if self.stopped else "no path"

    def __repr__(self) -> str:
        return f"<Found: {self}; {self.counts.expanded:,} expanded>"


def astar(
    start: S,
    successors: Callable[[Any], Iterable[tuple[S, float]]],
    estimate: Callable[[Any], float] | Sequence[Sequence[int]],
    goal: S | Callable[[S], Any],
    *,
    admissible: bool = False,
    unit: float | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int], object] | None = None,
) -> Found[S]:
    """Find a cheapest path with A*.

    ``successors`` returns pairs: a state and what the edge to it costs. The path is a cheapest one if
    ``estimate`` is never above the true cost. If you know that it is not, say so with ``admissible``:
    only then does the result claim to be ``optimal``, and have a ``lower_bound``.

    An estimate that is not whole is rounded down, a negative one is 0, and infinity marks a dead end,
    which is never expanded. ``estimate`` is called once for each state. ``watch`` is called with the state, the
    cost so far and the estimate before a node is expanded. ``steps`` lets you wait there.

    Nearly all time goes into these functions. If states are tuples with small numbers and each element
    adds to the estimate by itself, ``estimate`` can be a table, which is faster than a function:
    ``estimate[i][x]`` is what ``x`` adds at place ``i``.

    >>> away = [[0 if x in (0, i + 1) else 1 for x in range(4)] for i in range(4)]
    >>> swaps = lambda s: [((s[1], s[0], *s[2:]), 1), ((s[2], s[1], s[0], s[3]), 1), ((s[3], *s[1:3], s[0]), 1)]
    >>> astar((2, 3, 1, 0), swaps, [[cost // 2 for cost in row] for row in away], (1, 2, 3, 0)).cost
    2
    """
    found: Found[S] = _core.search("astar", start, successors, estimate, goal, {"nodes": nodes, "time": time, "memory": memory}, admissible, unit, watch=watch)
    return found


def idastar(
    start: S,
    successors: Callable[[Any], Iterable[tuple[S, float]]],
    estimate: Callable[[Any], float] | Sequence[Sequence[int]],
    goal: S | Callable[[S], Any],
    *,
    admissible: bool = False,
    unit: float | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int], object] | None = None,
) -> Found[S]:
    """Find a cheapest path with iterative-deepening A*, which stores only the current path.

    It takes the same arguments as ``astar``. The functions are called again for each path to a state.

    >>> idastar(1, lambda n: [(2 * n, 1), (n + 3, 1)], lambda n: 0, 10).path
    [1, 2, 5, 10]
    """
    found: Found[S] = _core.search("idastar", start, successors, estimate, goal, {"nodes": nodes, "time": time, "memory": memory}, admissible, unit, watch=watch)
    return found


def dijkstra(
    start: S,
    successors: Callable[[Any], Iterable[tuple[S, float]]],
    goal: S | Callable[[S], Any],
    *,
    unit: float | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int], object] | None = None,
) -> Found[S]:
    """Find a cheapest path with Dijkstra's algorithm, which is uniform-cost search.

    >>> roads = {"Basel": [("Bern", 100), ("Sion", 290)], "Bern": [("Sion", 150)], "Sion": []}
    >>> dijkstra("Basel", roads.__getitem__, "Sion").cost
    250
    >>> lengths = {"Basel": [("Bern", 94.3)], "Bern": [("Sion", 152.7)], "Sion": []}
    >>> dijkstra("Basel", lengths.__getitem__, "Sion", unit=0.1).cost
    2470
    """
    found: Found[S] = _core.search("dijkstra", start, successors, None, goal, {"nodes": nodes, "time": time, "memory": memory}, False, unit, watch=watch)
    return found


ucs = dijkstra


def bfs(
    start: S,
    successors: Callable[[Any], Iterable[S]],
    goal: S | Callable[[S], Any],
    *,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int], object] | None = None,
) -> Found[S]:
    """Find a path with the fewest edges with breadth-first search.

    ``successors`` returns states without costs.

    >>> bfs(1, lambda n: [2 * n, n + 3], 10).cost
    3
    """
    found: Found[S] = _core.search("bfs", start, successors, None, goal, {"nodes": nodes, "time": time, "memory": memory}, watch=watch)
    return found


@dataclass(frozen=True)
class Node(Generic[S]):
    """A node that is about to be expanded: its state, the cost to get there, and its estimate.

    In a search from both ends, ``from_goal`` says whether it was reached from the goal.

    >>> next(steps(bfs, 1, lambda n: [2 * n, n + 3], 10))
    Node(state=1, g=0, h=0)
    """

    state: S
    g: int
    h: int
    from_goal: bool = field(default=False, repr=False)


def steps(search: Callable[..., Found[S]], *arguments: Any, **options: Any) -> Generator[Node[S], None, Found[S]]:
    """Search step by step with any function here, and yield each node before it is expanded.

    The other arguments go to the search, and the generator returns its ``Found``. The search runs on its
    own thread and waits for you after each node. A loop that ends early ends it.

    >>> [node.state for node in steps(bfs, 1, lambda n: [2 * n, n + 3], 10)]
    [1, 2, 4, 5]
    """
    nodes: queue.SimpleQueue[Node[S] | Found[S] | BaseException] = queue.SimpleQueue()
    turn = threading.Semaphore(0)
    ends = threading.Event()

    def watch(state: S, g: int, h: int, from_goal: bool = False) -> None:
        nodes.put(Node(state, g, h, from_goal))
        turn.acquire()
        if ends.is_set():
            raise GeneratorExit

    def work() -> None:
        try:
            nodes.put(search(*arguments, **options, watch=watch))
        except BaseException as error:
            nodes.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        while isinstance(node := nodes.get(), Node):
            yield node
            turn.release()
    finally:
        ends.set()
        turn.release()
    if isinstance(node, BaseException):
        raise node
    return node


def bae(
    start: S,
    successors: Callable[[Any], Iterable[tuple[S, float]]],
    goal: S,
    *,
    predecessors: Callable[[Any], Iterable[tuple[S, float]]] | None = None,
    to_goal: Callable[[Any], float] | Sequence[Sequence[int]] | None = None,
    from_start: Callable[[Any], float] | Sequence[Sequence[int]] | None = None,
    consistent: bool = False,
    unit: float | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int, bool], object] | None = None,
) -> Found[S]:
    """Find a cheapest path with BAE*, a search from both ends.

    ``predecessors`` returns pairs: a state and what the edge from it costs. Leave it out if every edge
    can be taken both ways at the same cost. ``to_goal`` estimates the cost from a state to ``goal``, and
    ``from_start`` the cost from ``start`` to a state. Without them the estimates are 0.

    The path is a cheapest one if both estimates are consistent: along an edge they change by at
    most its cost. If you know that, say so with ``consistent``. Only then does a result with estimates claim to be
    ``optimal``. An infinite estimate marks a state that no path has.

    >>> ring = lambda n: [((n + 7) % 100, 2), ((n - 7) % 100, 2)]
    >>> bae(1, ring, 50).cost
    14
    """
    back = (predecessors or successors, from_start)
    limits = {"nodes": nodes, "time": time, "memory": memory}
    found: Found[S] = _core.search("bae", start, successors, to_goal, goal, limits, consistent, unit, back, watch)
    return found


def nbs(
    start: S,
    successors: Callable[[Any], Iterable[tuple[S, float]]],
    goal: S,
    *,
    predecessors: Callable[[Any], Iterable[tuple[S, float]]] | None = None,
    to_goal: Callable[[Any], float] | Sequence[Sequence[int]] | None = None,
    from_start: Callable[[Any], float] | Sequence[Sequence[int]] | None = None,
    consistent: bool = False,
    unit: float | None = None,
    nodes: Amount | None = None,
    time: Time | None = None,
    memory: Amount | None = None,
    watch: Callable[[S, int, int, bool], object] | None = None,
) -> Found[S]:
    """Find a cheapest path with NBS, which expands at most twice the nodes that any search from both ends needs.

    It takes the same arguments as ``bae``.

    >>> ring = lambda n: [((n + 7) % 100, 2), ((n - 7) % 100, 2)]
    >>> nbs(1, ring, 50).path
    [1, 8, 15, 22, 29, 36, 43, 50]
    """
    back = (predecessors or successors, from_start)
    limits = {"nodes": nodes, "time": time, "memory": memory}
    found: Found[S] = _core.search("nbs", start, successors, to_goal, goal, limits, consistent, unit, back, watch)
    return found
