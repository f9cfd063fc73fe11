"""Interactive widgets for notebooks. They need the extra ``taquin[widget]``.

``Play("8 6 7/2 5 4/3 0 1")`` is a board to play with, ``Steps(board, method)`` a search to step through,
and ``Race(board, methods)`` several searches side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ._core import Board
from ._solve import solve, trace
from ._studies import _method
from .types import BoardLike, Heuristic, Time

__all__ = ["Play", "Race", "Steps"]

_HERE = Path(__file__).parent


if TYPE_CHECKING:

    class _Base:
        """The used part of a widget: its own types are not complete."""

        def __init__(self, **state: Any) -> None: ...

        def on_msg(self, callback: Any) -> None: ...

else:
    _Base = anywidget.AnyWidget


class _Widget(_Base):
    """One script shows all widgets."""

    _esm = _HERE / "widget.js"
    _css = _HERE / "widget.css"
    kind: Any = traitlets.Unicode().tag(sync=True)


class Play(_Widget):
    """A board to play with: click a tile next to a blank, press an arrow, or ask for a hint.

    >>> Play("8 6 7/2 5 4/3 0 1").board
    Board('8 6 7/2 5 4/3 0 1')
    """

    rows: Any = traitlets.List().tag(sync=True)
    message: Any = traitlets.Unicode().tag(sync=True)

    def __init__(self, board: BoardLike, goal: BoardLike | None = None) -> None:
        self._start = board if isinstance(board, Board) else Board(board)
        self._goal = goal
        self._path = [self._start]
        super().__init__(kind="play", rows=self._start.rows, message="0 moves")
        self.on_msg(self._answer)

    @property
    def board(self) -> Board:
        """The board as it is now."""
        return self._path[-1]

    def _show(self, message: str | None = None) -> None:
        moves = len(self._path) - 1
        if message is None:
            message = f"{moves} move{'' if moves == 1 else 's'}"
            if self.board.is_solved(self._goal):
                message += ": solved"
        self.rows = self.board.rows
        self.message = message

    def _answer(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        asked = content.get("ask")
        if asked == "undo" and len(self._path) > 1:
            self._path.pop()
        elif asked == "reset":
            self._path = [self._start]
        elif asked == "hint":
            self._hint()
            return
        elif asked == "tile":
            y, x = int(content["y"]), int(content["x"])
            tile = self.board.rows[y][x]
            for near in self.board.neighbors():
                if near.rows[y][x] == 0 and tile != 0:
                    self._path.append(near)
                    break
        self._show()

    def _hint(self) -> None:
        report = solve(self.board, goal=self._goal, time=2)
        boards = report.boards
        if len(boards) < 2:
            self._show("solved" if report.solved else f"no solution: {report.reason}")
            return
        changed = [
            here
            for here, there in zip(self.board.tiles, boards[1].tiles)
            if here != there and here != 0
        ]
        exact = "exactly" if report.optimal else "at most"
        self._show(f"move {changed[0]}; {exact} {report.depth} moves are left")


class Steps(_Widget):
    """A search to step through, at most ``most`` expansions, with your own ``heuristic`` if you like.

    >>> [step["event"] for step in Steps("1 2 3/4 0 6/7 5 8", "astar:manhattan").steps]
    ['expand', 'expand', 'goal']
    """

    steps: Any = traitlets.List().tag(sync=True)

    def __init__(
        self,
        board: BoardLike,
        method: str = "astar:manhattan",
        most: int = 1000,
        *,
        heuristic: Heuristic | None = None,
    ) -> None:
        steps = trace(board, method, heuristic=heuristic)
        expanded = (step for step in steps if step.event in ("expand", "goal"))
        shown = [
            {"event": step.event, "rows": step.board.rows, "g": step.g, "h": step.h}
            for step in islice(expanded, most)
            if step.board is not None
        ]
        super().__init__(kind="steps", steps=shown)


class Race(_Widget):
    """Searches side by side, all with as many nodes per second.

    A method is a text, your own heuristic for A*, or a pair such as ``("ida", heuristic)``.

    >>> [result["answer"] for result in Race("1 2 3/4 0 6/7 5 8", ["bfs", "ida"]).results]
    ['2 moves', '2 moves']
    """

    results: Any = traitlets.List().tag(sync=True)

    def __init__(
        self,
        board: BoardLike,
        methods: Sequence[str | Heuristic | tuple[str, Heuristic]] = ("bfs", "astar:misplaced", "astar:manhattan"),
        time: Time = 10,
    ) -> None:
        results = []
        for method, heuristic in map(_method, methods):
            report = solve(board, method, time=time, heuristic=heuristic)
            moves = f"{report.depth} moves" if report.solved else str(report.reason)
            results.append(
                {
                    "method": method if heuristic is None else report.method,
                    "expanded": report.counts.expanded,
                    "answer": moves,
                    "solved": report.solved,
                }
            )
        super().__init__(kind="race", results=results)
