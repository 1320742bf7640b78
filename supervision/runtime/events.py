"""What happened, in one order: the event stream of a board.

Every event has a sequence number; all subscribers see the same events in that order. They are
told by a thread of the stream's own, so that a slow or failing subscriber harms neither the
board nor another subscriber.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import field
from typing import TYPE_CHECKING, Any, Self

from ...base.foreign import Log, contain
from ...base.forking import disown_in_child
from ...base.frozen import frozen
from ...base.locks import Lock
from ...base.validation import is_text, require_several
from ...plugins.results.failures import describe
from .dead_letters import DeadLetters
from .event_kinds import EVENT_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

logger: Log = Log("callboard.events")

MAX_WAITING = 10_000
"""Events kept for subscribers that are slower than events come; past that new ones are dropped
and counted."""

_GATHERED = 0.001
"""Seconds in which events are gathered once a call's have been told, unless someone waits for them."""

_OF_A_CALL = frozenset({"call_submitted", "call_started", "call_ended"})

KINDS = frozenset(EVENT_KINDS)
"""The names of all kinds of events; `event_kinds` says what each of them carries."""


@frozen
class Event:
    """One thing that happened.

    Attributes:
        sequence: 1, 2, 3, … on one board; the order of things.
        kind: one of `KINDS`.
        subject: the plugin or host it happened to.
        time: wall clock, seconds since the epoch; for people, never for decisions.
        facts: JSON; `event_kinds.EVENT_KINDS` says which a kind has, and what they are.
    """

    sequence: int
    kind: str
    subject: str
    time: float
    facts: dict[str, Any] = field(default_factory=dict)


_Published = tuple[Event, set[str] | None]


class Subscription:
    """A subscriber's place in the stream; `close` gives it up.

    Attributes:
        after: the sequence number of the last event that is none of its business.
    """

    def __init__(
        self, stream: EventStream, callback: Callable[[Event], None], kinds: frozenset[str], after: int
    ) -> None:
        self.callback = callback
        self.kinds = kinds
        self.after = after
        self._stream = stream

    def close(self) -> None:
        """Hear no more. An event that is being delivered at this moment may still arrive."""
        self._stream.unsubscribe(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class EventStream:
    """The stream: publish from any thread, never blocking; subscribe at any time.

    Attributes:
        wanted: the kinds that have subscribers; lets the hot path leave out the others.
    """

    wanted: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._lock = Lock()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._heard: frozenset[str] = frozenset()
        self._waiting: queue.SimpleQueue[_Published | threading.Event | None] = queue.SimpleQueue()
        self._called = threading.Event()
        self._sequence = 0
        self._thread: threading.Thread | None = None
        self._closed = False
        self.dropped: int = 0
        self.threads_failed: int = 0
        self.dead_letters: DeadLetters = DeadLetters(self)
        disown_in_child(self)

    def subscribe(
        self, callback: Callable[[Event], None], kinds: Iterable[str] | None = None
    ) -> Subscription:
        """Have ``callback`` called with each later event of ``kinds`` (of all kinds when ``None``).

        After `close` nothing is heard.

        Raises:
            ValueError: there is no such kind.
            TypeError: the callback cannot be called, or ``kinds`` is a text instead of several.
        """
        if not callable(callback):
            raise TypeError(f"a subscriber is called with each event, and {callback!r} cannot be called")
        if isinstance(kinds, str):
            raise TypeError(f"kinds is {kinds!r}; give a list: [{kinds!r}]")
        wanted = KINDS if kinds is None else frozenset(require_several("kinds", kinds, is_text, "a text"))
        if unknown := sorted(wanted - KINDS):
            raise ValueError(
                f"no such kind of event: {', '.join(unknown)}; there are: {', '.join(sorted(KINDS))}"
            )
        with self._lock:
            subscription = Subscription(self, callback, wanted, self._sequence)
            if not self._closed:
                self._set((*self._subscriptions, subscription))
                if self._thread is None:
                    thread = threading.Thread(target=self._run, name="callboard-events", daemon=True)
                    thread.start()
                    self._thread = thread
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Take a subscription back; unknown ones are ignored."""
        with self._lock:
            self._set(tuple(s for s in self._subscriptions if s is not subscription))

    def wants(self, kind: str) -> bool:
        """Whether a kind has subscribers; lets the hot path leave out what nobody hears."""
        return kind in self.wanted

    @property
    def telling(self) -> bool:
        """Whether this is a subscriber's doing: it is being told of an event, in this thread."""
        return self._thread is threading.current_thread()

    def publish(self, kind: str, subject: str, told: set[str] | None = None, /, **facts: Any) -> None:
        """Tell what happened: all facts of the kind and no others. Never blocks.

        Args:
            kind: one of `KINDS`.
            subject: the plugin or host it happened to.
            told: the kinds that were told of a thing which may publish each several times; each is told once. ``None``: no such thing.
            facts: see `Event`.

        Only the kind is looked at here. A wrong fact is a fault of Callboard's own, and not worth an
        exception in an actor that is about to start a host; the tests look at every fact.
        """
        assert kind in KINDS, kind
        with self._lock:
            self._sequence += 1
            if kind not in self._heard:
                return
            if self._waiting.qsize() >= MAX_WAITING:
                self.dropped += 1
                return
            self._waiting.put((Event(self._sequence, kind, subject, time.time(), facts), told))

    def settle(self, timeout: float) -> bool:
        """Wait until everything published so far has been told; False when that took too long.

        A subscriber that asks while it is being told hears False at once: it would wait for itself.
        """
        told = threading.Event()
        with self._lock:
            thread, closed = self._thread, self._closed
            if thread is None:
                return True
            if thread is threading.current_thread():
                return False
            if not closed:
                self._called.set()
                self._waiting.put(told)
        if not closed:
            return told.wait(timeout)
        thread.join(timeout)
        return not thread.is_alive()

    def close(self) -> None:
        """Tell what is waiting, then no more. Once more after it was interrupted, it waits for what is still being told."""
        with self._lock:
            self._closed = True
            self._hear(frozenset())
            self._called.set()
            self._waiting.put(None)
        if self._thread is not None and not self.telling:
            self._thread.join(5.0)

    def forked(self, parent: int) -> None:
        """In a child that was forked off nothing is told."""
        self._lock = Lock()
        self._thread = None
        self._closed = True
        self._hear(frozenset())

    def _set(self, subscriptions: tuple[Subscription, ...]) -> None:
        self._subscriptions = subscriptions
        self._hear(frozenset() if self._closed else frozenset().union(*(s.kinds for s in subscriptions)))

    def _hear(self, kinds: frozenset[str]) -> None:
        self._heard = self.wanted = kinds

    def thread_failed(self, subject: str, error: str) -> None:
        """Count and tell that a thread of Callboard has failed, to be called in that thread."""
        self.threads_failed += 1
        self.publish("thread_failed", subject, thread=threading.current_thread().name, error=error)

    def _run(self) -> None:
        with (
            self._lock
        ):  # whoever started it may have been interrupted before it was noted, and another one started since
            if self._thread not in {None, threading.current_thread()}:
                return
            self._thread = threading.current_thread()
        while True:
            try:
                self._deliver()
            except BaseException as error:  # noqa: BLE001 - a fault of ours: those who listen go on hearing
                contain(error, logger, "the thread that tells of events has failed, and goes on")
                self.thread_failed("events", describe(error))
            else:
                return

    def _deliver(self) -> None:
        while (published := self._waiting.get()) is not None:
            if isinstance(published, threading.Event):
                self._called.clear()
                published.set()
                continue
            item, told = published
            if told is not None:
                # Here alone is it certain: whoever published may have been interrupted before it could note that it has.
                if item.kind in told:
                    continue
                told.add(item.kind)
            for subscription in self._subscriptions:
                if item.kind in subscription.kinds and item.sequence > subscription.after:
                    try:
                        subscription.callback(item)
                    except BaseException as error:  # noqa: BLE001 - a subscriber's; the others hear all the same
                        said = "a subscriber failed on event %s of %r"
                        contain(error, logger, said, item.kind, item.subject)
            if item.kind in _OF_A_CALL and self._waiting.empty():
                # A call has three of them, and to be woken for each costs the call more than to make them.
                self._called.wait(_GATHERED)
