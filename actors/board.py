"""The board: the actors of one system, put together, and the way in.

Whoever has plugins ready to run and no configuration to read uses this; `callboard.Callboard`
adds sources and configuration. Two boards in one process share nothing.
"""

from __future__ import annotations

import functools
import random
import threading
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

import pykka

from ..hosts.watchdog import Watchdog
from ..plugins.codes import Code, Outcome
from ..plugins.errors import CallboardError, PluginLoadError
from ..plugins.failures import failure
from ..supervision.clock import Clock, SystemClock
from ..supervision.events import Event, EventStream, Subscription
from ..supervision.policy import RestartPolicy
from ..supervision.supervisor import AddChild, GetStatus, Order, SupervisorActor, ask_supervisor, tell
from . import messages as m
from .catalog import Catalog, ToolDescriptor, add_routes
from .desk import ToolSettings
from .hook_threads import HookFailed, HookThreads
from .members import HostedMember, Member, ThreadMember
from .router_actor import RouterActor, Switch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..hosts.hosted_tool import HostedToolPlugin
    from ..interop.contribution import ToolInteropContribution
    from ..plugins.adapter import PluginAdapter
    from .call import Call
    from .host_actor import HostSettings
from .intake import Intake

Answer = TypeVar("Answer")


class BoardStopped(CallboardError):  # noqa: N818 - the state is the message
    """The board has been stopped, so it takes no more plugins."""


class Board:
    """See the module. It runs from the moment it is made until `stop`.

    Args:
        clock: time; the machine's when ``None``.
        seed: of the jitter between restarts; from the system when ``None``.
        claim_patience: seconds a call waits for plugins to say whether it is theirs.
        prepare_timeout: seconds that a plugin's set-up (`prepare`) may take.
        contributions: interop contributions by configuration; they come first.

    Attributes:
        supervisor: the supervisor actor.
        router: the router actor; ask it `Dispatch`.
        catalog: the tools and the registry.
        events: what happens.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        claim_patience: float = 1.0,
        prepare_timeout: float = 60.0,
        contributions: Iterable[ToolInteropContribution] = (),
    ) -> None:
        self.events = EventStream()
        self.catalog = Catalog(contributions)
        self.clock: Clock = clock or SystemClock()
        self._intake = Intake(self.catalog, self.clock)
        self._own_clock = self.clock if clock is None else None
        self._members: dict[str, Member] = {}
        self._lock = threading.RLock()
        self._stopped = False
        self._prepare_timeout = prepare_timeout
        self._watchdog = Watchdog()
        self._switch = Switch()
        self._threads = HookThreads()
        self.supervisor = SupervisorActor.start(self.clock, self.events, random.Random(seed).random)  # noqa: S311
        self.router = RouterActor.start(
            self._switch,
            self._dispatch,
            threads=self._threads,
            clock=self.clock,
            events=self.events,
            patience=claim_patience,
        )

    # Plugins

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
                self.catalog.contribute(adapter.name, contribution)
            try:
                tools = self.catalog.describe(adapter.name, adapter.schemas(state, prepared))
                routes = add_routes(self._switch.routes, adapter.name, tools, claims=adapter.has_claim)
            except CallboardError:
                self.catalog.remove(adapter.name)
                raise
            member = ThreadMember(
                adapter,
                settings or ToolSettings(),
                state,
                clock=self.clock,
                events=self.events,
                prepared=prepared,
            )
            self._members[adapter.name] = member
            self._switch.add(member.desk)
            self.catalog.offer(adapter.name, tools)
            self._switch.update(lambda _: routes)
        self.events.publish("plugin_registered", adapter.name, tools=[tool.tool_name for tool in tools])
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
            BoardStopped: the board has been stopped.
        """
        with self._lock:
            self._require_place(adapter.name)
            member = HostedMember(
                adapter,
                plugin,
                host,
                settings or ToolSettings(),
                policy or RestartPolicy(),
                clock=self.clock,
                events=self.events,
                watchdog=self._watchdog,
                offer=self._offer_hosted,
            )
            self._members[adapter.name] = member
            self._switch.add(member.desk)
        ask_supervisor(self.supervisor, AddChild(member.child_spec()))

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
            self.remove(name)
            raise problem
        return self.catalog.offers.get(name, ())

    def _offer_hosted(self, member: HostedMember, schemas: Iterable[dict[str, Any]]) -> None:
        """A life of a host has brought schemas; in its tool actor's thread."""
        name = member.name
        with self._lock:
            tools = self.catalog.describe(name, schemas)
            routes = add_routes(self._switch.routes, name, tools, claims=False)
            self.catalog.offer(name, tools)
            self._switch.update(lambda _: routes)
        self.events.publish("plugin_registered", name, tools=[tool.tool_name for tool in tools])

    def remove(self, name: str) -> None:
        """Take a plugin off the board: calls that wait or run end with ``cancelled``, its host ends.

        Returns at once; the host's end takes as long as its stop ladder.

        Raises:
            KeyError: there is no such plugin.
        """
        with self._lock:
            member = self._members.pop(name)
            self._switch.remove(name)
            self.catalog.remove(name)
        member.shut_down(f"plugin {name!r} was taken off the board", self.supervisor)
        self.events.publish("plugin_removed", name)

    def _require_place(self, name: str) -> None:
        if self._stopped:
            raise BoardStopped("the board has been stopped; make a new one")
        if name in self._members:
            raise PluginLoadError(
                f"there is a plugin {name!r} already; give this one another name", plugin=name
            )

    # Calls

    def submit(
        self,
        tool_call: Any,
        *,
        context: dict[str, Any] | None = None,
        deadline: float | None = None,
        streaming: bool = True,
    ) -> Call:
        """Run a tool call; returns its handle at once, never raises for what is wrong with the call.

        Args:
            tool_call: in any wire format that the registry reads.
            context: given to tools that accept one.
            deadline: seconds it may take, waiting included; ``None`` for the tool's default and
                ``math.inf`` for no limit.
            streaming: have a tool that can stream do so; otherwise it is asked for its result only.
        """
        call = self._intake.read(tool_call, context=context, streaming=streaming)
        if call.done():
            return call
        if self._stopped:
            call.finish(failure(Code.CANCELLED, "the board has been stopped", outcome=Outcome.NOT_SENT))
            return call
        call.limit(self.clock, deadline)
        if not self._switch.routes.claimers:
            self._switch.deliver(call, {})
        elif not tell(self.router, m.Route(call)):
            call.finish(failure(Code.CANCELLED, "the board has been stopped", outcome=Outcome.NOT_SENT))
        return call

    def _dispatch(self, message: m.Dispatch) -> Call:
        return self.submit(message.tool_call, context=message.context, deadline=message.deadline)

    # Administration

    def order(self, verb: str, name: str, reason: str = "by hand") -> None:
        """``restart``, ``park`` or ``revive`` a plugin's host; returns when the order is taken.

        Raises:
            UnknownChild: there is no host of that name.
        """
        ask_supervisor(self.supervisor, Order(verb, name, reason))

    def subscribe(
        self,
        subscriber: Callable[[Event], None] | pykka.ActorRef[Any],
        kinds: Iterable[str] | None = None,
    ) -> Subscription:
        """Have a callable called with each later event, or an actor told it. See `EventStream`."""
        if isinstance(subscriber, pykka.ActorRef):
            return self.events.subscribe(functools.partial(_tell_event, subscriber), kinds)
        return self.events.subscribe(subscriber, kinds)

    def tools(self) -> list[ToolDescriptor]:
        """All tools, in the order in which their plugins were registered, whichever host was up first."""
        with self._lock:
            members = list(self._members.items())
        return [
            ToolDescriptor(tool.plugin_name, tool.tool_name, tool.schema, member.available)
            for name, member in members
            for tool in self.catalog.offers.get(name, ())
        ]

    def adapter(self, name: str) -> PluginAdapter:
        """A plugin with all its hooks, for formatting and previews.

        Raises:
            KeyError: there is no such plugin.
        """
        return self._members[name].desk.adapter

    def run_hook(
        self, name: str, hook: Callable[[PluginAdapter, dict[str, Any]], Answer], timeout: float = 5.0
    ) -> Answer:
        """Run one of a plugin's cheap hooks (formatting, a preview) with a copy of its state.

        It runs on a thread of its own, so that one that hangs costs its caller ``timeout`` seconds
        and nobody else anything.

        Raises:
            KeyError: there is no such plugin.
            HookFailed: it raised, or did not return in time.
        """
        desk = self._members[name].desk
        return self._threads.call(name, lambda: hook(desk.adapter, desk.cell.copy()[0]), timeout)

    def state_of(self, name: str) -> dict[str, Any]:
        """A copy of a plugin's committed state. Raises `KeyError`."""
        return self._members[name].desk.cell.copy()[0]

    def status(self) -> dict[str, Any]:
        """Everything that is going on, as JSON."""
        try:
            hosts = ask_supervisor(self.supervisor, GetStatus())
        except pykka.ActorDeadError:  # the board has been stopped
            hosts = {}
        with self._lock:
            members = dict(self._members)
        return {
            "running": not self._stopped,
            "plugins": {
                name: self._member_status(member, hosts.get(name)) for name, member in members.items()
            },
            "hooks_under_way": self._threads.asking,
            "events_dropped": self.events.dropped,
        }

    def _member_status(self, member: Member, host: dict[str, Any] | None) -> dict[str, Any]:
        status = member.status()
        status["tools"] = [tool.tool_name for tool in self.catalog.offers.get(member.name, ())]
        if host is not None:
            status["host"] = host | status.get("host", {})
        return status

    def stop(self, timeout: float = 10.0) -> None:
        """End every call with ``cancelled``, every host and every actor; done when this returns.

        Args:
            timeout: seconds for hosts to end by their stop ladders; what is left then is killed.
        """
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            members = list(self._members.values())
        until = time.monotonic() + timeout
        tell(self.router, m.Shutdown("the board was stopped"))
        for member in members:
            member.shut_down("the board was stopped", self.supervisor)
        for member in members:
            member.ended.wait(max(0.0, until - time.monotonic()))
        self._watchdog.close()
        self._threads.close()
        self.supervisor.stop()
        self.events.close()
        if isinstance(self._own_clock, SystemClock):
            self._own_clock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _tell_event(actor: pykka.ActorRef[Any], event: Event) -> None:
    tell(actor, event)
