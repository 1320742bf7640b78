"""The mailbox of a tool's calls: bounded, in order, and gated.

A tool's actor has two queues. Control (stop, status, news of the host) is the actor's own inbox;
calls wait here. The mailbox *grants* work one piece at a time and never more than ``concurrency``
pieces at once, so at most that many messages about work are ever in the actor's inbox, and
control waits behind no backlog. While the tool cannot work the mailbox is paused: calls wait, within
their deadlines. When it will not work again soon the mailbox is shut: calls are refused at once.

A signal handler may raise between any two lines that the caller's thread runs here. So nothing is counted that can be
derived from which calls are where, each step ends a call's former place last, and leaving a place twice is no error.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING

from ...base.locks import Lock
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..calls.call import Call
    from ..calls.stage import Result


class Mailbox:
    """Calls that wait for one tool. Thread-safe; nothing here blocks.

    Args:
        limit: how many calls may wait.
        concurrency: how many may be under way.
        grant: called once for each piece of work that may now be taken, under the mailbox's lock:
            it has to pass the news on and do nothing else. Its argument is how many are granted now.

    Attributes:
        holds: how often `hold` was called.
    """

    def __init__(self, limit: int, concurrency: int, grant: Callable[[int], None]) -> None:
        self.limit = limit
        self.concurrency = concurrency
        self._grant = grant
        self._lock = Lock()
        # Ordered, and a call is taken out in no time wherever it waits.
        self._calls: OrderedDict[Call, None] = OrderedDict()
        # Those that wait again, in the order of their sequence: all of them came before all that wait for the first time.
        self._again: OrderedDict[Call, None] = OrderedDict()
        self._taken: set[Call] = set()
        self._in_hand: set[Call] = set()
        self._untaken = 0
        self._open = True
        self._refusal: Callable[[Call], Result] | None = None
        self._closed = False
        self.holds: int = 0
        self._sequence = itertools.count(1)

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        return len(self._calls) + len(self._again)

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return len(self._taken)

    @property
    def untaken(self) -> int:
        """How many grants nobody has taken yet."""
        return self._untaken

    @property
    def refusing(self) -> bool:
        """Whether calls are refused at present."""
        return self._refusal is not None

    @property
    def _granted(self) -> int:
        return self._untaken + len(self._taken)

    def has_taken(self, call: Call) -> bool:
        """Whether this call is under way."""
        return call in self._taken

    def has_only(self, call: Call) -> bool:
        """Whether this call is under way and nothing else is, nor waits."""
        return call in self._taken and len(self._taken) == 1 and not self.waiting

    def under_way(self) -> list[Call]:
        """The calls that were taken and not released yet."""
        with self._lock:
            return list(self._taken)

    def in_hand(self) -> list[Call]:
        """The calls that `take` or `take_all` has returned and that were not handed over yet."""
        with self._lock:
            return list(self._in_hand)

    def offer(self, call: Call) -> Callable[[Call], Result] | None:
        """Put a call at the end. Returns ``None``, or what makes its refusal; then it was not taken."""
        with self._lock:
            if self._refusal is not None:
                return self._refusal
            if self.waiting >= self.limit:
                return _overloaded(self.limit)
            call.sequence = next(self._sequence)
            self._calls[call] = None
            self._grant_more()
        return None

    def enter(self, call: Call) -> bool:
        """Take a call past the mailbox if the tool is idle: nothing waits and nothing is under way."""
        with self._lock:
            # Spelled out, for every call that finds its tool idle comes here: what is `waiting`.
            if self._taken or self._untaken or self._calls or self._again or self._in_hand or not self._open:
                return False
            call.sequence = next(self._sequence)
            self._taken.add(call)
            return True

    def handed_over(self, calls: Iterable[Call]) -> None:
        """These were taken, and have been given to the tool or ended: the next call may go past the mailbox."""
        with self._lock:
            self._in_hand.difference_update(calls)

    def put_back(self, call: Call) -> Callable[[Call], Result] | None:
        """Put a call back to where it stood in the order, even beyond the limit. Returns as `offer`.

        One that was taken is no longer under way, in the same step: else it could be taken again in
        between, and be released then although it is under way; or the one behind it could be taken first.
        """
        with self._lock:
            if self._refusal is not None:
                self._taken.discard(call)
                return self._refusal
            if call not in self._calls:  # an interrupt may have come before it had left its place
                self._insert(call)
            self._taken.discard(call)
            self._grant_more()
        return None

    def _insert(self, call: Call) -> None:
        """Put a call among those that wait again. One that comes first or last takes its place at once."""
        again, sequence = self._again, call.sequence
        if again and sequence <= next(iter(again)).sequence:
            again[call] = None
            again.move_to_end(call, last=False)
            return
        later = list(itertools.takewhile(lambda other: other.sequence > sequence, reversed(again)))
        again[call] = None
        for other in reversed(later):
            again.move_to_end(other)

    def take(self) -> Call | None:
        """Take the next call, once for each grant; ``None`` if there is none to take any more, or no grant.

        Where calls may go past the mailbox, `handed_over` has to follow: until then they must not,
        or they could overtake this one.
        """
        with self._lock:
            if not self._untaken:  # a thread that has failed cannot know whether it had taken a grant
                return None
            self._untaken -= 1
            return self._take() if self._open and self.waiting else None

    def take_all(self) -> list[Call]:
        """As `take`, of as many calls as were granted."""
        with self._lock:
            grants, self._untaken = self._untaken, 0
            return [self._take() for _ in range(min(grants, self.waiting))] if self._open else []

    def _take(self) -> Call:
        calls = self._again or self._calls
        call = next(iter(calls))
        self._in_hand.add(call)
        self._taken.add(call)
        del calls[call]
        return call

    def tell_of_untaken(self) -> None:
        """Grant once more what was granted and not taken: the thread that was told of it takes no more, or was not told."""
        with self._lock:
            if self._untaken:
                self._grant(self._granted)
            self._grant_more()

    def release(self, call: Call) -> None:
        """A call is no longer under way, if it was."""
        with self._lock:
            self._in_hand.discard(call)  # nobody hands over what a thread of this process has taken
            self._taken.discard(call)
            if self._calls or self._again:  # nearly never
                self._grant_more()

    def discard(self, call: Call) -> bool:
        """Take a waiting call out; False if it does not wait here (any more)."""
        with self._lock:
            calls = self._again if call in self._again else self._calls
            if call not in calls:
                return False
            del calls[call]
            return True

    def empty(self) -> list[Call]:
        """Take all waiting calls out; return them, for their owner to see to."""
        with self._lock:
            return self._empty()

    def _empty(self) -> list[Call]:
        waiting = [*self._again, *self._calls]
        self._again.clear()
        self._calls.clear()
        return waiting

    def hold(self) -> None:
        """Refuse no more, but grant nothing yet; not if it was shut for good."""
        with self._lock:
            self.holds += 1
            if not self._closed:
                self._refusal = None

    def pause(self) -> None:
        """Grant no more; calls wait."""
        with self._lock:
            self._open = False

    def resume(self) -> None:
        """Grant again, and refuse no more; not if it was shut for good."""
        with self._lock:
            if self._closed:
                return
            self._open = True
            self._refusal = None
            self._grant_more()

    def shut(
        self, refusal: Callable[[Call], Result], *, for_good: bool = False, holds: int | None = None
    ) -> list[Call]:
        """Refuse calls from now on; return those that waited, for their owner to refuse.

        For good, they stay here until each is discarded, and a second time those are returned that are left: a stop that an
        interrupt has ended is gone on with.

        With ``holds``, only if nobody has called `hold` since there were so many of them: that a host
        is out may be read after the news that the next one is coming.
        """
        with self._lock:
            if not for_good and (self._closed or holds not in {None, self.holds}):
                return []
            self._open = False
            self._refusal = self._refusal if self._closed else refusal
            self._closed = for_good
            return [*self._again, *self._calls] if for_good else self._empty()

    def _grant_more(self) -> None:
        # First what is nearly always false: nobody waits.
        while (
            self._untaken < len(self._calls) + len(self._again)
            and self._open
            and self._granted < self.concurrency
        ):
            self._untaken += 1
            self._grant(self._granted)


def _overloaded(limit: int) -> Callable[[Call], Result]:
    return lambda call: failure(Code.OVERLOADED, f"{limit} calls of {call.plugin_name!r} are waiting already")
