"""Results that say the same twice: as text for the model, and as data.

A server of MCP serialises its structured content into a text block as well. Where a format can carry
data, the data stand in the text's place; where it cannot, the text does. Nothing is sent twice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .arguments import parse_arguments
from .conversion import Loss, LossCode
from .parts import JsonPart, TextPart

if TYPE_CHECKING:
    from .hub import InspectedResult
    from .parts import ResultPart


def with_structure(result: InspectedResult) -> InspectedResult:
    """Return the result with its data among its parts, in place of the text that says the same."""
    if result.structured is None:
        return result
    value = result.structured.value
    if any(isinstance(part, JsonPart) and _same(part.value, value) for part in result.parts):
        return replace(result, structured=None)
    kept: list[ResultPart] = []
    placed = False
    for part in result.parts:
        if _spells(part, value):
            if not placed:
                kept.append(result.structured)
            placed = True
        else:
            kept.append(part)
    return replace(result, parts=(*kept, *(() if placed else (result.structured,))), structured=None)


def lost_structure(result: InspectedResult) -> tuple[Loss, ...]:
    """Declare the data of a result lost, for a format without room for them, unless a part says the same."""
    if result.structured is None:
        return ()
    value = result.structured.value
    for part in result.parts:
        if _spells(part, value) or (isinstance(part, JsonPart) and _same(part.value, value)):
            return ()
    return (Loss(LossCode.STRUCTURE, "the text stays, the data beside it do not"),)


def says_the_same(one: ResultPart, other: ResultPart) -> bool:
    """Say whether two parts are equal, or one is the text of the data that the other is."""
    if isinstance(other, JsonPart):
        return one == other or _spells(one, other.value)
    return one == other or (isinstance(one, JsonPart) and _spells(other, one.value))


def _spells(part: ResultPart, value: Any) -> bool:
    if not isinstance(part, TextPart) or not part.text.strip():
        return False
    read = parse_arguments(part.text)
    return read.kind != "malformed" and _same(read.payload, value)


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
