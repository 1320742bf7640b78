"""The order that a stream of events keeps, as tables, and a judge of it. Pure.

Of one host, by its generation::

    starting(n) ─▶ ready(n) ─▶ crashed(n) ─▶ backoff(n) │ parked(n) │ stopped(n) │ starting(n + 1)
         └─────────────────────────▲

`AFTER` says the same in full, with the orders by hand and the ends that are no crashes. A generation that was replaced is told to
have retired at any time after that, and one that came to a limit to be recycled at any time before its end. Of one call:
submitted, then for each attempt started and perhaps repeated, then ended, once, and nothing after it. A call
that was under way in a crash is ended or repeated before that crash is told. A thread that was given up is told after the end of
its call, and comes back after that.

Between two hosts, or two calls, no order is promised but the one that their numbers show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .events import Event

_LIVING = frozenset({"host_starting", "host_ready"})
_RESTING = frozenset({"host_backoff", "host_parked", "host_stopped"})

AFTER: dict[str, frozenset[str]] = {
    "host_starting": _LIVING | _RESTING | {"host_crashed", "host_replaced"},
    "host_ready": frozenset({"host_starting"}),
    "host_crashed": _LIVING,
    "host_replaced": _LIVING,
    "host_backoff": _LIVING | _RESTING | {"host_crashed"},
    "host_parked": _LIVING | _RESTING | {"host_crashed"},
    "host_stopped": _LIVING | _RESTING | {"host_crashed"},
}
"""What of a host may come directly before each kind. A generation that we end leaves no crash behind it, so that a
generation may be followed by what an order by hand made of it."""


def check_order(events: Iterable[Event]) -> list[str]:
    """What is out of order in a stream, a sentence each; nothing if all is well.

    The stream may begin in the middle of things: what is not known yet may be anything. It has to
    have all kinds, because a gap in the numbers (a kind that was not subscribed to, or events that
    were dropped) means that nothing is known again.
    """
    judge = _Judge()
    for event in events:
        judge.take(event)
    return judge.violations


class _Judge:
    """What is known so far. ``None`` and absence mean: not known."""

    def __init__(self) -> None:
        self.violations: list[str] = []
        self._sequence: int | None = None
        self._rules: dict[str, Callable[[Event], None]] = {
            "host_recycling": self._recycling,
            "host_retired": self._retired,
            "call_submitted": self._submitted,
            "call_started": self._started,
            "call_repeated": self._repeated,
            "call_ended": self._ended,
            "thread_fenced": self._fenced,
            "thread_returned": self._returned,
        }
        self._forget()

    def _forget(self) -> None:
        self._hosts: dict[str, Event] = {}
        self._calls: dict[tuple[str, str], _Flight] = {}
        self._over: set[tuple[str, str]] = set()
        self._back: set[tuple[str, str]] = set()

    def take(self, event: Event) -> None:
        """Judge the next event."""
        if self._sequence is not None:
            if event.sequence <= self._sequence:
                self._object(event, f"its number is not above {self._sequence}")
            elif event.sequence > self._sequence + 1:
                self._forget()
        self._sequence = event.sequence
        if event.kind in AFTER:
            self._host(event)
        elif rule := self._rules.get(event.kind):
            rule(event)

    def _object(self, event: Event, why: str) -> None:
        what = event.facts.get("generation", event.facts.get("call"))
        self.violations.append(f"#{event.sequence} {event.kind}({what}) of {event.subject!r}: {why}")

    # Hosts

    def _host(self, event: Event) -> None:
        before = self._hosts.get(event.subject)
        self._hosts[event.subject] = event
        if event.kind == "host_crashed":
            self._note_losses(event)
        if before is None:
            return
        if before.kind not in AFTER[event.kind]:
            self._object(event, f"it cannot follow {before.kind}")
        now, last = event.facts["generation"], before.facts["generation"]
        # Removed, and added anew: it counts from the beginning, and may wait for its turn in its group before its first start.
        again = before.kind == "host_stopped"
        if event.kind != "host_starting":
            if now != last and not (again and now == 0):
                self._object(event, f"the generation was {last}")
        elif now != last + 1 and not (again and now == 1):
            self._object(event, f"the generation before it was {last}")

    def _recycling(self, event: Event) -> None:
        last = self._hosts.get(event.subject)
        if last is None:
            return
        # The supervisor may have replaced the generation by hand before it comes to its limit.
        if event.facts["generation"] > last.facts["generation"]:
            self._object(event, f"the generation was {last.facts['generation']}")
        elif last.kind == "host_crashed" and event.facts["generation"] == last.facts["generation"]:
            self._object(event, "the generation has crashed")

    def _retired(self, event: Event) -> None:
        last = self._hosts.get(event.subject)
        if last is not None and event.facts["generation"] >= last.facts["generation"]:
            self._object(event, "it has no successor")

    def _note_losses(self, crash: Event) -> None:
        for call_id in crash.facts["report"].get("in_flight", ()):
            flight = self._calls.get((crash.subject, call_id))
            # One that was repeated before may have been started again, and not been sent.
            if flight is not None and flight.started and flight.attempt == 1:
                flight.lost_in = crash.sequence

    # Calls. Their ids are the callers', who may give one to several at a time: those are passed over.

    def _submitted(self, event: Event) -> None:
        key = _key(event)
        flight = self._calls.setdefault(key, _Flight())
        flight.open += 1
        flight.mixed = flight.open > 1 or flight.mixed
        self._over.discard(key)
        self._back.discard(key)

    def _open(self, event: Event) -> _Flight | None:
        flight = self._calls.get(_key(event))
        if flight is None and _key(event) in self._over:
            self._object(event, "the call has ended already")
        return None if flight is None or flight.mixed else flight

    def _started(self, event: Event) -> None:
        flight = self._open(event)
        if flight is not None:
            if event.facts["attempt"] != flight.attempt:
                self._object(event, f"it should be attempt {flight.attempt}")
            flight.started = True
            flight.lost_in = None

    def _repeated(self, event: Event) -> None:
        flight = self._open(event)
        if flight is not None:
            if not flight.started:
                self._object(event, "the call was not started")
            flight.started = False
            flight.attempt = event.facts["attempt"] + 1

    def _ended(self, event: Event) -> None:
        flight, key = self._open(event), _key(event)
        if flight is not None and flight.lost_in is not None and event.facts["code"] == "host_crashed":
            self._object(event, f"the crash that ended it was told before, as #{flight.lost_in}")
        if key in self._calls:
            self._calls[key].open -= 1
            if self._calls[key].open == 0:
                del self._calls[key]
                self._over.add(key)

    def _fenced(self, event: Event) -> None:
        flight = self._calls.get(_key(event))
        if flight is not None and not flight.mixed:
            self._object(event, "its call has not ended")
        if _key(event) in self._back:
            self._object(event, "the thread has come back already")

    def _returned(self, event: Event) -> None:
        self._back.add(_key(event))


def _key(event: Event) -> tuple[str, str]:
    return event.subject, event.facts["call"]


@dataclass(slots=True)
class _Flight:
    """A call that has not ended, or several of one id.

    Attributes:
        open: how many they are.
        mixed: they are, or were, more than one.
        started: it has been given to its tool.
        attempt: the number of the attempt that is under way, or comes next.
        lost_in: the number of the crash that told of it as lost.
    """

    open: int = 0
    mixed: bool = False
    started: bool = False
    attempt: int = 1
    lost_in: int | None = None
