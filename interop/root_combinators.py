"""``anyOf``, ``oneOf`` and ``allOf`` at the root of a schema, for providers that refuse them there.

What comes out accepts all arguments that the source accepted, and more: the branches' properties stand
side by side, and only what every branch requires stays required. That is declared. A combinator below
the root is nobody's problem and stays.
"""

from __future__ import annotations

from typing import Any, Final

from .conversion import Loss, LossCode
from .json_copy import json_text
from .schema_refs import resolve

COMBINATORS: Final = ("anyOf", "oneOf", "allOf")


def without_root_combinators(schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Return a schema whose root is a plain object, wider than ``schema`` or as wide, and what was lost.

    A branch that is no object of properties (or a reference that leads nowhere) adds nothing.
    """
    found = [key for key in COMBINATORS if key in schema]
    if not found:
        return schema, ()
    root = {key: item for key, item in schema.items() if key not in COMBINATORS}
    properties: dict[str, list[Any]] = {
        name: [said] for name, said in _object(root.get("properties")).items()
    }
    required = dict.fromkeys(_strings(root.get("required")))
    for key in found:
        branches = [resolve(schema, branch) for branch in _list(schema[key])]
        for branch in branches:
            for name, said in _object(branch.get("properties")).items():
                if name not in _object(root.get("properties")):
                    properties.setdefault(name, []).append(said)
        asked = [set(_strings(branch.get("required"))) for branch in branches]
        if asked:
            of_all = set.union(*asked) if key == "allOf" else set.intersection(*asked)
            required.update(dict.fromkeys(sorted(of_all)))
    root["properties"] = {name: _any_of(said) for name, said in properties.items()}
    if required:
        root["required"] = list(required)
    if root.get("additionalProperties") is False and len(properties) > len(_object(schema.get("properties"))):
        del root["additionalProperties"]
    return root, (Loss(LossCode.ROOT_COMBINATORS, ", ".join(found)),)


def _any_of(variants: list[Any]) -> Any:
    different = {json_text(variant): variant for variant in variants}
    return variants[0] if len(different) == 1 else {"anyOf": list(different.values())}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]
