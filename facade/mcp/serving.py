"""A board as the server of MCP that its clients see, whatever carries their requests.

Here a request becomes a call of the board, and what happens on the board becomes news for the clients. A board starts while the server serves
already: a client is answered before any plugin is up, and is told when there are more tools.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..hosts.mcp.revision import STATELESS
from ..hosts.mcp_tasks.server_tasks import EXTENSION
from ..mcp_edge.cut_results import CutResults
from ..mcp_protocol.method import Method
from ..mcp_protocol.params import ARGUMENT, COMPLETED, KNOWN_ARGUMENTS, LEVEL, LISTENS, RESPONSES, TASK
from ..mcp_protocol.results import completed, introduction
from ..mcp_protocol.served_client import is_handshake
from ..mcp_protocol.shapes import OBJECT, TEXT, mapping
from ..mcp_tasks.served_tasks import ServedTasks, require_extension
from ..pins.listing_record import last_instructions
from .board_start import COMING, BoardStart
from .client_news import HEARD, ClientNews, log_data
from .client_questions import ClientQuestions
from .health import instructions_of, instructions_without_board, with_those_of_servers
from .passed_on import PassedOn
from .served_tools import ServedTools
from .shared import Shared
from .shared_news import HEARD as SHARED_NEWS
from .shared_news import SharedNews

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection

    from ..callboard import Callboard
    from ..mcp_protocol.served_client import Client
    from ..supervision.runtime.events import Event

    Hears = tuple[Callable[[Event], None], Collection[str]]
    """A subscriber, and the kinds of events that it gets."""
    MakeBoard = Callable[[Hears], Callboard]

Json = dict[str, Any]

_TASKS: Json = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
_PAGED = {"cursor": TEXT}


class BoardServer:
    """Serves one board, which it starts and stops.

    Args:
        make: makes the board, which is not started yet, with this subscriber.
        many: clients come and go; else there is one, and the board is started when it has said what it can do, or after a second.

    Attributes:
        board: what it made.
        methods: what clients may ask for by a request, but for how they begin.
    """

    def __init__(self, make: MakeBoard, *, many: bool) -> None:
        self._news = ClientNews()
        self._shared_news = SharedNews(self._news.listeners, self._news.outboxes)
        self.board: Callboard = make((self._hear, HEARD | SHARED_NEWS | COMING))
        self.board.configuration = replace(self.board.configuration, served=True)
        self._start = BoardStart(self.board, many=many)
        self._passed_on = PassedOn(self.board)
        self._news.on_level = self._passed_on.set_log_level
        self._questions = ClientQuestions(self._news, many=many)
        self._questions.asks_of_any = self._passed_on.asks_of_any
        self.board.callers = self._questions
        cut = CutResults()
        self._tools = ServedTools(self._start, self._news, self._questions, self._passed_on, cut)
        shared = Shared(self._start, self._passed_on, cut, self._shared_news)
        self._tasks = ServedTasks(self._tools.called, self._tools.task_support, self._news.outboxes.tell)
        self.methods: dict[str, Method] = {
            **self._tasks.methods,
            "tools/list": Method(self._tools.listed, optional=_PAGED),
            "tools/call": Method(
                self._tasks.called,
                {"name": TEXT},
                {"arguments": OBJECT, "inputResponses": RESPONSES, "requestState": TEXT, "task": TASK},
            ),
            "resources/list": Method(shared.resources, optional=_PAGED),
            "resources/templates/list": Method(shared.templates, optional=_PAGED),
            "resources/read": Method(shared.read, {"uri": TEXT}),
            "resources/subscribe": Method(self._shared_news.subscribe, {"uri": TEXT}, stateless=False),
            "resources/unsubscribe": Method(self._shared_news.unsubscribe, {"uri": TEXT}, stateless=False),
            "completion/complete": Method(
                shared.complete, {"ref": COMPLETED, "argument": ARGUMENT}, {"context": KNOWN_ARGUMENTS}
            ),
            "prompts/list": Method(shared.prompts, optional=_PAGED),
            "prompts/get": Method(shared.prompt, {"name": TEXT}, {"arguments": mapping(TEXT)}),
            "logging/setLevel": Method(self._news.set_level, {"level": LEVEL}, stateless=False),
            "subscriptions/listen": Method(self._listen, {"notifications": LISTENS}, handshake=False),
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
            self._tasks.close()
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
            if (failure := self._start.failure) is not None:
                self._news.stand(
                    "error", log_data("board_failed", "callboard", f"the board does not run: {failure}")
                )

    def meet(self, client: Client) -> None:
        """A client has sent a request, and may have said what it can do."""
        if client.capabilities is not None:
            self._questions.introduce(client)
            self._start.introduced.set()

    def capabilities(self, revision: str) -> Json:
        """Return the capabilities for a revision: all that a server of the board may have, as clients are told before any is up."""
        changes = {"listChanged": True}
        resources = {"subscribe": True, **changes}
        return {
            "completions": {},
            "logging": {},
            "prompts": changes,
            "resources": resources,
            "tools": changes,
            **({"extensions": {EXTENSION: {}}} if revision == STATELESS else {"tasks": _TASKS}),
        }

    def introduction(self, revision: str) -> Json:
        """The result of ``initialize`` or ``server/discover``."""
        return introduction(self.capabilities(revision), self.instructions(), revision)

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
        if params["notifications"].get("taskIds") is not None:
            require_extension(client)  # there is no news of tasks: clients ask for them
        return completed(await self._news.listeners.listen(client, params), handshake=is_handshake(client))
