"""The handlers of an MCP server whose tools are a board's.

The SDK has the protocol: sessions, both eras, progress tokens, cancellation. Here a request becomes a call of the board, and what happens
on the board becomes news for the clients. A board starts while the server serves already: a client is answered before any plugin is up, and
is told when there are more tools.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from ..actors.board import NotStarted
from ..actors.calls.waiting import ended_apart, in_thread, until_done
from ..base.errors import CallboardError
from ..base.foreign import Log, contain
from ..base.validation import require_call_options
from ..config.hook_section import warn_of_unasked
from ..hosts.protocol.call_params import KEY, trace_of
from ..interop.exact_json import as_utf8
from ..plugins.results.codes import Code, Outcome
from ..plugins.results.failures import failure
from ..version import __version__
from .client_news import ClientNews, log_data, restarted
from .client_questions import AskedClient, ClientQuestions, abilities, identity_of, is_handshake, name_of
from .content import Refusal, as_it_came, result_of, tools_of
from .health import (
    as_one_line,
    instructions_of,
    instructions_without_board,
    why_not_running,
    with_those_of_servers,
)
from .lanes import TooLate
from .passed_on import CutResults, NotThere, PassedOn
from .running_call import KeptCalls, RunningCall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions

    from ..callboard import Callboard
    from ..plugins.results.call_result import CallResult
    from ..supervision.runtime.events import Event

    Context = ServerRequestContext[dict[str, Any]]
    MakeBoard = Callable[[Callable[[Event], None]], Callboard]

_Model = TypeVar("_Model", bound=BaseModel)

logger: Log = Log("callboard.mcp")

PAGE = 500
"""Tools in one answer to ``tools/list``."""

FRESH = 300_000
"""Milliseconds for which a client may keep a list of tools, once all plugins had their chance: changes are announced."""

LIST_PATIENCE = 5.0
"""Seconds for which ``tools/list`` waits for plugins that are starting: some clients ask once, and hear no news."""

STOP_TIMEOUT = 1.0
"""Seconds for hosts to end by themselves, when the client has gone: clients wait for two before they kill."""

INTRODUCTION = 1.0
"""Seconds that the one client may take to say what it can do, before the board is started all the same."""

_as_it_came: Final[ContextVar[dict[str, Any] | None]] = ContextVar("as_it_came", default=None)
"""What a server says, of the result of the request under way: the SDK would take out of it what it does not know."""

_REPLACED: Final = types.CallToolResult(content=[])
"""What the SDK is given in the place of a server's own result."""

_INTRODUCES: Final = ("initialize", "server/discover")

_MAX_CURSOR = 9
"""Digits."""


class _Server(Server[dict[str, Any]]):
    """It announces that its tools change, over HTTP too, where the SDK offers no option for it."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *rest: Any, **more: Any
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changing, *rest, **more)


class BoardServer:
    """Serves one board, which it starts and stops.

    Args:
        make: makes the board, which is not started yet and tells this of each event.
        many: clients come and go; else there is one, and the board is started when it has said what it can do, or after a second.

    Attributes:
        board: what it made.
        server: the SDK's, to be run over a transport.
        failure: why the board could not be started; ``None`` while that is not known.
    """

    def __init__(self, make: MakeBoard, *, many: bool) -> None:
        self._news = ClientNews()
        self.board: Callboard = make(self._news.hear)
        self.board.configuration = replace(self.board.configuration, served=True)
        self.failure: BaseException | None = None
        self._stopping = False
        self._passed_on = PassedOn(self.board)
        self._news.on_level = self._passed_on.set_log_level
        self._cut = CutResults()
        self._generations: dict[str, int] = {}
        self._structured: set[str] = set()
        self._questions = ClientQuestions(self._news, many=many)
        self.board.callers = self._questions
        self._kept = KeptCalls()
        self._introduced = asyncio.Event()
        if many:
            self._introduced.set()
        self._up = asyncio.Event()
        self.server: _Server = _Server(
            "callboard",
            version=__version__,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._news.bus),
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            instructions=self._instructions(),
        )
        # Not as an option: the SDK warns of it, since the stateless era has another way, which is gone too.
        self.server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._news.set_level)
        self.server.middleware.append(self._meet)

    @property
    def starting(self) -> bool:
        """Whether plugins may still come up for the first time."""
        return not self._up.is_set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the board in the background, tell clients of changes, and stop it at the end: nothing of it is left then.

        What keeps the board from starting is raised at the end, if the caller's block has ended well.
        """
        waiting = asyncio.ensure_future(self._until_up())
        telling = asyncio.ensure_future(self._news.run())
        try:
            yield
        finally:
            telling.cancel()
            waiting.cancel()
            self._kept.close()
            await self.stop()
        if self.failure is not None:
            raise self.failure

    async def stop(self) -> None:
        """Stop the board; done when this returns."""
        self._stopping = True
        await ended_apart(lambda: self.board.stop(STOP_TIMEOUT))

    async def _until_up(self) -> None:
        # Servers of the handshake era are told once what they may ask for, and that is what the client can be asked for.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._introduced.wait(), INTRODUCTION)
        try:
            await until_done(in_thread(self._start, "callboard-start"))
        except Exception as error:  # noqa: BLE001 - told to who runs the server; its clients see no tools
            if not self._stopping:  # which ends a start that is under way
                self.failure = error
                _log_failure(error)
        finally:
            self._up.set()
            self._news.tools_may_have_changed()

    def _start(self) -> None:
        self.board.start()
        if self.board.approver is None:
            warn_of_unasked(self.board.configuration.approval, self.board.tools())

    async def _meet(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        if ctx.method in _INTRODUCES:  # anew: the configuration, and the servers, may have changed
            self.server.instructions = self._instructions()
        _as_it_came.set(None)
        try:
            answer = await call_next(ctx)
        except MCPError as error:
            raise MCPError(error.code, as_utf8(error.message), as_utf8(error.data)) from None
        if ctx.session.client_capabilities is not None:
            self._questions.introduce(abilities(ctx))
            self._introduced.set()
        if (said := _as_it_came.get()) is not None:
            answer = {**answer, **said} if ctx.method == "tools/list" else said
        return as_utf8(answer)  # what cannot be written would end the connection

    def _instructions(self) -> str | None:
        if (why := self._why_not_running()) is not None:
            return instructions_without_board(why)
        configuration, own = self.board.configuration, None
        if (consent := configuration.consent) is not None:
            own = instructions_of(consent.left_out, consent.remedy, entries=len(configuration.plugins))
        servers = self._passed_on.servers().items()
        return with_those_of_servers(own, {name: each.instructions for name, each in servers})

    def _why_not_running(self) -> str | None:
        """Why the board does not run, or will not, for a model; ``None`` if it may."""
        consent = self.board.configuration.consent
        obstacle = None if consent is None else consent.obstacle
        if obstacle is not None and (self.starting or self.failure is not None):
            return why_not_running(*obstacle)
        if self.failure is None:
            return None
        if not isinstance(self.failure, CallboardError):
            return f"its start failed ({type(self.failure).__name__}); the log of 'callboard mcp' says why"
        return as_one_line(str(self.failure))

    # Handlers

    async def _list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._up.wait(), LIST_PATIENCE)
        self._news.note_listing(ctx)
        tools = self._tools(handshake=is_handshake(ctx))
        start = _start_of(None if params is None else params.cursor)
        following = str(start + PAGE) if start + PAGE < len(tools) else None
        page = tools[start : start + PAGE]
        _as_it_came.set({"tools": [as_declared for as_declared, _ in page]})
        fresh = 0 if self.starting else FRESH
        return types.ListToolsResult(tools=[tool for _, tool in page], next_cursor=following, ttl_ms=fresh)

    def _tools(self, *, handshake: bool) -> list[tuple[dict[str, Any], types.Tool]]:
        """The tools as they are declared, and as the SDK knows them."""
        servers = self._passed_on.servers()
        try:
            schemas = [(tool.schema, tool.plugin_name in servers) for tool in self.board.tools()]
        except NotStarted:
            return []
        declared, left_out = tools_of(schemas, self.board.registry, handshake=handshake)
        if not handshake:
            self._structured = {tool["name"] for tool in declared if "outputSchema" in tool}
        tools = []
        for tool in declared:
            try:
                tools.append((tool, types.Tool.model_validate(tool)))
            except ValidationError as error:  # what a server says of a tool goes on as it is
                left_out[tool["name"]] = _in_short(error)
        for name, why in left_out.items():
            logger.warning("the tool %.100s is not offered to clients of MCP: %s", name, why)
        return tools

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if isinstance(ended := await self._ended(ctx, params), types.InputRequiredResult):
            return ended
        result, plugin, raw = ended
        self._cut.note(identity_of(ctx), result)
        if result.get("code") == Code.UNKNOWN_TOOL:
            if self.starting:  # its plugin may come yet
                await self._up.wait()
                return await self._call_tool(ctx, params)
            why = self._why_not_running() or "it was stopped"
            error = result.get("error") or f"the board does not run: {why}"
            raise MCPError(types.INVALID_PARAMS, f"{params.name!r:.100}: {error}")
        said = None if raw is None else as_it_came(raw, handshake=is_handshake(ctx))
        if isinstance(said, Refusal):
            raise MCPError(*said)
        structured = not is_handshake(ctx) and params.name in self._structured
        whose = plugin or self._offering(params.name)
        write = partial(result_of, plugin=whose, registry=self.board.registry, structured=structured)
        try:
            written = types.CallToolResult.model_validate(said or as_utf8(write(result)))
        except ValidationError as error:
            failed = failure(Code.INVALID_RESULT, f"its result cannot be said in MCP: {_in_short(error)}")
            said, written = None, types.CallToolResult.model_validate(as_utf8(write(failed)))
        if plugin is not None and result.get("code") == Code.HOST_CRASHED:
            told = log_data("host_crashed", plugin, str(result.get("error")))
            await self._news.tell_within(ctx, "warning", told)
        # A failure of Callboard's own is no answer of a host.
        if plugin is not None and "code" not in result and self._is_restarted(plugin):
            written.meta = {**(written.meta or {}), "callboard/restarted": True}
            if said is not None:
                said["_meta"] = written.meta
            await self._news.tell_within(ctx, "warning", restarted(plugin))
        _as_it_came.set(said)
        return written if said is None else _REPLACED

    def _offering(self, tool: str) -> str | None:
        """The plugin whose tool it is, of a call that came to none; ``None`` if none has it now."""
        try:
            return next((each.plugin_name for each in self.board.tools() if each.tool_name == tool), None)
        except NotStarted:
            return None

    def _is_restarted(self, plugin: str) -> bool:
        """Whether this is the first answer of a generation that followed another."""
        # Asked of the host: an event may come after the answer.
        hosted = getattr(self.board.board.plugin_manager.handles().get(plugin), "plugin", None)
        if hosted is None or hosted.host is None:
            return False
        before, now = self._generations.get(plugin, 1), hosted.host.generation
        self._generations[plugin] = now
        return bool(now > before)

    async def _ended(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> tuple[CallResult, str | None, bytes | None] | types.InputRequiredResult:
        """As `_run`, where it can begin."""
        try:
            return await self._run(ctx, params)
        except NotStarted:
            return {"success": False, "code": Code.UNKNOWN_TOOL}, None, None
        except TooLate as late:
            return failure(Code.DEADLINE_EXCEEDED, str(late), outcome=Outcome.NOT_SENT), None, None

    async def _run(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> tuple[CallResult, str | None, bytes | None] | types.InputRequiredResult:
        if params.request_state is None:
            running = await self._begun(ctx, params)
        else:
            running = self._kept.take(params.request_state, params.name)
            running.hear(dict(params.input_responses or {}))
        by_request, kept = is_handshake(ctx), False
        try:
            if not await running.ends(ctx, by_request=by_request):
                kept = True
                token = self._kept.keep(running, params.name)
                return running.required(ctx.protocol_version, token)
            result = await running.call
            return result, running.call.plugin_name, running.call.raw_answer
        finally:
            if not kept:  # it has ended, or the client cancelled, or has gone
                running.close()

    async def _begun(self, ctx: Context, params: types.CallToolRequestParams) -> RunningCall:
        client = AskedClient(identity_of(ctx), abilities(ctx))
        begin = partial(
            self.board.submit,
            {"method": "tools/call", "params": {"name": params.name, "arguments": params.arguments or {}}},
            context={"mcp": {"client": name_of(ctx)}, **trace_of(ctx.meta or {})},
            streaming=ctx.meta is not None and ctx.meta.get("progress_token") is not None,
            key=_key_of(ctx),
        )
        self._news.note_level(ctx)
        patience = self.board.configuration.calls.deadline
        call = await self._questions.begin(begin, client, partial(self._offering, params.name), patience)
        return RunningCall(call, client, self._questions, self._news)

    # What the board's MCP servers share beside their tools. It is asked for in threads: a server may take its time.

    async def _list_resources(
        self, ctx: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = self._cut.listed(identity_of(ctx), await self._ask(self._passed_on.resources))
        return types.ListResourcesResult(resources=_valid(types.Resource, found))

    async def _list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        found = await self._ask(self._passed_on.templates)
        return types.ListResourceTemplatesResult(resource_templates=_valid(types.ResourceTemplate, found))

    async def _read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return types.ReadResourceResult.model_validate(await self._ask(self._passed_on.read, str(params.uri)))

    async def _list_prompts(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=_valid(types.Prompt, await self._ask(self._passed_on.prompts)))

    async def _get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        found = await self._ask(self._passed_on.prompt, params.name, params.arguments or {})
        return types.GetPromptResult.model_validate(found)

    async def _ask(self, function: Callable[..., Any], *given: Any) -> Any:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._up.wait(), LIST_PATIENCE)
        try:
            return await asyncio.to_thread(function, *given)
        except NotThere as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except CallboardError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None


def _log_failure(error: Exception) -> None:
    """Log why a board cannot be started. The traceback of an error of the user's is shown at the end, with ``--debug``."""
    if isinstance(error, CallboardError):
        said = ". ".join((str(error), *getattr(error, "__notes__", ())))
        logger.error("the board cannot be started, and serves no tools: %s", said)
    else:
        contain(error, logger, "the board cannot be started, and serves no tools")


def _valid(kind: type[_Model], items: list[dict[str, Any]]) -> list[_Model]:
    """Those that are what they should be: one server's mistake hides nothing of the others."""
    found = []
    for item in items:
        try:
            found.append(kind.model_validate(item))
        except ValidationError as error:
            logger.warning("a %s is not passed on: %s", kind.__name__, _in_short(error))
    return found


def _in_short(error: ValidationError) -> str:
    """The first of what is wrong, without the value."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))[:100]}: {first['msg'][:200]}"


def _start_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > _MAX_CURSOR:
        raise MCPError(types.INVALID_PARAMS, f"no such cursor: {cursor!r:.40}")
    return int(cursor)


def _key_of(ctx: Context) -> str | None:
    """The key that a client has given a call, if it is one."""
    key: Any = (ctx.meta or {}).get(KEY)
    try:
        require_call_options(None, None, key)
    except (TypeError, ValueError) as error:
        raise MCPError(types.INVALID_PARAMS, f"_meta: {KEY}: {error}") from None
    return None if key is None else str(key)
