"""A JSON Schema in Gemini's ``parameters``: an older, smaller language, for servers that know no other.

What comes out accepts all that the source accepts, and where the language is too small, more. Each
keyword that says less is named in the loss. References are written out where they stand; a recursion is
cut, and a reference to the net leads nowhere.
"""

from __future__ import annotations

from typing import Any, Final

from ...base.validation import a_type
from ..conversion import Loss, LossCode
from ..errors import ConversionError
from ..exact_json import json_text
from ..limits import MAX_DEPTH, MAX_SCHEMA_NODES, width
from ..schemas.references import pointed_at
from .keywords import write_array, write_number, write_object, write_text
from .merging import both

TYPES: Final = {
    "string": "STRING",
    "number": "NUMBER",
    "integer": "INTEGER",
    "boolean": "BOOLEAN",
    "array": "ARRAY",
    "object": "OBJECT",
    "null": "NULL",
}
_NOTED: Final = ("description", "title", "default", "examples")
_SILENT: Final = frozenset({"$schema", "$id", "$comment", "$anchor", "$defs", "definitions"})
_HINTS: Final = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems"),
    "string": ("pattern", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


def narrow(schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return a schema of arguments in Gemini's subset, and what was lost.

    Raises:
        ConversionError: it is no schema, or too large or too deep once its references are written out.
    """
    narrowing = _Narrowing(schema)
    narrowed = narrowing.write({"type": "object", **schema}, frozenset(), 0)
    lost = ", ".join(sorted(narrowing.lost))
    return narrowed, (Loss(LossCode.KEYWORDS, lost),) if lost else ()


class _Narrowing:
    """One schema on its way: the root that references are looked up in, and the keywords lost so far."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.lost: set[str] = set()
        self._written = 0

    def lose(self, keyword: str) -> None:
        self.lost.add(keyword)

    def write(self, schema: Any, trail: frozenset[str], depth: int) -> dict[str, Any]:
        """Return one schema; ``trail`` is the references that led here."""
        self._count(depth)
        if isinstance(schema, bool):
            if not schema:
                self.lose("false")
            return {}
        flat, trail = self._flat(schema, trail, 0)
        noted = self._noted(flat)
        alternatives = self._alternatives(flat, trail)
        if alternatives is None:
            return {**self._plain(flat, trail, depth), **noted}
        branches, nullable, trails = alternatives
        each = (
            self.write(branch, walked, depth + 1) for branch, walked in zip(branches, trails, strict=True)
        )
        written = list({json_text(one): one for one in each}.values())
        narrowed: dict[str, Any] = {"anyOf": written} if len(written) > 1 else dict(*written)
        if nullable:
            narrowed.update({"nullable": True} if written else {"type": "NULL"})
        return {**narrowed, **noted}

    def _both(self, one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
        self._count(0, width(one) + width(other))
        return both(one, other, self.lose)

    def _count(self, depth: int, work: int = 1) -> None:
        self._written += work
        if self._written > MAX_SCHEMA_NODES:
            raise ConversionError(f"its references write out to more than {MAX_SCHEMA_NODES} words")
        if depth > MAX_DEPTH:
            raise ConversionError(f"its references write out to more than {MAX_DEPTH} levels")

    def _flat(self, schema: Any, trail: frozenset[str], depth: int) -> tuple[dict[str, Any], frozenset[str]]:
        """Return a schema with its reference and its ``allOf`` written out, and the longer trail."""
        self._count(depth)
        if not isinstance(schema, dict):
            raise ConversionError(f"a schema stands as {a_type(schema)}")
        flat = {key: item for key, item in schema.items() if key not in {"$ref", "allOf"}}
        if "$ref" in schema:
            found = self._followed(schema["$ref"], trail)
            if isinstance(found, dict):
                trail = trail | {str(schema["$ref"])}
                inner, trail = self._flat(found, trail, depth + 1)
                flat = self._both(flat, inner)
        for part in _list(schema.get("allOf", []), "allOf"):
            if isinstance(part, bool):
                if not part:
                    self.lose("false")
                continue
            inner, trail = self._flat(part, trail, depth + 1)
            flat = self._both(flat, inner)
        return flat, trail

    def _followed(self, reference: Any, trail: frozenset[str]) -> Any:
        found = pointed_at(self.root, reference)
        if found is not None and not isinstance(found, bool) and reference not in trail:
            return found
        if found is not True:
            self.lose("$ref")
        # A recursion ends in the bare type, which is still more than nothing.
        kind = found.get("type") if isinstance(found, dict) else None
        return {"type": kind} if isinstance(kind, str) else None

    def _alternatives(
        self, flat: dict[str, Any], trail: frozenset[str]
    ) -> tuple[list[dict[str, Any]], bool, list[frozenset[str]]] | None:
        """Return the branches that a schema comes apart into, each a whole; ``None`` if it does not."""
        types = flat.get("type")
        if "oneOf" in flat:
            self.lose("oneOf")
        key = "anyOf" if "anyOf" in flat else "oneOf"
        if key in flat:
            base = {k: v for k, v in flat.items() if k not in {"anyOf", "oneOf", *_NOTED}}
            branches, trails = [], []
            for branch in _list(flat[key], key):
                inner, walked = self._flat({} if branch is True else branch, trail, 0)
                branches.append(self._both(base, inner))
                trails.append(walked)
        elif isinstance(types, list):
            base = {k: v for k, v in flat.items() if k not in _NOTED}
            self._count(0, len(types) * len(base))
            branches = [{**base, "type": kind} for kind in types]
            trails = [trail] * len(branches)
        else:
            return None
        null = [self._is_null(branch) for branch in branches]
        kept = [
            pair
            for pair, is_null in zip(zip(branches, trails, strict=True), null, strict=True)
            if not is_null
        ]
        return [branch for branch, _ in kept], any(null), [walked for _, walked in kept]

    def _is_null(self, branch: dict[str, Any]) -> bool:
        """Say whether a branch is the null alone, which becomes a word beside the others."""
        values = [branch["const"]] if "const" in branch else branch.get("enum")
        if branch.get("type") == "null":
            if isinstance(values, list) and None not in values:
                self.lose("enum")  # nothing can be null and one of these: a branch that takes nothing
            return True
        return values == [None] and "type" not in branch

    def _plain(self, flat: dict[str, Any], trail: frozenset[str], depth: int) -> dict[str, Any]:
        kind = flat.get("type") or self._inferred(flat)
        if kind is None:
            self._lose_the_rest(flat, ())
            return {}
        if not isinstance(kind, str) or kind not in TYPES:
            raise ConversionError(f"{kind!r} is no type of JSON Schema")
        narrowed: dict[str, Any] = {"type": TYPES[kind]}
        known: tuple[str, ...] = ()
        if kind == "object":
            known = write_object(flat, narrowed, self.lose, lambda s: self.write(s, trail, depth + 1))
        elif kind == "array":
            known = write_array(flat, narrowed, self.lose, lambda s: self.write(s, trail, depth + 1))
        elif kind == "string":
            known = write_text(flat, narrowed, self.lose)
        elif kind in {"number", "integer"}:
            known = write_number(flat, narrowed, self.lose)
        self._lose_the_rest(flat, known)
        return narrowed

    def _inferred(self, flat: dict[str, Any]) -> str | None:
        values = [flat["const"]] if "const" in flat else flat.get("enum")
        if isinstance(values, list) and values:
            kinds = {_type_of(value) for value in values}
            return kinds.pop() if len(kinds) == 1 else None
        for kind, hints in _HINTS.items():
            if any(hint in flat for hint in hints):
                self.lose("type")  # without a type the keywords bind values of their own type alone
                return kind
        return None

    def _lose_the_rest(self, flat: dict[str, Any], known: tuple[str, ...]) -> None:
        for key in flat:
            if key not in known and key not in _SILENT and key not in _NOTED and key != "type":
                self.lose(key)

    def _noted(self, flat: dict[str, Any]) -> dict[str, Any]:
        noted = {key: flat[key] for key in ("description", "title") if isinstance(flat.get(key), str)}
        if "default" in flat:
            noted["default"] = flat["default"]
        examples = flat.get("examples")
        if isinstance(examples, list) and examples:
            noted["example"] = examples[0]
            if len(examples) > 1:
                self.lose("examples")
        return noted


def _type_of(value: Any) -> str | None:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
    return "array" if isinstance(value, list) else "object"


def _list(value: Any, keyword: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise ConversionError(f"{keyword!r} of its schema must be a list")
