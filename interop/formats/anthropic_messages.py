"""Anthropic Messages: tools with ``input_schema``, ``tool_use`` and ``tool_result`` blocks.

``type: "custom"`` here means an ordinary tool with a JSON Schema, the opposite of what OpenAI means by
it. A ``server_tool_use`` is executed by the provider, and is no call of ours.
The server refuses ``oneOf``, ``anyOf`` and ``allOf`` at the root of a schema, and with it the whole
request, so that they are widened to a plain object.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, lost_extras
from ..exact_json import exact_json
from ..format_ids import ANTHROPIC_MESSAGES, ANTHROPIC_TOOL
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..results.text_fallback import answered_call, native_content, write_parts
from ..schemas.function_schemas import as_function
from ..schemas.root_combinators import without_root_combinators
from ..schemas.shapes import optional_flag, optional_object, optional_text, required_name, result_flag
from .anthropic_content import read_blocks, write_block

_DECLARED = ("type", "name", "description", "input_schema", "strict")
_CALL_KEYS = ("type", "id", "name", "caller")


class AnthropicSchemas:
    """Reads tool declarations."""

    format: ClassVar[str] = ANTHROPIC_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"custom", None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key of the schema says it; Amplifier's tools look the same, and are told by a hint."""
        return "input_schema" in value

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        extras = leftovers(value, _DECLARED)
        return InspectedSchema(
            format=ANTHROPIC_TOOL,
            name=required_name(ANTHROPIC_TOOL, value),
            description=optional_text(ANTHROPIC_TOOL, value, "description"),
            parameters=optional_object(ANTHROPIC_TOOL, value, "input_schema"),
            strict=optional_flag(ANTHROPIC_TOOL, value, "strict"),
            extras={ANTHROPIC_TOOL: extras} if extras else {},
        )


class ToAnthropicSchema:
    """Writes tool declarations; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = ANTHROPIC_TOOL

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as an Anthropic tool."""
        function = as_function(value, context, strict=True)
        schema, lost = without_root_combinators(function.of_object)
        tool: dict[str, Any] = {"name": function.name, "input_schema": schema}
        if function.description is not None:
            tool["description"] = function.description
        if value.strict is not None:
            tool["strict"] = value.strict
        return Converted(tool, function.losses + lost)


class AnthropicCalls:
    """Reads ``tool_use`` blocks."""

    format: ClassVar[str] = ANTHROPIC_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"tool_use"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; text in place of ``input`` is read as its JSON."""
        metadata: dict[str, Any] = {}
        if value.get("caller") is not None:
            metadata["caller"] = exact_json(value["caller"], what="$.caller")
        extras = leftovers(value, ("input", *_CALL_KEYS))
        if extras:
            metadata["extras"] = extras
        arguments = arguments_of(value, "input", (*_CALL_KEYS, "toolset_name"), required=True)
        return read_function_call(
            ANTHROPIC_TOOL, value.get("id"), value.get("name"), arguments, metadata=metadata
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose ``input`` is an object."""
        clean = replayable_object(value, "input")
        if clean is None:
            return value
        copy: dict[str, Any] = exact_json({**value, "input": clean})
        return copy


class ToAnthropicCall:
    """Writes ``tool_use`` blocks; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = ANTHROPIC_TOOL

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a ``tool_use`` block."""
        call_id, name = identity_of(value)
        arguments, losses = argument_object(value, context)
        call = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        return Converted(call, losses + lost_metadata(value) + lost_namespace(value))


class AnthropicResults:
    """Reads ``tool_result`` blocks."""

    format: ClassVar[str] = ANTHROPIC_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"tool_result"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The id of the call tells it from other results of this type."""
        return "tool_use_id" in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        call_id = value.get("tool_use_id")
        extras = leftovers(value, ("type", "tool_use_id", "content", "is_error"))
        return InspectedResult(
            format=ANTHROPIC_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=read_blocks(ANTHROPIC_TOOL, value.get("content")),
            is_error=result_flag(ANTHROPIC_TOOL, value, "is_error"),
            extras={ANTHROPIC_TOOL: extras} if extras else {},
        )


class ToAnthropicResult:
    """Writes ``tool_result`` blocks, which belong first into the user's next message."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = ANTHROPIC_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a block; content written for Anthropic goes in untouched."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": answered_call(value)}
        content, losses = native_content(value, ANTHROPIC_MESSAGES, flagged=True) or _content(value)
        block["content"] = content
        if value.is_error is not None:
            block["is_error"] = value.is_error
        return Converted(block, losses + lost_extras(value.extras))


def _content(value: InspectedResult) -> tuple[Any, tuple[Any, ...]]:
    written, losses = write_parts(value, write_block, flagged=True, keeps=("filename",))
    if len(written) == 1 and written[0]["type"] == "text":
        return written[0]["text"], losses
    return written, losses
