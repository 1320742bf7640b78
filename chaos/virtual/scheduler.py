"""Whose turn it is: real threads, one at a time, in an order that is the same each time.

Every message to an actor, and everything a scripted host does, stands in one line. Who has the turn
runs until it asks for its next message; then whatever stands first in the line has the turn. When the
line is empty all is quiet, and only then whoever called `run` (the driver) goes on.

::

    driver ── run ──▶ first in line ──▶ next in line ──▶ … ──▶ line is empty ──▶ driver

The threads are those of the actors, as pykka makes them; what is taken from them is only when they
run. A thread that is no actor's (an in-process tool's, a hook's) is not in this order: what it sends
stands in the line from the moment at which it happens to come.

What a reader would get wrong: while nobody runs the turns, nothing happens. A message that is told
waits. One that is *asked* does not: whoever asks is about to wait for the answer, so the others get
their turns first.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock
from .stuck import NeverQuiet, Stuck, stacks

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS = 1_000_000
"""Turns in one `run`, after which it is taken never to come to an end."""


def closed_gate() -> threading.Lock:
    """A lock that one thread waits at and another opens. A semaphore would do, and is five times as slow."""
    gate = threading.Lock()
    gate.acquire()
    return gate


class VirtualInbox:
    """An actor's inbox. It belongs to the one who reads it, and is closed with its end."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.gate: Lock = closed_gate()
        self.handed: deque[Any] = deque()
        self.current: Any = None
        self.reader: int | None = None
        self.asking = False
        self.draining = False
        self.closed = False

    def put(self, message: Any, /) -> None:
        """See `supervision.clock.Inbox`. Returns at once, unless the message asks for an answer."""
        self._turns.put(self, message)

    def get(self) -> Any:
        """See `supervision.clock.Inbox`. Ends the turn that this thread has, and waits for the next."""
        return self._turns.get(self)

    def empty(self) -> bool:
        """Whether no message waits. An actor asks that once it has stopped: if none does, it has ended."""
        return self._turns.empty(self)


@dataclass(slots=True)
class _Asker:
    """Somebody who waits for an answer while others have their turns."""

    inbox: VirtualInbox | None
    thread: int
    gate: threading.Lock = field(default_factory=closed_gate)


class Turns:
    """See the module.

    Args:
        patience: real seconds after which a turn that does not end is taken for stuck.

    Attributes:
        steps: turns taken so far.
        lost: messages to those who had ended.
    """

    def __init__(self, patience: float = 10.0) -> None:
        self.steps: int = 0
        self.lost: int = 0
        self._patience = patience
        self._lock = Lock()
        self._line: deque[tuple[VirtualInbox, Any] | Callable[[], object]] = deque()
        self._askers: dict[int, _Asker] = {}
        self._answered: deque[_Asker] = deque()
        self._holder: int | None = None
        self._given_to: VirtualInbox | None = None
        self._running = False
        self._limit = 0
        self._quiet = closed_gate()
        self._failure: BaseException | None = None

    # For the driver

    def run(self) -> int:
        """Give turns until all is quiet; return how many.

        Raises:
            Stuck: somebody does not end his turn; the text says who, and what he is doing.
            NeverQuiet: there is no end to it.
        """
        with self._lock:
            if self._running or self._given_to is not None:
                raise Stuck("the turns are being given by another thread, or were never ended", stacks())
            self._running = True
            self._quiet.acquire(blocking=False)  # opened at the very moment when an earlier driver gave up
            before, self._limit = self.steps, self.steps + MAX_STEPS
        try:
            self._pass_on()
            self._wait_until_quiet()
        finally:
            self._running = False
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return self.steps - before

    def _wait_until_quiet(self) -> None:
        seen = self.steps
        while not self._quiet.acquire(timeout=self._patience):
            if self.steps == seen:
                message = "" if self._given_to is None else f" with {self._given_to.current!r:.200}"
                raise Stuck(
                    f"a turn has not ended within {self._patience:g} s; thread {self._holder} has it{message}",
                    stacks(),
                )
            seen = self.steps

    def soon(self, function: Callable[[], object]) -> None:
        """Have a function called when it stands first in the line, in whatever thread. It must not block."""
        with self._lock:
            self._line.append(function)

    def waiting(self) -> int:
        """How many stand in the line."""
        return len(self._line)

    # For inboxes

    def put(self, inbox: VirtualInbox, message: Any) -> None:
        asks = getattr(message, "reply_to", None) is not None
        me = threading.get_ident()
        asker: _Asker | None = None
        with self._lock:
            if inbox.closed:
                self.lost += 1
                return
            self._line.append((inbox, message))
            if asks and self._holder == me:
                asker = self._askers[id(message)] = _Asker(self._given_to, me)
                if asker.inbox is not None:
                    asker.inbox.asking = True
            drive = asks and not self._running
        if asker is not None:
            self._pass_on()
            asker.gate.acquire()
        elif drive:
            self.run()

    def get(self, inbox: VirtualInbox) -> Any:
        me = threading.get_ident()
        with self._lock:
            inbox.reader = me
            holds = self._holder == me and self._given_to is inbox
            if holds:
                self._finish(inbox)
            if inbox.draining:
                inbox.current = self._take_own(inbox)
                return inbox.current
        if holds:
            self._pass_on()
        inbox.gate.acquire()
        with self._lock:
            self._holder = me
            inbox.current = inbox.handed.popleft()
            return inbox.current

    def _has_message_for(self, inbox: VirtualInbox) -> bool:
        return any(isinstance(item, tuple) and item[0] is inbox for item in self._line)

    def empty(self, inbox: VirtualInbox) -> bool:
        with self._lock:
            empty = not self._has_message_for(inbox)
            ends = self._holder == threading.get_ident() and self._given_to is inbox
            if ends:
                inbox.draining = True
            if not (ends and empty):
                return empty
            inbox.closed = True
            self._finish(inbox)
        self._pass_on()
        return True

    def _take_own(self, inbox: VirtualInbox) -> Any:
        for item in self._line:
            if isinstance(item, tuple) and item[0] is inbox:
                self._line.remove(item)
                return item[1]
        raise AssertionError("pykka reads no inbox that is empty once it has stopped")

    def _finish(self, inbox: VirtualInbox) -> None:
        """The message that was handed over last has been handled; whoever asked it may go on."""
        message, inbox.current = inbox.current, None
        if message is not None and (asker := self._askers.pop(id(message), None)):
            self._answered.append(asker)

    # How the turn goes round

    def _pass_on(self) -> None:
        """Give the turn to the next; the thread that had it comes here with it."""
        while (function := self._give()) is not None:
            try:
                function()
            except BaseException as error:  # noqa: BLE001 - raised by `run`, in the driver
                self._failure = self._failure or error

    def _give(self) -> Callable[[], object] | None:
        """Give the turn away, or return what its present holder is to do with it."""
        with self._lock:
            self.steps += 1
            if not self._running:  # the driver has lost patience and gone
                self._holder = self._given_to = None
                return None
            if self.steps > self._limit:
                self._failure = self._failure or NeverQuiet(MAX_STEPS, self._line)
                self._line.clear()
            if self._answered:
                self._resume(self._answered.popleft())
                return None
            for place, item in enumerate(self._line):
                if not isinstance(item, tuple):
                    del self._line[place]
                    return item
                inbox, message = item
                if inbox.asking:
                    continue
                del self._line[place]
                if inbox.closed:
                    self.lost += 1
                    break
                inbox.handed.append(message)
                self._holder, self._given_to = inbox.reader, inbox
                inbox.gate.release()
                return None
            else:
                if self._askers:  # nobody will answer them: they wait for real, and their timeouts end it
                    self._resume(self._askers.popitem()[1])
                    return None
                self._holder = self._given_to = None
                self._quiet.release()
                return None
        return _nothing

    def _resume(self, asker: _Asker) -> None:
        self._holder, self._given_to = asker.thread, asker.inbox
        if asker.inbox is not None:
            asker.inbox.asking = False
        asker.gate.release()


def _nothing() -> None:
    """A message to somebody who has ended; on to the next."""
