"""The plugins of a board: how they are added, and how they are removed.

It owns the plugins' handles and the lock under which they, the routes and the offers change
together. It routes nothing and runs nothing itself.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ...base.errors import CallboardError, LoadTimeout, PluginError, PluginLoadError
from ...base.locks import RLock
from ...base.threads import uninterrupted
from ...plugins.time_limit import require_time, time_left
from ...supervision.messages import AddChild
from ...supervision.restart.policy import RestartPolicy
from ...supervision.runtime.telling import ask_supervisor, tell
from ..endpoint.endpoint import ToolSettings
from ..hosting.host_registry import HostRegistry
from ..hosting.limits import LimitWatch
from ..local.local_plugin import LocalPlugin
from ..registration_errors import BoardStopped as BoardStopped  # noqa: PLC0414 - for those who have it from here
from ..registration_errors import StillEnding, require_place, taken_off
from ..threads.shared_dispatcher import CLOSE, SharedDispatcher
from .first_answers import Offered, Prepared, first_answers, first_state, offered, outcome, set_up
from .registration import Registration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pykka

    from ...hosts.hosted_tool import HostedToolPlugin
    from ...hosts.mcp.tool import McpToolPlugin
    from ...plugins.adapter.adapter import PluginAdapter
    from ...supervision.supervisor import SupervisorActor
    from ..catalog.catalog import Catalog, ToolDescriptor
    from ..endpoint.plugin import PluginHandle
    from ..hosted.hosted_plugin import HostedPlugin
    from ..hosting.host_registry import Share
    from ..hosting.settings import HostSettings
    from ..routing.table import RoutingTable
    from ..services import Services
    from ..threads.hook_pool import Pending


class PluginManager:
    """See the module.

    Args:
        supervisor: starts and restarts the hosts.
        routing_table: where calls find the plugins' endpoints.
        catalog: where the plugins' tools are offered.
        services: the board's; plugins are prepared in its threads.
        load_timeout: seconds that the first questions to a plugin of this process may take, or ``None``.
        prepare_timeout: seconds that preparing one may take.
        removed: told the name of each plugin that has left.

    Attributes:
        closed: no more plugins are taken.
        all_begun: all plugins of its configuration have begun; set by whoever begins them.
        host_registry: the hosts, and which plugin runs in which.
        lock: is held while plugins, routes, offers and checks change.
        registration: how the plugins' tools come to be offered.
        limit_watch: looks at the hosts that have limits.
    """

    def __init__(
        self,
        *,
        supervisor: pykka.ActorRef[SupervisorActor],
        routing_table: RoutingTable,
        catalog: Catalog,
        services: Services,
        load_timeout: float | None,
        prepare_timeout: float,
        removed: Iterable[Callable[[str], None]],
    ) -> None:
        self.closed: bool = False
        self.all_begun: bool = False
        self._removed = removed
        self._supervisor = supervisor
        self._routing_table = routing_table
        self._catalog = catalog
        self._services = services
        self._events = services.events
        self.registration: Registration = Registration(routing_table, catalog, services.events)
        self._load_timeout = load_timeout
        self.prepare_timeout: float = prepare_timeout
        self.limit_watch: LimitWatch = LimitWatch(services)
        self.host_registry: HostRegistry = HostRegistry(services, self.limit_watch)
        self._handles: dict[str, PluginHandle] = {}
        self._naming = False
        self._leaving: list[PluginHandle] = []
        self._taken_off: set[pykka.ActorRef[Any]] = set()
        self._dispatcher: pykka.ActorRef[SharedDispatcher] | None = None
        self.lock: RLock = RLock()
        # A host is added to the supervisor while no other thread can remove it or stop the board: an order to end it would
        # come there before it, and mean nothing. Not under the other lock, for which the tools' actors wait.
        self._beginning = RLock()

    def handles(self) -> dict[str, PluginHandle]:
        """The plugins there are now, in order of registration."""
        with self.lock:
            return dict(self._handles)

    def order(self, supervisor: pykka.ActorRef[Any], verb: str, name: str, reason: str) -> list[str]:
        """As `HostRegistry.order`, of the plugins there are now."""
        return self.host_registry.order(supervisor, verb, name, reason, self.handles())

    def handle(self, name: str) -> PluginHandle:
        """One of them. Raises `KeyError`."""
        try:
            return self._handles[name]
        except (KeyError, TypeError):
            there = ", ".join(map(repr, list(self._handles))) or "none"
            raise KeyError(f"there is no plugin {name!r:.60}; there are: {there}") from None

    def mcp_server(self, name: str) -> McpToolPlugin:
        """What runs one of them that is an MCP server. Raises `KeyError`, `PluginError`."""
        hosted = self.handle(name).plugin
        if hosted is None or hosted.kind != "mcp":
            raise PluginError(f"plugin {name!r} is no MCP server", plugin=name)
        return cast("McpToolPlugin", hosted)

    def close(self) -> list[PluginHandle]:
        """Take no more plugins; return those there are."""
        with self._beginning, self.lock:
            self.closed = True
            return list(self._handles.values())

    def finish(self) -> None:
        """All plugins have ended: end what they shared."""
        self.limit_watch.close()
        if self._dispatcher is not None:
            tell(self._dispatcher, CLOSE)

    def actors(self, handles: Iterable[PluginHandle]) -> set[pykka.ActorRef[Any]]:
        """Of these plugins, of those that were taken off the board, and of what all share; some may have ended."""
        shared = set() if self._dispatcher is None else {self._dispatcher}
        return shared | self._taken_off.union(*[handle.actors() for handle in handles])

    def _local_dispatcher(self) -> pykka.ActorRef[SharedDispatcher]:
        """The thread of the actors of all plugins of this process, which starts with the first."""
        if self._dispatcher is None:
            name = "dispatcher of this process"
            self._dispatcher = SharedDispatcher.start(name, self._events, self._services.clock)
        return self._dispatcher

    def add(
        self,
        adapter: PluginAdapter,
        *,
        config: dict[str, Any],
        settings: ToolSettings | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin in this process; returns its tools, which come after its set-up.

        Raises:
            PluginError: it breaks the contract or cannot be prepared, its name or a tool's name is taken.
            BoardStopped: the board has been stopped.
        """
        self.begin(adapter, config=config, settings=settings, context=context)
        return self.settle(adapter.name, required=True, adapter=adapter)

    def begin(
        self,
        adapter: PluginAdapter,
        *,
        config: dict[str, Any],
        settings: ToolSettings | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin to run a plugin in this process; `settle` waits for it.

        In two steps, so that many plugins can be prepared at the same time. One without set-up offers its
        tools at once.

        Args:
            adapter: the plugin, with all defaults.
            config: given to its ``init``.
            settings: how its calls are run.
            context: what its set-up finds in its context, beside ``tool_runtime``.

        Raises:
            ConfigMisfit: its configuration does not fit the schema that it has for it.
            PluginError: it breaks the contract, its name or a tool's name is taken.
            BoardStopped: the board has been stopped.
        """
        state, brings = first_answers(adapter, config, self._load_timeout)
        begins_with = first_state(adapter, state)
        with self.lock:
            require_place(adapter.name, self._handles, closed=self.closed)
            handle = LocalPlugin(
                adapter,
                settings or ToolSettings(),
                begins_with,
                config,
                self._services,
                dispatcher=self._local_dispatcher(),
            )
            self._handles[adapter.name] = handle
            self._routing_table.add(handle.endpoint)
            if adapter.has_prepare:
                around = {"tool_runtime": self._services.tool_runtime, **(context or {})}
                handle.state = state
                handle.setting_up = self._services.threads.begin(
                    adapter.name, partial(set_up, adapter, config, state, around), self.prepare_timeout
                )
                return
        self._offer_own(handle, brings)
        if handle.problem is not None:
            raise self._cast_out(handle)

    def settle(
        self, name: str, *, required: bool, adapter: PluginAdapter | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """Wait until a plugin of this process is prepared, or will not be; return its tools.

        Args:
            name: the plugin's.
            adapter: what `begin` was given, where another plugin may have the name by now.
            required: one that cannot be prepared is an error, and is removed. Otherwise it stays,
                with the reason in its status, and has no tools.

        Raises:
            PluginLoadError: it is required and could not be prepared, or was removed.
            PluginError: a tool's name is taken, or its schemas cannot be read.
        """
        handle = cast("LocalPlugin", self._begun(name, adapter))
        if handle.setting_up is not None:
            self._set_up(handle, handle.setting_up, required=required)
        if handle.problem is not None:
            raise self._cast_out(handle)
        return self._admit(handle)

    def _set_up(self, handle: LocalPlugin, setting_up: Pending[Prepared], *, required: bool) -> None:
        try:
            prepared = outcome(setting_up)
        except LoadTimeout:
            raise
        except PluginError as error:
            why = f"preparing the plugin failed: {error}"
            if required:
                handle.problem = PluginLoadError(why, plugin=handle.name)
                handle.problem.__cause__ = error
            else:
                handle.unprepared = why
                self._events.publish("plugin_unavailable", handle.name, why=why)
        else:
            handle.endpoint.prepared = prepared
            self._offer_own(handle)
        handle.setting_up = None

    def _offer_own(self, handle: LocalPlugin, brings: Offered | None = None) -> None:
        """Offer the tools of a plugin of this process, or note why not; those of one that was prepared are asked for."""
        adapter = handle.endpoint.adapter
        try:
            if brings is None:
                brings = offered(adapter, handle.state, handle.endpoint.prepared, self._load_timeout)
                handle.endpoint.cell.begin_with(first_state(adapter, handle.state))
            contribution, schemas = brings
            with self.lock:  # across the events: tools are told of in the order in which they are registered
                if self._handles.get(handle.name) is not handle:
                    raise taken_off(handle.name)
                if contribution is not None:
                    self._catalog.contribute(handle.name, contribution)
                self.registration.offer(handle, schemas, self._handles.values)
        except CallboardError as error:
            handle.problem = error

    def _cast_out(self, handle: LocalPlugin) -> CallboardError:
        """Remove a plugin that has a problem; returns that, for the caller that added it."""
        assert handle.problem is not None
        with self.lock:  # or another of its name could be added between
            if self._handles.get(handle.name) is handle:  # else another thread has removed it meanwhile
                self._take_off(handle.name)
                handle.withdraw(f"plugin {handle.name!r} could not be added")
        return handle.problem

    def begin_hosted(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        *,
        host: HostSettings,
        policy: RestartPolicy | None = None,
        settings: ToolSettings | None = None,
        share: Share | None = None,
    ) -> None:
        """Begin to run a plugin in a supervised host; `settle_hosted` waits for it.

        In two steps, so that many hosts can start at the same time.

        Args:
            adapter: the plugin, with all defaults.
            plugin: the same plugin, as the proxy of its host.
            host: how the host is run.
            policy: when the host is started again.
            settings: how the plugin's calls are run.
            share: the host that it shares with others; one of its own if ``None``.

        Raises:
            PluginError: its name is taken, or it cannot share that host.
            StillEnding: a host of that name has not ended yet.
            AdmissionRefused: its group does not exist.
            BoardStopped: the board has been stopped.
        """
        begin = partial(
            self._begin_hosted,
            adapter,
            plugin,
            host=host,
            policy=policy or RestartPolicy(),
            settings=settings or ToolSettings(),
            share=share,
        )
        self._as_a_whole(begin)

    def _begin_hosted(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        *,
        host: HostSettings,
        policy: RestartPolicy,
        settings: ToolSettings,
        share: Share | None,
    ) -> None:
        from ..hosted.hosted_plugin import HostedPlugin  # noqa: PLC0415 - with it comes all that runs hosts

        with self._beginning:
            with self.lock:
                require_place(adapter.name, self._handles, closed=self.closed)
                founded = self.host_registry.would_found(adapter.name, share)
                # Looked at under the lock: another thread removes it before this, or after it was added.
                if founded is not None and (ending := self.leaving(founded)):
                    raise StillEnding(founded, ending, plugin=adapter.name)
                supervised_host, load = self.host_registry.assign(adapter.name, plugin, host, policy, share)
                try:
                    handle = HostedPlugin(
                        adapter,
                        plugin,
                        supervised_host,
                        settings,
                        self._services,
                        config=host.config,
                        load=load,
                        offer=self._offer_hosted,
                    )
                except BaseException:  # such as what a state store raises; the host has no plugin then
                    self.host_registry.leave(adapter.name)
                    if not supervised_host.names:
                        supervised_host.close()
                    raise
                plugin.shared_as = None if load is None else adapter.name
                first = not supervised_host.names
                self._handles[adapter.name] = handle
                self._routing_table.add(handle.endpoint)
                supervised_host.add(handle)
                if (remembered := handle.plugin.remembered()) is not None:
                    self.registration.offer_remembered(handle, *remembered, self._handles.values)
            if not first:
                return
            try:
                ask_supervisor(self._supervisor, AddChild(handle.child_spec()))
            except BaseException:  # whatever it is, no plugin stays half added
                # Such as a group that there is not, or a supervisor that other code has stopped.
                self._take_off(adapter.name)
                handle.withdraw(f"plugin {adapter.name!r} could not be added")
                raise

    def settle_hosted(
        self, name: str, *, required: bool, adapter: PluginAdapter | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """Wait until a plugin's host is ready, or will not be; return its tools.

        Args:
            name: the plugin's.
            adapter: what `begin_hosted` was given, where another plugin may have the name by now.
            required: a host that does not come up is an error, and its plugin is taken off the
                board. Otherwise it stays, parked, with its crash report in the status, and has no
                tools until it is revived.

        Raises:
            PluginLoadError: it is required and its host did not come up, or it was removed.
            PluginError: a tool's name is taken, or its schemas cannot be read.
        """
        handle = cast("HostedPlugin", self._begun(name, adapter))
        while not handle.settled.wait(time_left(None)):
            require_time(f"the host of plugin {name!r} is not ready")
        problem = handle.problem
        if problem is None and required:
            problem = handle.load_error
        if problem is not None:
            with suppress(KeyError):  # it was removed meanwhile
                self.remove(name, only=handle.endpoint.adapter)
            raise problem
        return self._admit(handle)

    def _admit(self, handle: PluginHandle) -> tuple[ToolDescriptor, ...]:
        with self.lock:
            if not self._naming:
                self.registration.keep_names(handle)
            return self._catalog.offers.get(handle.name, ())

    @contextmanager
    def naming(self) -> Iterator[None]:
        """No plugin that comes meanwhile is in use before the end, or before `admit`: until then names may move between them."""
        self._naming = True
        try:
            yield
        finally:
            self._naming = False
            self.admit()

    def admit(self) -> None:
        """All plugins that have tools are in use: their names stay theirs."""
        with self.lock:
            for name in self._catalog.offers:
                self.registration.keep_names(self._handles[name])

    def _begun(self, name: str, adapter: PluginAdapter | None) -> PluginHandle:
        handle = self._handles.get(name)
        if handle is None or adapter not in {None, handle.endpoint.adapter}:
            raise taken_off(name)
        return handle

    def _offer_hosted(self, handle: HostedPlugin, schemas: Iterable[dict[str, Any]]) -> None:
        """A generation of a host has brought schemas; in its tool actor's thread."""
        with self.lock:  # as in `_offer_own`
            if self._handles.get(handle.name) is handle:  # else it was removed while that generation came up
                self.registration.offer(handle, schemas, self._handles.values)

    def remove(self, name: str, *, forget_state: bool = False, only: PluginAdapter | None = None) -> None:
        """Take a plugin off the board: calls that wait or run end with ``cancelled``, its host ends.

        Returns at once; the host's end takes as long as its stop ladder.

        Args:
            name: the plugin's.
            forget_state: have its store forget it too; else it goes on from there if it comes back.
            only: as which it was put on the board; another plugin that has the name by now stays.

        Raises:
            KeyError: there is no such plugin.
            StateStoreError: its state cannot be forgotten; it has been removed all the same.
        """
        self._as_a_whole(partial(self._remove, name, forget_state=forget_state, only=only))

    def _remove(self, name: str, *, forget_state: bool, only: PluginAdapter | None) -> None:
        with self._beginning:
            handle = self._take_off(name, only)
            self._leaving = [*self.leaving(), handle]
        handle.shut_down(f"plugin {name!r} was taken off the board", self._supervisor)
        self._events.publish("plugin_removed", name)
        try:
            if forget_state and self._services.keeper is not None:
                self._services.keeper.forget(name)
        finally:
            for removed in self._removed:
                removed(name)

    def _as_a_whole(self, change: Callable[[], None]) -> None:
        """Do it, or nothing of it, whatever a signal handler raises meanwhile."""
        # A handler may load or remove in the midst of a change here: another thread would wait for this one.
        if any(lock._is_owned() for lock in (self.lock, self._beginning)):  # type: ignore[attr-defined]  # noqa: SLF001 - locks say it nowhere else
            change()
        else:
            uninterrupted(change)

    def _take_off(self, name: str, only: PluginAdapter | None = None) -> PluginHandle:
        with self.lock:
            handle = self.handle(name)
            if only not in {None, handle.endpoint.adapter}:
                raise KeyError(f"there is another plugin {name!r} by now")
            del self._handles[name]
            self.host_registry.leave(name)
            self._routing_table.remove(name)
            self._catalog.remove(name)
            # An actor reads what it was told in its own time, and may outlast ``ended``.
            alive = (actor for actor in self._taken_off if actor.is_alive())
            self._taken_off = {*alive, *handle.actors()}
            return handle

    def leaving(self, name: str | None = None) -> list[PluginHandle]:
        """The plugins that were removed and have not ended yet; those of such a host, or all."""
        return [each for each in self._leaving if name in {None, each.host_name} and not each.ended.is_set()]
