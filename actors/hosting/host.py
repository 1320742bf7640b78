"""One supervised host and the plugins that run in it, across all its generations.

Most hosts have one plugin; a shared one has several. To the supervisor a host is one child, whatever plugins run
in it: one generation at a time, one budget, one crash report. To its plugins it is only where their calls go:
each keeps its own mailbox, state, counts and quarantine.

What a reader would get wrong: the last plugin is never removed. It ends with its host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ...base.locks import RLock
from ...supervision.generation import ChildSpec
from ...supervision.runtime.telling import tell
from ..handshake.handshake import PluginsToLoad
from ..handshake.messages import LoadPlugin, UnloadPlugin
from ..handshake.outage import UNDER_WAY, NextStart, Outage
from ..handshake.startup_blame import Suspects
from ..metrics.hosts import HostMetrics
from ..registration_errors import HostNotRunning
from ..threads.shared_dispatcher import CLOSE, SharedDispatcher
from .lifecycle import Lifecycle

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence

    import pykka
    from pykka import ActorRef

    from ...hosts.sharing import Program
    from ...supervision.restart.policy import RestartPolicy
    from ...supervision.runtime.clock import Timer
    from ..endpoint.endpoint import Endpoint
    from ..handshake.handshake import LoadedPlugin
    from ..services import Services
    from .limits import LimitWatch
    from .settings import HostSettings


class PluginOfHost(Protocol):
    """A plugin that runs in a host; a `HostedPlugin` is one.

    Attributes:
        name: the plugin's.
        endpoint: where its calls go.
        ended: set once its host was taken from its supervisor, and nothing of it is left.
        loaded_plugin: itself, as the generations know it.
    """

    name: str
    endpoint: Endpoint
    ended: threading.Event
    loaded_plugin: LoadedPlugin

    @property
    def begins_otherwise(self) -> bool:
        """Whether the next generation of the host begins in another way than the last."""

    def host_is_out(self, outage: Outage, report: dict[str, Any] | None) -> None:
        """The host is parked or stopped; ``report`` is of its last crash."""

    def cannot_join(self, refusal: HostNotRunning) -> None:
        """The host was parked or stopped before this plugin came; `host_is_out` follows."""

    def host_is_ready(self, generation: int) -> None:
        """Everybody is told that this generation of the host is ready."""

    def start_is_overdue(self, why: str, cause: str) -> None:
        """The host was not ready in time and is started again: callers wait no longer for its start. ``cause`` is of its last end."""


class SupervisedHost:
    """See the module. It is the `LifecycleContext` of its generations. From any thread; nothing here blocks.

    Args:
        name: the host's.
        program: what its generations are started from.
        settings: how each generation is run.
        policy: when it is started again.
        shared: several may run in it.
        services: the board's.
        watch: looks at the processes that have limits.

    Attributes:
        name: the host's.
        policy: when it is started again.
        dispatcher: hands over what is told to the actors of a shared host; ``None`` where one runs alone.
        lifecycle: how one generation follows another.
        first_ready: the number of the first generation that was ready; ``None`` while there is none.
        has_failed: a generation has ended before any was ready, and the next does not begin in another way.
    """

    def __init__(
        self,
        name: str,
        program: Program,
        settings: HostSettings,
        policy: RestartPolicy,
        *,
        shared: bool,
        services: Services,
        watch: LimitWatch,
    ) -> None:
        self.name = name
        self.policy = policy
        called = f"dispatcher of {name}"
        self.dispatcher: ActorRef[SharedDispatcher] | None = (
            SharedDispatcher.start(called, services.events, services.clock) if shared else None
        )
        if settings.limits.memory is not None:
            program.limit_memory(settings.limits.memory)
        self._group = settings.group
        self._start_deadline = settings.start_deadline
        self._clock = services.clock
        self._lock = RLock()
        self._plugins: dict[str, PluginOfHost] = {}
        self._tools: dict[str, int] = {}
        self._suspects = Suspects(policy.cool_down)
        self._out: Outage | None = None
        self._crash: dict[str, Any] | None = None
        self._ready: int | None = None
        self.first_ready: int | None = None
        self.has_failed: bool = False
        self._started = 0.0
        self._first_process: float | None = None
        self._overdue_at: Timer | None = None
        self._overdue: tuple[str, str] | None = None
        self._last_report: dict[str, Any] | None = None
        self._times = HostMetrics()
        self.lifecycle: Lifecycle = Lifecycle(program, settings, policy, self, services=services, watch=watch)

    def child_spec(self) -> ChildSpec:
        """What the supervisor has to know."""
        return ChildSpec(
            self.name,
            self.lifecycle.start,
            self.policy,
            self._on_change,
            group=self._group,
            on_removed=self._on_removed,
        )

    def status(self) -> dict[str, Any]:
        """What is known of the host beside what its supervisor knows, as JSON."""
        return {"name": self.name, **self._times.as_dict(), **self.lifecycle.status()}

    def actors(self) -> list[pykka.ActorRef[Any]]:
        """Its dispatcher's and its generations'; some may have ended."""
        dispatcher = [] if self.dispatcher is None else [self.dispatcher]
        return [*dispatcher, *self.lifecycle.actors()]

    # The plugins that run in it

    @property
    def names(self) -> list[str]:
        """The plugins that run in it, in the order of coming."""
        return list(self._plugins)

    def add(self, plugin: PluginOfHost) -> None:
        """Add a plugin; it is told at once if the host is parked or stopped, which it does not change."""
        with self._lock:
            neighbours = tuple(self._plugins)
            self._plugins[plugin.name] = plugin
            # Told under the lock, or a plugin could hear of an older state after a newer one.
            if (out := self._out) is not None:
                plugin.cannot_join(self._refusal(plugin.name, out, neighbours))
                plugin.host_is_out(out, self._last_report)
            elif self._ready is not None:
                plugin.host_is_ready(self._ready)
            elif self._overdue is not None:
                plugin.start_is_overdue(*self._overdue)
        if len(self._plugins) > 1:
            self.lifecycle.tell_generations(LoadPlugin(plugin.loaded_plugin))

    def _refusal(self, plugin: str, out: Outage, neighbours: tuple[str, ...]) -> HostNotRunning:
        now = self._clock.now()
        return HostNotRunning(
            plugin=plugin,
            host=self.name,
            state=out.state,
            seconds=now - out.since,
            why=out.why,
            report=self._last_report,
            next_start_in=None if out.until is None else max(0.0, out.until - now),
            neighbours=neighbours,
        )

    def remove(self, plugin: PluginOfHost) -> bool:
        """Remove a plugin; False of the last one, with which the host has to end."""
        with self._lock:
            # Another of its name may have come since it was taken off the board, and stays.
            if self._plugins.get(plugin.name) is plugin:
                if len(self._plugins) == 1:
                    return False
                del self._plugins[plugin.name]
                self.count_tools(plugin.name, 0)
        self.lifecycle.tell_generations(UnloadPlugin(plugin.loaded_plugin))
        return True

    def close(self) -> None:
        """The last one goes, and nobody comes any more."""
        if self._overdue_at is not None:
            self._overdue_at.cancel()
        self.lifecycle.reloads.close()
        if self.dispatcher is not None:
            tell(self.dispatcher, CLOSE)

    def count_tools(self, name: str, count: int) -> None:
        """A plugin offers so many tools: where there are several in a host, one of them can be blamed."""
        with self._lock:
            self._tools[name] = count
            several = sum(self._tools.values()) > 1
            for plugin in self._plugins.values():
                plugin.endpoint.admission.several = several

    def next_start(self, *, by_calls: bool) -> NextStart:
        """Return when a host that was parked or stopped is started again; ``by_calls``: a call may have it probed."""
        out, grouped = self._out, bool(self._group)
        if out is None:
            return UNDER_WAY
        return out.next_start(self._clock.now(), by_calls=by_calls and not grouped, grouped=grouped)

    def probe(self) -> None:
        """Probe a parked host now; its plugins' calls wait for the result. Nothing happens for `PROBE_PAUSE` seconds after a failed start, or for as long as that start took."""
        with self._lock:
            out = self._out
            if self._group or out is None or not out.may_be_probed(self._clock.now()):
                return
            # All under the lock: events of the host that come meanwhile are handled after this, and win.
            self.lifecycle.order("probe", "a call has come")
            self._out = None
            for plugin in self._plugins.values():
                plugin.endpoint.mailbox.hold()

    def acquit(self) -> None:
        """By hand: the next generation loads what was left out."""
        with self._lock:
            self._suspects.pardon()

    def pardon(self) -> None:
        """By hand: nobody is in quarantine any more."""
        for plugin in tuple(self._plugins.values()):
            plugin.endpoint.admission.pardon()

    # What its generations ask, in their actors' threads

    def has_process(self) -> None:
        with self._lock:
            if self._first_process is None:
                self._first_process = self._clock.now()

    def plugins(self) -> PluginsToLoad:
        with self._lock:
            wanted = self._suspects.wanted(list(self._plugins), self._clock.now())
            return PluginsToLoad(
                tuple([self._plugins[name].loaded_plugin for name in wanted]),
                tuple(
                    (
                        plugin.loaded_plugin,
                        f"the host ended as it came in: {out.cause}; it goes on without it",
                    )
                    for name, out in self._suspects.left_out.items()
                    if name not in wanted and (plugin := self._plugins.get(name)) is not None
                ),
                self._suspects.one_by_one,
            )

    @property
    def been_up(self) -> bool:
        return self._suspects.been_up

    def came_up(self) -> None:
        with self._lock:
            self._suspects.came_up()

    def use(self, loaded_plugins: Mapping[str, LoadedPlugin]) -> None:
        with self._lock:
            for name, loaded_plugin in loaded_plugins.items():
                there = self._plugins.get(name)
                # It may be another tool of the same name by now.
                if there is None or there.loaded_plugin.tool is not loaded_plugin.tool:
                    continue
                there.loaded_plugin = loaded_plugin

    def ruined(self, coming: Sequence[str], cause: str, *, alone: bool) -> bool:
        with self._lock:
            return self._suspects.ruined(coming, list(self._plugins), cause, self._clock.now(), alone=alone)

    # What the supervisor tells, in its thread

    def _on_change(self, kind: str, facts: dict[str, Any]) -> None:
        self._times.change(kind, facts, self._clock.now())
        self.lifecycle.change(kind, facts)
        with self._lock:
            self._note(kind, facts)
            plugins, out, report = list(self._plugins.values()), self._out, self._last_report
        match kind:
            case "host_starting":
                for plugin in plugins:
                    # Here: its caller may send a call as soon as it is taken.
                    plugin.endpoint.mailbox.hold()
            case "host_parked" | "host_stopped":
                assert out is not None
                for plugin in plugins:
                    plugin.host_is_out(out, report)
            case "host_ready":
                for plugin in plugins:
                    plugin.host_is_ready(facts["generation"])

    def _note(self, kind: str, facts: dict[str, Any]) -> None:
        """Keep what a plugin that comes later has to know. Under the lock."""
        crash, self._crash = self._crash, None  # what a crash decides is told right behind it
        match kind:
            case "host_crashed":
                self._crash = facts
                self._last_report = facts["report"]
                if self._ready is None:
                    self.has_failed |= not any(each.begins_otherwise for each in self._plugins.values())
                if self._ready is None and self._overdue_at is None:
                    since = self._clock.now() if self._first_process is None else self._first_process
                    self._overdue_at = self._clock.call_at(
                        since + self._start_deadline, self._start_is_overdue
                    )
            case "host_parked" | "host_stopped":
                now = self._clock.now()
                self._out = Outage.of(self.name, kind, facts, crash, now=now, took=now - self._started)
            case "host_starting":
                self._out = None  # a plugin that comes from now on is loaded by this generation
                self._started = self._clock.now()
            case "host_ready":
                self._out, self._ready = None, facts["generation"]
                self.first_ready = self.first_ready or self._ready
                if self._overdue_at is not None:
                    self._overdue_at.cancel()

    def _start_is_overdue(self) -> None:
        """In the clock's thread. A first generation has its own deadline; this is the limit for all that follow it."""
        with self._lock:
            if self._ready is not None:
                return
            cause = str((self._last_report or {}).get("cause") or "it has ended")
            why = f"host {self.name!r} was not ready within {self._start_deadline:g} s and is started again; last: {cause}"
            self._overdue = why, cause
            for plugin in self._plugins.values():
                plugin.start_is_overdue(why, cause)

    def _on_removed(self) -> None:
        """Another host may have the name, once nothing of this one is left."""
        self.lifecycle.when_gone(self._on_ended)

    def _on_ended(self) -> None:
        for plugin in tuple(self._plugins.values()):
            plugin.ended.set()
