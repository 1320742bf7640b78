"""The board's requests to a server, each until its end: answers, tasks, questions and cancellation. Pure.

A call may take several requests, one after the other: those of its rounds, if the server asks for input, and those of its task, if it runs as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..mcp_tasks.server_tasks import Ask, End, Poll, Requires, ServerTasks, exact_line
from ..protocol.wire import BegunEvent, ErrorResponse, PartEvent, RawAnswer, Response
from . import jsonrpc
from .results import message_of, progress_of
from .server_requests import INPUT_REQUIRED, Again, NoInput, call_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..mcp_tasks.server_tasks import Step
    from ..protocol.dialect import Aside
    from ..protocol.wire import Message
    from .result_bound import KeptResults
    from .server_requests import Effect, ServerRequests

Json = dict[str, Any]

PROGRESS: Final = "notifications/progress"
OURS: Final = "callboard:"
"""How the ids of a session's own requests begin; those of the board's requests begin with a number."""


class Running(NamedTuple):
    """A request of the board that is under way at the server, or waits for input or for a look at its task.

    Attributes:
        call: its id on the board; on the wire each round has one of its own.
        reads: makes a message of the board of its answer.
        method, params: as it was sent.
        tool: the name of the tool that is called; ``None`` of other requests.
    """

    call: str
    reads: Callable[[str, Any, Json | None, RawAnswer | None], Message]
    method: str
    params: Json
    tool: str | None = None


class ServerCalls:
    """See the module. Of one session.

    Args:
        requests: the questions of the server.
        results: keeps what is cut off of results that are too large.
        request: writes a request of the session.
        envelope: what each request says under ``_meta`` in the stateless era.
        lines, messages: the session's lists of lines to write and of messages for the board, to which this adds.

    Attributes:
        stateless: the era of the session.
        given_up: as `Dialect`.
        asks_of_any: the server has asked something, and did not say for which call.
        ran_as_tasks: the server's names of the tools whose calls it has run as tasks unasked; the owner may replace the set.
    """

    def __init__(
        self,
        requests: ServerRequests,
        results: KeptResults,
        request: Callable[[str, str, Json | None], bytes],
        envelope: Callable[[], Json],
        *,
        lines: list[bytes],
        messages: list[Message],
    ) -> None:
        self.stateless: bool = False
        self.given_up: set[str] = set()
        self.asks_of_any: bool = False
        self.ran_as_tasks: set[str] = set()
        self._requests, self._results = requests, results
        self._request, self._envelope = request, envelope
        self._lines, self._messages = lines, messages
        self._tasks = ServerTasks()
        self._running: dict[str, Running] = {}
        self._asking: dict[str, Running] = {}
        self._quiet: set[str] = set()
        self._count = 0

    def __contains__(self, wire_id: Any) -> bool:
        return type(wire_id) is str and wire_id in self._running

    def begin(self, running: Running, *, quiet: bool = False) -> None:
        """Note a request that is sent; progress of a ``quiet`` one is a sign of life, and no part."""
        self._running[running.call] = running
        if quiet:
            self._quiet.add(running.call)

    def forget(self, wire_id: str) -> None:
        """Forget a request that has no answer, or was not sent."""
        self._quiet.discard(call_of(wire_id))
        if self._running.pop(wire_id, None) is not None:
            self._lines.append(self._over(call_of(wire_id)))

    def cancel(self, request_id: str, cancelled: str, reason: str) -> bytes:
        """Cancel a call, as a request of the board asks; returns the lines that tell the server."""
        wire_id = self._wire_id(cancelled)
        there = self._running.pop(wire_id, None)
        known = there is not None or self._asking.pop(cancelled, None) is not None
        self._messages.append(Response(request_id, known, None))
        self._quiet.discard(cancelled)
        if not known:
            return b""
        self._refuse(cancelled, "Cancelled", reason or "it was cancelled")
        line = self._over(cancelled)
        if there is not None:
            self.given_up.add(wire_id)
            self._tasks.orphan(wire_id)
            if "task" not in there.params:  # else its task is not known yet; see `late`
                told = {"requestId": wire_id, "reason": reason}
                line = jsonrpc.notification("notifications/cancelled", told) + line
        return line

    def told(self, method: str, params: Json) -> Sequence[Message]:
        """Take a notification of a call's progress, or of its task."""
        return progress_of(params, self._quiet) if method == PROGRESS else self.life(params)

    def life(self, said: Json) -> Sequence[Message]:
        """Take the state of a task, which is a sign of life if it is new."""
        if (news := self._tasks.told(said)) is None:
            return ()
        call, text = news
        if text is None or call in self._quiet:
            return (BegunEvent(call),)
        return (PartEvent(call, {"message": text}),)

    def logged(self, params: Json) -> tuple[Aside, ...]:
        """Take a log message of the server."""
        return self._requests.logged(params, self._running)

    def asked(self, asked: jsonrpc.Request) -> bytes:
        """Return what is said at once to a request of the server; one that names a task concerns that call alone."""
        about = self._tasks.related(asked.params.get("_meta"))
        calls = {about} if about is not None else map(call_of, self._running)
        reply = self._requests.reply(asked, calls, self._tool_of, alone=not self.stateless)
        self.asks_of_any |= about is None and not reply
        return reply

    def ended(self, wire_id: str, result: Any, error: Json | None, raw: RawAnswer) -> Sequence[Message]:
        """Take the answer to a request that is under way, and what it was read of."""
        running = self._running.pop(wire_id)
        call = running.call
        self.given_up.clear()  # it works; one that obeys need not answer what was cancelled
        step = self._tasks.heard(call, running.method, result, error, stateless=self.stateless)
        if step is not None:
            return self._follow_task(wire_id, running, step, result, raw.line)
        if self.stateless and isinstance(result, dict) and result.get("resultType") == INPUT_REQUIRED:
            self._quiet.discard(call)
            self._asking[call] = running
            self.follow(self._requests.required(call, result, self._tool_of))
            return ()
        self._tasks.end(call)
        return (self._end(running, result, error, raw, len(raw.line)),)

    def late(self, wire_id: Any, result: Any) -> None:
        """Take an answer that nobody waits for. If the server has made a task of a cancelled call, the task is cancelled."""
        if not isinstance(wire_id, str):
            return
        self.given_up.discard(wire_id)
        asked = self._tasks.orphaned(wire_id, result, stateless=self.stateless)
        if asked is not None:
            self._lines.append(self._beside(asked))

    def look(self, call: str) -> bytes:
        """Return the request that looks at the task of a call; empty if the call has ended."""
        if call not in self._tasks or (running := self._asking.pop(call, None)) is None:
            return b""  # it has ended
        asked = self._tasks.look(call)
        return self._next(running, asked)

    def follow(self, effect: Effect) -> None:
        """Carry out what follows from an answer to what was asked."""
        match effect:
            case Again(call, params) if call in self._tasks:
                answers = self._tasks.answers(call, params.get("inputResponses", {}))
                self._lines.append(self._beside(answers))
            case Again(call, params):
                running, wire_id = self._asking.pop(call), self._requests.wire_id(call)
                self._running[wire_id] = running
                again = {"_meta": self._envelope(), **running.params, **params}
                self._lines.append(jsonrpc.request(wire_id, running.method, again))
            case NoInput(call, problem):
                self._asking.pop(call, None)
                self._running.pop(self._wire_id(call), None)  # a look at its task
                self._refuse(call, "InputRequired", problem)
                self._lines.append(self._over(call))
            case bytes():
                self._lines.append(effect)

    def _follow_task(
        self, wire_id: str, running: Running, step: Step, result: Any, line: bytes
    ) -> Sequence[Message]:
        call = running.call
        match step:
            case End(ends_with, error, said):
                self._tasks.end(call)
                exact = None if said is None else exact_line(line, wire_id)
                raw = None if exact is None else RawAnswer(exact)
                return (self._end(running, ends_with, error, raw, len(line)),)
            case Ask():
                self._lines.append(self._next(running, step))
                return self.life(result["task"])
            case Requires(requests):
                self._asking[call] = running
                self.follow(self._requests.required(call, {"inputRequests": requests}, self._tool_of))
            case Poll():
                if running.method == "tools/call":
                    self.ran_as_tasks.add(running.params["name"])
                self._asking[call] = running
        if call in self._tasks:
            self._requests.poll_later(call, step.seconds)
        return self.life(result) if isinstance(result, dict) else ()

    def _next(self, running: Running, asked: Ask) -> bytes:
        wire_id = self._wire_id(running.call)
        self._running[wire_id] = running._replace(method=asked.method, params=asked.params)
        return self._request(wire_id, asked.method, asked.params)

    def _end(
        self, running: Running, result: Any, error: Json | None, raw: RawAnswer | None, size: int
    ) -> Message:
        self._quiet.discard(running.call)
        if self._requests.busy:
            self._lines.append(self._requests.ended(running.call))
        if running.reads is not message_of or self._results.passes(result, size):
            return running.reads(running.call, result, error, raw)
        return self._results.bounded(message_of(running.call, result, error), size)

    def _over(self, call: str) -> bytes:
        """End a call without an answer; returns the lines that tell the server."""
        task = self._tasks.cancel(call)
        line = b"" if task is None else self._beside(task)
        return line + self._requests.ended(call) if self._requests.busy else line

    def _beside(self, asked: Ask) -> bytes:
        """Write a request whose answer nobody waits for."""
        self._count += 1
        return self._request(f"{OURS}task-{self._count}", asked.method, asked.params)

    def _wire_id(self, call: str) -> str:
        return self._tasks.wire_id(call) or self._requests.wire_id(call)

    def _tool_of(self, call: str) -> str | None:
        running = self._asking.get(call) or self._running.get(self._wire_id(call))
        return None if running is None else running.tool

    def _refuse(self, request_id: str, kind: str, detail: str) -> None:
        self._messages.append(ErrorResponse(request_id, {"type": kind, "detail": detail, "stack": ""}))
