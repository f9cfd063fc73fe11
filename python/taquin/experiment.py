"""Experiments: the plans and stores of ``taquin experiment``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ._core import Store
from ._progress import Progress
from ._studies import Picture
from ._tables import Table


class Records(Table):
    """The finished runs of an experiment, one row each."""

    __slots__ = ("rows",)

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns; data that is not flat is JSON."""
        names = list(self.rows[0]) if self.rows else []
        return {name: [_flat(row[name]) for row in self.rows] for name in names}


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value


class Experiment:
    """An experiment: a plan, and a store that keeps every finished run.

    ``Experiment("plan.toml")`` uses the store ``plan.sqlite``, like the command line; finished runs are
    never repeated. ``Experiment("plan.sqlite")`` opens a store without a plan.
    """

    def __init__(self, plan: str | Path, store: str | Path | None = None) -> None:
        path = Path(plan)
        if path.suffix == ".toml":
            text = path.read_text(encoding="utf-8")
            self.path = Path(store) if store is not None else path.with_suffix(".sqlite")
            self._store = Store(str(self.path))
            self._store.plan(text, str(path.parent))
        else:
            self.path = path
            self._store = Store(str(path))

    def run(self, jobs: int | None = 1, *, shard: str | None = None, progress: bool = False) -> Experiment:
        """Run what is due. ``shard="1/4"`` runs a quarter of it."""
        with Progress.of_many(progress, 1) as shown:
            self._store.run(jobs, shard, shown)
        return self

    @property
    def records(self) -> Records:
        """The finished runs."""
        return Records([json.loads(line) for line in self._store.records().splitlines()])

    @property
    def state(self) -> dict[str, Any]:
        """The progress, as ``taquin experiment status --json`` has it."""
        state: dict[str, Any] = json.loads(self._store.state())
        return state

    def charts(self, baseline: str | None = None) -> dict[str, Picture]:
        """The charts of the report."""
        return {name: Picture(svg) for name, svg in self._store.report(baseline)[1]}

    def report(self, baseline: str | None = None) -> str:
        """The report as an HTML page that needs no other file."""
        return self._store.report(baseline)[0]
