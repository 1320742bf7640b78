"""The threads in which tools of this process run.

Tool code runs here and nowhere else: whatever it raises, `SystemExit` and `KeyboardInterrupt`
too, ends here as a result, where in an actor's loop it would stop every actor of the process. A
thread whose run is fenced off cannot be killed; it is replaced, and ends by
itself if its tool ever returns.
"""

from __future__ import annotations

import queue
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.event_loop import EventLoop
from ...base.foreign import Log, contain
from ...base.json import copy_json
from ...base.locks import Lock
from ...base.threads import begin_thread
from ...plugins.results.failures import describe, tool_raised
from ...plugins.results.normalise import FORMATTED, NormalisedResult, Worded, invalid_result, set_apart
from .perform import perform
from .run import ThreadRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..calls.call import Call
    from ..calls.stage import Result
    from ..endpoint.endpoint import Endpoint
    from ..state.cell import StateCell

logger: Log = Log("callboard.actors")

State = dict[str, Any]

_PATIENCE = 0.5
"""Seconds until a thread that could not be had is asked for again."""


class Workers:
    """Runs one plugin's calls, each in a thread; threads start when there is work for them.

    Args:
        name: the plugin's, for the threads' names.
        on_back: told of a fenced-off run whose thread has come back.
    """

    def __init__(self, name: str, on_back: Callable[[ThreadRun], None]) -> None:
        self._name = name
        self._on_back = on_back
        self._work: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._lock = Lock()
        self._threads: set[object] = set()
        self._closed = False
        self.endpoint: Endpoint | None = None

    def grant(self, granted: int) -> None:
        """A piece of work may be taken; ``granted`` are under way with it. See `Mailbox`."""
        self._work.put(True)
        self._begin(granted)

    def _begin(self, most: int) -> None:
        """Start a thread unless there are so many; later, if the machine has none to give."""
        thread = object()
        with self._lock:
            if len(self._threads) >= most:
                return
            try:
                self._threads.add(thread)
                name = f"callboard-tool-{self._name}"
                if begin_thread(threading.Thread(target=self._run, name=name, daemon=True)):
                    return
            except BaseException:  # an interrupt, raised again; if it runs all the same it does no harm
                self._threads.discard(thread)
                raise
            # Calls wait meanwhile, within their deadlines; they are granted, so nothing else starts them.
            self._threads.discard(thread)
            logger.error("no thread for a call of %r; trying again in %g s", self._name, _PATIENCE)
        endpoint = self.endpoint
        assert endpoint is not None
        endpoint.clock.call_at(endpoint.clock.now() + _PATIENCE, self._begin_late)

    def _begin_late(self) -> None:
        if not (self._closed or self._work.empty()):
            self._begin(len(self._threads) + 1)

    def replace(self) -> None:
        """Count a thread out that is stuck; the next grant starts another."""
        with self._lock:
            self._threads.pop()

    def close(self) -> None:
        """Let the threads end once they are idle."""
        with self._lock:
            self._closed = True
        self._work.put(False)

    def _run(self) -> None:
        endpoint = self.endpoint
        assert endpoint is not None
        loop, going_on = EventLoop(), True
        while going_on:
            try:
                going_on = self._work_on(endpoint, loop)
            except BaseException as error:  # noqa: BLE001 - a fault of ours: the calls that wait are worked on all the same
                contain(error, logger, "a thread of %r has failed, and goes on", self._name)
                endpoint.events.thread_failed(self._name, describe(error))
                self._work.put(True)  # it may have had a piece of work in its hand; one too many does no harm
        loop.close()

    def _work_on(self, endpoint: Endpoint, loop: EventLoop) -> bool:
        """Run calls until there are to be no more, or until this thread is one too many, and ends."""
        while self._work.get():
            call = endpoint.mailbox.take()
            if call is None:
                continue
            try:
                if not self._run_one(endpoint, call, loop):
                    return False
            except BaseException as error:  # a thread that is lost must not take the call with it
                if not call.finish(tool_raised(error), first=partial(endpoint.mailbox.release, call)):
                    endpoint.mailbox.release(call)
                raise
        self._work.put(False)  # for the next thread, however many there are
        return False

    def _run_one(self, endpoint: Endpoint, call: Call, loop: EventLoop) -> bool:
        """Run a call that was taken. False if it was fenced off, and with it this thread."""
        run = call.run = ThreadRun(call, endpoint.invocation(call))
        if not call.begin(
            endpoint.clock.now(),
            endpoint.flight.started if "call_started" in endpoint.events.wanted else None,
        ):
            endpoint.mailbox.release(call)
            return True
        state = endpoint.cell.copy()
        answer = perform(endpoint.adapter, run, state, loop.runner)
        if not run.claim():
            self._on_back(run)
            return False
        _end(endpoint, run, answer, state)
        return True


def _end(endpoint: Endpoint, run: ThreadRun, answer: NormalisedResult, state: State) -> None:
    """Hand over the answer, in the order that `HostedRun` keeps too: certain, committed, free, told."""
    result, new_state, text = answer.result, None, None
    if answer.valid:
        set_apart(result)
        if isinstance(answer, Worded):
            result[FORMATTED] = True
        if state or endpoint.cell.committed[0]:  # of a tool that keeps none there is nothing to commit
            result, new_state, text = _weighed(endpoint.cell, result, state)

    def settle() -> None:
        try:
            if new_state is not None and not endpoint.cell.commit(new_state, text):
                result["state_saved"] = False
            run.call.final_state = new_state or {}
        finally:
            endpoint.mailbox.release(run.call)

    if not run.call.finish(result, first=settle):
        endpoint.mailbox.release(run.call)


def _weighed(cell: StateCell, result: Result, state: State) -> tuple[Result, State | None, bytes | None]:
    """As `StateCell.weigh`, of a copy of what is the tool's own."""
    try:
        new_state = copy_json(state, what="$.state")
    except JsonValueError as error:
        why = f"the tool's state is no JSON any more: {error}"
        return invalid_result(why, path=error.path).result, None, None
    except BaseException as error:  # noqa: BLE001 - an object of the tool's making, with methods of its own
        why = f"reading the tool's state raised {describe(error)}"
        return invalid_result(why, path="$.state").result, None, None
    return cell.weigh(result, new_state)
