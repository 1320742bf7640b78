"""A recording as what was asked and answered, and two answers compared. Pure.

Ids and times are no part of an answer, nor is the stack of an error: it names lines of files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from .recording_format import RECEIVED, SENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .recording_format import Entry

Json = dict[str, Any]

UNASKED = frozenset({"cancel", "shutdown", "ack"})
"""Methods that speak of other requests, or end the host: no use in asking them again one by one."""


@dataclass(slots=True)
class Exchange:
    """One request of a recording, with all that came of it.

    Attributes:
        host, generation: who was asked.
        method, params: what.
        events: ``event`` of each message that came before the answer.
        answer: what is an answer; ``None`` if there came none.
    """

    host: str
    generation: int
    method: str
    params: Json
    events: list[Any] = field(default_factory=list)
    answer: Json | None = None

    @property
    def outcome(self) -> Json:
        """What two runs of the request are compared by."""
        return {"events": self.events, "answer": self.answer}


def exchanges_in(entries: Iterable[Entry]) -> list[Exchange]:
    """The requests of a recording, in the order in which they were sent."""
    found: list[Exchange] = []
    awaited: dict[tuple[str, int, Any], Exchange] = {}
    for entry in entries:
        message = entry.message
        if message is None:
            continue
        key = entry.host, entry.generation, str(message.get("id"))
        if entry.kind == SENT and isinstance(message.get("method"), str):
            params = message.get("params")
            params = params if isinstance(params, dict) else {}
            exchange = Exchange(entry.host, entry.generation, message["method"], params)
            awaited[key] = exchange
            found.append(exchange)
        elif entry.kind == RECEIVED and key in awaited:
            if "event" in message:
                awaited[key].events.append(message["event"])
            else:
                awaited.pop(key).answer = answer_of(message)
    return [exchange for exchange in found if exchange.method not in UNASKED]


def answer_of(message: Json) -> Json:
    """What a message answers."""
    if message.get("ok"):
        return {"result": message.get("result")}
    error = message.get("error")
    kept = (
        {key: error[key] for key in ("type", "detail") if key in error} if isinstance(error, dict) else error
    )
    return {"error": kept}


@frozen
class Difference:
    """Where two values differ.

    Attributes:
        path: such as ``$.answer.result.value``.
        was, now: the values there; `NOTHING` where there is none.
    """

    path: str
    was: Any
    now: Any


NOTHING = "(nothing)"


def differences(was: Any, now: Any, path: str = "$") -> list[Difference]:
    """Where two JSON values differ, as deep in them as can be said."""
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [*was, *(key for key in now if key not in was)]
        return [
            found
            for key in keys
            for found in differences(was.get(key, NOTHING), now.get(key, NOTHING), f"{path}.{key}")
        ]
    if isinstance(was, list) and isinstance(now, list):
        longest = max(len(was), len(now))
        pairs = zip(
            was + [NOTHING] * (longest - len(was)), now + [NOTHING] * (longest - len(now)), strict=True
        )
        return [found for at, (a, b) in enumerate(pairs) for found in differences(a, b, f"{path}[{at}]")]
    same = was == now and isinstance(was, bool) == isinstance(now, bool)
    return [] if same else [Difference(path, was, now)]
