"""What all tool declarations share, and results in part: reading keys, with one sentence for each breach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ..errors import InvalidShapeError
from ..exact_json import exact_json
from ..limits import too_large

if TYPE_CHECKING:
    from collections.abc import Mapping


def required_name(format_id: str, value: Mapping[str, Any]) -> str:
    """Return the tool's name; raise `InvalidShapeError` if it is missing, empty, or no string."""
    name = value.get("name")
    if isinstance(name, str) and name:
        return name
    raise InvalidShapeError(format_id, "'name' must be a string that is not empty")


def optional_text(format_id: str, value: Mapping[str, Any], key: str) -> str | None:
    """Return a text that may be missing or null; raise `InvalidShapeError` if it is something else."""
    text = value.get(key)
    if text is None or isinstance(text, str):
        return text
    raise breach(format_id, value, f"{key!r} must be a string, and is of type {type(text).__name__}")


def optional_object(format_id: str, value: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """Return a copy of an object that may be missing or null; else raise `InvalidShapeError`."""
    found = value.get(key)
    if found is None:
        return None
    if not isinstance(found, dict):
        raise breach(format_id, value, f"{key!r} must be an object, and is of type {type(found).__name__}")
    try:
        copy: dict[str, Any] = exact_json(found, what=key)
    except JsonValueError as error:
        raise breach(format_id, value, str(error)) from error
    excess = too_large(copy)
    if excess is not None:
        raise breach(format_id, value, f"{key!r} {excess}")
    return copy


def optional_flag(format_id: str, value: Mapping[str, Any], key: str) -> bool | None:
    """Return a flag that may be missing or null, which both say nothing; else raise `InvalidShapeError`."""
    flag = value.get(key)
    if flag is None or isinstance(flag, bool):
        return flag
    raise breach(format_id, value, f"{key!r} must be true or false, and is of type {type(flag).__name__}")


def result_flag(format_id: str, value: Mapping[str, Any], key: str) -> bool | None:
    """Return a result's flag that may be missing or null, which both say nothing; else raise."""
    flag = value.get(key)
    if flag is None or isinstance(flag, bool):
        return flag
    raise InvalidShapeError(format_id, f"{key!r} must be true or false, and is of type {type(flag).__name__}")


def breach(format_id: str, value: Mapping[str, Any], problem: str) -> InvalidShapeError:
    """Return the error for a declaration that breaks its format, with the tool's name."""
    return InvalidShapeError(format_id, f"tool {value.get('name')!r}: {problem}")
