"""One call of a client, from its beginning to its result, through all of what is asked for it."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from .client_questions import ask_by_request
from .content import Progress

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ..actors.calls.call import Call
    from .client_news import ClientNews
    from .client_questions import AskedClient, ClientQuestions, Question

    Context = ServerRequestContext[dict[str, Any]]

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
        self._parts = aiter(call)
        self._next: asyncio.Future[Any] | None = None
        self._progress = Progress()
        self._asking: dict[Question, asyncio.Task[None]] = {}
        self._count = 0
        self._named: dict[str, Question] = {}

    async def ends(self, ctx: Context, *, by_request: bool) -> bool:
        """Tell its parts to the client as they come. True once it has ended; False if the client has to be asked first.

        Args:
            ctx: of the client's present request.
            by_request: questions are requests of their own, so the call goes on meanwhile.
        """
        while True:
            if self._next is None:
                # Kept when a request ends with a question: a part that comes meanwhile is told by the next one.
                self._next = asyncio.ensure_future(anext(self._parts, _END))
            await self._tell_logs(ctx)
            if by_request:
                self._ask_all(ctx)
            elif next(self._client.questions(), None) is not None:
                return False
            await self._next_or_news()
            if self._next.done():
                part, self._next = self._next.result(), None
                if part is _END:
                    await self._tell_logs(ctx)
                    return True
                await ctx.session.report_progress(*self._progress.next(part))

    async def _tell_logs(self, ctx: Context) -> None:
        while self._client.logs:
            await self._news.tell_log(ctx, self._client.logs.popleft())

    def required(self, revision: str, token: str) -> types.InputRequiredResult:
        """The end of a request for which there is something to ask. Those that cannot be said in MCP have no answer."""
        requests: dict[str, Any] = {}
        self._named = {}
        for question in self._client.questions():
            self._count += 1
            name = str(self._count)
            try:
                requests[name] = question.request(revision, name)
            except ValueError as error:
                question.fail(f"it cannot be said in MCP: {error}")
            else:
                self._named[name] = question
        return types.InputRequiredResult(input_requests=requests or None, request_state=token)

    def hear(self, responses: dict[str, Any]) -> None:
        """The answers with which a client has come back; what is not among them is asked again."""
        for name, response in responses.items():
            question = self._named.pop(name, None)
            if question is None:
                continue
            if isinstance(response, question.answer_type):
                question.hear(response)
            else:
                question.fail("the client answers something else")

    def close(self) -> None:
        """Nobody waits for it any more: what has not ended is cancelled."""
        if self._next is not None:
            self._next.cancel()
        for asking in self._asking.values():
            asking.cancel()
        self._questions.leave(self.call.id)
        self.call.cancel()  # of a call that has ended it does nothing

    def _ask_all(self, ctx: Context) -> None:
        self._asking = {each: task for each, task in self._asking.items() if not task.done()}
        for question in self._client.questions():
            if question not in self._asking:
                self._count += 1
                name = f"{self.call.id}-{self._count}"
                asking = ask_by_request(ctx.session, ctx.request_id, question, name)
                self._asking[question] = asyncio.ensure_future(asking)

    async def _next_or_news(self) -> None:
        assert self._next is not None
        self._client.news.clear()
        news = asyncio.ensure_future(self._client.news.wait())
        try:
            await asyncio.wait({self._next, news}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()


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
        """The call that was kept. Raises `MCPError`: there is none of this tool."""
        running, of, late = self._kept.get(token, (None, None, None))
        if running is None or late is None or of != tool:
            raise MCPError(
                types.INVALID_PARAMS, "no call waits for these answers: it has ended, or was taken up before"
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


_END: Final = object()
