"""What a tool of the core returns: ``{"success": true, "result": ...}`` or ``{"success": false, "error": ...}``.

It is what the model is told before `format_tool_result` words it, and is only read: nobody sends it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers
from ..exact_json import exact_json
from ..format_ids import CORE_HOST_RESULT
from ..hub import InspectedResult
from ..parts import JsonPart, ResultPart, TextPart


class CoreHostResults:
    """Reads what tools return."""

    format: ClassVar[str] = CORE_HOST_RESULT
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """Success or failure, and none of Amplifier's keys."""
        return (
            isinstance(value.get("success"), bool)
            and "output" not in value
            and not isinstance(value.get("error"), dict)
        )

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told: the error, if there is one, and the result, if there is one."""
        said = [value.get("error"), value.get("result")]
        extras = leftovers(value, ("success", "result", "error"))
        return InspectedResult(
            format=CORE_HOST_RESULT,
            parts=tuple(_part(item) for item in said if item is not None),
            is_error=not value["success"],
            extras={CORE_HOST_RESULT: extras} if extras else {},
        )


def _part(said: Any) -> ResultPart:
    return TextPart(said) if isinstance(said, str) else JsonPart(exact_json(said, what="$.result"))
