"""Results that say the same twice: as text for the model, and as data.

A server of MCP serialises its structured content into a text block as well. Where a format can carry
data, the data stand in the text's place; where it cannot, the text does. Nothing is sent twice.

Structured content is an object, so that servers wrap what is none: ``{"result": "a"}`` beside the text ``a``, and
``{"result": ["a", 1]}`` beside one text for each item.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..calls.arguments import parse_arguments
from ..conversion import Loss, LossCode
from ..parts import JsonPart, TextPart

if TYPE_CHECKING:
    from ..hub import InspectedResult
    from ..parts import ResultPart


_WRAPPED: Final = "result"
"""The one key of an object that servers of MCP wrap in what is no object."""


def with_structure(result: InspectedResult) -> InspectedResult:
    """Return the result with its data among its parts, in place of the text that says the same."""
    if result.structured is None:
        return result
    value = result.structured.value
    if any(isinstance(part, JsonPart) and _same(part.value, value) for part in result.parts):
        return replace(result, structured=None)
    spelling = _spelt_by(result.parts, value)
    kept: list[ResultPart] = []
    for place, part in enumerate(result.parts):
        if place not in spelling:
            kept.append(part)
        elif place == spelling[0]:
            kept.append(result.structured)
    return replace(result, parts=(*kept, *(() if spelling else (result.structured,))), structured=None)


def lost_structure(result: InspectedResult) -> tuple[Loss, ...]:
    """Declare the data of a result lost, for a format without room for them, unless a part says the same."""
    if result.structured is None:
        return ()
    value = result.structured.value
    told = any(isinstance(part, JsonPart) and _same(part.value, value) for part in result.parts)
    if told or _spelt_by(result.parts, value):
        return ()
    return (Loss(LossCode.STRUCTURE, "the text stays, the data beside it do not"),)


def says_the_same(one: ResultPart, other: ResultPart) -> bool:
    """Say whether two parts are equal, or one is the text of the data that the other is."""
    if isinstance(other, JsonPart):
        return one == other or _spells(one, other.value)
    return one == other or (isinstance(one, JsonPart) and _spells(other, one.value))


def _spelt_by(parts: tuple[ResultPart, ...], value: Any) -> list[int]:
    """Return the places of the texts that say the same as data, each by itself or all together."""
    spelling = [place for place, part in enumerate(parts) if _spells(part, value)]
    if spelling or not isinstance(value, dict) or value.keys() != {_WRAPPED}:
        return spelling
    inner = value[_WRAPPED]
    spelling = [place for place, part in enumerate(parts) if _says(part, inner)]
    if spelling or not isinstance(inner, list):
        return spelling
    texts = [place for place, part in enumerate(parts) if isinstance(part, TextPart)]
    each = len(texts) == len(inner) and all(map(_says, (parts[place] for place in texts), inner))
    return texts if each else []


def _says(part: ResultPart, value: Any) -> bool:
    """Say whether a part is a text, or the text of a value."""
    return (isinstance(part, TextPart) and part.text == value) or _spells(part, value)


def _spells(part: ResultPart, value: Any) -> bool:
    if not isinstance(part, TextPart) or not part.text.strip():
        return False
    read = parse_arguments(part.text)
    return read.kind != "malformed" and _same(read.payload, value)


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
