"""Holding the arguments of a plugin's calls to the schemas of its tools, before a tool sees them.

A call is looked at once, in the thread that submits it, against the schema that the tool has then: the one that
the model was shown. One that waits while its host is replaced is not looked at again, even if the next
generation brings another schema.

A tool whose schema cannot be used runs all the same, and is told of: to refuse it would be to break a tool
that works, and to say nothing would be to promise a check that there is not.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...base.foreign import Log
from ...base.frozen import frozen
from ...interop.errors import UncheckableSchemaError
from ...interop.schemas.constrained import check_of
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ...interop.hub import InspectedSchema
    from ...interop.schemas.violations import Misfit
    from ..calls.call import Call
    from ..calls.stage import Result
    from .catalog import ToolDescriptor

logger: Log = Log("callboard.actors")


@frozen
class Validation:
    """Which tools' arguments are held to their schemas.

    Attributes:
        default: whether those are that are not named.
        by_tool: whether a tool is, by any of its names.
    """

    default: bool = True
    by_tool: Mapping[str, bool] = field(default_factory=dict)

    def of(self, *names: str) -> bool:
        """Whether those of the tool with these names are."""
        return next((self.by_tool[name] for name in names if name in self.by_tool), self.default)


class _Check(Protocol):
    """An `ArgumentCheck`, or several."""

    def misfit(self, arguments: dict[str, Any]) -> Misfit | None:
        """What is wrong with the arguments."""


class _EitherCheck(NamedTuple):
    """Arguments have to fit one of the two; what is told is what is wrong with them for the first."""

    first: _Check
    second: _Check

    def misfit(self, arguments: dict[str, Any]) -> Misfit | None:
        misfit = self.first.misfit(arguments)
        return None if misfit is None or self.second.misfit(arguments) is None else misfit


class ArgumentChecks:
    """The checks of one plugin's tools. Immutable.

    Args:
        checks: by tool; a call that names none has none.

    Attributes:
        by_tool: the checks.
        unchecked: why a tool's arguments are not checked, by tool, of those that should have been.
    """

    __slots__ = ("by_tool", "unchecked")

    def __init__(self, checks: Mapping[str | None, _Check], unchecked: Mapping[str, str]) -> None:
        self.by_tool: Mapping[str | None, _Check] = checks
        self.unchecked: Mapping[str, str] = unchecked

    def or_those(self, others: ArgumentChecks | None, tools: Collection[str]) -> ArgumentChecks:
        """Checks that a call passes too if it fits the ``others``.

        Args:
            others: of the same plugin, whose tools may be declared in several ways; ``None`` if there are none.
            tools: which tools they are about; of those without a check any arguments fit.
        """
        theirs = {} if others is None else others.by_tool
        checks = {
            name: _EitherCheck(check, theirs[name]) if name in tools else check
            for name, check in self.by_tool.items()
            if name not in tools or name in theirs
        }
        return ArgumentChecks(checks, self.unchecked)

    def refusal(self, call: Call) -> Result | None:
        """The result of a call whose arguments do not fit; ``None`` for one that may pass."""
        invocation = call.invocation
        if invocation.payload_kind != "object":  # raw input, say, of which the schema does not speak
            return None
        check = self.by_tool.get(invocation.tool_name)
        arguments = invocation.payload
        if check is None or not isinstance(arguments, dict) or (misfit := check.misfit(arguments)) is None:
            return None
        facts: dict[str, Any] = {"problems": [problem._asdict() for problem in misfit.problems]}
        if misfit.more:
            facts["more_problems"] = True
        said = f"the arguments do not fit the tool {invocation.tool_name!r}: {misfit}"
        return failure(Code.INVALID_CALL, said, outcome=Outcome.NOT_SENT, **facts)


def checks_of(
    tools: Iterable[ToolDescriptor],
    inspect: Callable[[dict[str, Any]], InspectedSchema],
    validation: Validation,
) -> ArgumentChecks | None:
    """Return the checks of a plugin's tools; ``None`` if there is nothing to check.

    Args:
        tools: as they are offered.
        inspect: reads a tool's declaration.
        validation: which tools are to be checked.
    """
    checks: dict[str | None, _Check] = {}
    unchecked: dict[str, str] = {}
    for tool in tools:
        if not validation.of(tool.tool_name, *tool.known_as):
            continue
        try:
            check = check_of(inspect(tool.schema).parameters)
        except UncheckableSchemaError as error:
            unchecked[tool.tool_name] = f"its schema cannot be used: {error.why}"
            logger.warning("the arguments of tool %r are not checked: %s", tool.tool_name, error.why)
        else:
            if check is not None:
                checks[tool.tool_name] = check
    return ArgumentChecks(checks, unchecked) if checks or unchecked else None
