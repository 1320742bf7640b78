"""Lines of the tool host protocol, and a peer that waits for them."""

from __future__ import annotations

import json
from typing import Any

from callboard.hosts.protocol.peer import Peer


def message(request_id: str, **fields: Any) -> bytes:
    """A message about a request."""
    return json.dumps({"v": 1, "id": request_id, **fields}).encode() + b"\n"


def answer(request_id: str, value: Any = None, **state: Any) -> bytes:
    """An answer that says ``value``."""
    return message(request_id, ok=True, result={"value": value, **state})


def refusal(request_id: str) -> bytes:
    """An answer that is an error."""
    return message(request_id, ok=False, error={"type": "E", "detail": "no"})


def part(request_id: str, payload: Any = None) -> bytes:
    """A partial result."""
    return message(request_id, event={"type": "part", "payload": payload})


SIZE = len(part("a", 1)) - 1
"""Bytes of a short part, without its newline."""


def misshapen(request_id: str) -> bytes:
    """An answer of the wrong shape."""
    return message(request_id, ok="perhaps")


def peer_awaiting(*request_ids: str, **options: Any) -> Peer[str]:
    """A peer with these requests open."""
    peer: Peer[str] = Peer(**options)
    for request_id in request_ids:
        peer.open(request_id, f"owner of {request_id}")
    return peer
