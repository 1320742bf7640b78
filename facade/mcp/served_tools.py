"""``tools/list`` and ``tools/call``: a board's tools, and its calls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..actors.board import NotStarted
from ..actors.routing.missing import WHERE_TO_LOOK, missing_in_short, shortened
from ..base.foreign import Log
from ..base.validation import require_call_options
from ..hosts.protocol.call_params import KEY, trace_of
from ..interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY
from ..interop.exact_json import as_utf8
from ..mcp_edge.strict_names import StrictNames
from ..mcp_edge.turns import AT_ONCE, NoTurn, Turns
from ..mcp_protocol.content import (
    Refusal,
    as_it_came,
    result_of,
    task_support_of,
    text_as_it_came,
    tools_of,
)
from ..mcp_protocol.results import completed, fresh_for
from ..mcp_protocol.served_client import INVALID_PARAMS, Refused, is_handshake
from ..mcp_protocol.shapes import CALL_RESULT, TOOL
from ..plugins.results.codes import Code, Outcome
from ..plugins.results.failures import failure
from .asked_client import AskedClient, abilities
from .client_news import log_data, restarted
from .lanes import TooLate
from .running_call import KeptCalls, RunningCall

if TYPE_CHECKING:
    from ..actors.calls.call import Call
    from ..actors.catalog.catalog import ToolDescriptor
    from ..hosts.protocol.wire import RawAnswer
    from ..interop.registry.tool_registry import ToolInteropRegistry
    from ..mcp_edge.cut_results import CutResults
    from ..mcp_protocol.served_client import Client
    from ..plugins.results.call_result import CallResult
    from .board_start import BoardStart
    from .client_news import ClientNews
    from .client_questions import ClientQuestions
    from .passed_on import PassedOn

Json = dict[str, Any]
Ended = tuple["CallResult", "Call | None"]
"""A result, and the call that has it; ``None`` if none was begun."""

logger: Log = Log("callboard.mcp")

PAGE = 500
"""Tools in one answer to ``tools/list``."""

_REMEMBERED: Final = "callboard/remembered"

_MAX_CURSOR = 9
"""Digits."""


class ServedTools:
    """See the module. In the event loop.

    Args:
        start: of the board.
        news: tells clients what becomes of hosts.
        questions: has clients asked.
        passed_on: knows which plugins are MCP servers.
        cut: notes whose results were cut.
    """

    def __init__(
        self,
        start: BoardStart,
        news: ClientNews,
        questions: ClientQuestions,
        passed_on: PassedOn,
        cut: CutResults,
    ) -> None:
        self._start = start
        self._board = start.board
        self._news = news
        self._questions = questions
        self._passed_on = passed_on
        self._cut = cut
        self._kept = KeptCalls()
        self._turns = Turns()
        self._plugins: tuple[object, dict[str, tuple[str, int]]] = None, {}
        self._generations: dict[str, int] = {}
        self._structured: set[str] = set()
        self._cached: dict[bool, tuple[tuple[object, object], list[Json]]] = {}
        self._names = StrictNames(self._board.configuration.names, self._offered)

    def close(self) -> None:
        """No client comes back with answers."""
        self._kept.close()

    async def listed(self, client: Client, params: Json) -> Json:
        """``tools/list``."""
        known = await self._start.tools_known()
        self._news.note_listing(client)
        handshake = is_handshake(client)
        tools = self._tools(handshake=handshake)
        start = _start_of(params.get("cursor"))
        listed: Json = {"tools": tools[start : start + PAGE]}
        if start + PAGE < len(tools):
            listed["nextCursor"] = str(start + PAGE)
        remembered = any(_is_marked(tool) for tool in tools)
        # Milliseconds. Changes are announced; a list that is sure to change soon is not to be kept.
        fresh = round(self._board.configuration.list_ttl * 1000) if known and not remembered else 0
        return completed(fresh_for(listed, fresh, handshake=handshake), handshake=handshake)

    def task_support(self, name: str) -> str | None:
        """Whether the server of a tool can run it as a task: ``forbidden``, ``optional`` or ``required``; ``None`` if there is no such tool.

        A tool that may come yet counts as ``optional``: its call waits for its server.
        """
        meant, servers = self._names.meant(name), self._passed_on.servers()
        for tool in self._offered_tools():
            if tool.tool_name == meant:
                server = servers.get(tool.plugin_name)
                if server is None:
                    return "forbidden"
                ran = server.ran_as_task(tool.tool_name)
                return "required" if ran else task_support_of(tool.schema, may=server.makes_tasks)
        return "optional" if self._start.starting else None

    def _tools(self, *, handshake: bool) -> list[Json]:
        try:
            board = self._board.board
        except NotStarted:
            return []
        board.plugin_manager.admit()  # from now on a client knows tools by their names
        source = board.catalog.offers, board.catalog.registry  # each is replaced as a whole when it changes
        cached = self._cached.get(handshake)
        if cached is None or any(was is not now for was, now in zip(cached[0], source, strict=True)):
            cached = self._cached[handshake] = source, self._made(board.tools(), handshake=handshake)
        return cached[1]

    def _made(self, found: list[ToolDescriptor], *, handshake: bool) -> list[Json]:
        servers = self._passed_on.servers()
        self._news.know(found)
        schemas = [
            (
                tool.schema,
                (server := servers.get(tool.plugin_name)) is not None,
                server is not None and server.makes_tasks,
            )
            for tool in found
        ]
        remembered = {tool.tool_name for tool in found if tool.remembered}
        declared, left_out = tools_of(schemas, self._board.registry, handshake=handshake)
        if not handshake:
            self._structured = {tool["name"] for tool in declared if "outputSchema" in tool}
        tools = []
        marked = [_marked(tool) if tool["name"] in remembered else tool for tool in declared]
        for tool in self._names.tools(marked):
            if (problem := TOOL(tool)) is None:  # what a server says of a tool goes on as it is
                tools.append(tool)
            else:
                left_out[tool["name"]] = problem
        for name, why in left_out.items():
            logger.warning("the tool %.100s is not offered to clients of MCP: %s", name, why)
        return tools

    async def called(self, client: Client, params: Json) -> Json | bytes:
        """``tools/call``.

        Raises:
            Refused: there is no such tool, or its server has answered with an error.
        """
        asked = params["name"]
        params = {**params, "name": self._names.meant(asked)}
        seen = self._start.changes
        while _is_unknown(ended := await self._ended(client, params)) and self._start.may_bring_more():
            await self._start.further(seen)  # its plugin may come yet
            params, seen = {**params, "name": self._names.meant(asked)}, self._start.changes
        if isinstance(ended, dict):
            return completed(ended, handshake=False)
        result, call = ended
        plugin, raw = (None, None) if call is None else (call.plugin_name, call.raw)
        self._cut.note(client.identity, result)
        name, handshake, code = params["name"], is_handshake(client), result.get("code")
        if code == Code.UNKNOWN_TOOL:
            why = self._start.why_not_running() or "it was stopped"
            error = self._names.spelled(result.get("error") or f"the board does not run: {why}")
            left_out = self._left_out()
            error = error.removesuffix(WHERE_TO_LOOK if left_out else "")  # it is said once
            raise Refused(INVALID_PARAMS, f"{asked!r:.100}: {error}{left_out}")
        # A failure of Callboard's own is no answer of a host.
        is_first = call is not None and code is None and self._is_restarted(call)
        if raw is not None and client.takes_text and not is_first:
            text = text_as_it_came(raw, handshake=handshake)
            if text is not None:
                return text
        written = self._written(result, name, plugin, raw, handshake=handshake)
        if plugin is not None and code == Code.HOST_CRASHED:
            told = log_data("host_crashed", plugin, str(result.get("error")))
            await self._news.tell_within(client, "warning", told)
        if plugin is not None and is_first:
            written["_meta"] = {**(written.get("_meta") or {}), "callboard/restarted": True}
            await self._news.tell_within(client, "warning", restarted(plugin))
        return written

    def _written(
        self, result: CallResult, name: str, plugin: str | None, raw: RawAnswer | None, *, handshake: bool
    ) -> Json:
        """The result as the client gets it. Raises `Refused`: the server has answered with an error."""
        said = None if raw is None else as_it_came(raw.line, handshake=handshake)
        if isinstance(said, Refusal):
            raise Refused(*said)
        structured = not handshake and name in self._structured
        whose = plugin or self._offering(name)[0]
        write = partial(result_of, plugin=whose, registry=self._registry(), structured=structured)
        written: Json = as_utf8(write(result)) if said is None else said
        if (problem := CALL_RESULT(written)) is not None:
            failed = failure(Code.INVALID_RESULT, f"its result cannot be said in MCP: {problem}")
            said, written = None, as_utf8(write(failed))
        return written if said is not None else completed(written, handshake=handshake)

    def _left_out(self) -> str:
        """Which entries could not be loaded at all, and why: the board knows no plugin of them."""
        return missing_in_short(
            "Left out",
            {each.source: shortened(each.error) for each in self._board.failed if each.plugin is None},
        )

    def _registry(self) -> ToolInteropRegistry:
        try:
            return self._board.registry
        except NotStarted:  # the call has ended with the board, and is answered all the same
            return DEFAULT_TOOL_INTEROP_REGISTRY

    def _offered(self) -> list[str]:
        return [tool.tool_name for tool in self._offered_tools()]

    def _offered_tools(self) -> list[ToolDescriptor]:
        try:
            return self._board.tools()
        except NotStarted:
            return []

    def _offering(self, tool: str) -> tuple[str | None, int]:
        """The plugin whose tool it is, and how many calls it takes side by side; ``None`` if none has it now."""
        try:
            board = self._board.board
        except NotStarted:
            return None, 1
        offers = board.catalog.offers  # replaced as a whole when it changes
        if self._plugins[0] is not offers:
            board.plugin_manager.admit()  # a call by its name uses it, as a list does
            handles = board.plugin_manager.handles()
            found = {
                tool.tool_name: (name, handle.endpoint.mailbox.concurrency)
                for name, handle in reversed(
                    handles.items()
                )  # reversed: where two plugins offer one name, the first keeps it
                for tool in offers.get(name, ())
            }
            self._plugins = offers, found
            for name, server in self._passed_on.servers().items():
                if server.asks_of_any:
                    self._questions.lanes.line_up(name)  # from its first call on: it has asked before
        return self._plugins[1].get(tool, (None, 1))

    def _is_restarted(self, call: Call) -> bool:
        """Whether this is the first answer of a generation that followed another."""
        plugin, answered_by = call.plugin_name, call.generation
        if plugin is None or (answered_by is not None and answered_by == self._generations.get(plugin)):
            return False
        # Asked of the host: an event may come after the answer.
        handle = self._board.board.plugin_manager.handles().get(plugin)
        if handle is None or handle.plugin is None or handle.plugin.host is None:
            return False
        now = handle.plugin.host.generation
        before = self._generations.get(plugin, handle.first_generation)
        self._generations[plugin] = now
        return now > before

    async def _ended(self, client: Client, params: Json) -> Ended | Json:
        """As `_run`, where it can begin."""
        try:
            return await self._run(client, params)
        except NotStarted:
            return {"success": False, "code": Code.UNKNOWN_TOOL}, None
        except (TooLate, NoTurn) as late:
            return failure(Code.DEADLINE_EXCEEDED, str(late), outcome=Outcome.NOT_SENT), None

    async def _run(self, client: Client, params: Json) -> Ended | Json:
        """How a call ends, or that the client is to be asked something before it does."""
        if (state := params.get("requestState")) is not None:
            running = self._kept.take(state, params["name"])
            running.hear(params.get("inputResponses") or {})
            return await self._until_ended(client, params, running)
        plugin, calls = self._offering(params["name"])
        patience = self._board.configuration.calls.deadline
        async with self._turns.turn(client, plugin, max(AT_ONCE, calls), patience):
            return await self._until_ended(client, params, await self._begun(client, params))

    async def _until_ended(self, client: Client, params: Json, running: RunningCall) -> Ended | Json:
        kept = False
        try:
            if not await running.ends(client):
                kept = True
                return running.required(client.revision, self._kept.keep(running, params["name"]))
            return running.call.result(), running.call
        finally:
            if not kept:  # it has ended, or the client cancelled, or has gone
                running.close()

    async def _begun(self, client: Client, params: Json) -> RunningCall:
        asked, name, meta = AskedClient(client.identity, abilities(client)), params["name"], client.meta
        begin = partial(
            self._board.submit,
            {"method": "tools/call", "params": {"name": name, "arguments": params.get("arguments") or {}}},
            context={"mcp": {"client": client.name}, **trace_of(meta)},
            streaming=meta.get("progressToken") is not None,
            key=_key_of(meta),
        )
        self._news.note_level(client)
        patience = self._board.configuration.calls.deadline
        call = await self._questions.begin(begin, asked, lambda: self._offering(name)[0], patience)
        return RunningCall(call, asked, self._questions, self._news)


def _is_unknown(ended: Ended | Json) -> bool:
    return isinstance(ended, tuple) and ended[0].get("code") == Code.UNKNOWN_TOOL


def _marked(tool: Json) -> Json:
    """A tool that its server offered when it was last up, and may not offer now."""
    meta = tool.get("_meta")
    return {**tool, "_meta": {**(meta if isinstance(meta, dict) else {}), _REMEMBERED: True}}


def _is_marked(tool: Json) -> bool:
    meta = tool.get("_meta")
    return isinstance(meta, dict) and meta.get(_REMEMBERED) is True


def _start_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > _MAX_CURSOR:
        raise Refused(INVALID_PARAMS, f"no such cursor: {cursor!r:.40}")
    return int(cursor)


def _key_of(meta: Json) -> str | None:
    """The key that a client has given a call, if it is one."""
    key = meta.get(KEY)
    if key is None:
        return None
    try:
        require_call_options(None, None, key)
    except (TypeError, ValueError) as error:
        raise Refused(INVALID_PARAMS, f"_meta: {KEY}: {error}") from None
    return str(key)
