"""One event carried through its hooks: the shell around `Chain`.

A hook runs on a thread that can be lost; its answer, its failure and the end of its time race, and the first one
counts. Nothing here waits: each step begins the next, in whatever thread the answer came.
"""

from __future__ import annotations

import inspect
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.locks import Lock
from ...plugins.adapter.async_bridge import wait_here
from ...plugins.hooks.answers import HookAnswer, UnreadableAnswer, read_answer
from ...plugins.hooks.chain import Ask, Consult, Passed, Refused
from ...plugins.results.failures import describe
from ..threads.hook_pool import MAX_STUCK, HookFailed
from .approval import Approvals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...plugins.hooks.approval import Question
    from ...plugins.hooks.chain import Chain, News, Step
    from ...plugins.hooks.terms import Listener
    from ...supervision.runtime.clock import Clock, Timer
    from ...supervision.runtime.events import EventStream
    from ..catalog.catalog import ToolDescriptor
    from ..services import Services
    from ..threads.hook_pool import HookPool
    from .approval import ApprovalRequest

logger: Log = Log("callboard.actors")


class Overdue:
    """How many answers of each hook are out beyond their time: threads that it has cost."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[Listener, int] = {}

    def add(self, listener: Listener, count: int) -> None:
        """Count one more, or one less."""
        with self._lock:
            now = self._counts.get(listener, 0) + count
            if now:
                self._counts[listener] = now
            else:
                del self._counts[listener]

    def of(self, listener: Listener) -> int:
        """How many there are of a hook."""
        return self._counts.get(listener, 0)


class HookServices:
    """What all runs of a board share.

    Attributes:
        clock, events, threads: the board's.
        people: asks a person.
        overdue: hooks that have not come back.
    """

    def __init__(
        self, services: Services, offers: Callable[[], Mapping[str, tuple[ToolDescriptor, ...]]]
    ) -> None:
        self.clock: Clock = services.clock
        self.events: EventStream = services.events
        self.threads: HookPool = services.threads
        self.people: Approvals = Approvals(services, offers)
        self.overdue: Overdue = Overdue()


class HookRun:
    """See the module.

    Args:
        chain: decides.
        means: the board's.
        call: the call's id.
        tool: the tool that it names.
        done: called once with the last step, unless the run is abandoned first.
        step_aside: called when the caller of the call is asked, for whose answer no other call waits.
    """

    def __init__(
        self,
        chain: Chain,
        means: HookServices,
        *,
        call: str,
        tool: str | None,
        done: Callable[[Passed | Refused], None],
        step_aside: Callable[[], None],
    ) -> None:
        self.chain = chain
        self._means = means
        self._call = call
        self._tool = tool
        self._done = done
        self._step_aside = step_aside
        self._lock = Lock()
        self._turn = 0
        self._over = False
        self._inquiry: ApprovalRequest | None = None

    def start(self) -> None:
        """Begin; ``done`` may be called before this returns."""
        self._carry(self.chain.begin())

    def abandon(self) -> None:
        """The call has ended otherwise: hear no more, and take a question back.

        A hook under way keeps its timer: if it hangs, its thread is to be counted all the same.
        """
        with self._lock:
            self._over = True
            inquiry = self._inquiry
        if inquiry is not None:
            self._means.people.withdraw(inquiry)

    def _carry(self, step: Step) -> None:
        for news in self.chain.news():
            self._tell(news)
        with self._lock:
            if self._over:
                return
            self._turn += 1
            turn = self._turn
            self._over = isinstance(step, Passed | Refused)
        match step:
            case Consult(listener, data):
                self._consult(turn, listener, data)
            case Ask(question):
                self._ask(turn, question)
            case Passed() | Refused():
                self._done(step)

    def _ask(self, turn: int, question: Question) -> None:
        inquiry = self._means.people.ask_about_call(
            question, self._call, partial(self._decided, turn), self._step_aside
        )
        with self._lock:
            self._inquiry, over = inquiry, self._over
        if over:  # abandoned just now; else it has its answer already
            self._means.people.withdraw(inquiry)

    def _consult(self, turn: int, listener: Listener, data: dict[str, Any]) -> None:
        means = self._means
        if means.overdue.of(listener) >= MAX_STUCK:
            self._failed(turn, f"{MAX_STUCK} earlier calls of it have not come back")
            return
        lost = _Once()
        timer = means.clock.call_at(
            means.clock.now() + listener.deadline, partial(self._late, turn, listener, lost)
        )
        means.threads.ask(
            f"hook {listener.name}",
            partial(_consult, listener, data, lost),
            partial(self._answered, turn, listener, timer, lost),
            most=sys.maxsize,
        )

    def _answered(
        self,
        turn: int,
        listener: Listener,
        timer: Timer,
        lost: _Once,
        answer: HookAnswer | HookFailed,
    ) -> None:
        timer.cancel()
        if not lost.first():  # its time was over while it ran
            self._means.overdue.add(listener, -1)
        if isinstance(answer, HookAnswer):
            self._advance(turn, partial(self.chain.answered, answer))
        else:
            self._failed(turn, str(answer))

    def _late(self, turn: int, listener: Listener, lost: _Once) -> None:
        # One that has not begun keeps no thread: an interrupt of the thread that was to hand it over may have lost it.
        if lost.begun and lost.first():
            self._means.overdue.add(listener, 1)
        self._failed(turn, f"it did not answer within {listener.deadline:g} s")

    def _failed(self, turn: int, why: str) -> None:
        self._advance(turn, partial(self.chain.failed, why))

    def _decided(self, turn: int, answer: Any) -> None:
        self._advance(turn, partial(self.chain.decided, answer))

    def _advance(self, turn: int, step: Callable[[], Step]) -> None:
        """Take a piece of news, unless another one came first."""
        with self._lock:
            if turn != self._turn or self._over:
                return
            self._turn += 1
        self._carry(step())

    def _tell(self, news: News) -> None:
        facts: dict[str, Any] = {"call": self._call, "tool": self._tool, "event": self.chain.event}
        if news.kind == "hook_failed":
            said = "hook %r of %s failed for call %s: %s"
            logger.error(said, news.hook, self.chain.event, self._call, news.said)
            facts["error"] = news.said
        self._means.events.publish(news.kind, news.hook, **facts)


class _Once:
    """True for the first who asks.

    Attributes:
        begun: the hook has begun to run, in a thread.
    """

    __slots__ = ("_asked", "begun")

    def __init__(self) -> None:
        self._asked = threading.Lock()
        self.begun = False

    def first(self) -> bool:
        """Whether it was not asked before."""
        return self._asked.acquire(blocking=False)


def _consult(listener: Listener, data: dict[str, Any], lost: _Once) -> HookAnswer | HookFailed:
    """In a thread that may be lost: all code of the hook's, that of its answer too, runs here."""
    lost.begun = True
    try:
        answer: Any = listener.hook(listener.event, data)
        if inspect.isawaitable(answer):
            answer = wait_here(answer)
        return read_answer(answer)
    except UnreadableAnswer as error:
        return HookFailed(str(error), plugin=listener.name)
    except BaseException as error:  # noqa: BLE001 - the embedder's code: SystemExit too ends in here
        return HookFailed(f"it raised {describe(error)}", plugin=listener.name)
