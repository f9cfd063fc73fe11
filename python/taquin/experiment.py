"""Experiments: the plans and stores of ``taquin experiment``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ._core import Store
from ._progress import Progress
from ._studies import Picture
from ._tables import Table
from .errors import OptionError, PlanError


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
    never repeated. ``Experiment("plan.sqlite")`` opens a store without a plan. A small plan needs no
    file: ``Experiment(store="small.sqlite", instances=["courses"], methods=["ucs", "astar"])``.
    """

    def __init__(
        self,
        plan: str | PathLike[str] | None = None,
        store: str | PathLike[str] | None = None,
        *,
        retry: bool = False,
        instances: Sequence[str] = (),
        methods: Sequence[str] = (),
        as_: Sequence[str] = (),
        goal: str | None = None,
        time: str | None = None,
        memory: str | None = None,
        nodes: str | None = None,
        repeats: int | None = None,
    ) -> None:
        limits = {"time": time, "memory": memory, "nodes": nodes}
        small = {"instances": instances, "methods": methods, "as": as_, "goal": goal, "repeats": repeats}
        given = [name for name, value in {**small, **limits}.items() if value]
        if plan is None:
            if not instances:
                raise OptionError("there is no plan", field="plan", remedy="name a file, or instances")
            self.path = Path("experiment.sqlite" if store is None else store)
            text, folder = _toml(small) + "[limits]\n" + _toml(limits), ""
        elif given:
            raise OptionError("a plan has these itself", field=given[0], remedy="edit the plan")
        elif (path := Path(plan)).suffix == ".toml":
            self.path = path.with_suffix(".sqlite") if store is None else Path(store)
            text, folder = _read(path), str(path.parent)
        else:
            self.path = path
            self._store = Store(str(path))
            return
        Store.check(text, folder)
        self._store = Store(str(self.path))
        self._store.plan(text, folder, retry)

    @staticmethod
    def check(plan: str | PathLike[str]) -> int:
        """Check a plan without running it: the number of its runs."""
        return Store.check(_read(Path(plan)), str(Path(plan).parent))

    @staticmethod
    def example() -> str:
        """An example of a plan, with comments."""
        return Store.example()

    def run(self, jobs: int | None = 1, *, shard: str | None = None, progress: bool = False) -> Experiment:
        """Run what is due. ``shard="1/4"`` runs a quarter of it."""
        with Progress.of_runs(progress) as shown:
            self._store.run(jobs, shard, shown)
        return self

    @property
    def records(self) -> Records:
        """The finished runs."""
        return Records([json.loads(line) for line in self.export("jsonl").splitlines()])

    def export(self, format: str = "csv", *, all: bool = False) -> str:
        """The finished runs as "csv" or "jsonl"; with ``all``, also those that the plan no longer has."""
        return self._store.export(format, all)

    def merge(self, *others: str | PathLike[str]) -> Experiment:
        """Join other stores to this one, such as those of several machines."""
        for other in others:
            self._store.merge(other)
        return self

    @property
    def state(self) -> dict[str, Any]:
        """The progress, as ``taquin experiment status --json`` has it."""
        state: dict[str, Any] = json.loads(self._store.state())
        return state

    def charts(self, baseline: str | None = None) -> dict[str, Picture]:
        """The charts of the report."""
        return {name: Picture(svg) for name, svg in self._store.report(baseline, "html")[1]}

    def report(self, baseline: str | None = None, *, format: str = "html") -> str:
        """The report as an HTML page that needs no other file, or in "markdown" or "latex"."""
        return self._store.report(baseline, format)[0]

    def __reduce__(self) -> tuple[object, ...]:
        return (Experiment, (str(self.path),))

    def __repr__(self) -> str:
        return f"Experiment({str(self.path)!r})"


def _toml(facts: dict[str, Any]) -> str:
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items() if value]
    return "".join(lines)


def _read(plan: Path) -> str:
    try:
        return plan.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{plan}: not a text file", field="plan") from error
