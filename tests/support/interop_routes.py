"""Every way there is between the built-in formats: what can be written, recorded values, generated values.

Nothing here names a format: what is built in is asked for, so that a new format is held to every law
on the day it is contributed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import Converted, ToolInteropTarget
from callboard.interop.errors import ConversionError, InteropError
from callboard.interop.format_ids import canonical_format
from callboard.interop.formats.built_in import BUILT_IN
from hypothesis import strategies as st
from interop_corpus import RECORDS, Record
from interop_wire import calls, results, schemas
from json_schemas import declarations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callboard.interop.errors import Kind

KINDS: tuple[Kind, ...] = ("schema", "call", "result")

WRITABLE: dict[Kind, tuple[str, ...]] = {
    "schema": tuple(dict.fromkeys(adapter.target for adapter in BUILT_IN.schema_adapters)),
    "call": tuple(dict.fromkeys(adapter.target for adapter in BUILT_IN.call_adapters)),
    "result": tuple(dict.fromkeys(adapter.target for adapter in BUILT_IN.result_adapters)),
}
"""The formats that can be written, by kind of value."""

ANSWERED = {"id": "call_9", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
"""The call that a result answers which does not say what it answers."""

_INSPECT = {
    "schema": REGISTRY.inspect_schema,
    "call": REGISTRY.inspect_call,
    "result": REGISTRY.inspect_result,
}


def inspect(kind: Kind, value: Any, format_id: str | None = None) -> Any:
    """Return what a value means, read as ``format_id`` if that is given."""
    return _INSPECT[kind](value, format_id)


def convert(kind: Kind, value: Any, target: str, source: str | None = None) -> Converted:
    """Return one value in one format; a call without an id stands first in a transcript."""
    to, formats = ToolInteropTarget(target), [target]
    if kind == "schema":
        return REGISTRY.convert_schema(value, to, formats, source_format=source)
    if kind == "call":
        return REGISTRY.convert_tool_call(value, to, formats, source_format=source, turn=1)
    meaning = inspect(kind, value, source)
    asked = None if meaning.call_id and meaning.tool_name else answered(meaning.call_id)
    return REGISTRY.convert_result(value, to, formats, source_format=source, call=asked)


def answered(call_id: str | None) -> dict[str, Any]:
    """Return the call that a result of ``call_id`` answers."""
    return {**ANSWERED, "id": call_id or ANSWERED["id"]}


def attempt(kind: Kind, value: Any, target: str, source: str | None = None) -> Converted | None:
    """Return one value in one format, or ``None`` if the format cannot say it."""
    try:
        return convert(kind, value, target, source)
    except ConversionError:
        return None


def format_of(kind: Kind, value: Any) -> str:
    """Return the id of the format that claims a value."""
    return canonical_format(kind, inspect(kind, value).format)


def readable_records(kind: Kind) -> Iterator[tuple[str, Record]]:
    """Yield the recorded values of a kind that are read, each with a name for it."""
    for number, record in enumerate(RECORDS):
        if record.kind == kind and _is_read(record):
            yield f"{record.format}-{number}", record


def _is_read(record: Record) -> bool:
    try:
        inspect(record.kind, record.value)
    except InteropError:
        return False
    return True


_BASES = {"schema": schemas | declarations, "call": calls, "result": results}


@st.composite
def generated(draw: st.DrawFn, kind: Kind) -> Any:
    """A value of a kind in any built-in format: made in one of them, and carried over or left."""
    value = draw(_BASES[kind])
    target = draw(st.sampled_from((None, *WRITABLE[kind])))
    converted = None if target is None else attempt(kind, value, target)
    return value if converted is None else converted.value
