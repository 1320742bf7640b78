"""Why arguments do not keep the schema of their tool: the problems, each once, bounded in number and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .abbreviation import path_in_short
from .violation_text import is_doubtful, words_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .engine import Fault

MOST_PROBLEMS: Final = 8
"""Problems that are told of one call; of more it is told that there are more."""


class Problem(NamedTuple):
    """One thing that is wrong with the arguments.

    Attributes:
        path: where, as a JSON path such as ``$.edits[3].line``; ``$`` for the arguments as a whole.
        keyword: the rule of the schema that is broken.
        message: a sentence without an end, that names the argument.
    """

    path: str
    keyword: str
    message: str


class Misfit(NamedTuple):
    """Why arguments do not keep the schema.

    Attributes:
        problems: one or more, at most `MOST_PROBLEMS`.
        more: there are more, or may be.
    """

    problems: tuple[Problem, ...]
    more: bool = False

    def __str__(self) -> str:
        """All problems in one sentence without an end."""
        return "; ".join(
            (*(problem.message for problem in self.problems), *(["and more"] if self.more else []))
        )


TOO_LARGE: Final = Misfit(
    (
        Problem(
            "$", "schema", "the arguments as a whole do not keep the schema, and are too large to say where"
        ),
    ),
    more=True,
)


def misfit_of(faults: Sequence[Fault], schema: dict[str, Any], *, more: bool = False) -> Misfit | None:
    """Return what is wrong; ``None`` if nothing certainly is.

    Args:
        faults: as the library tells them.
        schema: the whole schema.
        more: these are not all.
    """
    told: dict[Problem, None] = {}
    for fault in faults:
        if not is_doubtful(fault):
            where = path_in_short(fault.instance_path)
            told[Problem(where, fault.kind.name, words_for(fault, schema))] = None
        if len(told) > MOST_PROBLEMS:
            break
    if not told:
        return None
    return Misfit(tuple(told)[:MOST_PROBLEMS], more or len(told) > MOST_PROBLEMS)
