"""`Callboard`: the front door. Plugins in, tool calls in, answers out.

A thin face on the board of actors: it reads the configuration, loads plugin sources and hands
everything else on.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self, Unpack

from .actors.board import Board, NotStarted
from .actors.calls.waiting import begun_apart, ended_apart
from .actors.registration_errors import PluginNameTaken
from .actors.threads.main_end import main_thread
from .actors.threads.once import Once
from .base.forking import disown_in_child, keep
from .base.threads import uninterrupted
from .base.validation import (
    is_mapping,
    is_text,
    require_mapping,
    require_seconds,
    require_several,
    require_text,
)
from .config.arguments import contributions_of, options_of_board, require_parts, subscribers_of, with_state
from .config.configuration import Configuration, read_configuration
from .config.hook_section import idle_rules, import_hooks, put_on, warn_of_idle
from .config.plugin_options import complete
from .config.state import open_state_store
from .direct_calls import Caller, CallStream, FirstStart, own_result, own_result_async, own_stream
from .interop.conversion import ToolInteropTarget
from .loading.install import Installer, begin
from .loading.loader import entry_of, load_entry, load_registered
from .plugins.sources.options import parse_options
from .reload.reloads import Reloads
from .sampling.lent_model import LentModel
from .sources.kinds import spelled
from .tool_decorator import NotedFunctions, ToolDecorator

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pykka

    from .actors.amplifier.mount import MountedModule
    from .actors.calls.call import Call
    from .actors.catalog.catalog import ToolDescriptor
    from .actors.hooks.listeners import HookHandle
    from .actors.reload.reload import Reloaded
    from .actors.services import AsksCallers
    from .actors.state.store import StateStore
    from .configured_agent import Agent
    from .hosts.mcp.offers import ResourceSubscription
    from .interop.registry.contribution import ToolInteropContribution
    from .interop.registry.tool_registry import ToolInteropRegistry
    from .loading.failed import FailedPlugin
    from .loading.loaded import Loaded, LoadedProvider, Runs
    from .plugins.contract.option_types import (
        CallOptions,
        Hook,
        HookEvent,
        HookOptions,
        LoadOptions,
        RegisterOptions,
        RunOptions,
    )
    from .plugins.hooks.approval import Approver
    from .plugins.results.call_result import CallResult
    from .supervision.runtime.clock import Clock
    from .supervision.runtime.events import Event, Subscription
    from .supervision.supervisor import SupervisorActor

    Subscriber = Callable[[Event], None] | pykka.ActorRef[Any]

Json = dict[str, Any]


class Callboard:
    """Runs tools as supervised actors: every call ends, once, with an answer that says what happened.

    It reads the configuration and starts nothing. Use it as a context manager, or call `start` and `stop`; it can be started again
    after it was stopped. One that is never stopped leaves no process behind and does not keep the interpreter from exiting. All
    methods may be called from any thread; none of those marked *async* blocks an event loop.

    Args:
        config: the path of a JSON or TOML file, a mapping, or nothing.
        clock: time, for tests; the machine's when ``None``.
        seed: of the random part of the waits between restarts, for tests.
        contributions: interop contributions that come before all others, those of the configuration too.
        state: where the states of tools are kept, instead of where the configuration says: as there,
            or a `StateStore`, which is used and not closed.
        subscribers: callables or actors that get every event from the first plugin on, or pairs of one and the kinds that it gets; see
            `subscribe`.
        tool_runtime: what tools find in their context under that name, and is not closed; instead of the
            board's own `ToolRuntime`, which is closed with it.

    Attributes:
        tool: the decorator that makes a tool of a function; see `ToolDecorator`.
        callers: has those asked who made a call, for what a server wants to know in the middle of it, before the `approver` and the model; set
            before the start, by what serves a board to others.

    Raises:
        ConfigurationError: the configuration cannot be used; nothing was started.
        TypeError: an argument is not what its name says.
    """

    def __init__(
        self,
        config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        contributions: Iterable[ToolInteropContribution] = (),
        state: str | os.PathLike[str] | Mapping[str, Any] | StateStore | None = None,
        subscribers: Iterable[Subscriber | tuple[Subscriber, Iterable[str]]] = (),
        tool_runtime: Any = None,
    ) -> None:
        require_parts(clock, seed, state)
        self.configuration: Configuration
        self.configuration, self._lent_store = with_state(read_configuration(config), state)
        self._installer = Installer(lambda: self.configuration, self._begin, LentModel)
        self._reloads = Reloads(lambda: self._running, lambda: self.configuration)
        self._approver: Approver | None = None
        self.callers: AsksCallers | None = None
        self._board: Board | None = None
        self._stopped: Board | None = None
        self._store: StateStore | None = None
        self._stop_once = Once("the board")
        self._home: int | None = None
        self._first = FirstStart(self.start)
        self._functions = NotedFunctions()
        self.tool: ToolDecorator = ToolDecorator(self._add_function)
        parts = options_of_board(self.configuration)
        self._make = partial(Board, clock=clock, seed=seed, tool_runtime=tool_runtime, **parts)
        self._contributions = contributions_of(contributions)
        self._subscribers = subscribers_of(subscribers)
        disown_in_child(self)

    def start(self) -> Self:
        """Start the board and load the configured plugins; all hosts start at the same time.

        A plugin that cannot be loaded is noted in `failed` and the status, unless its entry says
        ``required``.

        Raises:
            PluginError: a required plugin cannot be loaded; the board has been stopped again.
            StateStoreError: the state store cannot be opened; nothing was started.
            ConfigurationError: a configured hook cannot be imported; nothing was started.
        """
        with self._first.lock:
            return self._start()

    def _start(self) -> Self:
        if self._home is not None:
            raise NotStarted.in_child_of(self._home)
        if self._board is not None:
            return self
        over, asked = self._first.over, self.configuration
        hooks = import_hooks(asked.hooks, asked.approval, asked.load_deadline)
        formats = (*self._contributions, *self._installer.formats())
        try:
            uninterrupted(partial(self._begin_board, formats))
            main_thread.watch(self)
            put_on(self._running, hooks, self._approver, self.callers)
            for subscriber, kinds in self._subscribers:
                self._running.subscribe(subscriber, kinds)
            self._installer.install_configured(self._running)
            for plugin, options in self._functions:
                self.register(plugin, **options)
            self._first.over = True
            warn_of_idle(asked.approval, self.tools())
            return self  # noqa: TRY300 - an interrupt may come here too
        except BaseException:  # an interrupt too may leave no host running
            self.stop()
            self._first.over = over  # the next first call tries again, and is told why it cannot be
            raise

    def open_state(self) -> None:
        """Open the state store of the configuration, before the start; `stop` closes it. Raises `StateStoreError`."""
        if self._lent_store is None and self._store is None:
            self._store = open_state_store(self.configuration.state)

    def _begin_board(self, formats: tuple[ToolInteropContribution, ...]) -> None:
        self.open_state()
        self._board = self._make(state_store=self._lent_store or self._store, contributions=formats)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:  # an interrupt may come once it has started
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self.stop()
        except BaseException:  # nobody else goes on with it, and whoever interrupts it waits no longer
            self.stop(1.0)
            raise

    async def __aenter__(self) -> Self:
        """Do as `start`, and never block the event loop. If its task is cancelled meanwhile, what was started is stopped."""
        await begun_apart(self.start, self.stop)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Do as `stop`, and never block the event loop; the cancellation of its task meanwhile is raised when that is done."""
        await ended_apart(self.stop)

    def stop(self, timeout: float = 10.0) -> None:
        """End every call with ``cancelled``, every host and every actor. Done when this returns.

        While another thread stops it, this waits for that, for ``timeout`` seconds at most. It does not where it would
        wait for itself: a subscriber that is called with an event, and a signal handler that has interrupted a
        `stop`, return at once, and the stop goes on. An interrupted stop is continued by the next one. In a forked
        child it does nothing: the board is its parent's.

        Args:
            timeout: seconds for hosts to end by themselves; what is left then is killed.

        Raises:
            TypeError, ValueError: the timeout is no number of seconds.
        """
        require_seconds("timeout", timeout)
        if self._home is not None:
            return
        self._first.over = True
        board = self._board or self._stopped
        with self._stop_once.turn(0.0 if board is not None and board.events.telling else timeout) as mine:
            if mine:
                self._stop(timeout)

    def forked(self, parent: int) -> None:
        """In a child that was forked off: a board that runs is the parent's; one that was not started may be here."""
        self._stop_once = Once("the board")
        self._first.forked()
        if self._home is None and (self._board is not None or self._stopped is not None):
            self._home = parent
            keep((self._board, self._stopped, self._store))
            self._board = self._stopped = self._store = None

    def _stop(self, timeout: float) -> None:
        self._stopped, self._board = self._board or self._stopped, None
        self._reloads.end()
        try:
            if self._stopped is not None:
                self._stopped.stop(timeout)
                self._stopped = None
        finally:
            main_thread.forget(self)
            self._reloads.clear()
            try:
                self._installer.close()
            finally:
                if self._store is not None:
                    self._store.close()
                    self._store = None  # last: a stop that was interrupted is gone on with

    # Plugins

    def _add_function(self, plugin: Any, options: Json) -> None:
        if self._board is None:
            made = self._loaded(plugin, None, options)  # what is wrong with it is told where it stands
            self._functions.add(plugin, options, made)
        else:
            self.register(plugin, **options)

    def register(
        self, plugin: Any, *, config: Json | None = None, **options: Unpack[RegisterOptions]
    ) -> list[ToolDescriptor]:
        """Run a Python tool in this process or in a host of its own, or a hosted one in its host; returns its tools.

        Args:
            plugin: an instance or a class of a tool plugin, an Amplifier-style tool, a function (see `tool`), a module's
                ``mount(coordinator, config)``, or a `HostedToolPlugin`, whose host is started and waited for.
            config: given to its ``init``.
            options: ``name``, ``concurrency``, ``deadline``, ``idempotent``, ``mailbox_size``; ``isolate`` for a
                Python class or function that is to run in a host, with ``restart`` and ``env`` as `load`.

        Raises:
            PluginError: it breaks the contract, its host does not come up, its name or a tool's name
                is taken, or an option is unknown or wrong.
            NotStarted: the board does not run.
        """
        board = self._running
        return self._installer.install(board, [self._loaded(plugin, config, options)])

    def _loaded(self, plugin: Any, config: Json | None, options: Mapping[str, Any]) -> Runs:
        name = getattr(plugin, "name", None) or repr(plugin)
        given = parse_options({**options, "config": config}, plugin=str(name))
        return load_registered(plugin, complete(given, self.configuration))

    def load(
        self,
        source: str | Mapping[str, Any],
        *,
        config: Json | None = None,
        timeout: float | None = None,
        **options: Unpack[LoadOptions],
    ) -> list[ToolDescriptor]:
        """Load a plugin from a source, in any of the specification's spellings; returns its tools.

        Waits until its hosts are ready. Of a package all plugins are loaded, or none. Relative paths are relative to the configuration's folder,
        or to the working directory without one.

        Args:
            source: such as ``"node:./plugins/js-echo-tool"`` or ``{"node_tool": {"file": …, "id": …}}``.
            config: given to its ``init``.
            timeout: seconds that all of it may take, from the fetch of a package to the readiness of the last host; ``None`` for
                what its steps may take each. What has begun by then is ended, and nothing of it stays on the board; code of this
                process that is never done keeps its thread.
            options: as `register`, and ``required`` (default true: a host that does not come up
                is an error), ``restart``, ``env``, ``isolate``.

        Raises:
            LoadTimeout: it was not ready by then; says what was waited for.
            PluginError: the source or an option is unknown or wrong, or it cannot be found, read or
                started.
            NotStarted: the board does not run.
            TypeError, ValueError: the timeout is no number of seconds.
        """
        board, entry = self._running, entry_of(source, config, options)
        load = partial(load_entry, entry, self.configuration)
        return self._installer.load(board, load, spelled(entry), timeout)

    def _begin(self, board: Board, one: Loaded) -> None:
        self._reloads.require(one)
        try:
            begin(board, one)
        except PluginNameTaken as error:
            from .loading.name_conflict import with_remedy  # noqa: PLC0415 - only a collision needs it

            raise with_remedy(error, one, self._reloads.origins.loaded, board) from error
        self._reloads.note(one)

    def remove(self, name: str, *, forget_state: bool = False) -> None:
        """Remove a plugin; its calls end with ``cancelled``, and its host by its stop ladder.

        If it is loaded again, that waits for the end of this one, and goes on with the state that was kept.

        Args:
            name: the plugin's.
            forget_state: if it comes back, it begins with what its ``init`` returns, and not where it was.

        Raises:
            KeyError: there is no such plugin.
            StateStoreError: its state cannot be forgotten; it has been removed all the same.
        """
        self._running.remove(name, forget_state=forget_state)

    def mount(self, module: Any, config: Json | None = None, **options: Unpack[RunOptions]) -> MountedModule:
        """Mount a module that is written for Amplifier: its tools become the board's, its handlers hooks; returns what takes it off.

        Args:
            module: has ``mount(coordinator, config)``, or is that function.
            config: given to it.
            options: of its tools, as for `register`: ``concurrency``, ``deadline``, ``idempotent``, …

        Raises:
            MountError: it cannot be mounted; all of it has been removed again.
            PluginError: what it mounts is no tool, a name is taken, or an option is unknown or wrong.
            NotStarted: the board does not run.
        """
        name = str(getattr(module, "__name__", None) or type(module).__name__)
        read = complete(parse_options({**options, "config": config}, plugin=name), self.configuration)
        timeout = self.configuration.prepare_deadline
        return self._running.mount(module, config, settings=read.tool, timeout=timeout)

    # Calls

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Call a tool by its name, and wait for its result. A board that never was started is started first.

        Args:
            tool: the tool's name.
            arguments: by name.
            named: more of them.

        Raises:
            ToolFailed: the call ended without a result.
            NotStarted: the board has been stopped.
            PluginError: as `start`, which the first call of a board may do.
        """
        return self.with_options().call(tool, arguments, **named)

    async def acall(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """As `call`, awaiting; a task that is cancelled meanwhile cancels the call."""
        return await self.with_options().acall(tool, arguments, **named)

    def with_options(
        self, *, deadline: float | None = None, context: Json | None = None, key: str | None = None
    ) -> Caller:
        """What has `call` and `acall` with these options, which are those of `submit`."""
        options = {"deadline": deadline, "context": context, "key": key}
        return Caller(lambda: self._running, self._first, options)

    def submit(
        self,
        tool_call: Any,
        *,
        deadline: float | None = None,
        context: Json | None = None,
        streaming: bool = True,
        key: str | None = None,
    ) -> Call:
        """Run a tool call; returns its handle at once. What is wrong with the call is its result.

        Args:
            tool_call: in any wire format that the `registry` reads: a provider's, MCP's, or what plugins contribute. Arguments
                may be a JSON text or an object.
            deadline: seconds it may take, waiting included; ``None`` for the tool's default,
                ``math.inf`` for no limit. One that has passed, as a time that is left may have, ends the call before it is sent.
            context: given to tools that accept one.
            streaming: have a tool that can stream do so; false asks it for its result alone.
            key: a text of at most 200 characters by which a tool that takes one knows a call that it has seen before. With the
                option ``idempotent="by_key"`` a call that has one may be sent again after a crash.

        Raises:
            NotStarted: the board does not run.
        """
        board = self._running
        call = board.read(tool_call, context=context, streaming=streaming, key=key)
        try:
            board.begin(call, deadline)
            return call  # noqa: TRY300 - see `Board.submit`, which this does again: each frame is left with the handle
        except BaseException:  # an interrupt: raised again
            call.withdraw()
            raise

    def execute(self, tool_call: Any, **options: Unpack[CallOptions]) -> CallResult:
        """Run a tool call and wait for its result mapping. Options as `submit`.

        An interrupt of the wait, such as Ctrl-C, ends the call with ``cancelled`` and is raised.
        """
        return own_result(self._running, tool_call, **options)

    async def execute_async(self, tool_call: Any, **options: Unpack[CallOptions]) -> CallResult:
        """Run a tool call and await its result mapping, in asyncio or trio. Options as `submit`."""
        return await own_result_async(self._running, tool_call, **options)

    def stream(self, tool_call: Any, **options: Unpack[CallOptions]) -> Iterator[Json]:
        """Run a tool call; yields ``{"part": …}`` as they come, and last the result mapping."""
        return own_stream(self._running, tool_call, **options)

    def stream_async(self, tool_call: Any, **options: Unpack[CallOptions]) -> CallStream:
        """As `stream`, awaiting. Its ``aclose()`` cancels the call, as does the end of a task that is cancelled."""
        return CallStream(self._running, tool_call, **options)

    def hook(self, event: HookEvent, hook: Hook, **options: Unpack[HookOptions]) -> HookHandle:
        """Have a callable asked about each call from now on: ``hook(event, data)``, which may be asynchronous.

        Returns its `HookHandle`, whose ``close()`` takes it off; it is a context manager, too.

        Args:
            event: ``tool:pre``, ``tool:post`` or ``tool:error``.
            hook: answers nothing, a mapping with ``action``, or an object that has one.
            options: ``priority`` (0; lower goes first), ``deadline`` (5.0 seconds), ``observes`` (false), ``name``.

        Raises:
            HookRegistrationError: there is no such event, or it cannot be called.
            NotStarted: the board does not run.
        """
        return self._running.hooks.add(event, hook, **options)

    @property
    def approver(self) -> Approver | None:
        """Asks a person about the calls that hooks want approved. Without one a question's default holds.

        It may be set at any time; before the start, if it has forms filled in for servers.
        """
        return self._approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        self._approver = approver
        if self._board is not None:
            self._board.hooks.approver = approver

    # What MCP servers share beside their tools

    def resources(self, plugin: str) -> list[Json]:
        """The resources of an MCP server, as it says them; none if it has none. Waits for its answer.

        Raises:
            KeyError: there is no such plugin.
            PluginError: it is no MCP server.
            HostError: it does not run, answers with an error, or not within 30 seconds.
        """
        return self._running.plugin_manager.mcp_server(plugin).resources()

    def resource_templates(self, plugin: str) -> list[Json]:
        """The templates of the addresses of an MCP server's resources. Raises as `resources`."""
        return self._running.plugin_manager.mcp_server(plugin).resource_templates()

    def read_resource(self, plugin: str, uri: str) -> Json:
        """What a resource of an MCP server holds, under ``contents``. Raises as `resources`."""
        require_text("the address of a resource", uri)
        return self._running.plugin_manager.mcp_server(plugin).read_resource(uri)

    def prompts(self, plugin: str) -> list[Json]:
        """The prompts of an MCP server. Raises as `resources`."""
        return self._running.plugin_manager.mcp_server(plugin).prompts()

    def get_prompt(self, plugin: str, name: str, arguments: Mapping[str, str] | None = None) -> Json:
        """A prompt of an MCP server with these arguments, under ``messages``. Raises as `resources`."""
        require_text("the name of a prompt", name)
        return self._running.plugin_manager.mcp_server(plugin).get_prompt(name, arguments or {})

    def complete(self, plugin: str, ref: Json, argument: Json, context: Json | None = None) -> Json:
        """How an argument of a prompt or a template of an MCP server may go on, under ``completion``. Raises as `resources`.

        Args:
            plugin: the server.
            ref: ``{"type": "ref/prompt", "name": …}`` or ``{"type": "ref/resource", "uri": …}``.
            argument: its ``name``, and the ``value`` so far.
            context: the other ``arguments``, as far as they are known.
        """
        return self._running.plugin_manager.mcp_server(plugin).complete(ref, argument, context)

    def subscribe_resource(self, plugin: str, uri: str) -> ResourceSubscription:
        """Have the event ``resource_updated`` told when that resource of an MCP server changes, after its restarts too.

        A server that does not run is asked once it does. Returns what ends it by ``close()``; it is a context manager, too. Raises as `resources`.
        """
        require_text("the address of a resource", uri)
        return self._running.plugin_manager.mcp_server(plugin).subscribe_resource(uri)

    # Hosts

    def restart(self, name: str) -> list[str]:
        """End a plugin's host and start the next at once, with a fresh budget.

        ``name`` may be the host's too. It returns the plugins that live there, when the order is taken: it is done to all of them.

        Raises:
            UnknownChild: there is no such host.
            NotStarted: the board does not run.
            BoardStopped: it is just being stopped.
        """
        return self._ordered("restart", name)

    def park(self, name: str) -> list[str]:
        """End a plugin's host and leave it parked; its calls are refused. Otherwise as `restart`."""
        return self._ordered("park", name)

    def revive(self, name: str) -> list[str]:
        """Start a parked or stopped host at once, with a fresh budget. Otherwise as `restart`."""
        return self._ordered("revive", name)

    def _ordered(self, verb: str, name: str) -> list[str]:
        require_text("the name of a host or a plugin", name)
        return self._running.order(verb, name)

    def reload(
        self,
        name: str,
        *,
        timeout: float | None = None,
        refuse: Iterable[str] | None = None,
        reason: str = "by hand",
    ) -> Reloaded:
        """Load what a plugin's host runs anew, from what is on the disk now, and have it take over between two calls.

        The sources are made ready again and a further host loads them while the present one serves on. Calls under way end
        there, the next ones go to the new one, with the state that there is. If it cannot be loaded, breaks the contract, takes
        other plugins' names or changes its tools in a way that is refused, nothing has changed. All plugins of the host
        are loaded together. Waits until the new one serves, or will not; an interrupt of that, such as Ctrl-C, gives it up, and is raised.

        Args:
            name: the plugin's, or the host's.
            timeout: seconds that it may take beyond the making of its sources; no limit if ``None``.
            refuse: changes of tools that are not taken over, ``added``, ``removed``, ``changed``, instead of what the
                option ``reload`` says.
            reason: for the events.

        Raises:
            ReloadRefused: there is no such host, the plugin runs in this process, its source has other plugins now, or two
                generations of its host must not be.
            NotStarted: the board does not run.
        """
        return self._reloads.reload(name, timeout=timeout, refuse=refuse, reason=reason)

    # What there is, and what is going on

    @property
    def failed(self) -> list[FailedPlugin]:
        """What of the configuration could not be loaded or started, and is not required."""
        return self._installer.failed

    def tools(self) -> list[ToolDescriptor]:
        """All tools with their source schemas, in order of registration. Raises `NotStarted`."""
        return self._running.tools()

    def schemas(self, target_formats: list[str] | None = None) -> list[Json]:
        """The schemas of all tools, converted to the first of ``target_formats`` that can say each.

        As the plugins wrote them without ``target_formats``.

        Raises:
            TypeError: ``target_formats`` is a text; one format is a list too.
            ConversionError: a schema cannot be said in any of the formats; names the tool.
        """
        if isinstance(target_formats, str):
            raise TypeError(f"target_formats is {target_formats!r}; give a list: [{target_formats!r}]")
        formats = require_several("target_formats", target_formats or [], is_text, "a text")
        sources = [tool.schema for tool in self.tools()]
        if not target_formats:
            return sources
        return self.registry.convert_schemas(sources, ToolInteropTarget(formats[0]), formats)

    def describe(
        self, name: str, *, config: Json | None = None, models: Iterable[Json] = (), timeout: float = 5.0
    ) -> Json:
        """What a plugin says of itself, wherever it runs: its configuration's schema, user interface elements, tags.

        Under ``plugin``, ``version``, ``config_schema``, ``ui_elements``, ``tags``, ``required_tags`` and ``forbidden_tags``.

        Args:
            name: the plugin's.
            config: the configuration of a request, which tags may hang on.
            models: those of the request, which they may hang on too.
            timeout: seconds that it has for all of it.

        Raises:
            KeyError: there is no such plugin.
            HookFailed: a hook raised, answered in another shape than the contract's, or not in time; or its host is down.
            NotStarted: the board does not run.
        """
        require_mapping("config", config)
        asked = require_several("models", models, is_mapping, "a mapping")
        require_seconds("timeout", timeout)
        return self._running.queries.describe(name, dict(config or {}), asked, timeout)

    def ui_elements(self) -> dict[str, list[Json]]:
        """The user interface elements of each plugin that has any and can be asked; opaque to Callboard. Raises `NotStarted`."""
        return self._running.queries.ui_elements()

    def status(self) -> Json:
        """What is going on, as JSON: plugins, hosts, mailboxes, counts, restarts, crash reports."""
        board = self._board
        if board is None and self._home is None:
            return {"running": False, "plugins": {}, "failed": [], "providers": [], "idle_rules": []}
        failed = [{"source": one.source, "error": one.error, "plugin": one.plugin} for one in self.failed]
        board = board or self._running
        status = board.status()
        status["idle_rules"] = idle_rules(self.configuration.approval, board.tools())
        for name, plugin in status["plugins"].items():
            plugin["source"] = self._reloads.origins.source_of(name)
        return {**status, "failed": failed, "providers": [one.status() for one in self.providers]}

    def subscribe(
        self, subscriber: Callable[[Event], None] | pykka.ActorRef[Any], kinds: Iterable[str] | None = None
    ) -> Subscription:
        """Subscribe to what happens: a callable is called with each `Event`, an actor gets it as a message, in order.

        Returns its `Subscription`, whose ``close()`` ends it; it is a context manager, too.

        Raises:
            ValueError: there is no such kind of event.
            TypeError: the subscriber is neither, or ``kinds`` is a text instead of several.
        """
        return self._running.subscribe(subscriber, kinds)

    def agent(self) -> Agent:
        """Return an agent: the tools of this board, and the model that the configuration has.

        Raises:
            ConfigurationError: it has none, or options that cannot be used.
            PluginLoadError: the provider's class cannot be loaded.
        """
        from .configured_agent import Agent  # noqa: PLC0415 - most boards are asked for none

        return Agent(self, self.configuration)

    # For other actors, and for the agent layer

    @property
    def providers(self) -> list[LoadedProvider]:
        """The providers of models, and their extensions, among the configured plugins: an `AgentCore` on this board has them."""
        return list(self._installer.providers)

    @property
    def request_defaults(self) -> Json:
        """The keys ``provider``, ``model`` and ``models`` of the configuration: an `AgentCore` on this board asks by them."""
        return dict(self.configuration.agent)

    @property
    def board(self) -> Board:
        """The board of actors behind this face. Raises `NotStarted`."""
        return self._running

    @property
    def router(self) -> pykka.ActorRef[Any]:
        """The router actor; ask it `callboard.actors.messages.Dispatch`."""
        return self._running.router

    @property
    def supervisor(self) -> pykka.ActorRef[SupervisorActor]:
        """The supervisor actor."""
        return self._running.supervisor

    @property
    def registry(self) -> ToolInteropRegistry:
        """Reads and converts all formats that the board knows."""
        return self._running.catalog.registry

    @property
    def _running(self) -> Board:
        if self._board is None:
            if self._home is not None:
                raise NotStarted.in_child_of(self._home)
            raise NotStarted("the board does not run; use it as a context manager, or call start()")
        return self._board
