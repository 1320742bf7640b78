"""What becomes of a plugin's calls while its host is down and another generation is on its way.

They are held (within their deadlines, and not more than so many), refused, or handed to a callable
of the embedder's that answers in the tool's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.locks import Lock
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from ...plugins.results.normalise import normalise_result, set_apart
from ..threads.hook_pool import HookFailed

if TYPE_CHECKING:
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..threads.hook_pool import HookPool
    from .mailbox import Mailbox

Answer = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Answers a call in its tool's place: facts in, a result mapping out."""


@frozen
class WhileDown:
    """What is to be done.

    Attributes:
        hold: how many calls may wait for the next generation; ``None`` for as many as the mailbox takes,
            0 for none: they are refused.
        answer: asked for the result of each call instead, on a thread of its own; given ``call``,
            ``plugin``, ``tool``, ``payload`` and ``seconds`` (until the deadline, or ``None``).
    """

    hold: int | None = None
    answer: Answer | None = None

    @property
    def simply_holds(self) -> bool:
        """Whether calls just wait, as they do for a tool that is busy."""
        return self.hold is None and self.answer is None


class Fallback:
    """Takes the calls of one plugin while its host is down. Thread-safe.

    Args:
        plugin: whose calls they are.
        wishes: what is to be done.
        mailbox: where calls wait.
        threads: where callables of the embedder's run.
        refuse: ends a call with what this makes of it, and sees to its dead letter.
        again: takes a call once more that has waited, and asks here first.
        now: the time.
    """

    def __init__(
        self,
        plugin: str,
        wishes: WhileDown,
        mailbox: Mailbox,
        threads: HookPool,
        *,
        refuse: Callable[[Call, Callable[[Call], Result]], None],
        again: Callable[[Call], None],
        now: Callable[[], float],
    ) -> None:
        self._plugin = plugin
        self._wishes = wishes
        self._mailbox = mailbox
        self._threads = threads
        self._refuse = refuse
        self._again = again
        self._now = now
        self._lock = Lock()
        self._is_down = False
        self._closed = False
        self._asked: set[Call] = set()

    def begins(self) -> None:
        """The host is down: calls that wait are no better off than those that come."""
        with self._lock:
            self._is_down = True
        if self._wishes.answer is not None or self._wishes.hold == 0:
            for call in self._mailbox.empty():
                self._again(call)

    def ends(self) -> None:
        """The next generation is there."""
        with self._lock:
            self._is_down = False

    def close(self) -> list[Call]:
        """Take no more calls; returns those for which a stand-in is being asked, for their owner to end."""
        with self._lock:
            self._closed = True
            return list(self._asked)

    def forget(self, call: Call) -> None:
        """A call has ended that may have been interrupted on its way here: no stand-in may have been asked."""
        with self._lock:
            self._asked.discard(call)

    def takes(self, call: Call) -> bool:
        """See to a call; False if it is for the mailbox, to hold it or to say why it cannot."""
        if self._wishes.answer is not None:
            return self._has_answered(call, self._wishes.answer)
        with self._lock:
            if not self._is_down:
                return False
        if self._wishes.hold is None or self._mailbox.refusing:
            return False  # a host that is parked or stopped is more than down, and its refusal says more
        if self._wishes.hold == 0:
            self._refuse(call, self._unavailable)
            return True
        if self._mailbox.waiting >= self._wishes.hold:
            self._refuse(call, self._too_many)
            return True
        return False

    def _has_answered(self, call: Call, stand_in: Answer) -> bool:
        with self._lock:
            if not self._is_down or self._closed:
                return False
            self._asked.add(call)
        facts = {
            "call": call.id,
            "plugin": self._plugin,
            "tool": call.tool_name,
            "payload": call.invocation.payload,
            "seconds": None if call.deadline is None else max(0.0, call.deadline - self._now()),
        }
        self._threads.ask(self._plugin, partial(stand_in, facts), partial(self._answered, call))
        return True

    def _answered(self, call: Call, answer: Mapping[str, Any] | HookFailed) -> None:
        with self._lock:
            self._asked.discard(call)
        if isinstance(answer, HookFailed):
            self._refuse(call, lambda _: failure(Code.HOST_UNAVAILABLE, f"{self._down} and {answer}"))
        else:
            read = normalise_result(answer)
            call.finish(set_apart(read.result) if read.valid else read.result)

    def _unavailable(self, _call: Call) -> Result:
        return failure(Code.HOST_UNAVAILABLE, f"{self._down}; its calls are refused meanwhile")

    def _too_many(self, _call: Call) -> Result:
        return failure(Code.OVERLOADED, f"{self._down}, and {self._wishes.hold} calls wait for it already")

    @property
    def _down(self) -> str:
        return f"the host of {self._plugin!r} is down"
