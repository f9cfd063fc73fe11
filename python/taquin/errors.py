"""The errors of a call. Each exception has the field, the place and a remedy."""

from __future__ import annotations


class TaquinError(ValueError):
    """Something that taquin cannot do.

    ``field`` is the keyword that is wrong, ``place`` the line and column in a text with several lines,
    ``remedy`` what would help, and ``index`` the board's number in a list. Each is ``None`` if it does
    not apply.

    >>> try:
    ...     taquin.compare(["1 2 3/4 0 6/7 5 8", "1 2 3/4 5 6/7 7 0"])
    ... except BoardError as error:
    ...     error.field, error.index, error.place
    ('board', 1, (1, 15))
    """

    field: str | None
    place: tuple[int, int] | None
    remedy: str | None
    index: int | None

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        place: tuple[int, int] | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.field = field
        self.place = place
        self.remedy = remedy
        self.index = None

    def at(self, index: int) -> TaquinError:
        """The same error, of a board in a list."""
        self.index = index
        return self

    def __str__(self) -> str:
        message = super().__str__()
        if self.index is not None:
            message = f"boards[{self.index}]: {message}"
        return f"{message} ({self.remedy})" if self.remedy else message

    def __reduce__(self) -> tuple[object, ...]:
        facts = {name: getattr(self, name) for name in ("field", "place", "remedy", "index")}
        return (_restored, (type(self), self.args[0], facts))


def _restored(kind: type[TaquinError], message: str, facts: dict[str, object]) -> TaquinError:
    error = kind(message)
    error.__dict__.update(facts)
    return error


class BoardError(TaquinError):
    """A board, a goal or a size is not valid.

    >>> taquin.Board("1 2 3/4 5 6/7 7 0")
    Traceback (most recent call last):
    taquin.errors.BoardError: ...
    """


class MethodError(TaquinError):
    """A method or a heuristic is not valid.

    >>> taquin.solve("123406758", "astr")
    Traceback (most recent call last):
    taquin.errors.MethodError: ...
    """


class CourseError(TaquinError):
    """There is no such course, or its file is not valid.

    >>> taquin.solve("123406758", as_="nowhere")
    Traceback (most recent call last):
    taquin.errors.CourseError: ...
    """


class OptionError(TaquinError):
    """A keyword's value is not valid.

    >>> taquin.solve("123406758", time=-1)
    Traceback (most recent call last):
    taquin.errors.OptionError: ...
    """


class PlanError(TaquinError):
    """An experiment's plan is not valid.

    >>> taquin.Experiment(store="x.sqlite", instances=["korf101"])
    Traceback (most recent call last):
    taquin.errors.PlanError: ...
    """


class Unsolvable(TaquinError):
    """The goal cannot be reached, and the caller asked for an exception in this case.

    >>> taquin.solve("123456870", raise_unsolvable=True)
    Traceback (most recent call last):
    taquin.errors.Unsolvable: ...
    """
