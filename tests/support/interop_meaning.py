"""Two meanings side by side: in which respects they differ, and which declared losses explain that.

Values are compared by their canonical JSON text: Python takes ``true``, ``1`` and ``1.0`` for equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.interop.conversion import LossCode
from callboard.interop.data_urls import inline_of
from callboard.interop.json_copy import json_text
from callboard.interop.parts import JsonPart, MediaPart, TextPart
from callboard.interop.result_text import ERROR_LINE
from interop_json import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callboard.interop.errors import Kind
    from callboard.interop.hub import InspectedCall, InspectedResult, InspectedSchema

_PARTS = {
    LossCode.MEDIA,
    LossCode.UNREAD,
    LossCode.BOUNDARIES,
    LossCode.STRUCTURE,
    LossCode.EXTRAS,
    LossCode.ERROR_FLAG,
}
_SCHEMAS = {LossCode.TEXT_WRAPPED, LossCode.ROOT_COMBINATORS, LossCode.KEYWORDS}

EXPLAINED_BY: dict[tuple[Kind, str], set[LossCode]] = {
    ("schema", "name"): {LossCode.NAMESPACE},
    ("schema", "description"): {LossCode.DESCRIPTION},
    ("schema", "kind"): {LossCode.TEXT_WRAPPED},
    ("schema", "parameters"): _SCHEMAS,
    ("schema", "text_format"): {LossCode.TEXT_WRAPPED, LossCode.GRAMMAR},
    ("schema", "strict"): {LossCode.STRICT, LossCode.TEXT_WRAPPED},
    ("schema", "output_schema"): {LossCode.OUTPUT_SCHEMA, LossCode.KEYWORDS},
    ("schema", "namespace"): {LossCode.NAMESPACE},
    ("schema", "extras"): {LossCode.EXTRAS},
    ("call", "tool_name"): {LossCode.NAMESPACE},
    ("call", "call_id"): {LossCode.CALL_ID},
    ("call", "namespace"): {LossCode.NAMESPACE},
    ("call", "payload"): {LossCode.TEXT_WRAPPED},
    ("call", "item"): {LossCode.ITEM},
    ("call", "signature"): {LossCode.SIGNATURE},
    ("call", "extras"): {LossCode.EXTRAS},
    ("result", "call_id"): {LossCode.CALL_ID},
    ("result", "parts"): _PARTS,
    ("result", "is_error"): {LossCode.ERROR_FLAG},
    ("result", "extras"): {LossCode.EXTRAS},
}
"""For each respect in which a value may differ: the losses any of which explains it."""


SPELLS_SCHEMAS_ANEW = frozenset({"gemini.generate_content.function_openapi"})
"""Formats with a schema language of their own: what comes back means the same, and is spelt otherwise."""


def unexplained(
    kind: Kind, before: Any, after: Any, declared: set[str], *, by_way_of: Iterable[str] = ()
) -> dict[str, tuple[str, str]]:
    """Return what differs between two meanings and no declared loss explains, by respect.

    ``by_way_of`` are the formats a value went through. That a schema that was spelt anew means the same
    is not to be seen by its text: instances tell.
    """
    one, other = meaning_of(kind, before), meaning_of(kind, after)
    if not SPELLS_SCHEMAS_ANEW.isdisjoint(by_way_of):
        one = {respect: said for respect, said in one.items() if respect != "parameters"}
    return {
        respect: (said, other[respect])
        for respect, said in one.items()
        if said != other[respect] and not EXPLAINED_BY[kind, respect] & declared
    }


def meaning_of(kind: Kind, inspected: Any) -> dict[str, str]:
    """Return what was inspected as one canonical text for each respect."""
    of = {"schema": _schema, "call": _call, "result": _result}
    return {respect: canonical(said) for respect, said in of[kind](inspected).items()}


def _schema(schema: InspectedSchema) -> dict[str, Any]:
    text = schema.text_format
    return {
        "name": schema.name,
        "description": schema.description,
        "kind": schema.kind,
        "parameters": arguments_of(schema.parameters) if schema.kind == "object" else None,
        "text_format": [text.syntax, text.definition] if text and text.definition is not None else None,
        "strict": schema.strict_if_unset if schema.strict is None else schema.strict,
        "output_schema": schema.output_schema,
        "namespace": schema.namespace,
        "extras": schema.extras,
    }


def arguments_of(parameters: dict[str, Any] | None) -> dict[str, Any]:
    """Return a schema of arguments as every format may say it: they are an object, said or unsaid."""
    return {"properties": {}, **(parameters or {}), "type": "object"}


def _call(call: InspectedCall) -> dict[str, Any]:
    metadata = call.payload_metadata
    payload = call.raw if call.payload_kind == "malformed" else call.payload
    return {
        "tool_name": call.tool_name,
        "call_id": call.call_id,
        "namespace": call.namespace,
        "payload": [call.payload_kind, payload],
        "item": {key: metadata[key] for key in ("item_id", "status", "caller") if key in metadata},
        "signature": metadata.get("thought_signature"),
        "extras": metadata.get("extras"),
    }


def _result(result: InspectedResult) -> dict[str, Any]:
    told = [_part(part) for part in result.parts]
    if result.structured is not None:
        told = [said for said in told if not _repeats(said, result.structured.value)]
        told.append(_part(result.structured))
    return {
        "call_id": result.call_id,
        "parts": _unmarked(told),
        "is_error": bool(result.is_error),
        "extras": result.extras,
    }


def _repeats(said: Any, structured: Any) -> bool:
    """Say whether a part is the structured content once more, as data or as its text."""
    return said in (["json", structured], ["text", json_text(structured)])


def _part(part: Any) -> Any:
    match part:
        case TextPart(text=text):
            return ["text", text]
        case JsonPart(value=value):
            return ["json", value]
        case MediaPart():
            carried = inline_of(part)
            source = list(carried) if carried else [part.url, part.file_id, part.data]
            return ["media", part.kind, source, part.filename, part.detail]
    return ["unread", part.kind]


def _unmarked(told: list[Any]) -> list[Any]:
    """Take the line away that tells a failure where there is no flag."""
    match told:
        case [["text", str(first)], *rest] if first == ERROR_LINE:
            return rest
        case [["text", str(first)], *rest] if first.startswith(ERROR_LINE + "\n"):
            return [["text", first.removeprefix(ERROR_LINE + "\n")], *rest]
    return told or [["text", ""]]
