"""OpenAI Chat Completions, custom tools: raw text in, everything nested under ``custom``.

The grammar is nested here (``format.grammar.syntax``) and flat in Responses. The answer to such a call
is a plain tool message. Servers that merely resemble OpenAI's do not know custom tools, so the family
does not stand for them: this format is written only where it is named, and otherwise copied.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers, read_text_call
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import CHAT_CUSTOM
from ..hub import InspectedCall, InspectedSchema, TextFormat
from ..schemas.shapes import breach, optional_object, optional_text, required_name


class ChatCustomSchemas:
    """Reads custom tool declarations."""

    format: ClassVar[str] = CHAT_CUSTOM
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom"})

    def matches(self, value: dict[str, Any]) -> bool:
        """A tool under its key, and none that is being called."""
        custom = value.get("custom")
        return isinstance(custom, dict) and "input" not in custom

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        custom = value["custom"]
        extras = leftovers(value, ("type", "custom"))
        inner = leftovers(custom, ("name", "description", "format"))
        if inner:
            extras["custom"] = inner
        return InspectedSchema(
            format=CHAT_CUSTOM,
            name=required_name(CHAT_CUSTOM, custom),
            description=optional_text(CHAT_CUSTOM, custom, "description"),
            kind="text",
            text_format=_read_format(custom),
            extras={CHAT_CUSTOM: extras} if extras else {},
        )


class ToChatCustomSchema:
    """Writes custom tool declarations, of freeform tools alone."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CHAT_CUSTOM

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a custom tool."""
        if value.kind != "text":
            raise ConversionError("a tool that takes arguments has no faithful freeform form")
        custom: dict[str, Any] = {"name": value.name}
        if value.description is not None:
            custom["description"] = value.description
        if value.text_format is not None:
            custom["format"] = _write_format(value.text_format)
        losses = lost_extras(value.extras)
        if value.namespace is not None:
            losses += (Loss(LossCode.NAMESPACE, value.namespace),)
        return Converted({"type": "custom", "custom": custom}, losses)


class ChatCustomCalls:
    """Reads custom tool calls."""

    format: ClassVar[str] = CHAT_CUSTOM
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom"})

    def matches(self, value: dict[str, Any]) -> bool:
        """A tool under its key that is being called."""
        custom = value.get("custom")
        return isinstance(custom, dict) and ("input" in custom or "id" in value)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        custom = value["custom"]
        extras = leftovers(value, ("id", "type", "custom"))
        inner = leftovers(custom, ("name", "input"))
        if inner:
            extras["custom"] = inner
        return read_text_call(
            CHAT_CUSTOM,
            value.get("id"),
            custom.get("name"),
            custom.get("input"),
            metadata={"extras": extras} if extras else {},
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call; if it has no input at all, a copy with an empty one."""
        custom = value["custom"]
        if isinstance(custom.get("input"), str):
            return value
        copy: dict[str, Any] = exact_json({**value, "custom": {**custom, "input": ""}})
        return copy


class ToChatCustomCall:
    """Writes custom tool calls, of raw input alone."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CHAT_CUSTOM

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a Chat custom tool call."""
        if value.payload_kind != "text":
            raise ConversionError(f"its payload is {value.payload_kind}, and only raw input can be said so")
        call_id, name = identity_of(value)
        call = {"id": call_id, "type": "custom", "custom": {"name": name, "input": value.payload}}
        return Converted(call, lost_metadata(value) + lost_namespace(value))


def _read_format(custom: dict[str, Any]) -> TextFormat | None:
    match optional_object(CHAT_CUSTOM, custom, "format"):
        case None:
            return None
        case {"type": "text"}:
            return TextFormat("text")
        case {"type": "grammar", "grammar": {"syntax": str(syntax), "definition": str(definition)}}:
            return TextFormat(syntax, definition)
    problem = "'format' must be a text format, or a 'grammar' with the strings 'syntax' and 'definition'"
    raise breach(CHAT_CUSTOM, custom, problem)


def _write_format(text_format: TextFormat) -> dict[str, Any]:
    if text_format.definition is None:
        return {"type": "text"}
    grammar = {"syntax": text_format.syntax, "definition": text_format.definition}
    return {"type": "grammar", "grammar": grammar}
