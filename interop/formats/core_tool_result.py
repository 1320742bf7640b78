"""The core's own result payload: ``{"type": "tool_result", "text": ...}``.

It says nothing but text; which call it answers stands in the message it lies in. Anthropic's and
Amplifier's results bear the same type, and are told apart by the id that they carry.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import InvalidShapeError
from ..format_ids import CORE_TOOL_RESULT
from ..hub import InspectedResult
from ..parts import TextPart
from ..results.text_fallback import as_text


class CoreToolResults:
    """Reads core result payloads."""

    format: ClassVar[str] = CORE_TOOL_RESULT
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"tool_result"})

    def matches(self, value: dict[str, Any]) -> bool:
        """A text, and no id of a call."""
        return "text" in value and "tool_use_id" not in value and "tool_call_id" not in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        text = value["text"]
        if not isinstance(text, str):
            raise InvalidShapeError(
                CORE_TOOL_RESULT, f"'text' must be a string, and is of type {type(text).__name__}"
            )
        extras = leftovers(value, ("type", "text"))
        return InspectedResult(
            format=CORE_TOOL_RESULT,
            parts=(TextPart(text),),
            extras={CORE_TOOL_RESULT: extras} if extras else {},
        )


class ToCoreToolResult:
    """Writes core result payloads."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CORE_TOOL_RESULT

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as one text; its id and tool belong into the message, with the caller."""
        text, losses = as_text(value)
        losses += lost_extras(value.extras)
        if value.call_id is not None:
            losses += (Loss(LossCode.CALL_ID, "the payload has no place for it"),)
        return Converted({"type": "tool_result", "text": text}, losses)
