"""Which schemas ask for anything at all of a call's arguments. Pure.

Many ask for nothing. What holds arguments to the others, `argument_check`, is imported with the first of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.threads import import_apart

if TYPE_CHECKING:
    from .argument_check import ArgumentCheck


def check_of(schema: dict[str, Any] | None) -> ArgumentCheck | None:
    """Return the check of a schema; ``None`` if there is none, or if any arguments keep it.

    Raises:
        UncheckableSchemaError: as `ArgumentCheck`.
    """
    if schema is None or _asks_nothing(schema):
        return None
    import_apart(".argument_check", __package__)
    from .argument_check import ArgumentCheck  # noqa: PLC0415 - with it comes all that reads schemas

    return ArgumentCheck(schema)


_NOTES: Final = frozenset({"$schema", "title", "description"})


def _asks_nothing(schema: dict[str, Any]) -> bool:
    rules = {key: item for key, item in schema.items() if key not in _NOTES}
    return all(
        (key == "type" and item == "object")
        or (key == "additionalProperties" and item is True)
        or (key == "properties" and item == {})
        or (key == "required" and item == [])
        for key, item in rules.items()
    )
