"""What formats share when they write a call: its id and name, the text of its arguments, and what is lost.

Reading a call is a matter of `arguments`, and so is what is broken about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..conversion import Loss, LossCode
from ..errors import ConversionError
from ..exact_json import json_text
from .arguments import ITEM_KEYS, MARKS, parse_arguments

if TYPE_CHECKING:
    from ..conversion import ConversionContext
    from ..hub import InspectedCall


def identity_of(call: InspectedCall) -> tuple[str, str]:
    """Return the id and the name that every wire format needs.

    Raises:
        ConversionError: the call lacks one.
    """
    if call.call_id is None:
        raise ConversionError(
            "it has no id, and its result could not refer to it: give ``turn`` to have one made up"
        )
    if call.tool_name is None:
        raise ConversionError("it names no tool")
    return call.call_id, call.tool_name


def argument_text(call: InspectedCall, context: ConversionContext) -> tuple[str, tuple[Loss, ...]]:
    """Return the arguments as the text of a function call, spelt as the model did where possible.

    Raw input is wrapped; broken arguments stay as they are, so that they are still seen to be broken.

    Raises:
        ConversionError: the call carries raw input and may not be wrapped, or what is broken about it
            is not its text.
    """
    if call.payload_kind == "text":
        if not context.may_wrap:
            raise ConversionError("it carries raw input")
        return context.wrapper.wrap(call.payload), (Loss(LossCode.TEXT_WRAPPED, "raw input"),)
    if call.payload_kind == "malformed":
        return _broken_text(call), ()
    text = json_text(call.payload)
    return (call.raw if call.raw is not None and _says(call.raw, text) else text), ()


def lost_metadata(call: InspectedCall) -> tuple[Loss, ...]:
    """Declare what a call's metadata hold that a function call in another format does not carry."""
    losses: list[Loss] = []
    items = [key for key in ITEM_KEYS if key in call.payload_metadata]
    if items:
        losses.append(Loss(LossCode.ITEM, ", ".join(items)))
    if "thought_signature" in call.payload_metadata:
        losses.append(Loss(LossCode.SIGNATURE, "the provider that wrote the call wants it back"))
    extras = call.payload_metadata.get("extras")
    if extras:
        losses.append(Loss(LossCode.EXTRAS, ", ".join(extras)))
    return tuple(losses)


def lost_namespace(call: InspectedCall) -> tuple[Loss, ...]:
    """Declare the namespace, for a format whose names have none."""
    return () if call.namespace is None else (Loss(LossCode.NAMESPACE, call.namespace),)


def _broken_text(call: InspectedCall) -> str:
    """Return the text of a malformed call, if its reader will find it malformed as well."""
    error = call.payload_metadata.get("error") or {}
    if call.raw is not None:
        # A wrapped tool's wrong arguments are legal JSON: the table of freeform tools tells them. A mark
        # is put on the converted call as well.
        told = error.get("code") in {"not_wrapped_text", *MARKS}
        if told or parse_arguments(call.raw).kind != "object":
            return call.raw
    raise ConversionError(f"it is malformed, and would not look it: {error.get('message')}")


def _says(raw: str, text: str) -> bool:
    """Say whether ``raw`` is JSON text that means the same as ``text``; blank text is no JSON."""
    read = parse_arguments(raw)
    return bool(raw.strip()) and read.kind in {"object", "json"} and json_text(read.payload) == text
