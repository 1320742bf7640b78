"""What a host is sent of a call beside its arguments. Pure.

Version 1 of the protocol knows arguments, and they are an object. A host with the feature ``payload`` takes any payload,
and all that is known of the call. Of a call with plain arguments, which is nearly every call, it is only sent what its
plugin says that it wants: the call as it came has the same arguments in it once more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...plugins.contract.invocation import Invocation

Json = dict[str, Any]

OBJECTS: Final = frozenset({"object", None})
"""The kinds of payload that are arguments."""

FACTS: Final = ("payload_format", "payload_metadata", "tool_call", "tool_schema", "key")
"""What is known of a call, by its name on the wire and in an `Invocation`."""

TRACE: Final = "trace"
"""What is wanted by who passes on the trace that a call belongs to, and nothing else of its context."""

KEY: Final = "callboard/key"
"""The name of a call's key where what stands beside a call has names of several makers: MCP's ``_meta``."""

_TRACE_KEYS: Final = ("tracestate", "baggage")
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]*)?")
MAX_TRACE: Final = 8192
"""Characters of each of them."""

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
    elif not ALL_FACTS.isdisjoint(wants):
        _add(params, invocation, [fact for fact in FACTS if fact in wants])
    if TRACE in wants and invocation.context and (trace := trace_of(invocation.context)):
        params[TRACE] = trace
    if prepared:
        params["prepared"] = prepared


def trace_of(context: Mapping[str, Any]) -> dict[str, str]:
    """The trace that a context carries, as W3C's Trace Context has it; empty of one without."""
    parent = context.get("traceparent")
    if not isinstance(parent, str) or len(parent) > MAX_TRACE or _TRACEPARENT.fullmatch(parent) is None:
        return {}
    more = {key: context.get(key) for key in _TRACE_KEYS}
    return {
        "traceparent": parent,
        **{key: text for key, text in more.items() if isinstance(text, str) and len(text) <= MAX_TRACE},
    }


def _add(params: Json, invocation: Invocation, facts: tuple[str, ...] | list[str]) -> None:
    for fact in facts:
        value = getattr(invocation, fact)
        if value is not None:
            params[fact] = value
