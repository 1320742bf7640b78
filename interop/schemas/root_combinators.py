"""``anyOf``, ``oneOf`` and ``allOf`` at the root of a schema, for providers that refuse them there.

What comes out accepts all arguments that the source accepted, and more: the branches' properties stand
side by side, and only what every branch requires stays required. That is declared. A combinator below
the root is nobody's problem and stays.

A property that one branch describes is anything at all in a branch that does not forbid it. It is then
written as ``anyOf`` of the description and ``{}``: that binds nobody, and the model still reads what the
property is for.
"""

from __future__ import annotations

from typing import Any, Final

from ..conversion import Loss, LossCode
from ..errors import ConversionError
from ..exact_json import json_text
from ..limits import MAX_SCHEMA_NODES, width
from .references import resolve

COMBINATORS: Final = ("anyOf", "oneOf", "allOf")


def without_root_combinators(schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return a schema whose root is a plain object, wider than ``schema`` or as wide, and what was lost.

    A branch that is no object of properties (or a reference that leads nowhere) adds nothing.

    Raises:
        ConversionError: the branches are, with their references, too many to write out.
    """
    found = [key for key in COMBINATORS if key in schema]
    if not found:
        return schema, ()
    root = {key: item for key, item in schema.items() if key not in COMBINATORS}
    own = _object(root.get("properties"))
    said: dict[str, list[Any]] = {}
    required = dict.fromkeys(_strings(root.get("required")))
    left = MAX_SCHEMA_NODES
    for key in found:
        branches = [resolve(schema, branch) for branch in _list(schema[key])]
        left = _spend(left, sum(map(width, branches)))
        names = dict.fromkeys(name for branch in branches for name in _object(branch.get("properties")))
        left = _spend(left, len(names) * len(branches))
        for name in names:
            if name not in own:
                said.setdefault(name, []).extend(_words_on(name, branches, every=key == "allOf"))
        required.update(dict.fromkeys(_required_by(branches, every=key == "allOf")))
    root["properties"] = {**own, **{name: _any_of(variants) for name, variants in said.items()}}
    if required:
        root["required"] = list(required)
    if root.get("additionalProperties") is False and said:
        del root["additionalProperties"]
    return root, (Loss(LossCode.ROOT_COMBINATORS, ", ".join(found)),)


def _spend(left: int, work: int) -> int:
    if work > left:
        raise ConversionError(f"the alternatives at its root say more than {MAX_SCHEMA_NODES} things")
    return left - work


def _words_on(name: str, branches: list[dict[str, Any]], *, every: bool) -> list[Any]:
    """Return what branches say of a property; ``every`` if all of them hold at once."""
    words: list[Any] = []
    for branch in branches:
        properties = _object(branch.get("properties"))
        if name in properties:
            words.append(properties[name])
        elif not every and not _is_closed(branch):
            words.append({})
    return words


def _is_closed(branch: dict[str, Any]) -> bool:
    return branch.get("additionalProperties") is False and "patternProperties" not in branch


def _required_by(branches: list[dict[str, Any]], *, every: bool) -> list[str]:
    asked = [set(_strings(branch.get("required"))) for branch in branches]
    if not asked:
        return []
    return sorted(set.union(*asked) if every else set.intersection(*asked))


def _any_of(variants: list[Any]) -> Any:
    # Branches that share a definition are one object: its text is made once.
    once = {id(variant): variant for variant in variants}
    different = {json_text(variant): variant for variant in once.values()}
    return variants[0] if len(different) == 1 else {"anyOf": list(different.values())}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]
