"""The messages of the AI SDK's interfaces (Vercel): parts of a message, and chunks of the stream that makes them.

A part is a call and what came of it in one, ``{"type": "tool-NAME", "toolCallId", "state", "input", "output"}``, or
``dynamic-tool`` with the name beside it. Once it has a result it is read as one, and as a call that is ``answered``. In a
stream the two are chunks, ``tool-input-available`` and ``tool-output-available``, and they are what is written. What the
provider ran itself, what is still being written, what the user has not approved, and what is in an unknown state, is
malformed as a call: it must not be run.

The calls of ``generateText``, ``{"type": "tool-call", "toolCallId", "toolName", "input"}``, are read too. Version 4 named
their arguments ``args``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..calls.argument_place import arguments_of
from ..calls.arguments import Arguments, fault, leftovers, parse_arguments, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..exact_json import exact_json, json_text
from ..format_ids import AI_SDK_TOOL
from ..hub import InspectedCall, InspectedResult
from ..parts import JsonPart, ResultPart, TextPart
from ..results.structured import with_structure
from ..results.text_fallback import answered_call, write_parts

_DYNAMIC: Final = "dynamic-tool"
_STATIC: Final = "tool-"
_INPUT: Final = "tool-input-available"
_CORE: Final = "tool-call"
_OUTPUTS: Final = {
    "tool-output-available": "output-available",
    "tool-output-error": "output-error",
    "tool-output-denied": "output-denied",
}
"""Type of a chunk -> the state of the part that it makes."""

_OF_THE_CALL: Final = ("type", "toolCallId", "toolName", "input", "rawInput", "inputEncoding", "state")
_OF_THE_RESULT: Final = ("output", "errorText", "preliminary", "resultProviderMetadata", "approval")
_OF_BOTH: Final = ("title", "dynamic", "invalid", "error", "toolMetadata")


class AiSdkCalls:
    """Reads parts of messages, and chunks with a whole input."""

    format: ClassVar[str] = AI_SDK_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = None  # the name of the tool is in the type

    def matches(self, value: Any) -> bool:
        """The id of a call in this spelling, with a part of a tool or the chunk that makes one."""
        return _is_part(value) or (_is_named(value) and (value["type"] == _INPUT or _is_core(value)))

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        part = _is_part(value)
        name = (
            value["type"].removeprefix(_STATIC)
            if part and value["type"] != _DYNAMIC
            else value.get("toolName")
        )
        known = (*_OF_THE_CALL, *_OF_THE_RESULT, "providerExecuted", _input_key(value))
        extras = leftovers(value, known)
        metadata: dict[str, Any] = {"extras": extras} if extras else {}
        if part and _outcome(value) is not None:
            metadata["answered"] = value["state"]
        return read_function_call(
            AI_SDK_TOOL, value.get("toolCallId"), name, _arguments(value), metadata=metadata
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose input is an object."""
        key = _input_key(value)
        clean = replayable_object(value, key)
        if clean is None:
            return value
        copy: dict[str, Any] = exact_json({**value, key: clean})
        return copy


class ToAiSdkCall:
    """Writes the chunk that tells a call; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AI_SDK_TOOL

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a ``tool-input-available`` chunk."""
        call_id, name = identity_of(value)
        arguments, losses = argument_object(value, context)
        chunk = {"type": _INPUT, "toolCallId": call_id, "toolName": name, "input": arguments}
        return Converted(chunk, losses + lost_metadata(value) + lost_namespace(value))


class AiSdkResults:
    """Reads parts of messages that have a result, and chunks that are one."""

    format: ClassVar[str] = AI_SDK_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = None

    def matches(self, value: Any) -> bool:
        """A result, and the last of those that a tool tells on its way."""
        return _outcome(value) is not None and value.get("preliminary") is not True

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        part, outcome = _is_part(value), _outcome(value)
        call_id, name = value.get("toolCallId"), value.get("toolName")
        if part and value["type"] != _DYNAMIC:
            name = value["type"].removeprefix(_STATIC)
        extras = leftovers(value, (*_OF_THE_CALL, *_OF_THE_RESULT[:3], "approval"))
        return InspectedResult(
            format=AI_SDK_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            tool_name=name if isinstance(name, str) and name else None,
            parts=_told(value, outcome),
            is_error=outcome != "output-available",
            extras={AI_SDK_TOOL: extras} if extras else {},
        )


class ToAiSdkResult:
    """Writes the chunk that tells a result."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AI_SDK_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a ``tool-output-available`` or ``tool-output-error`` chunk."""
        call_id = answered_call(value)
        written, losses = write_parts(with_structure(value), _write, flagged=True, keeps=())
        values = [item["value"] for item in written]
        output: Any = values[0] if len(values) == 1 else "\n".join(map(_text, values)) if values else None
        if len(values) > 1:
            losses += (Loss(LossCode.BOUNDARIES, f"{len(values)} parts became one"),)
        if value.is_error and values and not isinstance(output, str):
            losses += (Loss(LossCode.STRUCTURE, "JSON became its text"),)
        told: dict[str, Any] = {"type": "tool-output-available", "toolCallId": call_id, "output": output}
        if value.is_error:
            said = "" if output is None and not values else _text(output)
            told = {"type": "tool-output-error", "toolCallId": call_id, "errorText": said}
        return Converted(told, losses + lost_extras(value.extras))


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str) and "toolCallId" in value


def _is_core(value: dict[str, Any]) -> bool:
    """Say whether a value is a call of ``generateText``; a part of the tool ``call`` has a state."""
    return value["type"] == _CORE and "toolName" in value and "state" not in value


def _input_key(value: dict[str, Any]) -> str:
    return "args" if _is_core(value) and "args" in value and "input" not in value else "input"


def _is_part(value: Any) -> bool:
    if not _is_named(value) or not isinstance(value.get("state"), str):
        return False
    stated: str = value["type"]
    return stated == _DYNAMIC or stated.startswith(_STATIC)


def _outcome(value: Any) -> str | None:
    """Return the state of a part with a result, or that a chunk brings about; ``None`` if there is no result."""
    if _is_part(value):
        return value["state"] if value["state"] in _OUTPUTS.values() else None
    return _OUTPUTS.get(value["type"]) if _is_named(value) else None


def _arguments(value: dict[str, Any]) -> Arguments:
    key = _input_key(value)
    said = value.get(key) if value.get(key) is not None else value.get("rawInput")
    raw = said if isinstance(said, str) else None
    if value.get("providerExecuted") is True:
        return Arguments("malformed", None, raw, fault("hosted", "the provider runs this call itself"))
    problem = _problem(value) if _is_part(value) else None
    if problem is not None:
        return Arguments("malformed", None, raw, problem)
    if value.get(key) is None and said is not None:
        return parse_arguments(said)
    known = (*_OF_THE_CALL, *_OF_THE_RESULT, *_OF_BOTH)
    return arguments_of(value, key, known, required=True)


def _problem(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return why a part is no call by its state; ``None`` if it waits for its tool, or has an outcome."""
    approval = part.get("approval")
    match part["state"]:
        case "input-available":
            return None
        case "input-streaming":
            return fault("cut_off", "the call is still being written")
        case "approval-requested":
            return fault("not_approved", "the call waits for the user's approval")
        case "approval-responded":
            approved = isinstance(approval, dict) and approval.get("approved") is True
            return None if approved else fault("not_approved", "the user has not approved the call")
        case str(state) if state in _OUTPUTS.values():
            return None
        case state:
            return fault("bad_call", f"the call is in an unknown state, {state[:60]!a}")


def _told(value: dict[str, Any], outcome: str | None) -> tuple[ResultPart, ...]:
    if outcome == "output-available":
        output = value.get("output")
        if isinstance(output, str):
            return (TextPart(output),)
        return () if output is None else (JsonPart(exact_json(output, what="$.output")),)
    if outcome == "output-error":
        error = value.get("errorText")
        return (TextPart(error),) if isinstance(error, str) else ()
    approval = value.get("approval")
    reason = approval.get("reason") if isinstance(approval, dict) else None
    return (TextPart(f"denied: {reason}" if isinstance(reason, str) and reason else "denied by the user"),)


def _write(part: ResultPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"value": text}
        case JsonPart(value=value) if value is not None and not isinstance(value, str):
            return {"value": exact_json(value)}
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)
