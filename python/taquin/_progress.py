"""Progress of long work: a bar of tqdm if it is installed, else a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .types import Progress, ProgressLike


class Display:
    """A context that shows progress. Entering it gives the function to call, or ``None``.

    ``words`` makes of the facts a text, the part that is done, and the whole if it is known.
    """

    def __init__(
        self, wanted: ProgressLike, words: Callable[..., tuple[str, int, int | None]], unit: str
    ) -> None:
        self._wanted = wanted
        self._words = words
        self._unit = unit
        self._bar: Any = None
        self._shown = False

    @classmethod
    def of_search(cls, wanted: ProgressLike) -> Display:
        """Progress of one search."""

        def words(
            seconds: float, expanded: int, generated: int, frontier: int, bound: int, best: int | None
        ) -> tuple[str, int, None]:
            rate = expanded / seconds / 1e6 if seconds else 0.0
            text = f"{seconds:.0f} s: {expanded:,} expanded ({rate:.1f} M/s), at least {bound}"
            return (text if best is None else f"{text}, best {best}"), expanded, None

        return cls(wanted, words, " nodes")

    @classmethod
    def of_runs(cls, wanted: ProgressLike) -> Display:
        """Progress of a number of searches."""
        return cls(wanted, lambda done, total: (f"{done} of {total} searches", done, total), " searches")

    @classmethod
    def of_boards(cls, wanted: ProgressLike) -> Display:
        """Progress of a visit to all boards."""
        return cls(wanted, lambda done, total: (f"{done:,} of {total:,} boards", done, total), " boards")

    @classmethod
    def of_share(cls, wanted: ProgressLike) -> Display:
        """Progress of something that is known to end."""
        return cls(wanted, lambda share: (f"{100 * share:.0f} %", int(100 * share), 100), "%")

    def __enter__(self) -> Callable[..., None] | None:
        return self._show if self._wanted else None

    def _show(self, *facts: Any) -> None:
        text, done, total = self._words(*facts)
        if callable(self._wanted):
            self._wanted(Progress(text, done, total))
            return
        if not self._shown:
            self._shown = True
            try:
                from tqdm.auto import tqdm

                self._bar = tqdm(total=total, unit=self._unit)
            except ImportError:
                self._bar = None
        if self._bar is None:
            print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)
            return
        self._bar.n, self._bar.total = done, total
        if total is None:
            self._bar.set_postfix_str(text, refresh=False)
        self._bar.refresh()

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            if self._bar.total is not None and exception[0] is None:
                self._bar.n = self._bar.total
            self._bar.close()
        elif self._shown:
            print(f"\r{'':78}\r", end="", file=sys.stderr, flush=True)
