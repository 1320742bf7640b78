"""JSON for properties: generated values, and an equality that tells ``true`` from ``1`` and ``1.0``."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

anything = st.text(st.characters(exclude_categories=()), max_size=20)
"""Every string there is, lone surrogates too."""

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | anything
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(anything, values, max_size=4)

names = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
ids = st.from_regex(r"call_[a-zA-Z0-9]{1,20}", fullmatch=True)


def canonical(value: Any) -> str:
    """Return the one text of a JSON value: equal texts mean the same value, type for type."""
    return json.dumps(value, sort_keys=True, allow_nan=False)


def containers(value: Any) -> set[int]:
    """Return the identities of all objects and arrays in a value."""
    if isinstance(value, dict):
        return {id(value)}.union(*(containers(item) for item in value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*(containers(item) for item in value))
    return set()
