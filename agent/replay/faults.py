"""How an answer goes wrong on request. Pure.

A fault is data, a `Fault`; `spoiled` makes of a sound reply what the fault makes of it. What needs time, such as
an answer that never goes on, is said in the reply and done by the server.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from ...base.frozen import frozen
from ...interop.exact_json import exact_json, json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json = dict[str, Any]

EVENT_STREAM: Final = "text/event-stream; charset=utf-8"


@frozen
class Reply:
    """What is sent for one request.

    Attributes:
        status: of HTTP.
        headers: beside the length.
        pieces: of the body, each sent at once.
        ending: ``close`` ends the body as it should be; ``cut`` ends the connection; ``hang`` does neither.
        pace: seconds before each piece.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    ending: Literal["close", "cut", "hang"] = "close"
    pace: float = 0.0


@frozen
class Fault:
    """What is to go wrong with one request; all that is given.

    Attributes:
        status: the answer is an error of this status.
        headers: that the error has, such as ``Retry-After``.
        error: what the error says, in place of the usual words.
        cut_after: the connection ends behind so many events.
        hang_after: nothing more comes behind so many events.
        event_error: an error in the stream, behind so many events.
        garbage_after: bytes that are no event, behind so many events.
        malformed: pieces of arguments are numbers instead of texts.
        same_ids: all calls have the same id.
        unknown_events: unknown events are strewn in.
        content_type: in place of the right one.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    cut_after: int | None = None
    hang_after: int | None = None
    event_error: int | None = None
    garbage_after: int | None = None
    malformed: bool = False
    same_ids: bool = False
    unknown_events: bool = False
    content_type: str | None = None


_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def error_body(status: int, message: str) -> Json:
    """Return an error as all three APIs read it."""
    kind = _KINDS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message, "code": None, "param": None}}


def error_reply(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return the reply that is an error."""
    about = {"content-type": "application/json", "x-request-id": "req_replay", **(headers or {})}
    return Reply(status, about, (json_text(error_body(status, message)).encode(),))


def stream_reply(events: Iterable[Json], *, done: bool, pace: float = 0.0) -> Reply:
    """Return events as the reply that streams them.

    Args:
        events: each with its ``type``, if the API names its events.
        done: the API ends its streams with ``[DONE]``.
        pace: seconds before each event.
    """
    pieces = [_event(event) for event in events]
    if done:
        pieces.append(b"data: [DONE]\n\n")
    return Reply(200, {"content-type": EVENT_STREAM, "x-request-id": "req_replay"}, tuple(pieces), pace=pace)


def spoiled(reply: Reply, fault: Fault) -> Reply:
    """Return what a fault makes of the reply to a request; what it does to events is `spoiled_events`'."""
    if fault.status is not None:
        return error_reply(fault.status, fault.error or f"the script says {fault.status}", fault.headers)
    pieces = reply.pieces
    if fault.content_type is not None:
        reply = replace(reply, headers={**reply.headers, "content-type": fault.content_type})
    if fault.garbage_after is not None:
        at = fault.garbage_after
        return replace(reply, pieces=(*pieces[:at], b"\x00\xff<html>\n\n", *pieces[at:]))
    if fault.event_error is not None:
        error = error_body(529, fault.error or "the script says overloaded")
        return replace(reply, pieces=(*pieces[: fault.event_error], _event(error)))
    if fault.cut_after is not None:
        return replace(reply, pieces=pieces[: fault.cut_after], ending="cut")
    if fault.hang_after is not None:
        return replace(reply, pieces=pieces[: fault.hang_after], ending="hang")
    return reply


def spoiled_events(events: Iterable[Json], fault: Fault) -> list[Json]:
    """Return what a fault makes of the events of a stream."""
    changed: list[Json] = []
    for event in events:
        copy = exact_json(event)
        if fault.same_ids:
            _everywhere(copy, lambda key, value: "the_same" if _is_call_id(key, value) else value)
        if fault.malformed and changed:
            _everywhere(copy, lambda key, value: 7 if key in _PIECES and value else value)
        changed.append(copy)
        if fault.unknown_events:
            changed.append({"type": "nobody.knows", "object": "nobody.knows", "delta": ["?"]})
    return changed


_PIECES: Final = ("arguments", "partial_json")


def _is_call_id(key: str, value: Any) -> bool:
    return key in {"id", "call_id"} and str(value).startswith(("call_", "toolu_"))


def _everywhere(value: Any, change: Any) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            value[key] = change(key, inner)
            _everywhere(inner, change)
    elif isinstance(value, list):
        for inner in value:
            _everywhere(inner, change)


def _event(event: Json) -> bytes:
    named = f"event: {event['type']}\n" if isinstance(event.get("type"), str) else ""
    return f"{named}data: {json_text(event)}\n\n".encode()
