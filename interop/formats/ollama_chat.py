"""Ollama's own API (``/api/chat``): Chat's declarations, calls whose arguments are an object, results by the tool's name.

A declaration is to the letter one of Chat Completions, and goes by that id. A call has no type, and often no id: then its
result is told by ``tool_name`` alone. What is broken in a call never comes that far, for the server parses it; so a call
that is malformed cannot be said.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, lost_extras
from ..errors import ConversionError, InvalidShapeError
from ..exact_json import exact_json
from ..format_ids import OLLAMA_TOOL
from ..hub import InspectedCall, InspectedResult
from ..parts import ResultPart, TextPart, UnreadPart
from ..results.text_fallback import answered_call, as_text
from .openai_chat_function import is_ollama_call, is_tool_message, names_its_tool


class OllamaCalls:
    """Reads calls out of ``tool_calls``."""

    format: ClassVar[str] = OLLAMA_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"function", None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A function with an object of arguments, and no type; or with an index in it."""
        return is_ollama_call(value)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        function = value["function"]
        extras = leftovers(value, ("id", "type", "function"))
        inner = leftovers(function, ("name", "arguments", "index"))
        if inner:
            extras["function"] = inner
        return read_function_call(
            OLLAMA_TOOL,
            value.get("id"),
            function.get("name"),
            arguments_of(function, "arguments", ("name", "index"), required=False, around=value),
            metadata={"extras": extras} if extras else {},
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are an object."""
        clean = replayable_object(value["function"], "arguments")
        if clean is None:
            return value
        copy: dict[str, Any] = exact_json({**value, "function": {**value["function"], "arguments": clean}})
        return copy


class ToOllamaCall:
    """Writes calls; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = OLLAMA_TOOL

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call, with its id: the server ignores it, and relays hand it on."""
        call_id, name = identity_of(value)
        arguments, losses = argument_object(value, context)
        call = {"id": call_id, "function": {"name": name, "arguments": arguments}}
        return Converted(call, losses + lost_metadata(value) + lost_namespace(value))


class OllamaToolMessages:
    """Reads tool messages that name their tool."""

    format: ClassVar[str] = OLLAMA_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A tool's message with the name of the tool."""
        return is_tool_message(value) and names_its_tool(value)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told; images are bare bytes, of no known type."""
        content, images = value.get("content"), value.get("images")
        if not isinstance(content, str | None) or not isinstance(images, list | None):
            raise InvalidShapeError(OLLAMA_TOOL, "'content' must be a text, and 'images' a list")
        call_id, name = value.get("tool_call_id"), value.get("tool_name")
        extras = leftovers(value, ("role", "tool_name", "tool_call_id", "content", "images"))
        told: list[ResultPart] = [] if content is None else [TextPart(content)]
        return InspectedResult(
            format=OLLAMA_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            tool_name=name if isinstance(name, str) and name else None,
            parts=(*told, *(UnreadPart("image") for _ in images or ())),
            extras={OLLAMA_TOOL: extras} if extras else {},
        )


class ToOllamaToolMessage:
    """Writes tool messages: one text, and whose it is."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = OLLAMA_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a tool message; there is no other way to tell whose it is than the tool's name."""
        call_id = answered_call(value)
        if value.tool_name is None:
            raise ConversionError("it does not say which tool ran: give the call that it answers")
        text, losses = as_text(value)
        message = {"role": "tool", "tool_name": value.tool_name, "tool_call_id": call_id, "content": text}
        return Converted(message, losses + lost_extras(value.extras))
