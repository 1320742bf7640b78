"""Amplifier: what its tools declare, how its models call, what its tools return; real and seed.

A declaration ``{name, description, input_schema}`` is to the letter an Anthropic tool, and only a hint
tells them apart; it is written as a ``ToolSpec`` with ``parameters``, which is nobody else's. A failure
that says nothing but a text looks like what any tool of the core returns, and means the same.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..calls.argument_place import arguments_of
from ..calls.arguments import Arguments, fault, leftovers, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import InvalidShapeError
from ..exact_json import exact_json, json_text
from ..format_ids import AMPLIFIER
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..parts import JsonPart, ResultPart, TextPart
from ..results.structured import says_the_same, with_structure
from ..results.text_fallback import write_parts
from ..schemas.function_schemas import as_function
from ..schemas.shapes import optional_object, optional_text, required_name
from .gemini_openapi import is_openapi

_DECLARED: Final = frozenset({"name", "description", "input_schema"})
_CALL_KEYS: Final = ("type", "id", "name")
_PAYLOADS: Final = ("arguments", "input", "args")
_OTHERS: Final = frozenset({"type", "function", "parametersJsonSchema", "parameters_json_schema"})


class AmplifierSchemas:
    """Reads tool declarations, with ``input_schema`` or ``parameters``."""

    format: ClassVar[str] = AMPLIFIER
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A name and a schema without a type; Gemini's schemas have types in upper case."""
        if "name" not in value or value.keys() & _OTHERS:
            return False
        parameters = value.get("parameters")
        if "input_schema" in value:
            return value.keys() <= _DECLARED
        return isinstance(parameters, dict) and not is_openapi(value)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        key = "input_schema" if "input_schema" in value else "parameters"
        extras = leftovers(value, ("name", "description", key))
        return InspectedSchema(
            format=AMPLIFIER,
            name=required_name(AMPLIFIER, value),
            description=optional_text(AMPLIFIER, value, "description"),
            parameters=optional_object(AMPLIFIER, value, key),
            extras={AMPLIFIER: extras} if extras else {},
        )


class ToAmplifierSchema:
    """Writes tool declarations; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AMPLIFIER

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a ``ToolSpec``."""
        function = as_function(value, context)
        spec: dict[str, Any] = {"name": function.name, "parameters": function.of_object}
        if function.description is not None:
            spec["description"] = function.description
        return Converted(spec, function.losses)


class AmplifierCalls:
    """Reads ``ToolCall``s and ``tool_call`` blocks, with ``arguments`` or ``input``, or ``args`` as LangChain has them."""

    format: ClassVar[str] = AMPLIFIER
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"tool_call", None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it, or an id, a name and arguments."""
        if value.get("type") == "tool_call":
            return True
        if "id" not in value or "name" not in value or "method" in value:
            return False
        return "arguments" in value or isinstance(value.get("args"), dict)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        keys = _payload_keys(value)
        extras = leftovers(value, (*_CALL_KEYS, keys[0]))
        arguments = arguments_of(value, keys[0], (*_CALL_KEYS, "visibility"), required=True)
        if len(keys) > 1:
            problem = fault("bad_call", f"it has arguments under {' and '.join(map(repr, keys))}")
            arguments = Arguments("malformed", None, None, problem)
        return read_function_call(
            AMPLIFIER,
            value.get("id"),
            value.get("name"),
            arguments,
            metadata={"extras": extras} if extras else {},
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are an object."""
        key, *others = _payload_keys(value)
        clean = {} if others else replayable_object(value, key)
        if clean is None:
            return value
        kept = {name: item for name, item in value.items() if name not in others}
        copy: dict[str, Any] = exact_json({**kept, key: clean})
        return copy


class ToAmplifierCall:
    """Writes ``tool_call`` blocks; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AMPLIFIER

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a ``tool_call`` block."""
        call_id, name = identity_of(value)
        arguments, losses = argument_object(value, context)
        call = {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        return Converted(call, losses + lost_metadata(value) + lost_namespace(value))


class AmplifierResults:
    """Reads what tools return, ``{success, output, error}``, and ``tool_result`` blocks."""

    format: ClassVar[str] = AMPLIFIER
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"tool_result", None})

    def matches(self, value: dict[str, Any]) -> bool:
        """An output with the id of a call, or success or failure without a ``result``."""
        if value.get("type") == "tool_result":
            return "tool_call_id" in value
        return isinstance(value.get("success"), bool) and "result" not in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told: the output, and after it what went wrong."""
        call_id, success = value.get("tool_call_id"), value.get("success")
        if not isinstance(success, bool | None):
            raise InvalidShapeError(AMPLIFIER, "'success' must be true or false")
        extras = leftovers(value, ("type", "tool_call_id", "success", "output", "error"))
        details, said = _error(value.get("error"))
        if details:
            extras["error"] = details
        output = _part(value.get("output"))
        # Amplifier repeats the message of a failure in place of an output: once is enough.
        repeated = output is not None and said is not None and says_the_same(output, said)
        parts = [part for part in (output, None if repeated else said) if part is not None]
        return InspectedResult(
            format=AMPLIFIER,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=tuple(parts),
            is_error=None if success is None else not success,
            extras={AMPLIFIER: extras} if extras else {},
        )


class ToAmplifierResult:
    """Writes what tools return."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AMPLIFIER

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result; the message of a failure is its output too, as Amplifier itself fills it."""
        written, losses = write_parts(with_structure(value), _write, flagged=True, keeps=())
        values = [item["value"] for item in written]
        output: Any = values[0] if len(values) == 1 else "\n".join(_text(item) for item in values)
        if len(values) > 1:
            losses += (Loss(LossCode.BOUNDARIES, f"{len(values)} parts became one"),)
        if value.call_id is not None:
            losses += (Loss(LossCode.CALL_ID, "the result has no place for it"),)
        result: dict[str, Any] = {"success": not value.is_error, "output": output if written else None}
        if value.is_error:
            result["error"] = {"message": _text(output)}
        return Converted(result, losses + lost_extras(value.extras))


def _payload_keys(value: dict[str, Any]) -> list[str]:
    """Return the keys that hold arguments, ``arguments`` if there are none; more than one is too many."""
    said: list[str] = [key for key in _PAYLOADS if value.get(key) is not None]
    blank: list[str] = [key for key in _PAYLOADS if key in value]
    return said or blank[:1] or ["arguments"]


def _error(error: Any) -> tuple[dict[str, Any], ResultPart | None]:
    """Return what an error says beside its message, and the message."""
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return leftovers(error, ("message",)), TextPart(error["message"])
    return {}, _part(error)


def _part(value: Any) -> ResultPart | None:
    if value is None:
        return None
    return TextPart(value) if isinstance(value, str) else JsonPart(exact_json(value, what="$.output"))


def _write(part: ResultPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"value": text}
        case JsonPart(value=value) if value is not None and not isinstance(value, str):
            return {"value": exact_json(value)}
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)
