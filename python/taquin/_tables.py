"""What tables have in common: columns, Arrow, and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from . import _core


class Table:
    """A table. ``polars.DataFrame(table)`` and ``pyarrow.table(table)`` take it as it is."""

    __slots__ = ()

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _core.arrow_stream(self.to_dict())

    def _repr_html_(self) -> str:
        return html(self.to_dict())


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


def columns_of(rows: Iterable[dict[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    """Rows as columns."""
    rows = list(rows)
    return {name: [row.get(name) for row in rows] for name in names}
