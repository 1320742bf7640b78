"""OpenAI Responses, function tools: ``function``, ``function_call``, ``function_call_output``.

Two ids stand on a call: ``call_id`` is what its output refers to, ``id`` is the item's own and is never
to be copied from the other; where it is unknown it is left out. ``strict`` and ``parameters`` are
required and may be null, and a server takes unsaid ``strict`` as leave to try: a declaration that comes
from a format where unsaid means no is written with ``strict: false``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.sanitizer import replayable_arguments
from ..calls.writing_calls import argument_text, identity_of, lost_metadata
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, wrapping_losses
from ..exact_json import exact_json
from ..format_ids import RESPONSES_FUNCTION
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..schemas.shapes import optional_flag, optional_object, optional_text, required_name
from .openai_responses_items import (
    held_to_its_status,
    item_metadata,
    kept_extras,
    read_output,
    without_its_status,
    write_output,
)

_DECLARED = ("type", "name", "description", "parameters", "strict", "output_schema")
_CALL_KEYS = ("type", "call_id", "name", "namespace", "id", "status", "caller", "created_by", "phase")


class ResponsesFunctionSchemas:
    """Reads function declarations."""

    format: ClassVar[str] = RESPONSES_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"function"})

    def matches(self, value: dict[str, Any]) -> bool:
        """A flat function: its name stands on top."""
        return "function" not in value and "arguments" not in value

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        extras = leftovers(value, _DECLARED)
        return InspectedSchema(
            format=RESPONSES_FUNCTION,
            name=required_name(RESPONSES_FUNCTION, value),
            description=optional_text(RESPONSES_FUNCTION, value, "description"),
            parameters=optional_object(RESPONSES_FUNCTION, value, "parameters"),
            strict=optional_flag(RESPONSES_FUNCTION, value, "strict"),
            strict_if_unset=True,
            output_schema=optional_object(RESPONSES_FUNCTION, value, "output_schema"),
            extras={RESPONSES_FUNCTION: extras} if extras else {},
        )


class ToResponsesFunctionSchema:
    """Writes function declarations; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_FUNCTION

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a Responses function."""
        kept, losses = kept_extras(value)
        if value.namespace is not None:
            losses += (Loss(LossCode.NAMESPACE, value.namespace),)
        description, parameters = value.description, value.parameters
        if value.kind == "text":
            description = context.wrapper.description(value)
            parameters = context.wrapper.parameters(value.name)
            losses += wrapping_losses(value)
        tool: dict[str, Any] = {"type": "function", "name": value.name}
        if description is not None:
            tool["description"] = description
        tool["parameters"] = parameters
        unsaid = None if value.strict_if_unset else False
        tool["strict"] = unsaid if value.strict is None else value.strict
        if value.output_schema is not None:
            tool["output_schema"] = value.output_schema
        return Converted({**tool, **kept}, losses)


class ResponsesFunctionCalls:
    """Reads ``function_call`` items.

    ``decode_twice`` takes arguments that were encoded twice for what they were before; it is for
    servers that are known to do that, and never on by default.
    """

    format: ClassVar[str] = RESPONSES_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"function_call"})
    __slots__ = ("_decode_twice",)

    def __init__(self, *, decode_twice: bool = False) -> None:
        self._decode_twice = decode_twice

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; an item that says that it is not whole is malformed."""
        metadata = item_metadata(value, "arguments") if len(value) > 4 else {}  # noqa: PLR2004 - the keys of a usual call
        arguments = arguments_of(
            value, "arguments", _CALL_KEYS, required=True, decode_twice=self._decode_twice
        )
        call = read_function_call(
            RESPONSES_FUNCTION,
            value.get("call_id"),
            value.get("name"),
            arguments,
            metadata=metadata,
            namespace=value.get("namespace"),
        )
        return held_to_its_status(call, value.get("status"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are a JSON object as text."""
        arguments = value.get("arguments")
        clean, item = replayable_arguments(arguments), without_its_status(value)
        if clean is arguments and item is value:
            return value
        copy: dict[str, Any] = exact_json({**item, "arguments": clean})
        return copy


class ToResponsesFunctionCall:
    """Writes ``function_call`` items; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_FUNCTION

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a function call item, without an item id."""
        call_id, name = identity_of(value)
        arguments, losses = argument_text(value, context)
        item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
        if value.namespace is not None:
            item["namespace"] = value.namespace
        return Converted(item, losses + lost_metadata(value))


class ResponsesFunctionOutputs:
    """Reads ``function_call_output`` items."""

    format: ClassVar[str] = RESPONSES_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"function_call_output"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        return read_output(RESPONSES_FUNCTION, value)


class ToResponsesFunctionOutput:
    """Writes ``function_call_output`` items."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = RESPONSES_FUNCTION

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as an output item; content written for Responses goes in untouched."""
        return write_output("function_call_output", value)
