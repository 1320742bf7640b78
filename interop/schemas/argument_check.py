"""Whether a call's arguments keep the schema of their tool, and if not, what is wrong. Pure.

A check is made once, when the tool is registered, and is used for every call. It is help for the model,
and no fence for the tool: what cannot be looked at in bounded time (a value nested beyond all reason, a
schema that makes far too much work of it) is let through, for the tool to judge as it always had to.
"""

from __future__ import annotations

from operator import mul
from typing import Any, Final

from ..errors import UncheckableSchemaError
from ..exact_json import exact_json
from ..limits import MAX_DEPTH
from .cost import work_by_depth
from .engine import Engine, EngineError
from .graph import graph_of
from .violations import TOO_LARGE, Misfit, misfit_of

MAX_WORK: Final = 10_000_000
"""Schemas that are applied, at most, to look at one call: a second, if every one of them is needed. One with long lists counts as
many; see `Node.weight`."""

MAX_BACKTRACKED: Final = 500_000
"""The same where a pattern has a look-around, times the characters: there each may be looked at again and again."""

_ALL_TOLD: Final = 100_000_000
_ONE_TOLD: Final = 500_000_000
"""Characters that may be copied to say what is wrong: each fault holds a copy of what it is about."""


class ArgumentCheck:
    """See the module. Any number of threads may use it.

    Args:
        schema: JSON Schema of the arguments.

    Raises:
        UncheckableSchemaError: it is no schema, leads out of itself, or makes more work than any call is worth.
    """

    __slots__ = ("_engine", "_most_plain", "_schema", "_work")

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema: dict[str, Any] = exact_json(schema)
        self._work = work_by_depth(graph_of(self._schema))
        if self._work[0] > MAX_WORK:
            raise UncheckableSchemaError(f"it would take {self._work[0]:.0e} steps to look at one value")
        self._engine = Engine(self._schema)
        once, *deeper = self._work[:2]
        self._most_plain = -1 if self._engine.backtracks else (MAX_WORK - once) // max([1, *deeper])

    def misfit(self, arguments: dict[str, Any]) -> Misfit | None:
        """Return what is wrong with the arguments; ``None`` if nothing is, or if it cannot be told."""
        # Most calls have a few plain arguments, and fit. To measure them would be most of what a look costs.
        if len(arguments) <= self._most_plain and SCALARS.issuperset(map(type, arguments.values())):
            try:
                fits = self._engine.fits(arguments)
            except EngineError:
                fits = False  # it will tell the same again, where there is an answer to it
            if fits:
                return None
        return self._measured(arguments)

    def _measured(self, arguments: dict[str, Any]) -> Misfit | None:
        sizes = level_sizes(arguments)
        if sizes is None:
            return None
        work = sum(map(mul, sizes, self._work))
        if work > MAX_WORK:
            return None
        if self._engine.backtracks and work * text_size(arguments) > MAX_BACKTRACKED:
            return None
        try:
            if self._engine.fits(arguments):
                return None
            return self._told(arguments, work)
        except EngineError:
            # It reads no lone surrogate, which a model may write; JSON has no other value that it refuses.
            readable = _without_surrogates(arguments)
            return None if readable == arguments else self.misfit(readable)

    def _told(self, arguments: dict[str, Any], work: int) -> Misfit | None:
        copied = work * text_size(arguments)
        if copied > _ONE_TOLD:
            return TOO_LARGE
        if copied > _ALL_TOLD:
            return misfit_of(self._engine.first_fault(arguments), self._schema, more=True)
        return misfit_of(self._engine.faults(arguments), self._schema)


def _without_surrogates(value: Any) -> Any:
    """A copy whose texts can be written as UTF-8, and are as long as they were."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


MAX_VALUES: Final = 10_000_000
"""Values in one value; more are not counted."""

SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""The types of JSON values that hold no others."""


def level_sizes(value: Any) -> list[int] | None:
    """Return how many values there are at depth 0, 1, 2, …; ``None`` if they are too many, or too deep.

    The value may be anything a program made: circles come out as too deep, and shared pieces are counted each time
    that they are met.
    """
    sizes = [1]
    level = [value] if isinstance(value, dict | list | tuple) else []
    total = 1
    while level:
        inside = [each.values() if isinstance(each, dict) else each for each in level]
        size = sum(map(len, inside))
        total += size
        if total > MAX_VALUES or len(sizes) > MAX_DEPTH + 1:
            return None
        if not size:
            break
        sizes.append(size)
        level = [
            each
            for group in inside
            for each in group
            if each.__class__ not in SCALARS and isinstance(each, dict | list | tuple)
        ]
    return sizes


def text_size(value: Any) -> int:
    """Return how many characters all texts have together, names of members too; one more for each value.

    Only for values that `level_sizes` has found to be of a size.
    """
    total = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        total += 1
        if isinstance(each, str):
            total += len(each)
        elif isinstance(each, dict):
            total += sum(map(len, each))
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
    return total
