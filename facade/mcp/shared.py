"""The methods for what the board's MCP servers share beside their tools. They are asked in threads: a server may take its time."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ..actors.calls.waiting import in_thread, until_done
from ..base.errors import CallboardError
from ..base.foreign import Log
from ..hosts.errors import RemoteError
from ..mcp_edge.turns import Turns
from ..mcp_protocol.results import completed, fresh_for
from ..mcp_protocol.served_client import INTERNAL_ERROR, INVALID_PARAMS, Refused, is_handshake
from ..mcp_protocol.shapes import (
    COMPLETED,
    PROMPT,
    PROMPT_RESULT,
    READ_RESULT,
    RESOURCE,
    TEMPLATE,
)
from .passed_on import NotThere

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mcp_edge.cut_results import CutResults
    from ..mcp_protocol.served_client import Client
    from ..mcp_protocol.shapes import Shape
    from .board_start import BoardStart
    from .passed_on import PassedOn
    from .shared_news import SharedNews

Json = dict[str, Any]

_STATELESS_ONLY = frozenset({"resultType", "ttlMs", "cacheScope"})

_LISTS: Final = ""
"""Stands for all servers: a list asks each of them, and waits for some seconds only."""

logger: Log = Log("callboard.mcp")


class Shared:
    """See the module. In the event loop.

    Args:
        start: of the board.
        passed_on: what its servers have.
        cut: whose results were cut.
        news: notes which lists a client has asked for.
    """

    def __init__(self, start: BoardStart, passed_on: PassedOn, cut: CutResults, news: SharedNews) -> None:
        self._start = start
        self._passed_on = passed_on
        self._cut = cut
        self._news = news
        self._turns = Turns()
        news.ask, news.subscribe_at, news.servers = self.ask, passed_on.subscribe, passed_on.servers

    async def resources(self, client: Client, _: Json) -> Json:
        """``resources/list``."""
        self._news.note_listing(client, "resources")
        found = self._cut.listed(client.identity, await self._listed_for(client, self._passed_on.resources))
        return _listed(client, "resources", _valid("resource", RESOURCE, found))

    async def templates(self, client: Client, _: Json) -> Json:
        """``resources/templates/list``."""
        self._news.note_listing(client, "resources")
        found = await self._listed_for(client, self._passed_on.templates)
        return _listed(client, "resourceTemplates", _valid("template", TEMPLATE, found))

    async def read(self, client: Client, params: Json) -> Json:
        """``resources/read``."""
        uri = params["uri"]
        async with self._turns.turn(client, self._passed_on.known_server_of(uri)):
            found = await self._ask_one(self._passed_on.read, uri)
        return _answered(found, READ_RESULT, client)

    async def prompts(self, client: Client, _: Json) -> Json:
        """``prompts/list``."""
        self._news.note_listing(client, "prompts")
        found = await self._listed_for(client, self._passed_on.prompts)
        return _listed(client, "prompts", _valid("prompt", PROMPT, found))

    async def prompt(self, client: Client, params: Json) -> Json:
        """``prompts/get``."""
        name, arguments = params["name"], params.get("arguments") or {}
        async with self._turns.turn(client, self._passed_on.known_server_with(name)):
            found = await self._ask_one(self._passed_on.prompt, name, arguments)
        return _answered(found, PROMPT_RESULT, client)

    async def complete(self, client: Client, params: Json) -> Json:
        """``completion/complete``."""
        ref, known = params["ref"], self._passed_on
        asked = ref, params["argument"], params.get("context")
        server = known.known_server_of(ref["uri"]) if "uri" in ref else known.known_server_with(ref["name"])
        async with self._turns.turn(client, server):
            return _answered(await self._ask_one(known.complete, *asked), COMPLETED, client)

    async def _listed_for(self, client: Client, function: Callable[[], list[Json]]) -> list[Json]:
        async with self._turns.turn(client, _LISTS):
            found: list[Json] = await self.ask(function)
            return found

    async def ask(self, function: Callable[..., Any], *given: Any) -> Any:
        """Call a function in a thread, once the plugins had their chance. Raises `Refused`."""
        await self._start.over_soon()
        try:
            return await _answer_of(function, *given)
        except NotThere as error:
            raise Refused(INVALID_PARAMS, str(error)) from None

    async def _ask_one(self, function: Callable[..., Any], *given: Any) -> Any:
        """As `ask`, for what one server has: waits for servers that are starting only if no other has it."""
        with suppress(NotThere):
            if self._start.starting:
                return await _answer_of(function, *given)
        return await self.ask(function, *given)


async def _answer_of(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function in a thread and return its result. Raises `NotThere`, and `Refused` for another error of the server or the board."""
    try:
        return await _in_thread(function, *given)
    except NotThere:
        raise
    except RemoteError as error:
        raise _refused_by(error) from None
    except CallboardError as error:
        raise Refused(INTERNAL_ERROR, str(error)) from None


def _refused_by(error: RemoteError) -> Refused:
    """Return a server's error for the client, with the server's own code, message and data."""
    said = error.answer or {}
    code, message = said.get("code"), said.get("message")
    if type(code) is not int or not isinstance(message, str):
        return Refused(INTERNAL_ERROR, error.detail)
    return Refused(code, message, said.get("data"))


async def _in_thread(function: Callable[..., Any], *given: Any) -> Any:
    found: list[Any] = []
    await until_done(in_thread(lambda: found.append(function(*given)), "callboard-shared"))
    return found[0]


def _listed(client: Client, key: str, items: list[Json]) -> Json:
    handshake = is_handshake(client)
    return completed(fresh_for({key: items}, 0, handshake=handshake), handshake=handshake)


def _answered(result: Json, shape: Shape, client: Client) -> Json:
    if (problem := shape(result)) is not None:
        raise Refused(INTERNAL_ERROR, f"the server answers what is no result: {problem}")
    if is_handshake(client):
        return {key: each for key, each in result.items() if key not in _STATELESS_ONLY}
    cached = fresh_for({}, 0, handshake=False) if "contents" in result else {}
    lacking = {key: each for key, each in cached.items() if key not in result}
    return completed({**result, **lacking}, handshake=False)


def _valid(kind: str, shape: Shape, items: list[Json]) -> list[Json]:
    """Those that are what they should be: one server's mistake hides nothing of the others."""
    found = []
    for item in items:
        if (problem := shape(item)) is None:
            found.append(item)
        else:
            logger.warning("a %s is not passed on: %s", kind, problem)
    return found
