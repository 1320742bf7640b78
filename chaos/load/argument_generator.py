"""Arguments for a tool, drawn from the JSON Schema of its parameters. Pure.

Only simple schemas: objects, arrays, strings, numbers, booleans, null, enumerations, constants, lists of
types, ``anyOf``, and references within the schema. What cannot be drawn with certainty (a pattern, a
``oneOf``, a condition) is refused, and never guessed: a call with wrong arguments tests the tool's
manners and not its recovery. An optional property that cannot be drawn is left out.

Numbers are as near to zero as their bounds let them be, for they say how much a tool is to do; and a tool that is to wait for a
time waits next to none.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import CallboardError

if TYPE_CHECKING:
    from random import Random

Json = dict[str, Any]

_WORDS = ("call", "board", "crash", "ends", "once", "answer", "tool", "host", "again", "well", "Grüße", "λ")

_NOTES = frozenset({
    "$anchor", "$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated", "description",
    "examples", "readOnly", "strict", "title", "writeOnly",
})  # fmt: skip
"""Keywords that allow and forbid nothing."""

_KEYWORDS: dict[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that are understood, by type."""

_DEEPEST = 6

_REACH: Final = 3
"""How far from zero, or from the bound that is next to it, a number may be."""

_SHORTEST: Final = 0.02
"""The same of a time to wait; in minutes, too, that is no long one."""

_WAIT: Final = re.compile(
    r"(?!.*timeout).*(seconds?\b|_ms\b|milli|minute|hour|duration|delay|sleep|wait|pause|interval)",
    re.IGNORECASE,
)
"""The path of a property that says how long a tool is to take; a timeout says how long at most."""


class CannotDraw(CallboardError):
    """A schema says more than can be drawn from.

    Attributes:
        path: where, such as ``$.properties.name``.
        why: what is said there.
    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


def draw_arguments(schema: Any, chance: Random) -> Json:
    """Draw arguments that satisfy the schema of a tool's parameters.

    Raises:
        CannotDraw: it says something that this does not understand, or is no schema of an object.
    """
    schema = {"type": "object"} if schema in (None, {}, True) else schema
    drawn = _Drawing(schema, chance).draw(schema, "$", 0)
    if not isinstance(drawn, dict):
        raise CannotDraw("$", f"arguments have to be an object; this is a schema of {drawn!r:.40}")
    return drawn


class _Drawing:
    """One drawing; the root is kept for references."""

    def __init__(self, root: Any, chance: Random) -> None:
        self._root = root
        self._chance = chance

    def draw(self, schema: Any, path: str, depth: int) -> Any:
        if schema is True or schema == {}:
            return self._chance.choice(_WORDS)
        if not isinstance(schema, dict):
            raise CannotDraw(path, f"{schema!r:.40} allows nothing")
        if depth > _DEEPEST:
            raise CannotDraw(path, "it goes on too deep")
        if "$ref" in schema:
            return self.draw(self._follow(schema["$ref"], path), path, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._chance.choice(list(schema["enum"]))
        if "anyOf" in schema:
            return self._any_of(schema, path, depth)
        return self._typed(schema, path, depth)

    def _follow(self, reference: Any, path: str) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/"):
            raise CannotDraw(path, f"the reference {reference!r:.60} leads out of the schema")
        found = self._root
        for step in (each.replace("~1", "/").replace("~0", "~") for each in reference[2:].split("/")):
            if not isinstance(found, dict) or step not in found:
                raise CannotDraw(path, f"the reference {reference!r} leads nowhere")
            found = found[step]
        return found

    def _any_of(self, schema: Json, path: str, depth: int) -> Any:
        rest = {key: value for key, value in schema.items() if key not in _NOTES and key != "anyOf"}
        if rest:
            raise CannotDraw(path, f"'anyOf' together with {', '.join(sorted(rest))}")
        troubles = []
        options = list(enumerate(schema["anyOf"]))
        self._chance.shuffle(options)
        for number, option in options:
            try:
                return self.draw(option, f"{path}.anyOf[{number}]", depth + 1)
            except CannotDraw as trouble:
                troubles.append(trouble)
        raise troubles[0] if troubles else CannotDraw(path, "'anyOf' is empty")

    def _typed(self, schema: Json, path: str, depth: int) -> Any:
        kinds = schema.get("type", _guess(schema))
        kind = self._chance.choice(kinds) if isinstance(kinds, list) and kinds else kinds
        if not isinstance(kind, str) or kind not in _KEYWORDS:
            raise CannotDraw(path, f"the type is {kind!r:.40}")
        every = kinds if isinstance(kinds, list) else [kind]
        understood = _NOTES.union({"type"}, *(_KEYWORDS.get(each, frozenset()) for each in every))
        if strange := sorted(set(schema) - understood):
            raise CannotDraw(path, f"{', '.join(strange)} is not understood")
        match kind:
            case "object":
                return self._object(schema, path, depth)
            case "array":
                return self._array(schema, path, depth)
            case "string":
                return self._string(schema, path)
            case "integer" | "number":
                return self._number(schema, path, whole=kind == "integer")
            case "boolean":
                return self._chance.random() < 1 / 2
        return None

    def _object(self, schema: Json, path: str, depth: int) -> Json:
        properties, required = schema.get("properties", {}), set(schema.get("required", ()))
        drawn = {}
        for name, inner in properties.items():
            if name not in required and (depth >= _DEEPEST - 2 or self._chance.random() < 1 / 2):
                continue
            try:
                drawn[name] = self.draw(inner, f"{path}.properties.{name}", depth + 1)
            except CannotDraw:
                if name in required:
                    raise
        for name in sorted(required - set(properties)):
            if schema.get("additionalProperties") is False:
                raise CannotDraw(path, f"{name!r} is required and not allowed")
            drawn[name] = self.draw(schema.get("additionalProperties", True), f"{path}.{name}", depth + 1)
        return drawn

    def _array(self, schema: Json, path: str, depth: int) -> list[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
        _require(least <= most, path, "no length is allowed")
        size = self._chance.randint(least, int(min(most, least + 3)))
        return [self.draw(schema.get("items", True), f"{path}.items", depth + 1) for _ in range(size)]

    def _string(self, schema: Json, path: str) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        _require(least <= most, path, "no length is allowed")
        text = " ".join(self._chance.choices(_WORDS, k=self._chance.randint(1, 4)))
        while len(text) < least:
            text += " " + self._chance.choice(_WORDS)
        return text if most == math.inf else text[: int(most)]

    def _number(self, schema: Json, path: str, *, whole: bool) -> float:
        least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
        reach = _SHORTEST if _WAIT.match(path) else _REACH
        if whole:
            low = max(_ceil(least), _floor(above) + 1)
            high = min(_floor(most), _ceil(below) - 1)
            _require(low <= high, path, "no number is allowed")
            low, high = _near_zero(low, high, math.floor(reach))
            return self._chance.randint(int(low), int(high))
        low, high = max(least, above), min(most, below)
        _require(low < high or (low == high and low > above and high < below), path, "no number is allowed")
        low, high = _near_zero(low, high, reach)
        wholes = range(math.floor(low) + 1, math.ceil(high))  # a count is often called a number
        if wholes:
            return float(self._chance.choice(wholes))
        return float(low + (high - low) * self._chance.choice((0.25, 0.5, 0.75)))


def _near_zero(low: float, high: float, reach: float) -> tuple[float, float]:
    """Of what lies between two bounds, the part that is next to zero."""
    if low > 0:
        return low, min(high, low + reach)
    if high < 0:
        return max(low, high - reach), high
    return max(low, 0), min(high, reach)


def _ceil(number: float) -> float:
    return math.ceil(number) if math.isfinite(number) else number


def _floor(number: float) -> float:
    return math.floor(number) if math.isfinite(number) else number


def _guess(schema: Json) -> str | None:
    """The type of a schema that does not say it, where what it says fits one only."""
    for kind in ("object", "array"):
        if _KEYWORDS[kind] & set(schema):
            return kind
    return None


def _require(holds: bool, path: str, why: str) -> None:
    if not holds:
        raise CannotDraw(path, why)
