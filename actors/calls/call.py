"""The handle of one call: where its parts and its one result arrive.

::

    QUEUED ──begin──▶ STARTED ──finish──▶ ENDED
       ▲                 │
       └────put_back─────┘     (the host went before it was sent, or the tool is idempotent)

A call ends once: of a result, a deadline, a cancel and a crash that come at the same moment, the
first one wins and the others are told so. The thread that has the result sets it here, in whatever
thread; the waiting caller is woken directly, and nothing climbs back through the actors.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from math import inf
from types import coroutine
from typing import TYPE_CHECKING, Any, Protocol

from ...base.foreign import Log
from ...base.forking import process
from ...base.locks import Lock
from ...base.threads import import_apart
from ...base.validation import require_callable, require_number
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from .ending import Ending, settle, wake, wake_all
from .part_reader import PartReader
from .stage import EarlyCode, Stage, early_end, too_late
from .unread_parts import UnreadParts
from .waiting import running_asyncio, wait_for_callback, wake_others

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future

    from ...hosts.protocol.wire import RawAnswer
    from ...plugins.contract.invocation import Invocation
    from ...supervision.runtime.clock import Clock, Timer
    from .future import CallFuture
    from .stage import Result

logger: Log = Log("callboard.actors")

CANCELLED = "the caller cancelled the call"


class CallOwner(Protocol):
    """The tool that a call has been given to. All are called in any thread and must not block.

    Attributes:
        on_awaited: told that a call is about to be awaited by a task of an asyncio loop, which runs in this thread; ``None``
            where that makes no difference.
        on_waited: told that a call is about to be waited for in another way; ``None`` as long as that makes no difference.
    """

    on_awaited: Callable[[Call, AbstractEventLoop], None] | None
    on_waited: Callable[[], None] | None

    def on_ended_early(self, call: Call, stage: Stage) -> None:
        """It was ended by deadline or cancel while it was in ``stage``; take it off the work."""

    def on_ended(self, call: Call, result: Result) -> None:
        """It has its result, which is not visible yet: what is counted, and told, comes first."""

    def on_interrupted(self, call: Call) -> None:
        """An interrupt has left it half done; have `Call.recover` called in a thread that no signal handler interrupts."""


class Call:
    """One request to run a tool. Made by `Callboard.submit`; usable from any thread and event loop.

    ``await call`` has its result and ``async for part in call`` its parts without blocking the loop, asyncio's or trio's, also from several loops;
    where neither runs that is a `RuntimeError`. What a callback raises is logged.

    Attributes:
        id: the caller's id, or one made up.
        tool_name: the tool that was asked for, or ``None`` if the call named none.
        plugin_name: the plugin that took it; ``None`` until it is routed.
        invocation: what the tool is given.
        attempt: 1, and one more for each time it was sent again.
        began: when it was given to the tool, on the board's clock; ``None`` if it was not, or waits again.
        parts_dropped: parts that were not read in time: 65,536 are kept for a slow reader, and 64 MiB of them; past that the oldest
            go, and the result says how many, under the same name.
        submitted: when it was, on the board's clock.
        seconds: how long it may take, waiting included; ``None`` for no limit.
        deadline: when it will be ended, on the board's clock; ``None`` for never.
        lost: how it was lost when it was sent before, if it was.
        noted: what has been counted and told of it: ``submitted``, ``counted``, and kinds of events.
        final_state: the plugin's state as its answer left it, which is not to be changed; ``None`` until then.
        raw: what the result was read of; `raw_answer` is its line.
        run: the state of its run, kept by the tool that runs it and for that tool alone; ``None`` before and after.
        generation: the generation of the host that answered it; ``None`` if no host has.
        notes: what hooks want said beside their answers (context for the model, messages for people), in order. What hooks of
            ``tool:error`` say may come after the result.
    """

    __slots__ = (
        "__weakref__", "_at_end", "_at_news", "_chunks", "_ending", "_future", "_limited", "_lock", "_owner",
        "_process", "_result", "_stage", "_timer", "attempt", "began", "deadline", "final_state", "generation", "id", "invocation", "lost",
        "noted", "parts_dropped", "plugin_name", "raw", "run", "seconds", "sequence", "streaming", "submitted", "tool_name",
    )  # fmt: skip
    notes: tuple[dict[str, Any], ...] = ()

    def __init__(
        self,
        call_id: str,
        invocation: Invocation,
        *,
        submitted: float = 0.0,
        streaming: bool = True,
    ) -> None:
        self.id: str = call_id
        self.tool_name: str | None = invocation.tool_name
        self.plugin_name: str | None = None
        self.invocation: Invocation = invocation
        self.submitted: float = submitted
        self.seconds: float | None = None
        self.deadline: float | None = None
        self.streaming: bool = streaming
        self.attempt: int = 0
        self.began: float | None = None
        self.sequence: int = 0
        self.parts_dropped: int = 0
        self.run: Any = None
        self.generation: int | None = None
        self.lost: Result | None = None
        self.noted: set[str] = set()
        self.final_state: dict[str, Any] | None = None
        self.raw: RawAnswer | None = None
        self._lock, self._stage = Lock(), Stage.QUEUED
        self._ending: Ending | None = None
        self._result: Result | None = None
        self._chunks: UnreadParts | None = None
        self._at_news: list[Callable[[], None]] = []
        self._at_end: list[Callable[[], None]] = []
        self._owner: CallOwner | None = None
        self._limited, self._process = False, process.number
        self._timer: Timer | None = None
        self._future: CallFuture | None = None

    def __repr__(self) -> str:
        return f"<Call {self.id} of {self.tool_name}: {self._stage.value}>"

    # For the caller

    def done(self) -> bool:
        """Whether it has ended, and its result can be had."""
        return self._result is not None

    @property
    def decided(self) -> bool:
        """Whether it is certain how it ends, be it that the result cannot be had yet."""
        return self._stage is Stage.ENDED

    @property
    def raw_answer(self) -> bytes | None:
        """The line of JSON-RPC in which an MCP server has answered.

        ``None`` of any other tool, and where the result says something else: a hook has changed it, it was cut, or it is a failure that
        Callboard reports.
        """
        return None if self.raw is None else self.raw.line

    @property
    def stage(self) -> Stage:
        """How far it has come; ``ENDED`` once the result can be had."""
        stage = self._stage
        return Stage.STARTED if stage is Stage.ENDED and self._result is None else stage

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the result mapping. A tool's failure is a result and never an exception.

        Args:
            timeout: seconds to wait; the call goes on when they are over.

        Raises:
            TimeoutError: it has not ended within ``timeout``.
        """
        if timeout is not None:
            require_number("timeout", timeout)
        if self._result is None and not self._wait(self._at_end, timeout):
            raise TimeoutError(f"call {self.id} of {self.tool_name} has not ended within {timeout} s")
        assert self._result is not None
        return self._result

    def parts(self) -> Iterator[Any]:
        """The partial results in order, each as the tool emitted it; ends when the call ends.

        A part is given to one reader, once: two loops over one call share its parts.
        """
        return (chunk["part"] for chunk in self.chunks())

    def chunks(self) -> Iterator[dict[str, Any]]:
        """As `parts`, each as ``{"part": …}`` with whatever keys the tool put beside it."""
        release = self.hold()
        try:
            while True:
                ended = self.done()  # before the look: the end comes last
                if (chunk := self.take_chunk()) is not None:
                    yield chunk
                elif ended:
                    return
                else:
                    self._wait(self._at_news, None)
        finally:
            release()

    def cancel(self) -> bool:
        """End the call with ``cancelled``, now; False if it had ended already.

        A tool that is running is asked to stop if it can be asked, and may have had its effect. An interrupt in here is
        raised, and the call ends with ``cancelled`` all the same.
        """
        try:
            return self.end_early(Code.CANCELLED, CANCELLED)
        except BaseException:  # an interrupt: raised again
            self.withdraw()
            raise

    def add_done_callback(self, function: Callable[[], None]) -> None:
        """Call ``function`` once it has ended: at once, or from the thread that ends it. What it raises is logged."""
        require_callable("a callback", function)
        if self._owner is not None and self._owner.on_waited is not None:
            self._owner.on_waited()
        if not self._register(self._at_end, function):
            wake_all([function], self.id)

    @property
    def future(self) -> Future[Result]:
        """The result as a `concurrent.futures.Future`; cancelling that does nothing to the call."""
        import_apart(".future", __package__)
        from .future import CallFuture  # noqa: PLC0415 - only who asks pays for the import

        self._require_home()
        with self._lock:
            if self._future is not None:
                return self._future
            future = self._future = CallFuture()
        self.add_done_callback(lambda: future.settle(self.result()))
        return future

    def __await__(self) -> Generator[Any, None, Result]:
        wake_others()
        if self._result is None:
            yield from self._wait_in_loop(self._at_end, self.abandon)
        return self.result()

    def __aiter__(self) -> PartReader:
        return PartReader(self)

    # For those that await it. All of them have a callback in _at_end, until they have gone; the last to go by
    # being cancelled takes the call along. Nothing of Callboard's own may register there with a caller's handle.

    def hold(self) -> Callable[[], None]:
        """Count as one who awaits it, until what this returns is called; that takes no lock, and is for finalizers too."""

        def held() -> None:
            """One for each: it is found by its identity."""

        def release() -> None:
            with suppress(ValueError):  # the call has ended
                self._at_end.remove(held)

        self._register(self._at_end, held)
        return release

    def abandon(self) -> None:
        """Cancel the call, unless another still awaits it: one who did was cancelled."""
        with self._lock:
            if self._at_end:
                return
        self.cancel()

    def take_chunk(self) -> dict[str, Any] | None:
        """The next part that was not read yet, as `chunks` yields it; ``None`` if there is none now."""
        try:
            return self._chunks.popleft() if self._chunks else None
        except IndexError:  # another reader was faster
            return None

    @coroutine
    def news(self, cancelled: Callable[[], None]) -> Generator[Any, None, None]:
        """Wait for the next part, or the end; tell if the task is cancelled meanwhile."""
        yield from self._wait_in_loop(self._at_news, cancelled)

    def nudge(self) -> None:
        """Have those who wait for its next part look once more, though there may be none."""
        with self._lock:
            waiting, self._at_news[:] = self._at_news[:], ()
        wake_all(waiting, self.id)

    # For the tool that runs it

    # What `tell` publishes is published under the lock, so that no news of a call can come after
    # that of its end; an event stream never blocks, and takes no lock of ours.

    def belongs_to(self, owner: CallOwner) -> None:
        """Note who hears of its end as long as no tool is given it."""
        self._owner = owner

    def adopt(self, owner: CallOwner, plugin_name: str, tell: Callable[[Call], None] | None = None) -> bool:
        """Note which tool it is given to. False if it has ended: then no tool gets it."""
        with self._lock:
            if self._stage is Stage.ENDED:
                return False
            self._owner = owner
            self.plugin_name = plugin_name
            if tell is not None:
                tell(self)
            return True

    def limit(self, clock: Clock, seconds: float | None) -> None:
        """Put its end by deadline on the clock, ``seconds`` after it was submitted.

        Does nothing with ``None``, or if it was said before how long it may take; ``inf`` says: without end.
        """
        if self._limited or seconds is None:
            return
        self._limited = True
        if seconds == inf:
            return
        self.seconds, self.deadline = seconds, self.submitted + seconds
        if seconds <= 0:
            self._expire()
            return
        self._timer = clock.call_at(self.deadline, self._expire)
        if self._stage is Stage.ENDED:  # ended while its timer was being set
            self._timer.cancel()

    def _expire(self) -> None:
        self.end_early(Code.DEADLINE_EXCEEDED, *too_late(self.tool_name, self.seconds))

    def begin(self, now: float = 0.0, tell: Callable[[Call], None] | None = None) -> bool:
        """It is about to be given to the tool. False if it has ended: then leave it alone."""
        with self._lock:
            if self._stage is not Stage.QUEUED:
                return False
            self.attempt += 1
            self.began, self._stage = now, Stage.STARTED
            if tell is not None:
                tell(self)
            return True

    def put_back(self, lost: Result | None = None, tell: Callable[[Call], None] | None = None) -> bool:
        """It was not given to the tool after all, or may be once more. False if it has ended.

        Args:
            lost: how it ended the first time, if it was given to the tool. Then it may have run,
                whatever becomes of it now.
            tell: publishes that, as in `adopt` and `begin`.
        """
        with self._lock:
            if self._stage is not Stage.STARTED:
                return False
            self.began, self._stage = None, Stage.QUEUED
            if lost is None:
                self.attempt -= 1
            else:
                self.lost = lost
            if tell is not None:
                tell(self)
            return True

    def add_chunk(self, chunk: dict[str, Any], size: int) -> bool:
        """Hand a part of so many bytes to the reader. False, and nothing happens, once the call has ended."""
        with self._lock:
            if self._stage is Stage.ENDED:
                return False
            if self._chunks is None:
                self._chunks = UnreadParts()
            self.parts_dropped += self._chunks.keep(chunk, size)
        if self._at_news:  # who comes from now on sees the part
            self.nudge()
        return True

    def finish(
        self, result: Result, *, only_in: Stage | None = None, first: Callable[[], None] | None = None
    ) -> bool:
        """End the call. False, and nothing happens, if it had ended already.

        Args:
            result: the result mapping; the call's own from now on.
            only_in: end it only if it is in this stage, because ``result`` is true only then.
            first: done once it is certain that this is the result, and before anybody can see it:
                what the next call relies on, such as the committed state. It may add to ``result``.
        """
        ending = Ending(result, first)
        try:
            with self._lock:
                if self._stage is Stage.ENDED or (only_in is not None and self._stage is not only_in):
                    return False
                self._ending, self._stage = ending, Stage.ENDED
            self._settle(ending)
        except BaseException:  # an interrupt, raised again: another thread goes on from here
            if self._ending is ending and self._stage is Stage.ENDED and not ending.over:
                ending.left = True
                self.withdraw()
            raise
        return True

    def _settle(self, ending: Ending) -> None:
        """Do what comes before the result is visible, make it visible, and wake all who wait; what was done before is left out."""
        if self._result is None:
            told = None if self._owner is None else partial(self._owner.on_ended, self, ending.result)
            settle(ending, self.id, told, self._timer)
            with self._lock:
                ending.waiting = [*self._at_news, *self._at_end]
                self._result = ending.result
                self._at_news.clear()
                self._at_end.clear()
        interrupt = wake(ending.waiting, self.id)
        ending.over = True
        ending.first = None  # a caller may keep its call for long, and that must not keep a host
        if interrupt is not None:
            raise interrupt

    # After an interrupt. A signal handler may raise between any two lines that the caller's thread runs. What it has left half
    # done is done by the owner's thread, where nothing interrupts; each step may have been done before.

    def withdraw(self) -> None:
        """End a call whose submitter was interrupted, with ``cancelled``: at once, or soon in another thread."""
        if self._owner is None:
            self.recover()
        else:
            self._owner.on_interrupted(self)

    def recover(self) -> None:
        """End it with ``cancelled`` if nobody has; go on with an ending that was interrupted."""
        ending = self._ending
        if self._stage is not Stage.ENDED:
            self.end_early(Code.CANCELLED, CANCELLED)
        elif ending is not None and ending.left:
            ending.left = False
            self._settle(ending)

    def end_early(self, code: EarlyCode, error: str, unsent: str | None = None) -> bool:
        """End it from outside, saying truly whether the tool may have run. False if it had ended.

        Args:
            code: why.
            error: a sentence for people and for the model.
            unsent: the sentence in its place if no tool was ever given the call.
        """
        self._require_home()
        while True:
            stage = self._stage
            if stage is Stage.ENDED:
                return False
            may_have_run = stage is Stage.STARTED or self.lost is not None
            result = early_end(code, error, unsent, may_have_run=may_have_run)
            try:
                if self.finish(result, only_in=stage):
                    if self._owner is not None:
                        self._owner.on_ended_early(self, stage)
                    return True
            except BaseException:  # an interrupt, raised again: the owner's thread goes on
                if self._stage is Stage.ENDED:
                    self.withdraw()
                raise

    # Waiting: one-shot callbacks, for the end (_at_end) or for the next part or the end (_at_news)

    def _wait(self, callbacks: list[Callable[[], None]], timeout: float | None) -> bool:
        """Wait for one of ``callbacks``' occasions; False when the time is over before."""
        if self._owner is not None and self._owner.on_waited is not None:
            self._owner.on_waited()
        gate = threading.Lock()
        gate.acquire()
        woken = False
        try:
            if not self._register(callbacks, gate.release):
                return True
            woken = gate.acquire(timeout=-1 if timeout is None else max(0.0, timeout))
        finally:  # an interrupt of the wait leaves the call as it is, without this callback
            if not woken:
                self._forget(callbacks, gate.release)
        return woken or self._result is not None

    def _wait_in_loop(
        self, callbacks: list[Callable[[], None]], cancelled: Callable[[], None]
    ) -> Generator[Any, None, None]:
        loop = running_asyncio()
        if self._owner is not None and self._owner.on_awaited is not None:
            if loop is not None:
                self._owner.on_awaited(self, loop)
            elif self._owner.on_waited is not None:
                self._owner.on_waited()
        register, forget = partial(self._register, callbacks), partial(self._forget, callbacks)
        yield from wait_for_callback(loop, register, forget, cancelled)

    def _register(self, callbacks: list[Callable[[], None]], function: Callable[[], None]) -> bool:
        """False when the occasion is there already."""
        self._require_home()
        with self._lock:
            if self._result is not None or (callbacks is self._at_news and self._chunks):
                return False
            callbacks.append(function)
            return True

    def _require_home(self) -> None:
        """In a forked child nothing brings the result of a call of its parent's: there it has ended.

        Its lock may be held for ever there, and its callbacks are the parent's to call.
        """
        if self._process != process.number:
            home, self._process = process.pids[self._process], process.number
            self._lock = Lock()
            if self._result is None:
                self._stage = Stage.ENDED
                why = f"the call belongs to process {home}, and this is a child that was forked off it"
                self._result = failure(Code.CANCELLED, why, outcome=Outcome.OUTCOME_UNKNOWN)

    def _forget(self, callbacks: list[Callable[[], None]], function: Callable[[], None]) -> None:
        with self._lock, suppress(ValueError):
            callbacks.remove(function)
