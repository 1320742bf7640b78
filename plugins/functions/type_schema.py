"""From a type hint to a JSON Schema (2020-12), and from the JSON that it describes to a value of that type. Pure.

A small subset, and honest: a hint that it cannot say exactly is refused, never said roughly.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Json = dict[str, Any]


class Unsayable(Exception):
    """A hint is beyond the subset.

    Attributes:
        hint: that one, or the part of it.
    """

    def __init__(self, hint: Any) -> None:
        super().__init__(f"{hint!r:.200}")
        self.hint = hint


class Typed(NamedTuple):
    """What a hint comes to.

    Attributes:
        schema: the JSON that fits it.
        read: makes a value of the type of such JSON; ``None`` where that is the JSON itself.
    """

    schema: Json
    read: Callable[[Any], Any] | None = None


_PLAIN: tuple[tuple[Any, str], ...] = (
    (str, "string"), (int, "integer"), (float, "number"), (bool, "boolean"), (None, "null"), (types.NoneType, "null"),
)  # fmt: skip


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value


def _fraction(value: Any) -> Any:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all fractions
        return value


_NONE = (None, types.NoneType)

_NUMBERS: dict[Any, Callable[[Any], Any]] = {int: _whole, float: _fraction}
"""JSON knows one kind of number: 3.0 is a whole one, and 3 a fraction."""

_NO_DEFAULT = dataclasses.MISSING

# Those of Python 3.12 and 3.13.
_NAMED: Any = getattr(typing, "TypeAliasType", ())
_READ_ONLY: Any = getattr(typing, "ReadOnly", None)


def typed(hint: Any) -> Typed:
    """Say what a hint is.

    Raises:
        Unsayable: the subset has no words for it.
    """
    if hint is Any or hint is object:
        return Typed({})
    if isinstance(hint, _NAMED):
        return typed(hint.__value__)
    origin = hint if hint in (list, dict) else get_origin(hint)
    if origin is not None:
        say = _GENERIC.get(origin)
        if say is None:
            raise Unsayable(hint)
        return say(hint, *get_args(hint))
    plain = next((name for kind, name in _PLAIN if hint is kind), None)
    if plain is not None:
        return Typed({"type": plain}, _NUMBERS.get(hint))
    of_class = next((say for is_kind, say in _CLASSES if is_kind(hint)), None)
    if of_class is None:
        raise Unsayable(hint)
    return of_class(hint)


def _annotated(hint: Any, inner: Any, *notes: Any) -> Typed:
    found = typed(inner)
    for note in notes:
        if not isinstance(note, str):  # a constraint of some library: to leave it out would be to lie
            raise Unsayable(hint)
        found = found._replace(schema={**found.schema, "description": note})
    return found


def _literal(hint: Any, *values: Any) -> Typed:
    if not all(value is None or type(value) in {str, int, bool} for value in values):
        raise Unsayable(hint)
    return Typed({"enum": list(values)})


def _union(hint: Any, *members: Any) -> Typed:
    found = [typed(member) for member in members]
    if sum(member not in _NONE for member in members) > 1:  # of several a number stays as it came
        found = [Typed(each.schema, None if each.read in _NUMBERS.values() else each.read) for each in found]
    reads = [each.read for each in found if each.read is not None]
    if not reads:
        return Typed({"anyOf": [each.schema for each in found]})
    if len(members) > 2 or types.NoneType not in members:  # noqa: PLR2004 - one, or `None`
        raise Unsayable(hint)  # for which of them a value was meant cannot be told
    (read,) = reads
    return Typed(
        {"anyOf": [each.schema for each in found]}, lambda value: None if value is None else read(value)
    )


def _list(_: Any, item: Any = Any) -> Typed:
    schema, read = typed(item)
    whole = {"type": "array", "items": schema} if schema else {"type": "array"}
    return Typed(whole, None if read is None else lambda value: [read(each) for each in value])


def _dict(hint: Any, key: Any = str, item: Any = Any) -> Typed:
    if key is not str:
        raise Unsayable(hint)
    schema, read = typed(item)
    whole = {"type": "object", "additionalProperties": schema} if schema else {"type": "object"}
    return Typed(
        whole, None if read is None else lambda value: {name: read(each) for name, each in value.items()}
    )


def _enum(kind: type[Enum]) -> Typed:
    values = [member.value for member in kind]
    if not values or not all(type(value) in {str, int, bool} for value in values):
        raise Unsayable(kind)
    return Typed({"enum": values}, kind)


def _typed_dict(kind: Any) -> Typed:
    hints = get_type_hints(kind, include_extras=True)
    fields: dict[str, Typed] = {}
    required: list[str] = []
    for name, hint in hints.items():
        # The class itself does not see the mark in an annotation that is a text.
        is_required, inner = _unmarked(hint, name in kind.__required_keys__)
        fields[name] = typed(inner)
        if is_required:
            required.append(name)
    return _object(fields, required, dict)


def _unmarked(hint: Any, is_required: bool) -> tuple[bool, Any]:
    while (mark := get_origin(hint)) in (Required, NotRequired, _READ_ONLY) and mark is not None:
        if mark is not _READ_ONLY:
            is_required = mark is Required
        (hint,) = get_args(hint)
    return is_required, hint


def _dataclass(kind: Any) -> Typed:
    made = [each for each in dataclasses.fields(kind) if each.init]
    hints = get_type_hints(kind, include_extras=True)
    required = [
        each.name for each in made if each.default is _NO_DEFAULT and each.default_factory is _NO_DEFAULT
    ]
    return _object({each.name: typed(hints[each.name]) for each in made}, required, kind)


_GENERIC: dict[Any, Callable[..., Typed]] = {
    Annotated: _annotated, Literal: _literal, Union: _union, types.UnionType: _union,
    list: _list, Sequence: _list, dict: _dict, Mapping: _dict,
}  # fmt: skip

_CLASSES: tuple[tuple[Callable[[Any], bool], Callable[[Any], Typed]], ...] = (
    (is_typeddict, _typed_dict),
    (lambda hint: isinstance(hint, type) and issubclass(hint, Enum), _enum),
    (lambda hint: isinstance(hint, type) and dataclasses.is_dataclass(hint), _dataclass),
)


def _object(fields: dict[str, Typed], required: list[str], make: Callable[..., Any]) -> Typed:
    schema: Json = {
        "type": "object",
        "properties": {name: each.schema for name, each in fields.items()},
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required

    def read(value: Any) -> Any:
        return make(**read_fields(fields, value))

    return Typed(schema, None if make is dict and not any(each.read for each in fields.values()) else read)


def read_fields(fields: Mapping[str, Typed], values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a JSON object, each as its type."""
    return {
        name: value if name not in fields or (read := fields[name].read) is None else read(value)
        for name, value in values.items()
    }
