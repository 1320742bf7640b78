"""One turn carried out: the shell around `Turn`. Its driver waits for its inbox, or awaits it.

Everything that takes time is elsewhere: the model is read, calls are read to their end and previews are made
on helper threads, or on tasks of the driver's event loop. All of them only put news in. What the machine
does next is decided and done in the one thread that takes the news out, so nothing here needs a lock.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.foreign import Log
from ...interop.errors import InteropError
from ...plugins.results.codes import Outcome
from ...plugins.results.failures import describe
from ..errors import ProviderError
from ..requests.request import RequestError
from ..sessions.file import SessionFileError
from ..sessions.session import no_result, open_calls, unanswered
from ..threads import WorkerPool
from .answer import events_of
from .inbox import Inbox
from .model_reading import ModelReader
from .turn import Phase, Turn
from .turn_effects import Append, Ask, Cancel, Finish, Preview, Reason, StopAsking, Submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...actors.calls.call import Call
    from ..requests.active_provider import ModelRequest
    from ..requests.stop_reasons import StopReason
    from ..sessions.file import SessionFile
    from ..sessions.session import Session
    from .answer_steps import AskedCall
    from .model_reading import Reading, Spawn
    from .tool_calls import ToolCalls
    from .turn_effects import Do

logger: Log = Log("callboard.agent")

Json = dict[str, Any]


class ToolLoop:
    """See the module.

    Args:
        session: where the turn begins.
        max_rounds: how often the model may be asked.
        compose: settles a request; called on a helper thread for each round.
        calls: runs and shows calls.
        keep: opens the file where messages are kept as they come; ``None`` for none.
        spawn: starts a coroutine as a task of the driver's event loop, and returns what cancels it; ``None`` if
            the driver has no event loop.

    Attributes:
        session: the session so far.
        events: what there is to tell, and was not taken yet.
        over: whether the turn has ended.
        inbox: news; each is to be called, once, in the driver's thread.
    """

    def __init__(
        self,
        session: Session,
        *,
        max_rounds: int,
        compose: Callable[[], ModelRequest],
        calls: ToolCalls,
        keep: Callable[[Session], SessionFile] | None,
        spawn: Spawn | None = None,
    ) -> None:
        self.session: Session = session
        self.events: list[Json] = []
        self.over: bool = False
        self.inbox: Inbox[Callable[[], None]] = Inbox()
        self._turn = Turn(max_rounds)
        self._calls = calls
        self._keep = keep
        self._file: SessionFile | None = None
        self._helpers = WorkerPool(f"callboard-turn-{session.id}")
        self._model = ModelReader(compose, self, helpers=self._helpers, inbox=self.inbox, spawn=spawn)
        self._request: ModelRequest | None = None
        self._stop: StopReason | None = None
        self._running: dict[str, Call] = {}

    def open(self) -> None:
        """Open the session's file, if it is kept. May read the whole of it. Raises `SessionFileError`."""
        if self._keep is not None:
            self._file = self._keep(self.session)

    def begin(self) -> list[Json]:
        """Answer calls that an earlier turn has left open, and ask the model; returns the first events."""
        for call in open_calls(self.session.messages):
            self._append(no_result(call))
        self._carry(self._turn.begin())
        return self._taken()

    def take(self, news: Callable[[], None]) -> list[Json]:
        """Take one piece of news; returns the events that came of it."""
        news()
        return self._taken()

    def stop(self, reason: str = Reason.CANCELLED) -> None:
        """Have the turn end; from any thread."""
        self.inbox.put(lambda: self._carry(self._turn.stop(reason)))

    def close(self) -> None:
        """End at once, and wait for nothing: the driver goes. What has not ended is answered as unknown."""
        self._carry(self._turn.stop())
        while len(self.inbox) and not self.over:
            self.inbox.get()()
        self._carry(self._turn.abandon())
        if self._file is not None:
            self._file.close()

    def _taken(self) -> list[Json]:
        events, self.events = self.events, []
        return events

    def _tell(self, kind: str, **facts: Any) -> None:
        self.events.append({"type": kind, **facts})

    # What the machine wants done

    def _carry(self, done: Iterable[Do]) -> None:
        for do in done:
            match do:
                case Ask():
                    self._stop = None
                    self._model.ask(self.session.messages)
                case StopAsking():
                    self._model.give_up()
                case Append(message):
                    self._append(message)
                case Preview(call):
                    self._helpers.do(partial(self._read_preview, call, self._requested()))
                case Submit(call):
                    self._submit(call, self._requested())
                case Cancel(call):
                    self._running[call.id].cancel()
                case Finish(reason):
                    self.over = True
                    self._tell("done", session=self.session, reason=reason, stop_reason=self._stop)

    def _append(self, message: Json) -> None:
        self.session = self.session.with_message(message)
        self.events += events_of(message)
        if self._file is None:
            return
        try:
            self._file.append(message)
        except SessionFileError as error:
            self._file.close()
            self._file = None  # what comes after a gap is no history
            self._tell("error", error=str(error), code="not_saved")

    # The model: see `Hearer`

    def heard(self, reading: Reading, event: Json) -> None:
        """The model has said something, or something of its request is to be told."""
        if event.get("type") == "text" and isinstance(event.get("text"), str):
            self._turn.heard(event["text"])
        if reading.answer.take(event):
            self.events.append(event)

    def failed(self, error: BaseException) -> None:
        """The model could not be asked, or has broken off."""
        if isinstance(error, ProviderError):
            self.events.append(error.event())
        else:
            if not isinstance(error, CallboardError):
                logger.error("a model request failed", exc_info=error)
            self._tell("error", error=describe(error), code=_code_of(error))
        self._carry(self._turn.broke())

    def answered(self, reading: Reading, request: ModelRequest) -> None:
        """The model has come to its end."""
        self._request = request
        try:
            steps, told = reading.answer.steps(
                request.request.registry.inspect_call,
                turn=len(reading.messages),
                lane=lambda name: request.plugin_of(name) or name,
            )
        except Exception as error:  # noqa: BLE001 - a provider's messages, which may be anything
            self.failed(error)
            return
        self.events += told
        self._stop = stop = reading.answer.stop.reason
        self._carry(self._turn.broke(steps) if reading.answer.broke else self._turn.answered(steps, stop))

    def _requested(self) -> ModelRequest:
        assert self._request is not None  # there are no calls before an answer
        return self._request

    # Calls

    def _read_preview(self, call: AskedCall, request: ModelRequest) -> None:
        preview = ""
        try:
            plugin = request.plugin_of(call.tool_name)
            preview = self._calls.preview(call.tool_call, plugin, request.request.context)
        finally:
            self.inbox.put(partial(self._previewed, call, preview))

    def _previewed(self, call: AskedCall, preview: str) -> None:
        if preview and self._turn.phase is Phase.RUNNING:
            self._tell("preview", tool_call_id=call.id, tool_name=call.tool_name, preview=preview)
            # What is told now is heard before the call begins.
            self.inbox.put(partial(self._begin_call, call))
        else:
            self._begin_call(call)

    def _begin_call(self, call: AskedCall) -> None:
        self._carry(self._turn.previewed(call))

    def _submit(self, call: AskedCall, request: ModelRequest) -> None:
        running = self._running[call.id] = self._calls.submit(
            call.tool_call, request.request.context, streaming=True
        )
        self._helpers.do(partial(self._read_call, call, running))

    def _read_call(self, call: AskedCall, running: Call) -> None:
        why = "its result could not be made into a message"
        message = unanswered(call.id, call.tool_name, why, Outcome.OUTCOME_UNKNOWN)
        try:
            for answer in self._calls.answers(running):
                if "role" in answer:
                    message = answer
                else:
                    self.inbox.put(partial(self._part, call, answer, running.attempt))
        finally:
            self.inbox.put(partial(self._ended, call, message))

    def _part(self, call: AskedCall, answer: Json, attempt: int) -> None:
        again = {"attempt": attempt} if attempt > 1 else {}
        if self._turn.waits_for(call):
            self.events.append({"type": "part", **answer, "tool_call_id": call.id, **again})

    def _ended(self, call: AskedCall, message: Json) -> None:
        self._carry(self._turn.ended(call, message))


def _code_of(error: BaseException) -> str:
    match error:
        case RequestError():
            return "bad_config"
        case InteropError():
            return "not_convertible"
    return "provider_raised"
