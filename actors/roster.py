"""The plugins of a board: how they come on it, and how they are taken off again.

The roster owns the members and the lock under which they, the routes and the offers change
together. It routes nothing and runs nothing itself.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ..plugins.errors import CallboardError, PluginLoadError
from ..supervision.messages import AddChild
from ..supervision.policy import RestartPolicy
from ..supervision.telling import ask_supervisor
from .argument_checks import checks_of
from .catalog import Catalog, ToolDescriptor, add_routes
from .desk import ToolSettings
from .hook_threads import HookFailed, HookThreads
from .limit_watch import LimitWatch
from .members import HostedMember, Member, ThreadMember
from .tool_changes import tool_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pykka

    from ..hosts.hosted_tool import HostedToolPlugin
    from ..hosts.watchdog import Watchdog
    from ..plugins.adapter import PluginAdapter
    from ..supervision.clock import Clock
    from ..supervision.events import EventStream
    from ..supervision.supervisor import SupervisorActor
    from .host_actor import HostSettings
    from .keeping import StateKeeper
    from .router_actor import Switch


class BoardStopped(CallboardError):  # noqa: N818 - the state is the message
    """The board has been stopped, so it takes no more plugins."""


class Roster:
    """See the module.

    Args:
        supervisor: starts and restarts the hosts.
        switch: where calls find the desks of the members.
        catalog: where the members' tools are offered.
        threads: where plugins are prepared.
        prepare_timeout: seconds that may take.
        random: the source of the jitter of hosts.
        keeper: keeps the members' states beyond this process, or ``None``.

    Attributes:
        closed: no more members are taken.
        limit_watch: looks at the hosts that have limits; whoever closes the roster closes it too.
    """

    def __init__(
        self,
        *,
        supervisor: pykka.ActorRef[SupervisorActor],
        switch: Switch,
        catalog: Catalog,
        threads: HookThreads,
        watchdog: Watchdog,
        clock: Clock,
        events: EventStream,
        prepare_timeout: float,
        random: Callable[[], float],
        keeper: StateKeeper | None = None,
    ) -> None:
        self.closed = False
        self._supervisor = supervisor
        self._switch = switch
        self._catalog = catalog
        self._threads = threads
        self._watchdog = watchdog
        self._clock = clock
        self._events = events
        self._prepare_timeout = prepare_timeout
        self.limit_watch = LimitWatch(clock, events)
        self._random = random
        self._keeper = keeper
        self._members: dict[str, Member] = {}
        self._leaving: list[Member] = []
        self._lock = threading.RLock()
        # A host is added to the supervisor while nobody can take it off or stop the board: an order to end it would
        # come there before it, and mean nothing. Not under the other lock, for which the tools' actors wait.
        self._beginning = threading.RLock()

    def members(self) -> dict[str, Member]:
        """The members there are now, in order of registration."""
        with self._lock:
            return dict(self._members)

    def member(self, name: str) -> Member:
        """One of them. Raises `KeyError`."""
        return self._members[name]

    def close(self) -> list[Member]:
        """Take no more members; return those there are, the first time only."""
        with self._beginning, self._lock:
            if self.closed:
                return []
            self.closed = True
            return list(self._members.values())

    def add(
        self, adapter: PluginAdapter, *, config: dict[str, Any], settings: ToolSettings | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin in this process; returns its tools.

        Raises:
            PluginError: it breaks the contract, its name or a tool's name is taken.
            BoardStopped: the board has been stopped.
        """
        state = adapter.init(config)
        prepared = self._prepare(adapter, config, state) if adapter.has_prepare else None
        contribution = adapter.interop_contribution(state)
        with self._lock:
            self._require_place(adapter.name)
            if contribution is not None:
                self._catalog.contribute(adapter.name, contribution)
            try:
                tools = self._catalog.describe(adapter.name, adapter.schemas(state, prepared))
                routes = add_routes(self._switch.routes, adapter.name, tools, claims=adapter.has_claim)
                member = ThreadMember(
                    adapter,
                    settings or ToolSettings(),
                    state,
                    clock=self._clock,
                    events=self._events,
                    prepared=prepared,
                    keeper=self._keeper,
                )
            except CallboardError:
                self._catalog.remove(adapter.name)
                raise
            self._check_arguments(member, tools)
            self._members[adapter.name] = member
            self._switch.add(member.desk)
            self._catalog.offer(adapter.name, tools)
            self._switch.update(lambda _: routes)
        self._tell_offer(member, tools)
        return tools

    def _prepare(
        self, adapter: PluginAdapter, config: dict[str, Any], state: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Long-running set-up, on a thread that can be lost."""
        try:
            return self._threads.call(
                adapter.name, lambda: adapter.prepare(config, state), self._prepare_timeout
            )
        except HookFailed as error:
            raise PluginLoadError(f"preparing the plugin failed: {error}", plugin=adapter.name) from error

    def begin_hosted(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        *,
        host: HostSettings,
        policy: RestartPolicy | None = None,
        settings: ToolSettings | None = None,
    ) -> None:
        """Begin to run a plugin in a supervised host; `settle_hosted` waits for it.

        In two steps, so that many hosts can start at the same time.

        Args:
            adapter: the plugin, with all defaults.
            plugin: the same plugin, as the proxy of its host.
            host: how the host is run.
            policy: when the host is started again.
            settings: how the plugin's calls are run.

        Raises:
            PluginError: its name is taken.
            AdmissionRefused: its group does not exist.
            BoardStopped: the board has been stopped.
        """
        with self._beginning:
            with self._lock:
                self._require_place(adapter.name)
                member = HostedMember(
                    adapter,
                    plugin,
                    host,
                    settings or ToolSettings(),
                    policy or RestartPolicy(),
                    clock=self._clock,
                    events=self._events,
                    watchdog=self._watchdog,
                    offer=self._offer_hosted,
                    watch=self.limit_watch,
                    random=self._random,
                    keeper=self._keeper,
                    threads=self._threads,
                )
                self._members[adapter.name] = member
                self._switch.add(member.desk)
            try:
                ask_supervisor(self._supervisor, AddChild(member.child_spec()))
            except Exception:
                # Such as a group that there is not, or a supervisor that somebody else has stopped.
                self._take_off(adapter.name)
                member.withdraw(f"plugin {adapter.name!r} could not be added")
                raise

    def settle_hosted(self, name: str, *, required: bool) -> tuple[ToolDescriptor, ...]:
        """Wait until a plugin's host is ready, or will not be; return its tools.

        Args:
            name: the plugin's.
            required: a host that does not come up is an error, and its plugin is taken off the
                board. Otherwise it stays, parked, with its crash report in the status, and has no
                tools until it is revived.

        Raises:
            PluginLoadError: it is required and its host did not come up.
            PluginError: a tool's name is taken, or its schemas cannot be read.
        """
        member = self._members[name]
        assert isinstance(member, HostedMember)
        member.settled.wait()
        problem = member.problem
        if problem is None and required and member.out is not None:
            problem = PluginLoadError(f"plugin {name!r}: {member.out.error}", plugin=name)
        if problem is not None:
            if self._members.get(name) is member:  # else somebody has taken it off meanwhile
                self.remove(name)
            raise problem
        with self._lock:
            member.admitted = True
            return self._catalog.offers.get(name, ())

    def _offer_hosted(self, member: HostedMember, schemas: Iterable[dict[str, Any]]) -> None:
        """A life of a host has brought schemas; in its tool actor's thread."""
        name = member.name
        with self._lock:
            if self._members.get(name) is not member:
                return  # taken off while that life came up
            before = self._catalog.offers.get(name)
            tools = self._catalog.describe(name, schemas)
            later = self._later_with(member, tools)
            routes = self._switch.routes
            for each in later:
                routes = routes.without(each.name)
            routes = add_routes(routes, name, tools, claims=False)
            self._check_arguments(member, tools)
            self._catalog.offer(name, tools)
            self._switch.update(lambda _: routes)
            self._tell_offer(member, tools)
            for each in later:
                self._displace(each)
            if before is not None:
                self._events.publish("tools_changed", name, **tool_changes(before, tools)._asdict())

    def _later_with(self, member: HostedMember, tools: tuple[ToolDescriptor, ...]) -> list[HostedMember]:
        """Members with tools of the same names that came after this one, and whose hosts were only quicker to start.

        Hosts start at the same time, and which plugin has a name must not be a matter of chance. Those that have been
        admitted stay as they are: somebody relies on them.
        """
        names = {tool.tool_name for tool in tools}
        members = list(self._members.values())
        return [
            later
            for later in members[members.index(member) + 1 :]
            if isinstance(later, HostedMember)
            and not later.admitted
            and names.intersection(tool.tool_name for tool in self._catalog.offers.get(later.name, ()))
        ]

    def _displace(self, member: HostedMember) -> None:
        """Offer its tools no more, since an earlier member has come for their names; `settle_hosted` tells it."""
        tools = self._catalog.offers[member.name]
        self._catalog.remove(member.name)
        try:
            add_routes(self._switch.routes, member.name, tools, claims=False)
        except CallboardError as error:
            member.problem = error

    def _check_arguments(self, member: Member, tools: tuple[ToolDescriptor, ...]) -> None:
        """Hold the arguments of calls to the schemas of these tools from now on."""
        desk = member.desk
        desk.checks = checks_of(tools, self._catalog.registry.inspect_schema, desk.settings.validate)

    def _tell_offer(self, member: Member, tools: tuple[ToolDescriptor, ...]) -> None:
        self._events.publish("plugin_registered", member.name, tools=[tool.tool_name for tool in tools])
        if member.desk.checks is not None:
            for tool, why in member.desk.checks.unchecked.items():
                self._events.publish("arguments_unchecked", member.name, tool=tool, why=why)

    def remove(self, name: str, *, forget_state: bool = False) -> None:
        """Take a plugin off the board: calls that wait or run end with ``cancelled``, its host ends.

        Returns at once; the host's end takes as long as its stop ladder.

        Args:
            name: the plugin's.
            forget_state: have its store forget it too; else it goes on from there if it comes back.

        Raises:
            KeyError: there is no such plugin.
            StateStoreError: its state cannot be forgotten; it has been taken off all the same.
        """
        with self._beginning:
            member = self._take_off(name)
            self._leaving = [*self.leaving(), member]
        member.shut_down(f"plugin {name!r} was taken off the board", self._supervisor)
        self._events.publish("plugin_removed", name)
        if forget_state and self._keeper is not None:
            self._keeper.forget(name)

    def _take_off(self, name: str) -> Member:
        with self._lock:
            member = self._members.pop(name)
            self._switch.remove(name)
            self._catalog.remove(name)
            return member

    def leaving(self, name: str | None = None) -> list[Member]:
        """The members that were taken off and have not ended yet; those of that name, or all."""
        return [
            member for member in self._leaving if name in {None, member.name} and not member.ended.is_set()
        ]

    def _require_place(self, name: str) -> None:
        if self.closed:
            raise BoardStopped("the board has been stopped; make a new one")
        if name in self._members:
            raise PluginLoadError(
                f"there is a plugin {name!r} already; give this one another name", plugin=name
            )
