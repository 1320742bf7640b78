"""The schemas that a JSON Schema can apply, and which leads to which: references followed, all of them local.

A reference that leads out of the schema is never fetched, whatever it says: who wrote the schema would
choose what this process connects to. Nor is a schema with an address of its own in its midst taken
apart, for references mean another thing inside of it; nobody writes such tool schemas by hand.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urljoin

from ..errors import UncheckableSchemaError

MAX_SUBSCHEMAS: Final = 10_000
"""Schemas that may be reached from one; the largest in use have some hundreds."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_AGAIN: Final = 3
"""How often, at most, what is looked at is asked for anew where it matters; measured."""


class Node(NamedTuple):
    """A schema in the graph; others are told by their numbers.

    Attributes:
        here: applied to the same value, so many times.
        named: applied to the member of that name, or the item at that place.
        members: applied to any member.
        items: applied to any item.
        weight: what it takes to apply it once, without those that it applies: 1, and what its longest lists add.
    """

    here: list[tuple[int, int]]
    named: list[tuple[str | int, int]]
    members: list[int]
    items: list[int]
    weight: int


def graph_of(root: Schema) -> list[Node]:
    """Return the schemas that ``root`` can apply, itself first.

    Raises:
        UncheckableSchemaError: a reference leads nowhere or out of it, or there are too many of them.
    """
    return _Explorer(root).explore()


_QUICK: Final = 4
"""How many names are looked up in the time that a schema takes to be applied."""

_SLOW: Final = 8
"""How many schemas are applied in the time that one value of an option takes to be compared."""

_EXACT: Final = 1_000
"""The same for a number that is divided by a fraction, exactly."""

_ALIKE: Final = ({str}, {int, float})
"""Kinds of options that are looked up, not compared one by one."""


def _weight(schema: Schema) -> int:
    """See `Node.weight`: names are looked at one by one, and so are options unless all are plain and of one kind."""
    names = sum(
        len(schema[key]) for key in ("required", "properties") if isinstance(schema.get(key), list | dict)
    )
    for key in ("dependentRequired", "dependencies"):
        if isinstance(found := schema.get(key), dict):
            names += sum(len(each) for each in found.values() if isinstance(each, list))
    weight = 1 + names // _QUICK
    if isinstance(schema.get("multipleOf"), float):
        weight += _EXACT
    options = schema.get("enum")
    if isinstance(options, list) and not any(plain.issuperset({*map(type, options)}) for plain in _ALIKE):
        weight += _SLOW * _count(options)
    if isinstance(schema.get("const"), dict | list):
        weight += _SLOW * _count(schema["const"])
    return weight


def _count(value: Any) -> int:
    """How many values there are in one, itself included."""
    count, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if isinstance(each, dict | list):
            waiting.extend(each.values() if isinstance(each, dict) else each)
    return count


class _Explorer:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._found: list[Schema] = [root]
        self._numbers = {id(root): 0}

    def explore(self) -> list[Node]:
        nodes: list[Node] = []
        while len(nodes) < len(self._found):
            nodes.append(self._node(self._found[len(nodes)]))
            if len(self._found) > MAX_SUBSCHEMAS:
                raise UncheckableSchemaError(f"it is made of more than {MAX_SUBSCHEMAS} schemas")
        return nodes

    def _node(self, schema: Schema) -> Node:
        if schema is not self._root and _has_address(schema):
            raise UncheckableSchemaError("a schema inside of it has an address ($id) of its own")
        inside = subschemas_of(schema)
        led_to = [self._target(schema[key]) for key in _REFERENCES if key in schema]
        here = [*inside.here, *(each for each in led_to if each is not None)]
        times = _AGAIN if inside.asked_again else 1
        return Node(
            [(self._number(each), times) for each in here],
            [(name, self._number(each)) for name, each in inside.named],
            [self._number(each) for each in inside.members],
            [self._number(each) for each in inside.items],
            _weight(schema),
        )

    def _number(self, schema: Schema) -> int:
        number = self._numbers.setdefault(id(schema), len(self._found))
        if number == len(self._found):
            self._found.append(schema)
        return number

    def _target(self, reference: Any) -> Schema | None:
        """What a reference leads to; ``None`` for true and false."""
        if not isinstance(reference, str):
            raise UncheckableSchemaError("a reference in it is no text")
        fragment = self._fragment(reference)
        found = self._at(fragment) if fragment.startswith("/") or not fragment else self._anchored(fragment)
        if isinstance(found, bool):
            return None
        if not isinstance(found, dict):
            raise UncheckableSchemaError(f"its reference {reference[:80]!a} leads nowhere")
        return found

    def _fragment(self, reference: str) -> str:
        if reference.startswith("#"):
            return unquote(reference[1:])
        own = self._root.get("$id", self._root.get("id"))
        address, _, fragment = reference.partition("#")
        if isinstance(own, str) and own and urljoin(own, address) == own.partition("#")[0]:
            return unquote(fragment)
        raise UncheckableSchemaError(
            f"its reference {reference[:80]!a} leads out of it, and nothing is ever fetched"
        )

    def _at(self, pointer: str) -> Any:
        found: Any = self._root
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and key in found:
                found = found[key]
            elif isinstance(found, list) and key.isascii() and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
            if isinstance(found, dict) and found is not self._root and _has_address(found):
                raise UncheckableSchemaError("a schema inside of it has an address ($id) of its own")
        return found

    def _anchored(self, name: str) -> Any:
        """The schema of that name, wherever it stands. Two of one name are two meanings, and none is certain."""
        found = [
            each
            for each in _objects(self._root)
            if any(each.get(key) == name for key in _ANCHORS) or each.get("$id") == f"#{name}"
        ]
        if len(found) > 1:
            raise UncheckableSchemaError(f"the anchor {name[:80]!a} stands in it more than once")
        return found[0] if found else None


def _has_address(schema: Schema) -> bool:
    """Whether references in it are relative to an address of its own; ``#name`` is but an anchor."""
    return any(
        isinstance(said := schema.get(key), str)
        and not said.startswith("#")
        and (key == "$id" or "/" in said)
        for key in ("$id", "id")
    )


def _objects(value: Any) -> list[Schema]:
    found: list[Schema] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            found.append(each)
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found


_HERE_ONE: Final = ("not", "if", "then", "else")
_HERE_LIST: Final = ("allOf", "anyOf", "oneOf")
_HERE_MAP: Final = ("dependentSchemas", "dependencies")
_MEMBERS_ONE: Final = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_ITEMS_ONE: Final = ("items", "additionalItems", "contains", "unevaluatedItems")
_ITEMS_LIST: Final = ("prefixItems", "items")

_ASK_TWICE: Final = ("unevaluatedProperties", "unevaluatedItems")

Schema = dict[str, Any]


class Subschemas(NamedTuple):
    """The schemas in one schema. True and false are schemas too, and cost nothing: they are left out.

    Attributes:
        here: applied to the value itself.
        named: applied to the member of that name, or the item at that place.
        members: applied to any member.
        items: applied to any item.
        asked_again: those of ``here`` are applied more than once, to find out what they have looked at.
    """

    here: list[Schema]
    named: list[tuple[str | int, Schema]]
    members: list[Schema]
    items: list[Schema]
    asked_again: bool


def subschemas_of(schema: Schema) -> Subschemas:
    """Return the schemas that stand directly in ``schema``; what is none, though one belongs there, is passed over.

    The keywords of all dialects at once. Where dialects differ, the answer is the wider one: it may name a schema that
    a dialect would pass over, and never leaves one out. No reference is followed.
    """
    here = [found for key in _HERE_ONE if isinstance(found := schema.get(key), dict)]
    for key in _HERE_LIST:
        here += _schemas(schema.get(key))
    for key in _HERE_MAP:
        here += _schemas(_values(schema.get(key)))
    properties = schema.get("properties")
    named: list[tuple[str | int, Schema]] = []
    if isinstance(properties, dict):
        named += [(name, found) for name, found in properties.items() if isinstance(found, dict)]
    for key in _ITEMS_LIST:
        if isinstance(places := schema.get(key), list):
            named += [(place, found) for place, found in enumerate(places) if isinstance(found, dict)]
    members = [found for key in _MEMBERS_ONE if isinstance(found := schema.get(key), dict)]
    members += _schemas(_values(schema.get("patternProperties")))
    items = [found for key in _ITEMS_ONE if isinstance(found := schema.get(key), dict)]
    return Subschemas(here, named, members, items, any(key in schema for key in _ASK_TWICE))


def _schemas(found: Any) -> list[Schema]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _values(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else []
