"""OpenAI Responses, custom tools: ``custom``, ``custom_tool_call``, ``custom_tool_call_output``.

The payload is text, not JSON: a model's input ``{"path":`` is legal here and is never "sanitized". The
type ``custom`` alone says little: Chat's custom tools nest everything under ``custom``, and Anthropic's
ordinary JSON tools bear the same type with an ``input_schema``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers, read_text_call
from ..calls.writing_calls import identity_of, lost_metadata
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import RESPONSES_CUSTOM, RESPONSES_CUSTOM_SCHEMA
from ..hub import InspectedCall, InspectedResult, InspectedSchema, TextFormat
from ..schemas.shapes import breach, optional_object, optional_text, required_name
from .openai_responses_items import (
    held_to_its_status,
    item_metadata,
    kept_extras,
    read_output,
    without_its_status,
    write_output,
)


class ResponsesCustomSchemas:
    """Reads custom tool declarations."""

    format: ClassVar[str] = RESPONSES_CUSTOM_SCHEMA
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom"})

    def matches(self, value: dict[str, Any]) -> bool:
        """Flat, and without the keys of the other two formats of this type."""
        return "custom" not in value and "input_schema" not in value

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        extras = leftovers(value, ("type", "name", "description", "format"))
        return InspectedSchema(
            format=RESPONSES_CUSTOM_SCHEMA,
            name=required_name(RESPONSES_CUSTOM_SCHEMA, value),
            description=optional_text(RESPONSES_CUSTOM_SCHEMA, value, "description"),
            kind="text",
            text_format=_read_format(value),
            extras={RESPONSES_CUSTOM_SCHEMA: extras} if extras else {},
        )


class ToResponsesCustomSchema:
    """Writes custom tool declarations, of freeform tools alone."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_CUSTOM_SCHEMA

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a custom tool."""
        if value.kind != "text":
            raise ConversionError("a tool that takes arguments has no faithful freeform form")
        kept, losses = kept_extras(value)
        if value.namespace is not None:
            losses += (Loss(LossCode.NAMESPACE, value.namespace),)
        tool: dict[str, Any] = {"type": "custom", "name": value.name}
        if value.description is not None:
            tool["description"] = value.description
        if value.text_format is not None:
            tool["format"] = _write_format(value.text_format)
        return Converted({**tool, **kept}, losses)


class ResponsesCustomCalls:
    """Reads ``custom_tool_call`` items."""

    format: ClassVar[str] = RESPONSES_CUSTOM
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom_tool_call"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; an item that says that it is not whole is malformed."""
        metadata = item_metadata(value, "input") if len(value) > 4 else {}  # noqa: PLR2004 - the keys of a usual call
        call = read_text_call(
            RESPONSES_CUSTOM,
            value.get("call_id"),
            value.get("name"),
            value.get("input"),
            metadata=metadata,
            namespace=value.get("namespace"),
        )
        return held_to_its_status(call, value.get("status"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call; if it has no input at all, a copy with an empty one."""
        item, said = without_its_status(value), value.get("input")
        if isinstance(said, str) and item is value:
            return value
        copy: dict[str, Any] = exact_json({**item, "input": said if isinstance(said, str) else ""})
        return copy


class ToResponsesCustomCall:
    """Writes ``custom_tool_call`` items, of raw input alone."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_CUSTOM

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a custom tool call item, without an item id."""
        if value.payload_kind != "text":
            raise ConversionError(f"its payload is {value.payload_kind}, and only raw input can be said so")
        call_id, name = identity_of(value)
        item = {"type": "custom_tool_call", "call_id": call_id, "name": name, "input": value.payload}
        if value.namespace is not None:
            item["namespace"] = value.namespace
        return Converted(item, lost_metadata(value))


class ResponsesCustomOutputs:
    """Reads ``custom_tool_call_output`` items."""

    format: ClassVar[str] = RESPONSES_CUSTOM
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom_tool_call_output"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        return read_output(RESPONSES_CUSTOM, value)


class ToResponsesCustomOutput:
    """Writes ``custom_tool_call_output`` items."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_CUSTOM

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as an output item; content written for Responses goes in untouched."""
        return write_output("custom_tool_call_output", value)


def _read_format(value: dict[str, Any]) -> TextFormat | None:
    found = optional_object(RESPONSES_CUSTOM_SCHEMA, value, "format")
    if found is None:
        return None
    match found:
        case {"type": "text"} if len(found) == 1:
            return TextFormat("text")
        case {"type": "grammar", "syntax": str(syntax), "definition": str(definition)} if len(found) == 3:  # noqa: PLR2004 - these three
            return TextFormat(syntax, definition)
    problem = "'format' must be a text format, or a grammar with the strings 'syntax' and 'definition'"
    raise breach(RESPONSES_CUSTOM_SCHEMA, value, problem)


def _write_format(text_format: TextFormat) -> dict[str, str]:
    if text_format.definition is None:
        return {"type": "text"}
    return {"type": "grammar", "syntax": text_format.syntax, "definition": text_format.definition}
