"""What all formats of function calls share: reading one with its arguments, and writing the arguments.

The names of the keys are each format's own business; what a missing id, a name that is no string, or
broken arguments mean is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..conversion import Loss, LossCode
from ..errors import ConversionError
from ..hub import InspectedCall
from ..json_copy import copy_json, json_text
from .arguments import fault, parse_arguments
from .marks import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..conversion import ConversionContext
    from .arguments import Arguments

ITEM_KEYS = ("item_id", "status", "caller")


def read_function_call(
    format_id: str,
    call_id: Any,
    name: Any,
    arguments: Arguments,
    *,
    metadata: dict[str, Any],
    namespace: Any = None,
) -> InspectedCall:
    """Return the meaning of a function call from its pieces, as they stood on the wire.

    An id, name or namespace that is missing, ``None`` or empty is none. One that is no string makes
    the call malformed: to guess at it could run the wrong tool, or answer the wrong call. So do arguments that
    are JSON and no object, for a function takes nothing else.
    """
    kind, payload, raw, problem = arguments
    if type(name) is not str or type(call_id) is not str or not name or not call_id or namespace is not None:
        broken = _not_text(id=call_id, name=name, namespace=namespace)
        call_id, name, namespace = _text(call_id), _text(name), _text(namespace)
        if broken:
            kind, payload, problem = "malformed", None, fault("bad_call", broken)
    if kind == "json":
        said = "the arguments are JSON, but no object"
        kind, raw, problem = (
            "malformed",
            json_text(payload) if raw is None else raw,
            fault("not_an_object", said),
        )
    if problem is not None:
        metadata["error"] = problem
        return InspectedCall(format_id, call_id, name, namespace, None, "malformed", None, metadata, raw)
    return InspectedCall(format_id, call_id, name, namespace, payload, kind, "json", metadata, raw)


def read_text_call(
    format_id: str, call_id: Any, name: Any, text: Any, *, metadata: dict[str, Any], namespace: Any = None
) -> InspectedCall:
    """Return the meaning of a call with raw input; the input is whatever text stands there."""
    broken = _not_text(id=call_id, name=name, namespace=namespace)
    if not broken and not isinstance(text, str):
        broken = (
            "it has no input" if text is None else f"its input is of type {type(text).__name__}, not a string"
        )
    if broken:
        metadata["error"] = fault("bad_call", broken)
    raw = text if isinstance(text, str) else None
    return InspectedCall(
        format=format_id,
        call_id=_text(call_id),
        tool_name=_text(name),
        namespace=_text(namespace),
        payload=None if broken else raw,
        payload_kind="malformed" if broken else "text",
        payload_format=None,
        payload_metadata=metadata,
        raw=raw,
    )


def leftovers(value: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return copies of the keys of ``value`` that are not ``known``."""
    return {key: copy_json(item, what=f"$.{key}") for key, item in value.items() if key not in known}


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
    """Return the text of a malformed call, if whoever reads it will find it malformed as well."""
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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _not_text(**pieces: Any) -> str:
    """Name the pieces that are there and no string."""
    wrong = [
        f"its {name} is of type {type(piece).__name__}"
        for name, piece in pieces.items()
        if piece is not None and not isinstance(piece, str)
    ]
    return ", ".join(wrong)
