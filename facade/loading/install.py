"""How loaded plugins come on a board: in two steps, so that many can be prepared and started at the same time."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..actors.plugins.config_schema import ConfigMisfit
from ..actors.services import AnswersByModel
from ..base.errors import CallboardError, PluginLoadError
from ..base.foreign import Log
from ..base.validation import require_seconds
from ..config.errors import ConfigurationError
from ..config.hook_section import warn_of
from ..hosts.mcp.selection import prefix_in, prefix_of
from ..plugins.sources.mcp import McpSource
from ..plugins.time_limit import within
from ..sources.entry import parse_entry
from ..supervision.restart.spec import StartOrder
from .failed import FailedPlugin, Noting
from .loaded import Loaded, LoadedProvider, LoadedProviders, NotLoaded
from .prefetch import load_ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..actors.amplifier.mount import MountedModule
    from ..actors.board import Board
    from ..actors.catalog.catalog import ToolDescriptor
    from ..config.configuration import Configuration
    from ..hosts.mcp.listing import LastListing
    from ..hosts.mcp.pins import Pins
    from ..hosts.mcp.tool import McpToolPlugin
    from ..interop.registry.contribution import ToolInteropContribution
    from ..plugins.adapter.adapter import PluginAdapter
    from ..supervision.runtime.events import Event
    from .loaded import LoadedModule, Made, Runs


logger: Log = Log("callboard")

Loading = tuple[Any, "Callable[[], list[Made | NotLoaded]]"]
"""An entry, and what loads it."""


class Lent(AnswersByModel, Protocol):
    """Asks the model of a configuration."""

    def close(self) -> None:
        """Close what was made for that."""


class Installer:
    """Puts on a board what was loaded; providers, which no board runs, are kept beside it.

    Args:
        configuration: returns what is loaded, and how, as it is then.
        begin: begins to run one plugin on the board; raises what keeps it from there.
        lend: makes what asks the model of that configuration, for servers that want that.

    Attributes:
        failed: what could not be loaded or started, and is not required.
        providers: the providers of models.
    """

    def __init__(
        self,
        configuration: Callable[[], Configuration],
        begin: Callable[[Board, Loaded], None],
        lend: Callable[[Callable[[], Configuration], LoadedProviders], Lent],
    ) -> None:
        self.failed: list[FailedPlugin] = []
        self.providers: LoadedProviders = LoadedProviders()
        self._configuration = configuration
        self._begin = begin
        self._model = lend(configuration, self.providers)
        self._prefixes: frozenset[str] = frozenset()
        self._listening: Board | None = None

    def close(self) -> None:
        """Close the providers, and what asked them. Raises as `LoadedProviders.close`."""
        try:
            self._model.close()
        finally:
            self.providers.close()

    def load(
        self, board: Board, load: Callable[[], Iterable[Made]], source: str, timeout: float | None
    ) -> list[ToolDescriptor]:
        """As `install`, what ``load`` returns; both within ``timeout`` seconds. Raises `LoadTimeout` if not."""
        if timeout is not None:
            require_seconds("timeout", timeout)
        return within(timeout, source, lambda: self.install(board, load()))

    def install(self, board: Board, made: Iterable[Made]) -> list[ToolDescriptor]:
        """Put all of them on the board, or none: what has begun is removed again. Returns their tools."""
        begun: list[Runs] = []
        board.hooks.sampler = board.hooks.sampler or self._model
        made = list(made)
        there = [handle.endpoint.adapter for handle in board.plugin_manager.handles().values()]
        find_rivals([one.adapter for one in made if isinstance(one, Loaded)], there)
        with ExitStack() as undo:
            for one in made:
                # Before it is done: an interrupt at any line leaves nothing half done.
                if isinstance(one, LoadedProvider):
                    undo.callback(self.providers.discard, one)
                    self.providers.add(one)
                    continue
                if isinstance(one, Loaded):
                    undo.callback(board.discard, one.adapter.name, one.adapter)
                    self._begin_apart(board, one)
                begun.append(one)
            tools: list[ToolDescriptor] = []
            for one in begun:
                if isinstance(one, Loaded):
                    tools += settle(board, one)
                else:
                    module = self._mount(board, one)
                    undo.callback(module.close)
                    tools += module.tools
            undo.pop_all()
        _tell_idle(server for one in begun if (server := _server(one)) is not None)
        return tools

    def install_configured(self, board: Board) -> None:
        """Put all plugins of the configuration on the board. Raises what a required one raises."""
        begun: list[tuple[Any, Runs]] = []
        board.hooks.sampler = self._model
        configuration = self._configuration()
        self._prefixes |= prefixes_of(configuration)
        in_turn = {group.id for group in configuration.groups if group.start is StartOrder.IN_ORDER}
        loads: Iterable[Loading] = load_ahead(configuration)
        states = board.status()["state_store"]
        if states.get("inherited") or states.get("unowned"):
            loads = _loaded_first(loads)
        with board.plugin_manager.naming():
            for entry, load in loads:
                with self._noting(board, entry):
                    for one in load():
                        if isinstance(one, NotLoaded):
                            with self._noting(board, entry):
                                raise one.error
                            continue
                        if isinstance(one, LoadedProvider):
                            self.providers.add(one)
                            continue
                        if isinstance(one, Loaded):
                            self._begin_apart(board, one)
                            if _is_in_turn(one, in_turn):
                                settle(board, one)  # what comes after it must not be started without it
                        begun.append((entry, one))
            board.plugin_manager.all_begun = True
            for pair in begun:
                self._settle(board, *pair)
        _tell_idle(_servers(board))

    def _begin_apart(self, board: Board, one: Loaded) -> None:
        """Begin to run it. A server gives no name to a tool that looks like one of another server's, of those that came after it too."""
        server = _server(one)
        if server is not None:
            prefix = prefix_of(server.name)
            is_new, self._prefixes = prefix not in self._prefixes, self._prefixes | {prefix}
            server.servers = lambda: self._prefixes
            server.subscriptions.on_news = board.events.publish
            self._hold(board, server)
            for other in _servers(board) if is_new else ():
                if any(prefix_in(name, [prefix]) for name in other.offered_names):
                    other.on_tools_changed()
        self._begin(board, one)

    def _hold(self, board: Board, server: McpToolPlugin) -> None:
        """Have it told what a server declares otherwise than was kept of it, and what it declares written down."""
        if server.pins is not None:
            server.pins.on_differing = partial(_tell_differing, board, server.name, server.pins)
        if self._listening is not board:
            self._listening = board
            # In the thread that tells events: to write takes time.
            kinds = ["plugin_registered", "tools_changed", "tools_differ"]
            board.subscribe(lambda event: _keep(board, event), kinds)

    def _noting(self, board: Board, entry: Any) -> Noting:
        return Noting(self.failed, entry, lambda: board.plugin_manager.closed)

    def _settle(self, board: Board, entry: Any, one: Runs) -> None:
        with self._noting(board, entry) as noting:
            self._settle_noting(board, one, noting)

    def _settle_noting(self, board: Board, one: Runs, noting: Noting) -> None:
        if not isinstance(one, Loaded):
            self._mount(board, one)
            return
        settle(board, one)
        if (why := board.plugin_manager.handle(one.adapter.name).absence) is not None:
            noting.note(why, one.adapter.name)
            if (server := _server(one)) is not None and server.last_listing is not None:
                _keep_nothing(server.name, server.last_listing)

    def _mount(self, board: Board, one: LoadedModule) -> MountedModule:
        """Mount a module, once all hosts have begun to start: it may take as long as it likes."""
        options, timeout = one.options, self._configuration().prepare_deadline
        return board.mount(one.mount, options.config, settings=options.tool, timeout=timeout)

    def formats(self) -> list[ToolInteropContribution]:
        """The contributions of the configuration; one that cannot be had is noted as failed."""
        found: list[ToolInteropContribution] = []
        configuration = self._configuration()
        if configuration.interop:
            from ..config.interop_section import import_contribution  # noqa: PLC0415 - most configurations have none

            for index, path in enumerate(configuration.interop):
                with Noting(self.failed, path, lambda: False):
                    where, seconds = f"$.interop[{index}]", configuration.load_deadline
                    found.append(import_contribution(path, where, seconds))
        return found


def _is_in_turn(one: Loaded, groups: set[str]) -> bool:
    return one.options.required and one.options.host.group in groups


def _loaded_first(loads: Iterable[Loading]) -> list[Loading]:
    """The same, loaded before the first of them begins: which plugins a state may belong to, is known only then.

    That is for a store that has states under former names, or of no source. What a load raises is raised in its turn.
    """
    done: list[tuple[Any, Future[list[Made | NotLoaded]]]] = []
    for entry, load in loads:
        future: Future[list[Made | NotLoaded]] = Future()
        try:
            future.set_result(load())
        except Exception as error:  # noqa: BLE001 - it is raised where the entry is asked for
            future.set_exception(error)
        done.append((entry, future))
    made = [one for _, future in done if future.exception() is None for one in future.result()]
    find_rivals([one.adapter for one in made if isinstance(one, Loaded)], ())
    return [(entry, future.result) for entry, future in done]


def find_rivals(coming: Sequence[PluginAdapter], there: Sequence[PluginAdapter]) -> None:
    """Note at each plugin which others the state could belong to that is kept under its name, or its former one.

    Where another plugin goes by the former name, the state is that one's.
    """
    everybody = [*there, *coming]
    for adapter in coming:
        former = adapter.former_name
        others = [other for other in everybody if other is not adapter]
        same = {other.source for other in others if other.name == adapter.name}
        adapter.namesakes = tuple(sorted(same - {adapter.source}))
        if any(other.name == former for other in others):
            adapter.former_name = None
        elif former is not None:
            adapter.rivals = tuple(other.name for other in others if other.former_name == former)


def _server(one: Runs) -> McpToolPlugin | None:
    """The plugin, if it is an MCP server. By its kind: to import the class would import all that speaks to such servers."""
    return cast("McpToolPlugin", one.hosted) if one.hosted is not None and one.hosted.kind == "mcp" else None


def _servers(board: Board) -> list[McpToolPlugin]:
    """The MCP servers on a board."""
    hosted = (handle.plugin for handle in board.plugin_manager.handles().values())
    return [cast("McpToolPlugin", each) for each in hosted if each is not None and each.kind == "mcp"]


def _keep_nothing(name: str, last_listing: LastListing) -> None:
    """Remember that a server has not come up, so that nobody waits for its tools at the next start."""
    if last_listing.kept is None:
        try:
            last_listing.settle_nothing()
        except CallboardError as error:
            logger.warning("the MCP server %r has not come up, and that could not be kept: %s", name, error)


def _tell_differing(board: Board, name: str, pins: Pins, differing: dict[str, tuple[str, ...]]) -> None:
    """In the thread that reads all hosts."""
    board.events.publish("tools_differ", name, tools=list(differing), why=pins.why)


def _tell_idle(servers: Iterable[McpToolPlugin]) -> None:
    for server in servers:
        warn_of(server.idle_rules, f"the MCP server {server.name!r}")


def _keep(board: Board, event: Event) -> None:
    """In the thread that tells events."""
    if event.kind == "tools_differ" and event.facts["tools"]:
        logger.warning(
            "the MCP server %r does not declare its tools as they were kept: %.2000s; if the change is right, accept it with 'callboard trust CONFIG'",
            event.subject,
            event.facts["why"],
        )
    for server in _servers(board):
        if server.name == event.subject:
            try:
                if server.pins is not None:
                    server.pins.settle()
                server.keep_listing()
            except CallboardError as error:
                logger.warning("the tools of the MCP server %r are not kept: %s", server.name, error)


def prefixes_of(configuration: Configuration) -> frozenset[str]:
    """The prefixes of all MCP servers of a configuration. What is no entry at all is found out in its turn."""
    found = set()
    for entry in configuration.plugins:
        with suppress(PluginLoadError, ConfigurationError):
            parsed = parse_entry(entry, configuration.base)
            if isinstance(parsed.source, McpSource):
                found.add(prefix_of(parsed.options.name or parsed.source.id))
    return frozenset(found)


def begin(board: Board, one: Loaded) -> None:
    """Begin to run it, here or in a host. Raises as `PluginManager.begin` and `Board.begin_hosted`."""
    options = one.options
    if one.hosted is None:
        board.plugin_manager.begin(one.adapter, config=options.config, settings=options.tool)
    else:
        board.begin_hosted(
            one.adapter,
            one.hosted,
            host=options.host,
            policy=options.policy,
            settings=options.tool,
            share=one.share,
        )


def settle(board: Board, one: Loaded) -> tuple[ToolDescriptor, ...]:
    """Wait until it runs, or will not; return its tools.

    Raises:
        PluginError: it is required and does not come up, its configuration does not fit, or a tool's name is taken; it
            has been removed. Or another thread removed it meanwhile.
    """
    adapter, required = one.adapter, one.options.required
    if one.hosted is None:
        return board.plugin_manager.settle(adapter.name, required=required, adapter=adapter)
    tools = board.settle_hosted(adapter.name, required=required, adapter=adapter)
    if tools:
        try:
            board.queries.check_config(adapter.name)
        except ConfigMisfit:
            board.discard(adapter.name, adapter)
            raise
        except KeyError:  # removed since then: there is nothing to check
            pass
    return tools
