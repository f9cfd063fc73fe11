"""Interactive widgets for notebooks; they need the extra ``taquin[widget]``.

``Play("8 6 7/2 5 4/3 0 1")`` is a board to play with, ``Steps(board, method)`` a search to step through,
and ``Race(board, methods)`` several searches side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ._core import Board
from ._solve import solve, trace

if TYPE_CHECKING:
    from ._solve import BoardLike

_CSS = """
.taquin { font: 14px system-ui, sans-serif; display: inline-block; }
.taquin table { border-collapse: separate; border-spacing: 4px; background: #34495e; border-radius: 8px; margin: 0; }
.taquin td { width: 48px; height: 48px; text-align: center !important; font-size: 20px; font-weight: 600; padding: 0; }
.taquin td.tile { background: #f6f1e6; color: #22313f; border-radius: 6px; cursor: default; }
.taquin td.tile.movable { cursor: pointer; }
.taquin td.tile:focus-visible { outline: 3px solid #e69f00; }
.taquin .bar { margin: 8px 0; display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
.taquin button { padding: 6px 12px; }
"""

# Functions that every widget uses: a board as a table.
_BOARD = """
function table(rows, onTile) {
  const out = document.createElement('table');
  out.setAttribute('role', 'grid');
  rows.forEach((row, y) => {
    const line = out.insertRow();
    row.forEach((tile, x) => {
      const cell = line.insertCell();
      if (!tile) return;
      cell.className = 'tile';
      cell.textContent = tile;
      if (onTile) {
        cell.classList.add('movable');
        cell.tabIndex = 0;
        cell.addEventListener('click', () => onTile(y, x));
        cell.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); onTile(y, x); } });
      }
    });
  });
  return out;
}
function element(name, text, onClick) {
  const out = document.createElement(name);
  out.textContent = text;
  if (onClick) out.addEventListener('click', onClick);
  return out;
}
"""


class Play(anywidget.AnyWidget):
    """A board to play with: click a tile next to a blank, or ask for a hint."""

    _esm = (
        _BOARD
        + """
function render({ model, el }) {
  el.classList.add('taquin');
  const draw = () => {
    const bar = document.createElement('div');
    bar.className = 'bar';
    bar.append(
      element('button', 'Hint', () => model.send({ ask: 'hint' })),
      element('button', 'Undo', () => model.send({ ask: 'undo' })),
      element('button', 'Start again', () => model.send({ ask: 'reset' })));
    const said = element('span', model.get('message'));
    said.setAttribute('role', 'status');
    el.replaceChildren(table(model.get('rows'), (y, x) => model.send({ ask: 'tile', y, x })), bar, said);
  };
  model.on('change:rows', draw);
  model.on('change:message', draw);
  draw();
}
export default { render };
"""
    )
    _css = _CSS
    rows: Any = traitlets.List().tag(sync=True)
    message = traitlets.Unicode().tag(sync=True)

    def __init__(self, board: BoardLike, goal: BoardLike | None = None) -> None:
        self._start = board if isinstance(board, Board) else Board(board)
        self._goal = goal
        self._path = [self._start]
        super().__init__(rows=self._start.rows, message="0 moves")
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


class Steps(anywidget.AnyWidget):
    """A search to step through, at most ``most`` expansions of it."""

    _esm = (
        _BOARD
        + """
function render({ model, el }) {
  el.classList.add('taquin');
  const steps = model.get('steps');
  const slider = document.createElement('input');
  Object.assign(slider, { type: 'range', min: 0, max: Math.max(0, steps.length - 1), value: 0 });
  slider.setAttribute('aria-label', 'step');
  const place = document.createElement('div');
  const draw = () => {
    const step = steps[slider.value];
    if (!step) { place.textContent = 'no steps'; return; }
    const said = element('p', `${+slider.value + 1} of ${steps.length}: g = ${step.g}, h = ${step.h}, f = ${step.g + step.h}`);
    said.setAttribute('role', 'status');
    place.replaceChildren(table(step.rows), said);
  };
  slider.addEventListener('input', draw);
  const move = by => { slider.value = +slider.value + by; draw(); };
  const bar = document.createElement('div');
  bar.className = 'bar';
  bar.append(element('button', 'Back', () => move(-1)), slider, element('button', 'Next', () => move(1)));
  el.replaceChildren(place, bar);
  draw();
}
export default { render };
"""
    )
    _css = _CSS
    steps: Any = traitlets.List().tag(sync=True)

    def __init__(self, board: BoardLike, method: str = "astar:manhattan", most: int = 1000) -> None:
        expanded = (step for step in trace(board, method) if step.event in ("expand", "goal"))
        shown = [
            {"rows": step.board.rows, "g": step.g, "h": step.h}
            for step in islice(expanded, most)
            if step.board is not None
        ]
        super().__init__(steps=shown)


class Race(anywidget.AnyWidget):
    """Searches side by side: one bar each, as long as the number of nodes that it expanded."""

    _esm = """
function render({ model, el }) {
  el.classList.add('taquin');
  const most = Math.max(1, ...model.get('results').map(result => result.expanded));
  const rows = model.get('results').map(result => {
    const line = document.createElement('div');
    line.className = 'bar';
    const bar = document.createElement('meter');
    Object.assign(bar, { min: 0, max: most, value: result.expanded });
    const words = document.createElement('span');
    words.textContent = `${result.method}: ${result.expanded.toLocaleString()} expanded, ${result.answer}`;
    line.append(bar, words);
    return line;
  });
  el.replaceChildren(...rows);
}
export default { render };
"""
    _css = _CSS
    results: Any = traitlets.List().tag(sync=True)

    def __init__(
        self,
        board: BoardLike,
        methods: Sequence[str] = ("bfs", "astar:misplaced", "astar:manhattan"),
        time: float | str = 10,
    ) -> None:
        results = []
        for method in methods:
            report = solve(board, method, time=time)
            moves = f"{report.depth} moves" if report.solved else str(report.reason)
            results.append(
                {"method": method, "expanded": report.counts.expanded, "answer": moves}
            )
        super().__init__(results=results)
