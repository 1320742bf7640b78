"""``tasks/…``, and the calls of tools that run as tasks. In the event loop.

A task is one call of the board in the background, whatever the tool's server does. Up to 2025-11-25 a client asks for a task with the call. From
2026-07-28 on the board decides: for a client that has the extension, a call is a task if the tool's server runs it as one.
"""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from ..base.foreign import Log, contain
from ..hosts.mcp.revision import HANDSHAKES
from ..hosts.mcp_tasks.server_tasks import EXTENSION, RELATED, has_extension
from ..interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY
from ..interop.exact_json import json_text
from ..mcp_protocol.content import result_of
from ..mcp_protocol.method import Method
from ..mcp_protocol.params import RESPONSES
from ..mcp_protocol.results import completed
from ..mcp_protocol.served_client import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    OneRequest,
    Refused,
    is_handshake,
)
from ..mcp_protocol.shapes import TEXT
from ..plugins.results.codes import Code, Outcome
from ..plugins.results.failures import failure
from .task_client import TaskClient
from .task_table import CANCELLED, COMPLETED, FAILED, INPUT_REQUIRED, WORKING, Ending, TaskTable, TooMany

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mcp_protocol.method import Handler
    from ..mcp_protocol.served_client import Client
    from .task_table import Task

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

_MISSING_CAPABILITY: Final = -32021
_NOT_THERE: Final = "Failed to retrieve task: there is no such task of this client, or its time is over"
_STATUS: Final = "notifications/tasks/status"
_MOST_DIGITS: Final = 12


class _Run:
    """A task: its call in the background, the timer of its end, and an event that is set when it is over."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.client: TaskClient | None = None
        self.calling: asyncio.Task[None] | None = None
        self.over: asyncio.Event = asyncio.Event()
        self.timer: asyncio.TimerHandle | None = None


class ServedTasks:
    """See the module.

    Args:
        call: runs a call to its end, as ``tools/call`` does.
        support_of: returns for a tool's name whether it runs as a task: ``forbidden``, ``optional`` or ``required``; ``None`` if there is no such tool.
        tell: sends a client a notification, by its method and params; returns at once.
    """

    def __init__(
        self,
        call: Handler,
        support_of: Callable[[str], str | None],
        tell: Callable[[Client, str, Json], None],
    ) -> None:
        self._call = call
        self._support_of = support_of
        self._tell = tell
        self._table = TaskTable()
        self._runs: dict[str, _Run] = {}
        named = {"taskId": TEXT}
        self.methods: dict[str, Method] = {
            "tasks/get": Method(self._get, named),
            "tasks/result": Method(self._result, named, stateless=False),
            "tasks/list": Method(self._list, optional={"cursor": TEXT}, stateless=False),
            "tasks/cancel": Method(self._cancel, named),
            "tasks/update": Method(self._update, {**named, "inputResponses": RESPONSES}, handshake=False),
        }

    async def called(self, client: Client, params: Json) -> Json | bytes:
        """``tools/call``: the result, or a task that runs.

        Raises:
            Refused: the call is refused, its tool cannot run as a task, or there are too many tasks.
        """
        asked = params.get("task")
        if is_handshake(client):
            if asked is None or client.revision != HANDSHAKES[0]:
                return await self._call(client, params)
            support = self._support_of(params["name"])
            params = {key: each for key, each in params.items() if key != "task"}
            if support == "forbidden":
                name = params["name"]
                raise Refused(
                    METHOD_NOT_FOUND, f"{name!r:.100} cannot be called as a task: call it without 'task'"
                )
            if support is None:
                return await self._call(client, params)
            return {"task": self._begin(client, params, asked.get("ttl")).said(stateless=False)}
        if (
            "requestState" in params
            or not _knows_tasks(client)
            or self._support_of(params["name"]) != "required"
        ):
            return await self._call(client, params)
        task = self._begin(client, params, None)
        return {**completed({}, handshake=False), "resultType": "task", **task.said(stateless=True)}

    def close(self) -> None:
        """All tasks are over: their calls are cancelled."""
        for task in self._table:
            self._forget(task)

    # A task's life

    def _begin(self, client: Client, params: Json, ttl: Any) -> Task:
        owner = None if isinstance(client.identity, OneRequest) else client.identity
        try:
            task = self._table.begin(secrets.token_urlsafe(24), owner, ttl, _now())
        except TooMany as error:
            raise Refused(INTERNAL_ERROR, f"there is no room for another task: {error}") from None
        self._forget_dropped()
        run = self._runs[task.id] = _Run(task)
        run.client = TaskClient(client, task, lambda message: self._turned(run, message))
        loop = asyncio.get_running_loop()
        run.timer = loop.call_later(task.ttl / 1000, self._forget, task)
        run.calling = loop.create_task(self._run(run, run.client, params))
        return task

    async def _run(self, run: _Run, client: TaskClient, params: Json) -> None:
        try:
            result = await self._call(client, params)
            assert isinstance(result, dict)  # it takes no text
            ending = Ending(result, None, len(json_text(result)))
        except Refused as error:
            ending = _error(error.code, error.message, error.data)
        except Exception as error:  # noqa: BLE001 - a bug of ours: the client waits for an answer
            contain(error, logger, "a task of a client failed")
            ending = _error(INTERNAL_ERROR, "Internal server error")
        failed = ending.has_failed if is_handshake(client) else ending.error is not None
        self._end(run, FAILED if failed else COMPLETED, ending, _why(ending))

    def _end(self, run: _Run, status: str, ending: Ending, message: str) -> None:
        if self._table.end(run.task, status, ending, _now(), message):
            run.over.set()
            self._announce(run)
            self._forget_dropped()

    def _forget_dropped(self) -> None:
        for task in self._table.take_dropped():
            run = self._runs.pop(task.id)
            if run.timer is not None:
                run.timer.cancel()

    def _turned(self, run: _Run, message: str | None) -> None:
        assert run.client is not None
        before = run.task.status
        status = INPUT_REQUIRED if run.client.waits_for_client else WORKING
        said = run.task.message if message is None else message
        if self._table.turn(run.task, status, _now(), said) and status != before:
            self._announce(run)

    def _announce(self, run: _Run) -> None:
        """Tell a client of the handshake era what its task does now."""
        if run.client is not None and is_handshake(run.client):
            self._tell(run.client, _STATUS, run.task.said(stateless=False))

    def _forget(self, task: Task) -> None:
        """Forget a task whose time is over: its call is cancelled, and requests that wait for its result are answered."""
        self._table.forget(task)
        run = self._runs.pop(task.id)
        if run.timer is not None:
            run.timer.cancel()
        message = "the time of the task is over: its call was cancelled"
        self._table.end(task, CANCELLED, _error(INVALID_PARAMS, message), _now(), message)
        run.over.set()
        if run.calling is not None:
            run.calling.cancel()

    # What clients ask

    def _find(self, client: Client, params: Json) -> _Run:
        if not is_handshake(client):
            require_extension(client)
        task = self._table.find(params["taskId"], client.identity)
        if task is None or (run := self._runs.get(task.id)) is None:
            raise Refused(INVALID_PARAMS, _NOT_THERE)
        return run

    async def _get(self, client: Client, params: Json) -> Json:
        task = self._find(client, params).task
        if is_handshake(client):
            return task.said(stateless=False)
        more: Json = {}
        if task.status == INPUT_REQUIRED:
            more = {"inputRequests": dict(task.inputs)}
        elif task.ending is not None and task.status != CANCELLED:
            self._table.read(task)
            more = _inlined(task.ending)
        return completed({**task.said(stateless=True), **more}, handshake=False)

    async def _result(self, client: Client, params: Json) -> Json:
        run = self._find(client, params)
        assert run.client is not None
        reader = run.client.begin_reading(client)
        try:
            await run.over.wait()
        finally:
            run.client.end_reading(reader)
        ending = run.task.ending
        assert ending is not None
        self._table.read(run.task)
        if ending.error is not None:
            raise Refused(*ending.error)
        result = ending.result or {}
        meta = result.get("_meta")
        return {
            **result,
            "_meta": {**(meta if isinstance(meta, dict) else {}), RELATED: {"taskId": run.task.id}},
        }

    async def _list(self, client: Client, params: Json) -> Json:
        cursor = params.get("cursor")
        if cursor is not None and not (
            cursor.isascii() and cursor.isdecimal() and len(cursor) <= _MOST_DIGITS
        ):
            raise Refused(INVALID_PARAMS, f"no such cursor: {cursor!r:.40}")
        tasks, following = self._table.page(client.identity, int(cursor or 0))
        listed: Json = {"tasks": [each.said(stateless=False) for each in tasks]}
        return listed if following is None else {**listed, "nextCursor": str(following)}

    async def _cancel(self, client: Client, params: Json) -> Json:
        run, handshake = self._find(client, params), is_handshake(client)
        task = run.task
        if task.has_ended and handshake:
            raise Refused(INVALID_PARAMS, f"Cannot cancel task: already in terminal status {task.status!r}")
        message = "the task was cancelled, as its client asked"
        told = failure(Code.CANCELLED, message, outcome=Outcome.OUTCOME_UNKNOWN)
        result = completed(result_of(told, None, DEFAULT_TOOL_INTEROP_REGISTRY), handshake=handshake)
        self._end(run, CANCELLED, Ending(result, None, len(json_text(result))), message)
        if run.calling is not None:
            run.calling.cancel()
        return task.said(stateless=False) if handshake else completed({}, handshake=False)

    async def _update(self, client: Client, params: Json) -> Json:
        run = self._find(client, params)
        assert run.client is not None
        run.client.hear(params["inputResponses"])
        return completed({}, handshake=False)


def _inlined(ending: Ending) -> Json:
    """How a call ended, as a task of the stateless era holds it."""
    if ending.error is None:
        return {"result": ending.result}
    code, message, data = ending.error
    return {"error": {"code": code, "message": message, **({} if data is None else {"data": data})}}


def require_extension(client: Client) -> None:
    """Raise `Refused` unless the client of a request of the stateless era knows tasks."""
    if not _knows_tasks(client):
        needs: Json = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        message = f"Missing required client capability: the extension {EXTENSION}"
        raise Refused(_MISSING_CAPABILITY, message, needs)


def _knows_tasks(client: Client) -> bool:
    return has_extension(client.capabilities or {})


def _error(code: int, message: str, data: Any = None) -> Ending:
    return Ending(None, (code, message, data), len(message) + (0 if data is None else len(json_text(data))))


def _why(ending: Ending) -> str:
    """What went wrong, for people; empty if nothing did."""
    if ending.error is not None:
        return ending.error[1]
    blocks = (ending.result or {}).get("content") if ending.has_failed else ()
    texts = (each.get("text") for each in blocks or () if isinstance(each, dict))
    return next((text for text in texts if isinstance(text, str)), "")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
