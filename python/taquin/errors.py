"""What can be wrong with a call. Each exception has the field, the place and a remedy."""

from __future__ import annotations


class TaquinError(ValueError):
    """Something that taquin cannot do.

    ``field`` is the keyword that is wrong, ``place`` the line and column in a text of several lines,
    and ``remedy`` what would help; each is ``None`` if it does not apply.
    """

    field: str | None
    place: tuple[int, int] | None
    remedy: str | None

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

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} ({self.remedy})" if self.remedy else message

    def __reduce__(self) -> tuple[object, ...]:
        facts = {"field": self.field, "place": self.place, "remedy": self.remedy}
        return (_restored, (type(self), self.args[0], facts))


def _restored(kind: type[TaquinError], message: str, facts: dict[str, object]) -> TaquinError:
    error = kind(message)
    error.__dict__.update(facts)
    return error


class BoardError(TaquinError):
    """A board, a goal or a size is not valid."""


class MethodError(TaquinError):
    """A method or a heuristic is not valid."""


class CourseError(TaquinError):
    """There is no such course, or its file is not valid."""


class OptionError(TaquinError):
    """The value of a keyword is not valid."""


class PlanError(TaquinError):
    """The plan of an experiment is not valid."""


class Unsolvable(TaquinError):
    """The goal cannot be reached, and the caller asked for an exception in this case."""
