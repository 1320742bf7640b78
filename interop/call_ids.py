"""Ids for calls that come without one, made up from where the call stands and what it asks for.

The same transcript gives the same ids, in this process and the next, so that a replay still pairs
calls with their results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .json_copy import json_text

if TYPE_CHECKING:
    from .hub import InspectedCall

_HEX_DIGITS = 24


def made_up_call_id(turn: int, index: int, call: InspectedCall) -> str:
    """Return an id for the ``index``-th call of the ``turn``-th message of a transcript.

    It is legal in every format: a letter, then letters, digits and one underscore, 29 characters.
    """
    import hashlib  # noqa: PLC0415 - brings OpenSSL

    said = json_text([turn, index, call.namespace, call.tool_name, call.payload, call.raw])
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:_HEX_DIGITS]}"
