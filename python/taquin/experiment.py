"""Experiments: the plans and stores of ``taquin experiment``."""

from __future__ import annotations

import errno
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from ._core import Store
from ._progress import Display
from ._studies import COMPARED, Picture, _method
from ._tables import SEARCH_COLUMNS, Table
from .errors import OptionError, PlanError
from .types import Amount, Heuristic, Path, ProgressLike, Time

#: The columns of a store that have other names in the tables of other searches.
ALSO = {"label": "instance", "board": "start", "optimum": "known_cost"}

_WHOLE = {"rows", "cols", "known_cost", "threads", "repeat", "limit_memory", "limit_expanded", "dropped_cheaper", "depth_peak"}
_OTHERS = {"jumps": bool, "limit_seconds": float, "cpu_seconds": float}


class Records(Table):
    """An experiment's finished runs, one row each.

    They have the columns that every search has and those that ``taquin experiment export`` writes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     small = Experiment(store=folder + "/small.sqlite", instances=["courses"], methods=["ucs"])
    ...     small.run().records.to_dict()["cost"]
    [0, 2, 4, 8, 12, 16, 20, 24]
    """

    __slots__ = ("columns", "rows")

    def __init__(self, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
        self.rows: list[dict[str, Any]] = rows
        self.columns: list[str] = list(columns)

    def __len__(self) -> int:
        return len(self.rows)

    def _schema(self) -> Mapping[str, type]:
        known = {**COMPARED, **SEARCH_COLUMNS, **_OTHERS}
        known.update(dict.fromkeys(_WHOLE, int))
        kinds = {name: known.get(name.removeprefix("before_"), str) for name in self.columns}
        return {**{name: known[name] for name in ALSO}, **kinds}

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns. Data that is not flat is JSON."""
        return {name: [_flat(row[ALSO.get(name, name)]) for row in self.rows] for name in self._schema()}


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value


class Experiment:
    """An experiment: a plan, and a store that keeps every finished run.

    ``Experiment("plan.toml")`` uses the store ``plan.sqlite``, like the command line. Finished runs are
    never repeated. ``Experiment("plan.sqlite")`` opens a store without a plan. A small plan needs no
    file: ``Experiment(store="small.sqlite", instances=["courses"], methods=["ucs", "astar"])``.

    Its methods can be your own heuristics, as in ``compare``. The store knows them by their names, so
    rename a function when you change it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     small = Experiment(store=folder + "/small.sqlite", instances=["courses"], methods=["ucs"])
    ...     len(small.run().records)
    8
    """

    def __init__(
        self,
        plan: Path | None = None,
        store: Path | None = None,
        *,
        retry: bool = False,
        instances: Sequence[str] = (),
        methods: str | Sequence[str | Heuristic | tuple[str, Heuristic]] = (),
        as_: Sequence[str] = (),
        goal: str | None = None,
        time: Time | None = None,
        memory: Amount | None = None,
        nodes: Amount | None = None,
        repeats: int | None = None,
    ) -> None:
        self.path: pathlib.Path
        #: The methods with heuristics in Python.
        self._own: dict[str, tuple[str, Heuristic]] = {}
        methods = [methods] if isinstance(methods, str) else [self._named(*_method(method)) for method in methods]
        limits = {"time": time, "memory": memory, "nodes": nodes}
        small = {"instances": instances, "methods": methods, "as": as_, "goal": goal, "repeats": repeats}
        given = [name for name, value in {**small, **limits}.items() if value]
        if plan is None:
            if not instances:
                raise OptionError("there is no plan", field="plan", remedy="name a file, or instances")
            self.path = pathlib.Path("experiment.sqlite" if store is None else store)
            text, folder = _toml(small) + "[limits]\n" + _toml(limits), ""
        elif given:
            raise OptionError("a plan has these itself", field=given[0], remedy="edit the plan")
        elif (path := pathlib.Path(plan)).suffix == ".toml":
            self.path = path.with_suffix(".sqlite") if store is None else pathlib.Path(store)
            text, folder = _read(path), str(path.parent)
        else:
            if not path.exists():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            self.path = path
            self._store = Store(str(path))
            return
        Store.check(text, folder, self._own)
        self._store = Store(str(self.path))
        self._store.plan(text, folder, self._own, retry)

    def _named(self, method: str, heuristic: Heuristic | None) -> str:
        """The name of a method in the plan."""
        if heuristic is None:
            return method
        algorithm, comma, fields = method.partition(",")
        function = getattr(heuristic, "__name__", type(heuristic).__name__)
        name = f"{algorithm.partition(':')[0]}:{function}(){comma}{fields}"
        if name in self._own:
            raise OptionError(f"there are two of {name}", field="methods", remedy="rename a function")
        self._own[name] = (method, heuristic)
        return name

    @staticmethod
    def check(plan: Path) -> int:
        """Check a plan without running it: the number of its runs."""
        return Store.check(_read(pathlib.Path(plan)), str(pathlib.Path(plan).parent), {})

    @staticmethod
    def example() -> str:
        """An example of a plan, with comments."""
        return Store.example()

    def run(self, jobs: int | None = 1, *, shard: str | None = None, progress: ProgressLike = False) -> Experiment:
        """Run what is due. ``shard="1/4"`` runs a quarter of it."""
        with Display.of_runs(progress) as shown:
            self._store.run(self._own, jobs, shard, shown)
        return self

    @property
    def records(self) -> Records:
        """The finished runs."""
        columns = self.export("csv").partition("\n")[0].split(",")
        return Records([json.loads(line) for line in self.export("jsonl").splitlines()], columns)

    def export(self, format: Literal["csv", "jsonl"] = "csv", *, all: bool = False) -> str:
        """The finished runs as "csv" or "jsonl". With ``all``, also those that the plan no longer has."""
        return self._store.export(format, all)

    def merge(self, *others: Path) -> Experiment:
        """Join other stores to this one, for instance from several machines."""
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

    def report(self, baseline: str | None = None, *, format: Literal["html", "markdown", "latex"] = "html") -> str:
        """The report as an HTML page that needs no other file, or in "markdown" or "latex"."""
        return self._store.report(baseline, format)[0]

    def __reduce__(self) -> tuple[object, ...]:
        return (Experiment, (str(self.path),))

    def __repr__(self) -> str:
        return f"Experiment({str(self.path)!r})"


def _toml(facts: dict[str, Any]) -> str:
    given = {name: value for name, value in facts.items() if value}
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False, default=_plain)}\n" for name, value in given.items())


def _plain(value: Any) -> Any:
    """A value as a plan has it."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"{value!r} has no place in a plan")


def _read(plan: pathlib.Path) -> str:
    try:
        return plan.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{plan}: not a text file", field="plan") from error
