"""One call of a client, from its beginning to its result, through all of what is asked for it."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Final

from ..mcp_protocol.content import Progress
from ..mcp_protocol.served_client import INVALID_PARAMS, Refused, is_handshake
from .client_questions import ask_by_request

if TYPE_CHECKING:
    from ..actors.calls.call import Call
    from ..mcp_protocol.served_client import Client
    from .asked_client import AskedClient, Question
    from .client_news import ClientNews
    from .client_questions import ClientQuestions

Json = dict[str, Any]

MOST_KEPT: Final = 1000
"""Calls that wait for their clients to come back with answers."""

_PATIENCE: Final = 330.0
"""Seconds that a client may take to come back: longer than any question is open."""


class RunningCall:
    """See the module. In the event loop.

    Args:
        call: the board's.
        client: who made it, and is asked.
        questions: knows what clients are asked.
        news: tells clients what is logged in their calls.

    Attributes:
        call: as given.
    """

    def __init__(self, call: Call, client: AskedClient, questions: ClientQuestions, news: ClientNews) -> None:
        self.call = call
        self._client = client
        self._questions = questions
        self._news = news
        self._progress = Progress()
        self._asking: dict[Question, asyncio.Task[None]] = {}
        self._count = 0
        self._named: dict[str, Question] = {}

    async def ends(self, client: Client) -> bool:
        """Tell its parts to the client as they come. True once it has ended; False if the client has to be asked first.

        Args:
            client: the client, by its present request. The call goes on while a client is asked that can be: in the handshake era, and in a task.
        """
        call, asked = self.call, self._client
        while True:
            ended = call.done()  # before the look: the end comes last
            if ended:
                self._questions.hand_out_logs()
            if asked.logs:
                await self._tell_logs(client)
            if not ended and asked.has_questions:
                if not is_handshake(client) and not client.can_be_asked():
                    return False
                self._ask_all(client)
            if (chunk := call.take_chunk()) is not None:
                asked.parts += 1
                await client.progress(self._progress.next(chunk["part"]))
            elif ended:
                return True
            else:  # or until `AskedClient` has it look again; nothing can come before, as nothing is awaited in between
                await call.news(_close_cancels)

    async def _tell_logs(self, client: Client) -> None:
        logs = self._client.logs
        while logs:
            if (log := logs.take()) is not None:
                await self._news.tell_log(client, log)
            else:
                await self._news.tell_lost(client, logs.gap())

    def required(self, revision: str, token: str) -> Json:
        """The end of a request for which there is something to ask. Those that cannot be said in MCP have no answer."""
        requests: Json = {}
        self._named = {}
        for question in self._client.questions():
            self._count += 1
            name = str(self._count)
            try:
                method, params = question.request(revision, name)
            except ValueError as error:
                question.fail(f"it cannot be said in MCP: {error}")
            else:
                requests[name] = {"method": method, "params": params}
                self._named[name] = question
        asked = {"inputRequests": requests} if requests else {}
        return {"resultType": "input_required", **asked, "requestState": token}

    def hear(self, responses: Json) -> None:
        """The answers with which a client has come back; what is not among them is asked again."""
        for name, response in responses.items():
            if (question := self._named.pop(name, None)) is not None:
                question.hear(response)

    def close(self) -> None:
        """Nobody waits for it any more: what has not ended is cancelled."""
        for asking in self._asking.values():
            asking.cancel()
        self._questions.leave(self.call.id)
        if not self.call.done():
            self.call.cancel()

    def _ask_all(self, client: Client) -> None:
        self._asking = {each: task for each, task in self._asking.items() if not task.done()}
        for question in self._client.questions():
            if question not in self._asking:
                self._count += 1
                asking = ask_by_request(client, question, f"{self.call.id}-{self._count}")
                self._asking[question] = asyncio.ensure_future(asking)


def _close_cancels() -> None:
    """The task that waits was cancelled: `RunningCall.close` sees to the call."""


class KeptCalls:
    """Calls of the stateless era whose clients have been asked something and come back with the answers. In the event loop."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[RunningCall, str, asyncio.TimerHandle]] = {}

    def keep(self, running: RunningCall, tool: str) -> str:
        """Keep a call until it is taken, for some minutes; returns the word by which it is."""
        if len(self._kept) >= MOST_KEPT:
            self._drop(next(iter(self._kept)))
        token = secrets.token_urlsafe()
        late = asyncio.get_running_loop().call_later(_PATIENCE, self._drop, token)
        self._kept[token] = running, tool, late
        return token

    def take(self, token: str, tool: str) -> RunningCall:
        """The call that was kept. Raises `Refused`: there is none of this tool."""
        running, of, late = self._kept.get(token, (None, None, None))
        if running is None or late is None or of != tool:
            raise Refused(
                INVALID_PARAMS, "no call waits for these answers: it has ended, or was taken up before"
            )
        del self._kept[token]
        late.cancel()
        return running

    def close(self) -> None:
        """Nobody comes back."""
        for token in tuple(self._kept):
            self._drop(token)

    def _drop(self, token: str) -> None:
        running, _, late = self._kept.pop(token)
        late.cancel()
        running.close()
