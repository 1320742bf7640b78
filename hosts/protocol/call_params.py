"""What a host is sent of a call beside its arguments. Pure.

Version 1 of the protocol knows arguments, and they are an object. A host with the feature ``payload`` takes any payload,
and all that is known of the call. Of a call with plain arguments, which is nearly every call, it is only sent what its
plugin says that it wants: the call as it came has the same arguments in it once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ...plugins.contract.invocation import Invocation

Json = dict[str, Any]

OBJECTS: Final = frozenset({"object", None})
"""The kinds of payload that are arguments."""

FACTS: Final = ("payload_format", "payload_metadata", "tool_call", "tool_schema")
"""What is known of a call, by its name on the wire and in an `Invocation`."""

ALL_FACTS: Final = frozenset(FACTS)

_NOTHING: Final[frozenset[str]] = frozenset()


def add_facts(
    params: Json, invocation: Invocation, prepared: Json | None, wants: frozenset[str] = _NOTHING
) -> None:
    """Make version 1 params of a call those of a host with more features.

    Args:
        params: with the payload as ``arguments``; changed in place.
        invocation: the call.
        prepared: what the plugin has prepared, if it has.
        wants: which of the facts the plugin asks for.
    """
    if invocation.payload_kind not in OBJECTS:
        params["payload"] = params.pop("arguments")
        params["payload_kind"] = invocation.payload_kind
        _add(params, invocation, FACTS)
    elif wants:
        _add(params, invocation, [fact for fact in FACTS if fact in wants])
    if prepared:
        params["prepared"] = prepared


def _add(params: Json, invocation: Invocation, facts: tuple[str, ...] | list[str]) -> None:
    for fact in facts:
        value = getattr(invocation, fact)
        if value is not None:
            params[fact] = value
