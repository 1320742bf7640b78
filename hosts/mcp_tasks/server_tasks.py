"""Calls that run as tasks of an MCP server, in both eras. Pure: no clock, no I/O.

| | up to 2025-11-25 | from 2026-07-28 on |
|---|---|---|
| who decides | we do, for a tool whose server says ``required`` | the server does, with its answer |
| how it ends | the answer to ``tasks/result``, which the server holds back until then | an answer to ``tasks/get``, which is asked again and again |
| what the server asks meanwhile | it sends requests of its own | stands in an answer to ``tasks/get``; answered by ``tasks/update`` |

A call has one request under way at the most; its id on the wire is `ServerTasks.wire_id`.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

from ...base.errors import JsonValueError
from ...base.json import dump_line, load_exact_json

Json = dict[str, Any]

EXTENSION: Final = "io.modelcontextprotocol/tasks"
"""The capability of the stateless era."""

RELATED: Final = "io.modelcontextprotocol/related-task"
"""The key under ``_meta`` of what belongs to a task."""

TTL: Final = 6 * 60 * 60 * 1000
"""Milliseconds for which a server is asked to keep a task; it may keep it for less."""

LONGEST_ID: Final = 1024
"""Characters of a task's id; a task with a longer one is not waited for."""

SHORTEST: Final = 0.1
LONGEST: Final = 10.0
USUAL: Final = 1.0
"""Seconds between two looks at a task: the least, the most, and those for a server that does not say."""

MOST_FAILURES: Final = 3
"""Looks in a row that may fail; with a further one the call ends."""

_REMEMBERED: Final = 256
"""Calls that were cancelled before their server said which task each is."""

_NOT_FOUND: Final = -32602
_ENDED: Final = ("completed", "failed", "cancelled")


class Ask(NamedTuple):
    """The call's next request."""

    method: str
    params: Json


class Poll(NamedTuple):
    """Look at the task after so many seconds."""

    seconds: float


class Requires(NamedTuple):
    """The task needs input; ``requests`` are those that were not asked before. It is looked at after so many seconds."""

    requests: Json
    seconds: float


class End(NamedTuple):
    """The call ends as if this had been its answer; ``line`` is the answer as a line, ``None`` if it cannot be written."""

    result: Any
    error: Json | None
    line: bytes | None


Step = Ask | Poll | Requires | End


class _Task:
    def __init__(self, task_id: str, number: int) -> None:
        self.id = task_id
        self.number = number
        self.asked: set[str] = set()
        self.failures = 0
        self.seconds = USUAL
        self.seen: tuple[Any, Any, Any] | None = None


class ServerTasks:
    """The tasks of one session. See the module."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._calls: dict[str, str] = {}
        self._orphans: deque[str] = deque(maxlen=_REMEMBERED)

    def __contains__(self, call: str) -> bool:
        return call in self._tasks

    def wire_id(self, call: str) -> str | None:
        """The id of the request that such a call waits with, or will next; ``None`` if it is no task."""
        task = self._tasks.get(call)
        return None if task is None else f"{call}~task{task.number or ''}"

    def heard(
        self, call: str, method: str, result: Any, error: Json | None, *, stateless: bool
    ) -> Step | None:
        """Take the answer to a request of a call; ``None`` if it ends the call by itself.

        Args:
            call: its id on the board.
            method: of the request.
            result: of the answer.
            error: of the answer.
            stateless: whether the session is of the stateless era.
        """
        if method == "tasks/get":
            return self._looked(call, result, error)
        task = _created(result, stateless=stateless) if method == "tools/call" else None
        if task is None:
            return None
        task_id = _id_of(task)
        if task_id is None or task_id in self._calls:
            which = "no id that can be used" if task_id is None else "the id of another task"
            return _failure(f"the server has made a task of the call, with {which}")
        made = self._tasks[call] = _Task(task_id, 0)
        self._calls[task_id] = call
        if not stateless:
            return Ask("tasks/result", {"taskId": task_id})
        made.seconds = _seconds_of(task)
        return Poll(made.seconds)

    def look(self, call: str) -> Ask:
        """The request that looks at a task of the stateless era."""
        task = self._tasks[call]
        task.number += 1
        return Ask("tasks/get", {"taskId": task.id})

    def answers(self, call: str, responses: Json) -> Ask:
        """The request that gives a task the input that it needs."""
        return Ask("tasks/update", {"taskId": self._tasks[call].id, "inputResponses": responses})

    def _looked(self, call: str, result: Any, error: Json | None) -> Step:
        task = self._tasks[call]
        status = result.get("status") if isinstance(result, dict) else None
        if not isinstance(status, str) or result.get("taskId") != task.id:
            return self._failed_look(task, error)
        task.failures, task.seconds = 0, _seconds_of(result)
        if status in _ENDED:
            return _ended_with(status, result)
        requests = result.get("inputRequests") if status == "input_required" else None
        new = (
            {key: each for key, each in requests.items() if key not in task.asked}
            if isinstance(requests, dict)
            else {}
        )
        if not new:
            return Poll(task.seconds)
        task.asked |= new.keys()
        return Requires(new, task.seconds)

    def _failed_look(self, task: _Task, error: Json | None) -> Step:
        task.failures += 1
        if error is None:
            return _failure("the server was asked for the state of its task, and answers with something else")
        if error.get("code") == _NOT_FOUND or task.failures > MOST_FAILURES:
            return _failure(
                f"the server does not say what has become of its task: {error.get('message')!s:.300}"
            )
        return Poll(task.seconds)

    def told(self, said: Json) -> tuple[str, str | None] | None:
        """Take the state of a task; returns its call and a new text, if there is one, or ``None`` if nothing is new."""
        task_id = said.get("taskId")
        call = self._calls.get(task_id) if isinstance(task_id, str) else None
        if call is None:
            return None
        task, message = self._tasks[call], said.get("statusMessage")
        seen = said.get("status"), message, said.get("lastUpdatedAt")
        if seen == task.seen:
            return None
        before, task.seen = task.seen, seen
        is_new = isinstance(message, str) and message and (before is None or before[1] != message)
        return call, message if is_new else None

    def related(self, meta: Any) -> str | None:
        """The call of the task to which a message with this ``_meta`` belongs."""
        said = meta.get(RELATED) if isinstance(meta, dict) else None
        task_id = said.get("taskId") if isinstance(said, dict) else None
        return self._calls.get(task_id) if isinstance(task_id, str) else None

    def cancel(self, call: str) -> Ask | None:
        """Forget the task of a call that is given up; returns the request that cancels it, if there is a task."""
        task = self.end(call)
        return None if task is None else Ask("tasks/cancel", {"taskId": task.id})

    def end(self, call: str) -> _Task | None:
        """Forget a task that is over."""
        if (task := self._tasks.pop(call, None)) is not None:
            del self._calls[task.id]
        return task

    def orphan(self, wire_id: str) -> None:
        """Note a call that was given up, of which the server may still make a task."""
        self._orphans.append(wire_id)

    def orphaned(self, wire_id: str, result: Any, *, stateless: bool) -> Ask | None:
        """Return the request that cancels a task which the server has made of such a call, if it has."""
        task = _created(result, stateless=stateless) if wire_id in self._orphans else None
        if task is None or (task_id := _id_of(task)) is None or task_id in self._calls:
            return None
        self._orphans.remove(wire_id)
        return Ask("tasks/cancel", {"taskId": task_id})


def has_extension(capabilities: Json) -> bool:
    """Whether a client, or a server, of the stateless era says that it knows tasks."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(EXTENSION), dict)


def takes_tasks(offers: Json) -> bool:
    """Whether a server up to 2025-11-25 says that calls of tools may be tasks."""
    found: Any = offers
    for key in ("tasks", "requests", "tools", "call"):
        found = found.get(key) if isinstance(found, dict) else None
    return isinstance(found, dict)


def only_as_task(tool: Json) -> bool:
    """Whether a tool's server says that it can be called as a task only."""
    execution = tool.get("execution")
    return isinstance(execution, dict) and execution.get("taskSupport") == "required"


def exact_line(line: bytes, wire_id: str) -> bytes | None:
    """The answer to ``tasks/get`` by which a task ends, as the answer to the call; ``None`` if it cannot be written."""
    try:
        task = load_exact_json(line)["result"]
        said = {key: task[key] for key in ("result", "error") if key in task}
        return dump_line({"jsonrpc": "2.0", "id": wire_id, **said}).rstrip(b"\n")
    except (JsonValueError, KeyError, TypeError):
        return None


def _created(result: Any, *, stateless: bool) -> Json | None:
    if not isinstance(result, dict):
        return None
    if stateless:
        return result if result.get("resultType") == "task" else None
    task = result.get("task")
    return task if isinstance(task, dict) and "content" not in result else None


def _id_of(task: Json) -> str | None:
    found = task.get("taskId")
    return found if isinstance(found, str) and 0 < len(found) <= LONGEST_ID else None


def _seconds_of(task: Json) -> float:
    said = task.get("pollIntervalMs")
    if not isinstance(said, int | float) or isinstance(said, bool):
        return USUAL
    return max(min(said, LONGEST * 1000) / 1000, SHORTEST)


def _ended_with(status: str, task: Json) -> End:
    if status == "completed" and isinstance(task.get("result"), dict):
        return End(task["result"], None, b"")
    if status == "failed" and isinstance(task.get("error"), dict):
        return End(None, task["error"], b"")
    said = task.get("statusMessage")
    why = f": {said:.300}" if isinstance(said, str) and said else ""
    kind = (
        "the server has cancelled its task"
        if status == "cancelled"
        else f"the server's task is {status}, and it does not say with what"
    )
    return _failure(f"{kind}{why}")


def _failure(message: str) -> End:
    return End(None, {"code": -32603, "message": message}, None)
