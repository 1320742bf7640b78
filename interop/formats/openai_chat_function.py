"""OpenAI Chat Completions, function tools: everything nested under ``function``, and tool messages.

A declaration and a call are both ``{"type": "function", "function": {...}}``; what stands inside tells
them apart. Unsaid ``strict`` means not strict here; in Responses it does not. Calls are read generously, for
servers differ: ``arguments`` may be an object, ``type`` and ``id`` may be missing. They are written
strictly: ``arguments`` is always text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.sanitizer import replayable_arguments
from ..calls.writing_calls import argument_text, identity_of, lost_metadata
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras, wrapping_losses
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import CHAT_FUNCTION, OPENAI_CHAT
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..results.text_fallback import native_content, write_parts
from ..schemas.shapes import optional_flag, optional_object, optional_text, required_name
from .openai_content import read_content, write_chat_text

if TYPE_CHECKING:
    from ..hub import Extras

_TYPES: frozenset[str | None] = frozenset({"function", None})


class ChatFunctionSchemas:
    """Reads function declarations."""

    format: ClassVar[str] = CHAT_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = _TYPES

    def matches(self, value: dict[str, Any]) -> bool:
        """A function under its key, and none that is being called."""
        function = value.get("function")
        return isinstance(function, dict) and "arguments" not in function

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        function = value["function"]
        return InspectedSchema(
            format=CHAT_FUNCTION,
            name=required_name(CHAT_FUNCTION, function),
            description=optional_text(CHAT_FUNCTION, function, "description"),
            parameters=optional_object(CHAT_FUNCTION, function, "parameters"),
            strict=optional_flag(CHAT_FUNCTION, function, "strict"),
            strict_if_unset=False,
            extras=_extras(value, function, ("name", "description", "parameters", "strict")),
        )


class ToChatFunctionSchema:
    """Writes function declarations; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CHAT_FUNCTION

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a Chat function."""
        losses = list(lost_extras(value.extras))
        description, parameters = value.description, value.parameters
        if value.kind == "text":
            description = context.wrapper.description(value)
            parameters = context.wrapper.parameters(value.name)
            losses += wrapping_losses(value)
        function: dict[str, Any] = {"name": value.name}
        if description is not None:
            function["description"] = description
        if parameters is not None:
            function["parameters"] = parameters
        if value.strict is not None:
            function["strict"] = value.strict
        elif value.strict_if_unset:
            losses.append(
                Loss(LossCode.STRICT, "the source leaves it to the server; unsaid means not strict here")
            )
        if value.output_schema is not None:
            losses.append(Loss(LossCode.OUTPUT_SCHEMA, "a Chat function declares no result"))
        if value.namespace is not None:
            losses.append(Loss(LossCode.NAMESPACE, value.namespace))
        return Converted({"type": "function", "function": function}, tuple(losses))


class ChatFunctionCalls:
    """Reads function calls.

    ``decode_twice`` takes arguments that were encoded twice for what they were before; it is for
    servers that are known to do that, and never on by default.
    """

    format: ClassVar[str] = CHAT_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = _TYPES
    __slots__ = ("_decode_twice",)

    def __init__(self, *, decode_twice: bool = False) -> None:
        self._decode_twice = decode_twice

    def matches(self, value: dict[str, Any]) -> bool:
        """A function under its key, and none that is being declared; Ollama's calls are its own."""
        function = value.get("function")
        if not isinstance(function, dict) or is_ollama_call(value):
            return False
        return "arguments" in function or not ("parameters" in function or "description" in function)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        function = value["function"]
        metadata: dict[str, Any] = {}
        if len(value) > 3 or len(function) > 2:  # noqa: PLR2004 - the keys of a usual call
            extras = leftovers(value, ("id", "type", "function"))
            inner = leftovers(function, ("name", "arguments"))
            if inner:
                extras["function"] = inner
            if extras:
                metadata["extras"] = extras
        arguments = arguments_of(
            function,
            "arguments",
            ("name",),
            required=False,
            around=value,
            decode_twice=self._decode_twice,
        )
        return read_function_call(
            CHAT_FUNCTION, value.get("id"), function.get("name"), arguments, metadata=metadata
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are a JSON object as text."""
        arguments = value["function"].get("arguments")
        clean = replayable_arguments(arguments)
        if clean is arguments:
            return value
        function = {**value["function"], "arguments": clean}
        copy: dict[str, Any] = exact_json({**value, "function": function})
        return copy


class ToChatFunctionCall:
    """Writes function calls; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CHAT_FUNCTION

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a Chat function call."""
        call_id, name = identity_of(value)
        arguments, losses = argument_text(value, context)
        losses += lost_metadata(value)
        if value.namespace is not None:
            losses += (Loss(LossCode.NAMESPACE, value.namespace),)
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        return Converted(call, losses)


class ChatToolMessages:
    """Reads tool messages: the result of any call in this API."""

    format: ClassVar[str] = CHAT_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A tool's message that is not the core's own, and none of those that resemble it."""
        return is_tool_message(value) and not names_its_tool(value) and not has_documents(value)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        call_id = value.get("tool_call_id")
        private = value.get("_metadata")
        name = private.get("tool_name") if isinstance(private, dict) else None
        noted = ("_metadata",) if private == {"tool_name": name} else ()
        extras = leftovers(value, ("role", "tool_call_id", "content", *noted))
        return InspectedResult(
            format=CHAT_FUNCTION,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            tool_name=name if isinstance(name, str) and name else None,
            parts=read_content(CHAT_FUNCTION, value.get("content")),
            extras={CHAT_FUNCTION: extras} if extras else {},
        )


class ToChatToolMessage:
    """Writes tool messages; the tool's name has no place in them, and strict servers refuse any other key."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = CHAT_FUNCTION

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a tool message; content written for Chat goes in untouched."""
        if value.call_id is None:
            raise ConversionError(
                "it does not say which call it answers: give the call, or a core tool message"
            )
        content, losses = native_content(value, OPENAI_CHAT) or _content(value)
        message = {"role": "tool", "content": content, "tool_call_id": value.call_id}
        return Converted(message, losses + lost_extras(value.extras))


def is_ollama_call(value: dict[str, Any]) -> bool:
    """Say whether a call is Ollama's: its arguments are an object, and it has no type, or its function an index."""
    function = value.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), dict):
        return False
    return "type" not in value or "index" in function


def is_tool_message(value: dict[str, Any]) -> bool:
    """Say whether a value is a tool's message, of Chat or an API that resembles it: not the core's, and not AG-UI's."""
    return value.get("role") == "tool" and not value.keys() & {"toolResult", "toolCallId"}


def names_its_tool(value: dict[str, Any]) -> bool:
    """Say whether a tool message is Ollama's: a text, and the name of the tool; with a list of parts it is none of Ollama's."""
    return "tool_name" in value and not isinstance(value.get("content"), list)


def has_documents(value: dict[str, Any]) -> bool:
    """Say whether a tool message has documents among its content, which only Cohere's have."""
    content = value.get("content")
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return False
    return any(part.get("type") == "document" and "document" in part for part in content)


def _content(value: InspectedResult) -> tuple[str | list[dict[str, Any]], tuple[Loss, ...]]:
    written, losses = write_parts(value, write_chat_text)
    return written if len(written) > 1 else "".join(item["text"] for item in written), losses


def _extras(value: dict[str, Any], function: dict[str, Any], known: tuple[str, ...]) -> Extras:
    extras = leftovers(value, ("type", "function"))
    inner = leftovers(function, known)
    if inner:
        extras["function"] = inner
    return {CHAT_FUNCTION: extras} if extras else {}
