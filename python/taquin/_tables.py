"""The common parts of tables: columns, rows, Arrow, data frames, and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Board, Report

if TYPE_CHECKING:
    import pandas
    import polars

#: The columns that every table of searches has, with their types.
SEARCH_COLUMNS: Mapping[str, type] = {
    "board": str,
    "goal": str,
    "method": str,
    "outcome": str,
    "reason": str,
    "optimal": bool,
    "cost": int,
    "depth": int,
    "lower_bound": int,
    "expanded": int,
    "generated": int,
    "duplicates": int,
    "reopened": int,
    "frontier_peak": int,
    "stored_peak": int,
    "memory_peak": int,
    "seconds": float,
    "moves": str,
}


class Table:
    """A table. Iterating over it gives its rows as dictionaries.

    ``polars.DataFrame(table)``, ``pandas.DataFrame(table)`` and ``pyarrow.table(table)`` take it as it is.
    The types of the columns do not depend on the data.

    >>> depths = taquin.enumerate("2x2")
    >>> len(depths), list(depths)[1]
    (7, {'depth': 1, 'boards': 2})
    """

    __slots__ = ()

    def _schema(self) -> Mapping[str, type]:
        """The columns with their types: bool, int, float or str."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas. Missing numbers are ``<NA>``, and the columns stay whole."""
        import pandas

        kinds = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}
        columns = self.to_dict()
        return pandas.DataFrame(
            {name: pandas.Series(columns[name], dtype=kinds[kind]) for name, kind in self._schema().items()}
        )

    def to_polars(self) -> polars.DataFrame:
        """The table as a data frame of polars."""
        import polars

        return polars.DataFrame(self)

    def __len__(self) -> int:
        return len(next(iter(self.to_dict().values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = self.to_dict()
        return (dict(zip(columns, row)) for row in zip(*columns.values()))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        columns = self.to_dict()
        names = {name: (kind.__name__, columns[name]) for name, kind in self._schema().items()}
        return _core.arrow_stream(names)

    def __repr__(self) -> str:
        columns = list(self._schema())
        shown = ", ".join(columns if len(columns) < 6 else [*columns[:5], ".."])
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        return f"<{type(self).__name__}: {rows} of {shown}>"

    def _repr_html_(self) -> str:
        return html(self.to_dict())


class ReportTable(Table):
    """Reports as a table, one row each.

    >>> taquin.table([solve("1 2 3/4 0 6/7 5 8")])
    <ReportTable: 1 row of board, goal, method, outcome, reason, ..>
    """

    __slots__ = ("reports",)

    def __init__(self, reports: Iterable[Report]) -> None:
        self.reports: list[Report] = list(reports)

    def _schema(self) -> Mapping[str, type]:
        return SEARCH_COLUMNS

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns."""
        return columns_of(map(search_row, self.reports), SEARCH_COLUMNS)


def table(reports: Iterable[Report]) -> ReportTable:
    """Reports as a table: ``taquin.table(taquin.solve_many(boards))``.

    >>> reports = solve_many(["1 2 3/4 0 6/7 5 8", "123456870"], "astar:manhattan")
    >>> table(reports).to_dict()["cost"]
    [2, None]
    """
    return ReportTable(reports)


def search_row(report: Report) -> dict[str, Any]:
    """A report as a row."""
    return {
        "board": report.board.text(),
        "goal": report.goal.text(),
        "method": report.method,
        "outcome": report.outcome,
        "reason": report.reason,
        "optimal": report.optimal,
        "cost": report.cost,
        "depth": report.depth,
        "lower_bound": report.lower_bound,
        "seconds": report.seconds,
        "moves": report.moves,
        **report.counts.to_dict(),
    }


def html(columns: dict[str, list[Any]], most: int = 60) -> str:
    """The first rows of a table as HTML."""
    rows = list(zip(*columns.values()))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row) + "</tr>"
        for row in rows[:most]
    )
    more = f"<p>{len(rows) - most} more rows</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def columns_of(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    """Rows as columns. Boards are texts."""
    rows = list(rows)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return {name: [str(x) if isinstance(x, Board) else x for x in column] for name, column in columns.items()}
