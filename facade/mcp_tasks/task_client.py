"""The client of a call that runs as a task: the request that began it was answered, so progress and questions are sent outside of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..hosts.mcp_tasks.server_tasks import RELATED
from ..mcp_protocol.served_client import is_handshake

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mcp_protocol.served_client import Client
    from .task_table import Task

Json = dict[str, Any]


class Reader:
    """A ``tasks/result`` that waits; what the server asks in the task is sent within it.

    Attributes:
        client: by this request.
        over: it has ended, or a newer one waits: the connection of this one may have gone unseen.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.over: asyncio.Event = asyncio.Event()


class TaskClient:
    """See the module. A `Client`. In the event loop.

    Up to 2025-11-25 a server's questions are sent to the client while it waits in ``tasks/result``. From 2026-07-28 on they stand in the task
    until ``tasks/update`` answers them. Progress and logs are sent in the first era alone, as the second has none for tasks.

    Args:
        begun_by: the client, by the request that began the task.
        task: the task.
        turned: called when the task begins or ends to wait for the client, and with each new status message; ``None`` for none.
    """

    def __init__(self, begun_by: Client, task: Task, turned: Callable[[str | None], None]) -> None:
        self._begun_by = begun_by
        self._task = task
        self._turned = turned
        self._handshake = is_handshake(begun_by)
        self._readers: list[Reader] = []
        self._any_reader = asyncio.Event()
        self._answers: dict[str, asyncio.Future[Json]] = {}
        self._open = 0
        self._count = 0
        self.request_id: str | int = begun_by.request_id
        self.revision: str = begun_by.revision
        self.meta: Json = begun_by.meta
        self.name: str | None = begun_by.name
        self.capabilities: Json | None = begun_by.capabilities
        self.identity: object = begun_by.identity
        self.takes_text: bool = False

    @property
    def waits_for_client(self) -> bool:
        """Whether a question is open."""
        return self._open > 0

    def can_be_asked(self) -> bool:
        return True

    def has_room(self) -> bool:
        return True  # the result is kept with the task, whose bytes are bounded

    async def room(self) -> None:
        return

    async def progress(self, params: Json) -> None:
        if message := params.get("message"):
            self._turned(message)
        if self._handshake and (token := self.meta.get("progressToken")) is not None:
            await self.notify("notifications/progress", {**params, "progressToken": token})

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        if self._handshake:
            said = self._related(params or {}) if within or method == "notifications/progress" else params
            await self._begun_by.notify(method, said)

    def _related(self, params: Json) -> Json:
        return {**params, "_meta": {**(params.get("_meta") or {}), RELATED: {"taskId": self._task.id}}}

    async def ask(self, method: str, params: Json, patience: float) -> Json:
        self._open += 1
        try:
            async with asyncio.timeout(patience):
                if self._handshake:
                    self._turned(None)
                    return await self._ask_reader(method, self._related(params), patience)
                return await self._ask_in_task(method, params)
        finally:
            self._open -= 1
            self._turned(None)

    async def _ask_reader(self, method: str, params: Json, patience: float) -> Json:
        """Ask the client within its newest ``tasks/result``; again if that ends, or a newer one comes."""
        while True:
            await self._any_reader.wait()
            reader = self._readers[-1]
            asking: asyncio.Future[Json] = asyncio.ensure_future(reader.client.ask(method, params, patience))
            going: asyncio.Future[Any] = asyncio.ensure_future(reader.over.wait())
            either: tuple[asyncio.Future[Any], ...] = asking, going
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                if asking.done():
                    return asking.result()
            finally:
                asking.cancel()
                going.cancel()

    async def _ask_in_task(self, method: str, params: Json) -> Json:
        self._count += 1
        key = str(self._count)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self._task.inputs[key] = {"method": method, "params": params}
        self._turned(None)
        try:
            return await answer
        finally:
            del self._answers[key]
            self._task.inputs.pop(key, None)

    def hear(self, responses: Json) -> None:
        """Take a client's answers; those that nobody waits for change nothing."""
        for key, response in responses.items():
            if (answer := self._answers.get(key)) is not None and not answer.done():
                answer.set_result(response)
                self._task.inputs.pop(key, None)

    def begin_reading(self, client: Client) -> Reader:
        """A client waits for the result."""
        for older in self._readers:
            older.over.set()
        reader = Reader(client)
        self._readers.append(reader)
        self._any_reader.set()
        return reader

    def end_reading(self, reader: Reader) -> None:
        """It waits no more."""
        self._readers.remove(reader)
        reader.over.set()
        if self._readers:
            self._readers[-1].over.clear()
        else:
            self._any_reader.clear()
