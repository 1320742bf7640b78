"""The board: the actors of one system, put together, and the way in.

It is for plugins that are ready to run, without a configuration; `callboard.Callboard`
adds sources and configuration. Two boards in one process share nothing.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import pykka

from ..base.errors import CallboardError
from ..base.forking import disown_in_child, keep, take_standard_descriptors
from ..base.validation import require_call_options, require_seconds
from ..hosts.process_tree.watchdog import Watchdog
from ..plugins.results.codes import Code, Outcome
from ..plugins.results.failures import failure
from ..plugins.time_limit import require_time, time_left
from ..supervision.messages import AddGroup, GetGroups, GetStatus
from ..supervision.runtime.actor_loop import stop_and_wait
from ..supervision.runtime.clock import Clock, LentClock, SystemClock
from ..supervision.runtime.events import EventStream
from ..supervision.runtime.start_slots import StartSlots
from ..supervision.runtime.telling import ask_supervisor, tell
from ..supervision.supervisor import SupervisorActor
from .amplifier.mounts import Mounts
from .catalog.catalog import Catalog, ToolDescriptor
from .catalog.withheld import Withheld
from .endpoint.messages import Shutdown
from .hooks.handles import HookedCall
from .hooks.hooks import Hooks
from .plugins.manager import BoardStopped, PluginManager
from .plugins.queries import Queries
from .plugins.resources import ToolRuntime
from .plugins.scatter_gather import ScatterGather
from .plugins.variants import Variants
from .registration_errors import StillEnding
from .routing.claims import ClaimCollector
from .routing.router import CallsAtRouter, RouterActor
from .routing.table import CallParser, RoutingTable
from .services import Services
from .state.persister import MAX_STATE_BYTES, StateKeeper
from .threads.hook_pool import HookPool
from .threads.main_end import main_thread
from .threads.once import Once
from .threads.timeout import LOAD_TIMEOUT

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping

    from pykka import ActorRef

    from ..hosts.hosted_tool import HostedToolPlugin
    from ..interop.registry.contribution import ToolInteropContribution
    from ..plugins.adapter.adapter import PluginAdapter
    from ..supervision.restart.policy import RestartPolicy
    from ..supervision.restart.spec import GroupSpec
    from ..supervision.runtime.events import Event, Subscription
    from .amplifier.mount import MountedModule
    from .calls.call import Call
    from .endpoint.endpoint import ToolSettings
    from .endpoint.plugin import PluginHandle
    from .hosting.host_registry import Share
    from .hosting.settings import HostSettings
    from .routing.decision import Claims
    from .routing.messages import Dispatch
    from .state.store import StateStore

Json = dict[str, Any]

_LEAVING = 10.0
"""Seconds that a host is given to end before another of its name is refused."""

_LAST_MESSAGES = 1.0
"""Seconds that actors are given to read what is left, once all hosts and calls have ended."""


class NotStarted(CallboardError):
    """The board is not running: it was not started yet, has been stopped, or belongs to the process this was forked off."""

    @classmethod
    def in_child_of(cls, parent: int) -> NotStarted:
        """What a use of the parent's board in a forked child raises."""
        return cls(
            f"this board belongs to process {parent}, and this is a child that was forked off it: a board's threads and "
            "hosts are its own process's. Make a board in the child, after the fork"
        )


class Board:
    """See the module. It runs from the moment it is made until `stop`.

    Args:
        clock: time; the machine's when ``None``.
        seed: of the jitter between restarts; from the system when ``None``.
        claim_patience: seconds a call waits for plugins to say whether it is theirs.
        load_timeout: seconds that `init` and `get_tool_schemas` of a plugin of this process may take; ``None`` for
            no limit, and in the thread that adds it.
        prepare_timeout: seconds that a plugin's set-up (`prepare`) may take.
        tool_runtime: live clients and managers of the tools, which outlive the board: it does not close
            them. One of its own when ``None``, which it does.
        contributions: interop contributions by configuration; they come first.
        state_store: keeps the tools' states beyond the board, which uses it until it has stopped, and
            does not close it. ``None``: states end with the board.
        max_state_bytes: the largest state of one plugin that the store is given.
        groups: what the hosts are supervised in, outer groups first; see `HostSettings.group`.
        events: where events are published; a stream of its own when ``None``.

    Attributes:
        supervisor: the supervisor actor.
        router: the router actor; ask it `Dispatch`.
        catalog: the tools and the registry.
        plugin_manager: the plugins.
        hooks: the hooks that calls pass, and the approver.
        queries: what can be asked of plugins beside calls.
        scatter_gather: asks all plugins at the same time.
        events: what happens.
        withheld: what the last model request was not offered.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        seed: int | None = None,
        claim_patience: float = 1.0,
        load_timeout: float | None = LOAD_TIMEOUT,
        prepare_timeout: float = 60.0,
        tool_runtime: Any = None,
        contributions: Iterable[ToolInteropContribution] = (),
        state_store: StateStore | None = None,
        max_state_bytes: int = MAX_STATE_BYTES,
        groups: Iterable[GroupSpec] = (),
        events: EventStream | None = None,
    ) -> None:
        take_standard_descriptors()
        self.events: EventStream = events or EventStream()
        self.catalog: Catalog = Catalog(contributions)
        steady = SystemClock(self.events.thread_failed) if clock is None else LentClock(clock)
        self._steady_clock: SystemClock | LentClock = steady
        self.clock: Clock = clock or steady
        self._call_parser = CallParser(self.catalog, steady)
        self._routing_table = RoutingTable()
        self._calls_at_router = CallsAtRouter(self._routing_table)
        self.withheld: Withheld = Withheld(self.events)
        self._own_runtime = ToolRuntime() if tool_runtime is None else None
        self.tool_runtime: Any = tool_runtime if self._own_runtime is None else self._own_runtime
        self._services = services = Services(
            clock=steady,
            events=self.events,
            threads=HookPool(self.events.thread_failed),
            watchdog=Watchdog(),
            random=random.Random(None if seed is None else f"hosts of {seed}").random,  # noqa: S311 - jitter, no secret
            start_slots=StartSlots(steady),
            keeper=None
            if state_store is None
            else StateKeeper(state_store, self.events, steady, max_state_bytes),
            tool_runtime=self.tool_runtime,
            people=lambda: self.hooks,
        )
        self.scatter_gather: ScatterGather = ScatterGather(services.threads)
        claiming = ClaimCollector(self._routing_table, services, claim_patience)
        self.hooks: Hooks = Hooks(self._routing_table, claiming, self.catalog, self._route, services)
        self._listeners = self.hooks.listeners
        self._mounts = Mounts()
        self._stop_once = Once("the board")
        self._ending: list[PluginHandle] = []
        self._stopped = False
        chance = random.Random(seed).random  # noqa: S311 - jitter
        self.supervisor: ActorRef[SupervisorActor] = SupervisorActor.start(steady, self.events, chance)
        for group in groups:
            ask_supervisor(self.supervisor, AddGroup(group))
        self.router: ActorRef[RouterActor] = RouterActor.start(
            self._routing_table,
            self._calls_at_router,
            self._dispatch,
            claiming,
            services,
        )
        self.plugin_manager: PluginManager = PluginManager(
            supervisor=self.supervisor,
            routing_table=self._routing_table,
            catalog=self.catalog,
            services=services,
            load_timeout=load_timeout,
            prepare_timeout=prepare_timeout,
            removed=(claiming.forget, self.hooks.forget, self._mounts.removed),
        )
        self.queries: Queries = Queries(self.plugin_manager, self.scatter_gather, services.threads)
        self.variants: Variants = Variants(self.catalog, self.scatter_gather, self.plugin_manager.lock)
        disown_in_child(self)
        main_thread.watch(self)

    _home: int | None = None
    """The process it belongs to, if that is another one; see `forked`."""

    if not TYPE_CHECKING:  # a type checker takes a class with a __getattr__ to have any attribute at all

        def __getattr__(self, name: str) -> Any:
            # Asked for what is not there alone, so that no call pays for it.
            if self._home is not None:
                raise NotStarted.in_child_of(self._home)
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
            )

    def forked(self, parent: int) -> None:
        """In a child that was forked off there is nothing left of it, and each use of it raises `NotStarted`."""
        if self._home is None:
            keep(dict(vars(self)))
            vars(self).clear()
            self._home = parent

    # Plugins

    def add(
        self,
        adapter: PluginAdapter,
        *,
        config: Json,
        settings: ToolSettings | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin in this process; returns its tools. Arguments and errors as `PluginManager.add`."""
        return self.plugin_manager.add(adapter, config=config, settings=settings, context=context)

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
        """Begin to run a plugin in a supervised host, as `PluginManager.begin_hosted`.

        This waits for a host of that name that was removed and has not ended yet.
        """
        host = replace(host, prepare_timeout=self.plugin_manager.prepare_timeout)
        until = time.monotonic() + time_left(_LEAVING)
        while True:
            try:
                self.plugin_manager.begin_hosted(
                    adapter, plugin, host=host, policy=policy, settings=settings, share=share
                )
            except StillEnding as ending:
                ended = [handle.ended for handle in ending.members]
                self._wait_ended(ended, until - time.monotonic())
                if time.monotonic() >= until or not all(each.is_set() for each in ended):
                    require_time(str(ending))
                    raise
            else:
                return

    def settle_hosted(
        self, name: str, *, required: bool, adapter: PluginAdapter | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """Wait until its host is ready, or will not be; return its tools. Raises as `PluginManager.settle_hosted`."""
        return self.plugin_manager.settle_hosted(name, required=required, adapter=adapter)

    def add_hosted(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        *,
        host: HostSettings,
        settings: ToolSettings | None = None,
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin in a supervised host, and wait until it is ready; returns its tools.

        Raises:
            PluginError: as `begin_hosted` and `settle_hosted`, or its configuration does not fit. It is not on the board then.
        """
        self.begin_hosted(adapter, plugin, host=host, settings=settings)
        try:
            tools = self.settle_hosted(adapter.name, required=True)
            self.queries.check_config(adapter.name)
        except BaseException:  # an interrupt of the waiting thread, too
            self.discard(adapter.name)
            raise
        return tools

    def mount(
        self,
        module: Any,
        config: Json | None = None,
        *,
        settings: ToolSettings | None = None,
        timeout: float | None = 60.0,
    ) -> MountedModule:
        """Mount a module that is written for Amplifier: its tools become the board's, its handlers hooks.

        It is cleaned up when its last tool is removed, and when the board stops, after its calls have ended.

        Args:
            module: has ``mount(coordinator, config)``, or is that function.
            config: given to it.
            settings: how the calls of its tools are run.
            timeout: seconds that mounting may take; ``None`` for any.

        Raises:
            MountError: its ``mount`` raised, took too long or mounted nothing that a board has; all is removed again.
            PluginError: what it mounts is no tool, or a name is taken.
        """
        return self._mounts.mount(self, module, dict(config or {}), settings=settings, timeout=timeout)

    def remove(self, name: str, *, forget_state: bool = False) -> None:
        """Remove a plugin; its calls end with ``cancelled``. Arguments and errors as `PluginManager.remove`."""
        try:
            self.plugin_manager.remove(name, forget_state=forget_state)
        finally:
            self._mounts.clean_up_idle()

    def discard(self, name: str, only: PluginAdapter | None = None) -> None:
        """As `remove`, of a plugin that may have been removed already; ``only`` if it still is this one."""
        with suppress(KeyError):
            self.plugin_manager.remove(name, only=only)
        self._mounts.clean_up_idle()

    def tools(self) -> list[ToolDescriptor]:
        """All tools, in the order in which their plugins were registered, whichever host was up first."""
        return [
            replace(tool, available=handle.available)
            for name, handle in self.plugin_manager.handles().items()
            for tool in self.catalog.offers.get(name, ())
        ]

    def state_of(self, name: str) -> Json:
        """A copy of a plugin's committed state. Raises `KeyError`: there is no such plugin."""
        return self.plugin_manager.handle(name).endpoint.cell.copy()

    # Calls

    def submit(
        self,
        tool_call: Any,
        *,
        context: Json | None = None,
        deadline: float | None = None,
        streaming: bool = True,
        key: str | None = None,
    ) -> Call:
        """Run a tool call; returns its handle at once. What is wrong with the call is its result.

        Args:
            tool_call: in any wire format that the registry reads.
            context: given to tools that accept one.
            deadline: seconds it may take, waiting included; ``None`` for the tool's default and
                ``math.inf`` for no limit.
            streaming: have a tool that can stream do so; otherwise it is asked for its result only.
            key: given to tools that accept one, the same when the call is sent again.

        What a signal handler raises in here is raised; the call ends with ``cancelled`` then, and is not sent if it was not yet.

        Raises:
            TypeError: the context is no mapping, the deadline no number, or the key no text.
            ValueError: the key is empty, longer than 200 characters, or cannot be printed.
        """
        call = self.read(tool_call, context=context, streaming=streaming, key=key)
        try:
            self.begin(call, deadline)
            return call  # noqa: TRY300 - an interrupt may come once it has begun, and nobody has the handle then
        except BaseException:  # an interrupt: raised again
            call.withdraw()
            raise

    def read(
        self, tool_call: Any, *, context: Json | None = None, streaming: bool = True, key: str | None = None
    ) -> Call:
        """The handle of a tool call that `begin` runs: whoever has it before can end the call whatever comes. As `submit`."""
        if context is not None or key is not None:
            require_call_options(context, None, key)
        call = self._call_parser.read(tool_call, context=context, streaming=streaming, key=key)
        return self.hooks.handle(call) if self._listeners.ever else call

    def begin(self, call: Call, deadline: float | None = None) -> None:
        """Run a call that `read` has made. As `submit`."""
        if deadline is not None:
            require_call_options(None, deadline, None)
        try:
            if isinstance(call, HookedCall):
                self.hooks.begin(call, deadline)
            elif self.plugin_manager.closed:
                call.finish(failure(Code.CANCELLED, "the board has been stopped", outcome=Outcome.NOT_SENT))
            elif not call.done():
                if deadline is not None:
                    call.limit(self._steady_clock, deadline)
                self._route(call)
        except BaseException:  # an interrupt: raised again
            call.withdraw()
            raise

    def _route(self, call: Call, claims: Claims | None = None) -> None:
        if self._routing_table.via_router:
            self._calls_at_router.give(call, claims)
        else:
            self._routing_table.deliver(call)

    def _dispatch(self, message: Dispatch) -> Call:
        return self.submit(message.tool_call, context=message.context, deadline=message.deadline)

    # Administration

    def order(self, verb: str, name: str, reason: str = "by hand") -> list[str]:
        """``restart``, ``park`` or ``revive`` a host; returns when the order is taken.

        Args:
            verb: which of them.
            name: the host's, or that of a plugin, for the host that it runs in.
            reason: for the events.

        Returns:
            The plugins of that host: all of them are concerned.

        Raises:
            UnknownChild: there is no host of that name.
            BoardStopped: the board has been stopped.
        """
        try:
            return self.plugin_manager.order(self.supervisor, verb, name, reason)
        except pykka.ActorDeadError as error:  # it is stopped by another thread, or has been
            raise BoardStopped(f"cannot {verb} {name!r}: the board has been stopped") from error

    def subscribe(
        self, subscriber: Callable[[Event], None] | pykka.ActorRef[Any], kinds: Iterable[str] | None = None
    ) -> Subscription:
        """Send each later event to a callable or an actor. Arguments and errors as `EventStream.subscribe`."""
        if isinstance(subscriber, pykka.ActorRef):
            return self.events.subscribe(partial(_send, subscriber), kinds)
        return self.events.subscribe(subscriber, kinds)

    def status(self) -> Json:
        """Everything that is going on, as JSON."""
        try:
            hosts = ask_supervisor(self.supervisor, GetStatus())
            groups = ask_supervisor(self.supervisor, GetGroups())
        except pykka.ActorDeadError:  # the board has been stopped
            hosts, groups = {}, {}
        keeper = self._services.keeper
        return {
            "running": not self.plugin_manager.closed,
            "plugins": {
                name: self._plugin_status(handle, hosts.get(handle.host_name))
                for name, handle in self.plugin_manager.handles().items()
            },
            "hosts": self.plugin_manager.host_registry.status(),
            "groups": groups,
            "state_store": {"store": "memory"} if keeper is None else keeper.status(),
            "hooks_under_way": self._services.threads.asking,
            "events_dropped": self.events.dropped,
            "threads_failed": self.events.threads_failed,
            "dead_letters": self.events.dead_letters.counts(),
        }

    def _plugin_status(self, handle: PluginHandle, host: Json | None) -> Json:
        tools = [tool.tool_name for tool in self.catalog.offers.get(handle.name, ())]
        status = {**handle.status(), "tools": tools, "withheld": self.withheld.of(handle.name)}
        if host is not None:
            status["host"] = host | status.get("host", {})
        return status

    def stop(self, timeout: float = 10.0) -> None:
        """End every call with ``cancelled``, every host and every actor; done when this returns.

        While another thread stops it, this waits ``timeout`` seconds for that; an interrupted stop is continued. It returns at
        once where it would wait for itself: within a stop, and in a subscriber that another's stop waits for.

        In a forked child it does nothing: the board is its parent's.

        Args:
            timeout: seconds for hosts to end by their stop ladders; what is left then is killed.
        """
        require_seconds("timeout", timeout)
        if self._home is not None:
            return
        with self._stop_once.turn(0.0 if self.events.telling else timeout) as mine:
            if mine and not self._stopped:
                self._stop(timeout)
                self._stopped = True

    def _stop(self, timeout: float) -> None:
        """End everything that has not ended: a stop before this one may have been interrupted anywhere."""
        # In this order: nothing new comes in, then what is under way ends, then what it was carried out by.
        staying = self.plugin_manager.close()
        self.hooks.close()
        tell(self.router, Shutdown("the board was stopped"))
        for handle in staying:
            if handle not in self._ending:
                handle.shut_down("the board was stopped", self.supervisor)
                self._ending.append(handle)  # last: what an interrupt has ended is done again
        leaving = [*self._ending, *self.plugin_manager.leaving()]
        self._wait_ended([handle.ended for handle in leaving], timeout)
        self.hooks.finish()
        self._mounts.close()  # a module's clean-up may use the resources, which go after it
        if self._own_runtime is not None:
            self._own_runtime.close()
        self._services.close()
        self.plugin_manager.finish()
        stop_and_wait(self.supervisor)
        # Each was told to end above, and does so in a thread of its own; all publish until they have.
        actors = [self.router, *self.plugin_manager.actors(leaving)]
        self._wait_ended([actor.actor_stopped for actor in actors], _LAST_MESSAGES)
        self.events.close()
        self._steady_clock.close()
        main_thread.forget(self)

    def _wait_ended(self, ended: list[threading.Event], timeout: float) -> None:
        """Wait until all have ended. In another time than the machine's, waiting is something else."""
        until = time.monotonic() + timeout
        for each in ended:
            each.wait(max(0.0, until - time.monotonic()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _send(actor: pykka.ActorRef[Any], event: Event) -> None:
    tell(actor, event)
