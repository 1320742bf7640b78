"""Calls that came to grief on their way, and say so themselves.

A call whose stream broke off may look sound: no arguments yet, or half of a raw text. It bears a mark
beside the call, under ``_metadata``, which native history keeps and a provider leaves out of what it
sends. Whoever reads a marked call through the registry finds it ``malformed``, with the mark as the
reason and what there was of the arguments as ``raw``; an accessor alone does not look at marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .arguments import MARKS, fault

if TYPE_CHECKING:
    from ..hub import InspectedCall
    from .arguments import FaultCode

METADATA: Final = "_metadata"


def marked(value: dict[str, Any], code: FaultCode, message: str) -> dict[str, Any]:
    """Return a call with the mark; the call itself stays as it is, and is shared."""
    return with_mark(value, fault(code, message))


def with_mark(value: dict[str, Any], mark: dict[str, Any]) -> dict[str, Any]:
    """Return a call with a mark that `mark_of` found on another."""
    metadata = value.get(METADATA)
    kept = metadata if isinstance(metadata, dict) else {}
    return {**value, METADATA: {**kept, "error": dict(mark)}}


def mark_of(value: Any) -> dict[str, Any] | None:
    """Return the mark of a call, ``code`` and ``message``; ``None`` if it bears none."""
    if not isinstance(value, dict) or METADATA not in value:
        return None
    match value[METADATA]:
        case {"error": {"code": str(code), "message": str(message)}} if code in MARKS:
            return {"code": code, "message": message}
    return None


def mark_kept(call: InspectedCall) -> dict[str, Any] | None:
    """Return the mark that a call has to bear in any other form: its own, or what its form says without one."""
    match call.payload_metadata.get("error"):
        case {"code": str(code), "message": str(message)} if code in MARKS:
            return {"code": code, "message": message}
    return None


def unmarked(value: Any) -> Any:
    """Return the call without its mark; the very call if it bears none."""
    if mark_of(value) is None:
        return value
    kept = {key: item for key, item in value[METADATA].items() if key != "error"}
    bare = {key: item for key, item in value.items() if key != METADATA}
    return {**bare, METADATA: kept} if kept else bare


def as_marked(call: InspectedCall, value: Any) -> InspectedCall:
    """Return what a call means once its mark is read; the same if it bears none."""
    mark = mark_of(value)
    if mark is None:
        return call
    metadata = {**call.payload_metadata, "error": mark}
    extras = {key: item for key, item in metadata.pop("extras", {}).items() if key != METADATA}
    if extras:
        metadata["extras"] = extras
    return call._replace(
        payload=None, payload_kind="malformed", payload_format=None, payload_metadata=metadata
    )
