"""A board as the server of MCP that its clients see, whatever carries their requests.

Here a request becomes a call of the board, and what happens on the board becomes news for the clients. A board starts while the server serves
already: a client is answered before any plugin is up, and is told when there are more tools.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..mcp_protocol.results import completed
from ..mcp_protocol.served_client import is_handshake
from ..pins.listing_record import last_instructions
from .board_start import BoardStart
from .client_news import ClientNews, log_data
from .client_questions import ClientQuestions, abilities
from .health import instructions_of, instructions_without_board, with_those_of_servers
from .passed_on import CutResults, PassedOn
from .served_tools import ServedTools
from .shared import Shared
from .shared_news import SharedNews

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ..callboard import Callboard
    from ..mcp_protocol.served_client import Client
    from ..supervision.runtime.events import Event

    MakeBoard = Callable[[Callable[[Event], None]], Callboard]
    Handler = Callable[[Client, dict[str, Any]], Awaitable[dict[str, Any]]]

Json = dict[str, Any]


@frozen
class Method:
    """One method of the protocol.

    Attributes:
        handle: answers a request whose params have their shape; raises `Refused`.
        handshake: there is such a method up to 2025-11-25.
        stateless: there is such a method from 2026-07-28 on.
    """

    handle: Handler
    handshake: bool = True
    stateless: bool = True


class BoardServer:
    """Serves one board, which it starts and stops.

    Args:
        make: makes the board, which is not started yet and tells this of each event.
        many: clients come and go; else there is one, and the board is started when it has said what it can do, or after a second.

    Attributes:
        board: what it made.
        methods: what clients may ask for by a request, but for how they begin.
    """

    def __init__(self, make: MakeBoard, *, many: bool) -> None:
        self._news = ClientNews()
        self._shared_news = SharedNews(self._news.listeners)
        self.board: Callboard = make(self._hear)
        self.board.configuration = replace(self.board.configuration, served=True)
        self._start = BoardStart(self.board, many=many)
        self._passed_on = PassedOn(self.board)
        self._news.on_level = self._passed_on.set_log_level
        self._questions = ClientQuestions(self._news, many=many)
        self.board.callers = self._questions
        cut = CutResults()
        self._tools = ServedTools(self._start, self._news, self._questions, self._passed_on, cut)
        shared = Shared(self._start, self._passed_on, cut, self._shared_news)
        self.methods: dict[str, Method] = {
            "tools/list": Method(self._tools.listed),
            "tools/call": Method(self._tools.called),
            "resources/list": Method(shared.resources),
            "resources/templates/list": Method(shared.templates),
            "resources/read": Method(shared.read),
            "resources/subscribe": Method(self._shared_news.subscribe, stateless=False),
            "resources/unsubscribe": Method(self._shared_news.unsubscribe, stateless=False),
            "completion/complete": Method(shared.complete),
            "prompts/list": Method(shared.prompts),
            "prompts/get": Method(shared.prompt),
            "logging/setLevel": Method(self._news.set_level, stateless=False),
            "subscriptions/listen": Method(self._listen, handshake=False),
        }

    @property
    def starting(self) -> bool:
        """Whether plugins may still come up for the first time."""
        return self._start.starting

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the board in the background, tell clients of changes, and stop it at the end: nothing of it is left then.

        What keeps the board from starting is raised at the end, if the caller's block has ended well.
        """
        waiting = asyncio.ensure_future(self._until_up())
        telling = [asyncio.ensure_future(news.run()) for news in (self._news, self._shared_news)]
        try:
            yield
        finally:
            for each in (*telling, waiting):
                each.cancel()
            self._tools.close()
            await self.stop()
        if self._start.failure is not None:
            raise self._start.failure

    async def stop(self) -> None:
        """Stop the board; done when this returns."""
        await self._start.stop()

    def _hear(self, event: Event) -> None:
        """In the thread that tells events."""
        self._news.hear(event)
        self._shared_news.hear(event)
        self._start.hear(event)

    async def _until_up(self) -> None:
        try:
            await self._start.run()
        finally:
            self._news.tools_may_have_changed()
            if (failure := self._start.failure) is not None:
                self._news.stand(
                    "error", log_data("board_failed", "callboard", f"the board does not run: {failure}")
                )

    def meet(self, client: Client) -> None:
        """A client has sent a request, and may have said what it can do."""
        if client.capabilities is not None:
            self._questions.introduce(abilities(client))
            self._start.introduced.set()

    def capabilities(self) -> Json:
        """What the server can do. A client is told before any of the board's servers is up: all that one of them may have."""
        changes = {"listChanged": True}
        resources = {"subscribe": True, **changes}
        return {
            "completions": {},
            "logging": {},
            "prompts": changes,
            "resources": resources,
            "tools": changes,
        }

    def instructions(self) -> str | None:
        """What a client's model is to know, now: the configuration and the servers may change."""
        if (why := self._start.why_not_running()) is not None:
            return instructions_without_board(why)
        configuration, own = self.board.configuration, None
        if (consent := configuration.consent) is not None:
            own = instructions_of(consent.left_out, consent.remedy, entries=len(configuration.plugins))
        now = {name: each.instructions for name, each in self._passed_on.servers().items()}
        return with_those_of_servers(own, now | last_instructions(configuration, besides=now))

    async def _listen(self, client: Client, params: Json) -> Json:
        return completed(await self._news.listeners.listen(client, params), handshake=is_handshake(client))
