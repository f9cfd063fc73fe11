"""Progress of long work: a bar of tqdm if it is installed, else a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class Progress:
    """A context that shows progress; entering it gives the function to call, or ``None``."""

    def __init__(self, wanted: bool, total: int | None, words: Callable[..., tuple[str, int]]) -> None:
        self._wanted = wanted
        self._words = words
        self._total = total
        self._bar: Any = None
        self._shown = False

    @classmethod
    def of_search(cls, wanted: bool) -> Progress:
        """Progress of one search."""

        def words(
            seconds: float, expanded: int, generated: int, frontier: int, bound: int, best: int | None
        ) -> tuple[str, int]:
            rate = expanded / seconds / 1e6 if seconds else 0.0
            text = f"{seconds:.0f} s: {expanded:,} expanded ({rate:.1f} M/s), at least {bound}"
            return (text if best is None else f"{text}, best {best}"), expanded

        return cls(wanted, None, words)

    @classmethod
    def of_many(cls, wanted: bool, total: int) -> Progress:
        """Progress of a number of things."""
        return cls(wanted, total, lambda done, *_: (f"{done} of {total}", done))

    @classmethod
    def of_share(cls, wanted: bool) -> Progress:
        """Progress of something that is known to end."""
        return cls(wanted, 100, lambda share: (f"{100 * share:.0f} %", int(100 * share)))

    def __enter__(self) -> Callable[..., None] | None:
        if not self._wanted:
            return None
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=self._total)
        except ImportError:
            self._bar = None
        return self._show

    def _show(self, *facts: Any) -> None:
        text, done = self._words(*facts)
        if self._bar is not None:
            self._bar.n = done
            if self._total is None:
                self._bar.set_postfix_str(text, refresh=False)
            self._bar.refresh()
        else:
            self._shown = True
            print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            if self._total is not None and exception[0] is None:
                self._bar.n = self._total
            self._bar.close()
        elif self._shown:
            print(f"\r{'':78}\r", end="", file=sys.stderr, flush=True)
