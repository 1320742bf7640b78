"""Ids for calls that come without one, made up from where the call stands and what it asks for; and whose a result is.

The same transcript gives the same ids, in this process and the next, so that a replay still pairs
calls with their results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...base.threads import import_apart
from ..errors import ConversionError
from ..exact_json import json_text

if TYPE_CHECKING:
    from ..hub import InspectedCall, InspectedResult

_HEX_DIGITS = 24


def made_up_call_id(turn: int, index: int, call: InspectedCall) -> str:
    """Return an id for the ``index``-th call of the ``turn``-th message of a transcript.

    It is legal in every format: a letter, then letters, digits and one underscore, 29 characters.
    """
    import_apart("hashlib")
    import hashlib  # noqa: PLC0415 - brings OpenSSL

    said = json_text([turn, index, call.namespace, call.tool_name, call.payload, call.raw])
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:_HEX_DIGITS]}"


def answering(result: InspectedResult, call: InspectedCall) -> InspectedResult:
    """Return a result as that of a call, whose id and tool it takes where it has none of its own.

    A call to a tool of a provider's own is answered in the form of that tool, whatever ran in its place.

    Raises:
        ConversionError: it answers another call.
    """
    if result.call_id and call.call_id and result.call_id != call.call_id:
        raise ConversionError(f"the result of call {result.call_id!r} does not answer call {call.call_id!r}")
    own = None if "action" in call.payload_metadata else result.tool_name
    return replace(result, call_id=result.call_id or call.call_id, tool_name=own or call.tool_name)
