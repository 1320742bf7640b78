"""What a conversion changed beyond what it declared: the measure of honesty that every route is held to.

Meanings are compared, as they are inspected before and after. Each difference can be declared by one of a
few codes; a difference that nothing may declare, such as another tool's name, is undeclared whatever is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.interop.conversion import LossCode
from callboard.interop.exact_json import json_text
from callboard.interop.format_ids import GEMINI_OPENAPI
from callboard.interop.openapi.writing import narrow
from callboard.interop.parts import JsonPart, MediaPart, TextPart
from callboard.interop.results.data_urls import inline_of
from callboard.interop.results.structured import with_structure
from callboard.interop.results.text_fallback import ERROR_LINE
from interop_json import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

Difference = tuple[str, frozenset[str]]
"""What differs, and the codes of which one must declare it."""


def undeclared(kind: str, before: Any, after: Any, losses: Iterable[Any]) -> list[str]:
    """Return what differs between two meanings of one value although no loss declares it."""
    codes = {loss.code for loss in losses}
    of = {"schema": _schema_differences, "call": _call_differences}
    found = result_differences(before, after, codes) if kind == "result" else of[kind](before, after)
    return [what for what, declaring in found if not declaring & codes]


def arguments_of(parameters: Any) -> Any:
    """Return a schema of arguments as every format may say it: they are an object, said or unsaid."""
    return {"properties": {}, **(parameters or {}), "type": "object"}


def _by(what: str, *codes: LossCode) -> Difference:
    return what, frozenset(codes)


def _schema_differences(before: Any, after: Any) -> list[Difference]:
    found = [] if before.name == after.name else [_by("name")]
    found += _described_differently(before, after)
    found += _asked_differently(before, after)
    if before.output_schema is not None and canonical(before.output_schema) != canonical(after.output_schema):
        found.append(_by("output schema", LossCode.OUTPUT_SCHEMA))
    if before.namespace != after.namespace:
        found.append(_by("namespace", LossCode.NAMESPACE))
    if _lost_extras(before, after):
        found.append(_by("extras", LossCode.EXTRAS))
    return found


def _described_differently(before: Any, after: Any) -> list[Difference]:
    if (before.description or None) != (after.description or None):
        return [_by("description")]
    same = before.description == after.description
    return [] if same else [_by("empty description", LossCode.DESCRIPTION)]


def _asked_differently(before: Any, after: Any) -> list[Difference]:
    found = []
    wrapped = before.kind != after.kind
    if wrapped:
        found.append(_by("kind", LossCode.TEXT_WRAPPED))
    elif not _ask_the_same(before, after):
        combined = {"anyOf", "oneOf", "allOf"} & (before.parameters or {}).keys()
        codes = (LossCode.KEYWORDS, *((LossCode.ROOT_COMBINATORS,) if combined else ()))
        found.append(_by("parameters", *codes))
    grammar = before.text_format
    if grammar and grammar.definition is not None and grammar != after.text_format:
        found.append(_by("grammar", LossCode.GRAMMAR))
    strict = [seen.strict_if_unset if seen.strict is None else seen.strict for seen in (before, after)]
    if not wrapped and strict[0] != strict[1]:
        found.append(_by("strict", LossCode.STRICT))
    return found


def _ask_the_same(before: Any, after: Any) -> bool:
    """Say whether arguments are the same, word for word; in the subset of OpenAPI: once written in it."""
    asked = [arguments_of(seen.parameters) for seen in (before, after)]
    if GEMINI_OPENAPI in (after.format, before.format) or after.parameters is None:
        asked = [narrow(schema)[0] for schema in asked]
    return canonical(asked[0]) == canonical(asked[1])


def _call_differences(before: Any, after: Any) -> list[Difference]:
    found = []
    if before.tool_name != after.tool_name:
        found.append(_by("tool name"))
    if before.call_id != after.call_id:
        found.append(_by("call id", LossCode.CALL_ID))
    if before.payload_kind != after.payload_kind:
        found.append(_by("payload kind", LossCode.TEXT_WRAPPED))
    elif canonical(before.payload) != canonical(after.payload):
        found.append(_by("payload"))
    if before.namespace != after.namespace:
        found.append(_by("namespace", LossCode.NAMESPACE))
    gone = before.payload_metadata.keys() - after.payload_metadata.keys()
    if gone & {"item_id", "status", "caller"}:
        found.append(_by("item", LossCode.ITEM))
    if "thought_signature" in gone:
        found.append(_by("thought signature", LossCode.SIGNATURE))
    if "extras" in gone:
        found.append(_by("extras", LossCode.EXTRAS))
    return found


def result_differences(before: Any, after: Any, codes: set[str]) -> list[Difference]:
    """Return what differs between two results; what media and data say is compared as far as it is kept."""
    found = []
    particular = LossCode.EXTRAS not in codes
    spelt = LossCode.STRUCTURE in codes
    marked = before.is_error and LossCode.ERROR_FLAG in codes
    for one, other in ((before, after), (with_structure(before), with_structure(after))):
        told, kept = ([_said(part, particular, spelt) for part in seen.parts] for seen in (one, other))
        if not told or told == (_unmarked(kept) if marked else kept):
            break
    else:
        found.append(_by("parts", LossCode.MEDIA, LossCode.UNREAD, LossCode.BOUNDARIES))
    if before.call_id is not None and after.call_id != before.call_id:
        found.append(_by("call id", LossCode.CALL_ID))
    if before.is_error is not None and after.is_error != before.is_error:
        found.append(_by("error flag", LossCode.ERROR_FLAG))
    if _lost_extras(before, after):
        found.append(_by("extras", LossCode.EXTRAS))
    return found


def _lost_extras(before: Any, after: Any) -> set[str]:
    kept = {name for keys in after.extras.values() for name in keys}
    return {name for keys in before.extras.values() for name in keys} - kept


def _unmarked(told: list[Any]) -> list[Any]:
    """Take the line away that tells a failure where there is no flag."""
    if not told or not isinstance(told[0], str):
        return told
    if told[0] == ERROR_LINE:
        return told[1:] or [""]
    return [told[0].removeprefix(ERROR_LINE + "\n"), *told[1:]]


def _said(part: Any, particular: bool, spelt: bool) -> Any:
    """Return what a part says; the particulars of media, and JSON as JSON, only if not declared lost."""
    match part:
        case TextPart():
            return part.text
        case JsonPart():
            return json_text(part.value) if spelt else ("json", canonical(part.value))
        case MediaPart():
            carried = inline_of(part) or (part.url, part.file_id, part.data)
            return (part.kind, carried, *((part.filename, part.detail) if particular else ()))
    return part
