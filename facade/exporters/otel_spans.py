"""A span for each call, made of the events of its flight.

The span begins and ends when the events say, so it does not matter that they are told later and in a thread
of their own. A call that is parted from its end (events are dropped when subscribers are too slow) must not
be kept for ever: with `MAX_OPEN` of them the oldest is ended as unknown.

Ids are the callers', and nothing keeps two calls under way from having the same; then the first that ends
is taken for the first that was submitted.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any, NamedTuple

from opentelemetry.trace import SpanKind, Status, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

    from ..supervision.runtime.events import Event

    Measure = Callable[[float, dict[str, str]], None]

MAX_OPEN = 10_000

CALL_KINDS = frozenset({"call_submitted", "call_started", "call_repeated", "call_ended"})
"""The events that tell of the flight of a call."""

_OVER = {"deadline_exceeded", "cancelled"}
"""How a call ends that waited and was never given to its tool; others were refused on the spot."""


class _Open:
    __slots__ = ("began", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.began: float | None = None


class _Key(NamedTuple):
    plugin: str
    call: str


class CallSpans:
    """See the module. Told of events by one thread; `put_under` may be called in any.

    Args:
        tracer: makes the spans.
        waited: told how long a call waited, in seconds, with attributes.
        ran: told how long it ran.
    """

    def __init__(self, tracer: Tracer, waited: Measure, ran: Measure) -> None:
        self._tracer = tracer
        self._waited = waited
        self._ran = ran
        self._open: OrderedDict[_Key, deque[_Open]] = OrderedDict()
        self._parents: OrderedDict[str, Context] = OrderedDict()

    def put_under(self, call_id: str, parent: Context) -> None:
        """Make the span of the next call with this id a child of what ``parent`` holds."""
        self._parents[call_id] = parent
        while len(self._parents) > MAX_OPEN:
            self._parents.popitem(last=False)

    def take(self, event: Event) -> None:
        """Hear of an event."""
        key = _Key(event.subject, event.facts["call"])
        if event.kind == "call_submitted":
            self._submitted(key, event)
            return
        flights = self._open.get(key)
        if not flights:  # submitted before anybody listened
            return
        match event.kind:
            case "call_started":
                self._started(flights[0], event)
            case "call_repeated":
                flights[0].span.add_event("call repeated", {"why": event.facts["why"]}, _ns(event))
            case "call_ended":
                self._ended(flights.popleft(), event)
                if not flights:
                    del self._open[key]

    def close(self) -> None:
        """End the spans of calls whose end will not be heard."""
        while self._open:
            self._give_up(*self._open.popitem())

    def _submitted(self, key: _Key, event: Event) -> None:
        tool = event.facts["tool"] or ""
        span = self._tracer.start_span(
            f"execute_tool {tool}".rstrip(),
            context=self._parents.pop(key.call, None),
            kind=SpanKind.INTERNAL,
            start_time=_ns(event),
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": key.call,
                "callboard.plugin": key.plugin,
            },
        )
        self._open.setdefault(key, deque()).append(_Open(span))
        if len(self._open) > MAX_OPEN:
            self._give_up(*self._open.popitem(last=False))

    def _started(self, flight: _Open, event: Event) -> None:
        flight.began = event.facts["elapsed"]
        flight.span.add_event("call started", {"attempt": event.facts["attempt"]}, _ns(event))

    def _ended(self, flight: _Open, event: Event) -> None:
        facts, span = event.facts, flight.span
        labels = {"plugin": event.subject, "tool": facts["tool"] or ""}
        if flight.began is not None:
            self._waited(flight.began, labels)
            self._ran(max(0.0, facts["elapsed"] - flight.began), labels)
        elif facts["code"] in _OVER:
            self._waited(facts["elapsed"], labels)
        span.set_attribute("callboard.attempt", facts["attempt"])
        if not facts["success"]:
            code = facts["code"] or "failure"
            span.set_attribute("error.type", code)
            if facts["outcome"] is not None:
                span.set_attribute("callboard.outcome", facts["outcome"])
            span.set_status(Status(StatusCode.ERROR, code))
        span.end(_ns(event))

    @staticmethod
    def _give_up(_key: Any, flights: deque[_Open]) -> None:
        for flight in flights:
            flight.span.set_status(Status(StatusCode.ERROR, "the end of the call was not heard of"))
            flight.span.end()


def _ns(event: Event) -> int:
    return int(event.time * 1_000_000_000)
