"""Results of ``tools/call`` as JSON, drawn from the official types: each field of each model, there or not."""

from __future__ import annotations

import types as python_types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import mcp_types as types
from hypothesis import strategies as st
from pydantic import AnyUrl, BaseModel

_LONG = st.integers(-(10**400), 10**400) | st.integers(2**53, 2**70)
_NUMBERS = st.integers(-9, 9) | _LONG | st.floats(allow_nan=False, allow_infinity=False) | st.just(-0.0)
_SCALARS = st.none() | st.booleans() | _NUMBERS | st.text(max_size=5)

JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=3)
_BASE64 = st.sampled_from(["", "AA==", "AAAA"])
_URIS = st.sampled_from(["file:///a", "note://one", "https://example.org/?a=%20#b"])


def drawn(model: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    """JSON objects that the model takes."""
    needed: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in model.model_fields.items():
        values = _FIELDS[name] if name in _FIELDS else _of(field.annotation)
        (needed if field.is_required() or name == "type" else optional)[field.alias or name] = values
    return st.fixed_dictionaries(needed, optional=optional)


def _of(annotation: Any) -> st.SearchStrategy[Any]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of(inner[0])
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is Union or isinstance(annotation, python_types.UnionType):
        return st.one_of([_of(each) for each in inner if each is not type(None)])
    if origin is list:
        return st.lists(_of(inner[0]), max_size=2)
    if origin is dict:
        return OBJECTS
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return drawn(annotation)
    return _PLAIN[annotation]


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=5),
    int: st.integers(0, 9),
    float: st.floats(0, 1),
    bool: st.booleans(),
    Any: JSON,
    AnyUrl: _URIS,
}
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "data": _BASE64,
    "blob": _BASE64,
    "uri": _URIS,
    "priority": st.sampled_from([0, 1, 0.5, 1.0]),
    "result_type": st.just("complete"),
}

RESULTS = drawn(types.CallToolResult)
