"""What a broken rule means, in words that whoever wrote the arguments can act on. A table, by keyword.

The model reads these: each names the argument, what is expected there, and what was found. The library's
own words are not used, for they hold whole arguments and whole schemas, however large those are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.threads import import_apart
from .abbreviation import (
    KINDS,
    MOST_NAMES,
    cut,
    names_in_short,
    path_in_short,
    types_in_short,
    value_in_short,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .engine import Fault

MOST_CHARS: Final = 300
"""Characters of one sentence."""

_MOST_INNER: Final = 3
_MOST_PATTERN_CHARS: Final = 120
_MOST_OPTIONS_CHARS: Final = 180

Schema = dict[str, Any]


def words_for(fault: Fault, schema: Schema) -> str:
    """Return a sentence without an end.

    Args:
        fault: what is wrong.
        schema: the whole schema, to look up what stands beside the broken rule.
    """
    return cut(_WORDS.get(fault.kind.name, _any_other)(fault, schema), MOST_CHARS)


def is_doubtful(fault: Fault) -> bool:
    """Whether the library gave up, in this rule or in one that it hangs on, instead of finding a breach."""
    if type(fault.kind).__name__ in {"BacktrackLimitExceeded", "RegexEngineFailure"}:
        return True
    inner = _fact(fault, "error")
    if hasattr(inner, "kind"):
        return is_doubtful(inner)
    return any(is_doubtful(each) for branch in _branches(fault) for each in branch)


def _place(steps: Sequence[str | int], *also: str) -> str:
    """An argument's name as the model knows it: ``'edits[3].line'``."""
    path = path_in_short((*steps, *also)).removeprefix("$").removeprefix(".")
    return f"'{path}'" if path else "the arguments as a whole"


def _inside(steps: Sequence[str | int]) -> str:
    return f" in {_place(steps)}" if steps else ""


def _owner(fault: Fault, schema: Schema) -> Schema:
    """The schema that the broken rule stands in, or an empty one if it cannot be found."""
    found: Any = schema
    for step in list(fault.schema_path)[:-1]:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return found if isinstance(found, dict) else {}


def _properties(fault: Fault, schema: Schema) -> Schema:
    properties = _owner(fault, schema).get("properties")
    return properties if isinstance(properties, dict) else {}


def _fact(fault: Fault, name: str) -> Any:
    """What the fault says under a name; each kind of fault has names of its own."""
    return getattr(fault.kind, name, None)


def _facts(fault: Fault, name: str) -> list[Any]:
    return list(_fact(fault, name) or ())


def _expected(schema: Any) -> str:
    """The type that a schema asks for, in brackets; nothing if that is not plain."""
    stated = schema.get("type") if isinstance(schema, dict) else None
    types = [stated] if isinstance(stated, str) else stated
    if isinstance(types, list) and types and all(each in KINDS for each in types):
        return f" ({types_in_short(types)})"
    return ""


# -- The words


def _says(words: str) -> Callable[[Fault, Schema], str]:
    """A sentence about the place, with what was found, and the limit if there is one."""

    def say(fault: Fault, _: Schema) -> str:
        limit = _fact(fault, "limit") if _fact(fault, "limit") is not None else _fact(fault, "multiple_of")
        has = len(fault.instance) if isinstance(fault.instance, str | list | dict) else 0
        found = value_in_short(fault.instance)
        said = words.format(limit=value_in_short(limit), found=found, has=has)
        return f"{_place(fault.instance_path)} {said}"

    return say


def _type(fault: Fault, _: Schema) -> str:
    wanted, found = types_in_short(_facts(fault, "types")), value_in_short(fault.instance)
    return f"{_place(fault.instance_path)} has to be {wanted}, and is {found}"


def _required(fault: Fault, schema: Schema) -> str:
    name = str(_fact(fault, "property"))
    asked = _expected(_properties(fault, schema).get(name))
    return f"{_place(fault.instance_path, name)}{asked} is missing"


def _unexpected(fault: Fault, schema: Schema) -> str:
    import_apart("difflib")
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    names = [str(each) for each in _facts(fault, "unexpected")]
    known = list(_properties(fault, schema))
    said = f"there is no {names_in_short(names)}{_inside(fault.instance_path)}"
    near = get_close_matches(names[0], known, n=1) if names else []
    if near:
        return f"{said}; did you mean '{near[0]}'?"
    return f"{said}; there are: {names_in_short(known)}" if known else said


def _enum(fault: Fault, _: Schema) -> str:
    options = _facts(fault, "options")
    shown = cut(", ".join(value_in_short(each) for each in options[:MOST_NAMES]), _MOST_OPTIONS_CHARS)
    more = f" or one of {len(options) - MOST_NAMES} more" if len(options) > MOST_NAMES else ""
    found = value_in_short(fault.instance)
    return f"{_place(fault.instance_path)} has to be one of {shown}{more}, and is {found}"


def _const(fault: Fault, _: Schema) -> str:
    expected, found = value_in_short(_fact(fault, "expected_value")), value_in_short(fault.instance)
    return f"{_place(fault.instance_path)} has to be {expected}, and is {found}"


def _pattern(fault: Fault, _: Schema) -> str:
    pattern = cut(str(_fact(fault, "pattern")), _MOST_PATTERN_CHARS)
    return f"{_place(fault.instance_path)} has to match {pattern}, and is {value_in_short(fault.instance)}"


def _contains(fault: Fault, schema: Schema) -> str:
    owner = _owner(fault, schema)
    least, most = owner.get("minContains", 1), owner.get("maxContains")
    bounds = f"at least {least}" if most is None else f"at least {least} and at most {most}"
    asked = _expected(owner.get("contains"))
    return f"{_place(fault.instance_path)} has to have {bounds} of the items that its schema asks for{asked}"


def _name(fault: Fault, schema: Schema) -> str:
    inner = _fact(fault, "error")
    said = "" if inner is None else f" ({words_for(inner, schema)})"
    name = "one of the names" if inner is None else value_in_short(inner.instance)
    return f"{name} is no name that is allowed{_inside(fault.instance_path)}{said}"


def _alternatives(fault: Fault, schema: Schema) -> str:
    """The types that would do, if types are all that is wrong; else what the nearest alternative says."""
    place, found = _place(fault.instance_path), value_in_short(fault.instance)
    branches = _branches(fault)
    if not all(branches):
        return f"{place} fits more than one of the alternatives, and has to fit exactly one"
    depth = len(fault.instance_path)
    every = [each for branch in branches for each in branch]
    if all(each.kind.name == "type" and len(each.instance_path) == depth for each in every):
        types = [kind for each in every for kind in _facts(each, "types")]
        return f"{place} has to be {types_in_short(types)}, and is {found}"
    nearest = min(branches, key=lambda branch: _distance(branch, depth))
    said = "; ".join(dict.fromkeys(words_for(each, schema) for each in nearest[:_MOST_INNER]))
    return f"{place} fits none of the {len(branches)} alternatives; of the nearest one: {said}"


def _branches(fault: Fault) -> list[list[Fault]]:
    return [list(branch) for branch in _facts(fault, "context")]


def _distance(branch: Sequence[Fault], depth: int) -> tuple[int, int]:
    """How far an alternative is from what was meant: another kind of value, another tag, or only wrong inside."""
    here = [each.kind.name for each in branch if len(each.instance_path) == depth]
    tags = [each for each in branch if each.kind.name == "const" and len(each.instance_path) == depth + 1]
    return (3 if "type" in here else 2 if tags else 1 if here else 0), len(branch)


def _any_other(fault: Fault, _: Schema) -> str:
    return f"{_place(fault.instance_path)} breaks the rule '{cut(fault.kind.name, 40)}' of the schema"


_WORDS: Final[dict[str, Callable[[Fault, Schema], str]]] = {
    "type": _type,
    "required": _required,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
    "enum": _enum,
    "const": _const,
    "minimum": _says("has to be at least {limit}, and is {found}"),
    "maximum": _says("has to be at most {limit}, and is {found}"),
    "exclusiveMinimum": _says("has to be more than {limit}, and is {found}"),
    "exclusiveMaximum": _says("has to be less than {limit}, and is {found}"),
    "multipleOf": _says("has to be a multiple of {limit}, and is {found}"),
    "minLength": _says("has to have at least {limit} characters, and has {has}"),
    "maxLength": _says("has to have at most {limit} characters, and has {has}"),
    "minItems": _says("has to have at least {limit} items, and has {has}"),
    "maxItems": _says("has to have at most {limit} items, and has {has}"),
    "minProperties": _says("has to have at least {limit} members, and has {has}"),
    "maxProperties": _says("has to have at most {limit} members, and has {has}"),
    "additionalItems": _says("has to have at most {limit} items, and has {has}"),
    "unevaluatedItems": _says("has items that are not expected"),
    "uniqueItems": _says("has the same item more than once"),
    "pattern": _pattern,
    "not": _says("is {found}, which is ruled out"),
    "contains": _contains,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "propertyNames": _name,
    "falseSchema": _says("must not be given"),
}
