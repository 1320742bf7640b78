"""A plugin in a host on a board. With it comes all that runs hosts."""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError, PluginLoadError
from ...plugins.contract.invocation import scope_of
from ...supervision.messages import Order
from ...supervision.runtime.telling import tell
from ..endpoint.messages import Shutdown
from ..endpoint.plugin import facts_of_plugin
from ..handshake.handshake import Fault, LoadedPlugin
from ..handshake.messages import HostOut, HostReady
from ..handshake.outage import UNDER_WAY
from ..routing.missing import in_few_words, shortened
from .input_requests import ActorInputSource
from .messages import ToolsChanged
from .tool_actor import HostedToolActor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pykka

    from ...hosts.hosted_tool import HostedToolPlugin
    from ...plugins.adapter.adapter import PluginAdapter
    from ...plugins.contract.invocation import Scope
    from ...supervision.generation import ChildSpec
    from ...supervision.supervisor import SupervisorActor
    from ..endpoint.endpoint import Endpoint, ToolSettings
    from ..handshake.outage import NextStart, Outage
    from ..hosting.host import SupervisedHost
    from ..registration_errors import HostNotRunning
    from ..services import Services


class HostedPlugin:
    """A plugin that runs in a supervised host. It is a `PluginOfHost`.

    Args:
        supervised_host: the host, alone or with others; it has to be told of this one.
        config: what its ``init`` is given.
        services: the board's.
        load: what a shared host is told to load for it.
        offer: told the schemas that a generation brings, before it is sent calls.

    Attributes:
        settled: set once calls are sent to its first generation, or will not be, or its start is overdue.
        out: why calls are refused at present, or ``None``.
        supervised_host: the host.
        loaded_plugin: itself, as the generations of the host know it.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        supervised_host: SupervisedHost,
        settings: ToolSettings,
        services: Services,
        *,
        config: dict[str, Any],
        load: dict[str, Any] | None = None,
        offer: Callable[[HostedPlugin, Iterable[dict[str, Any]]], None],
    ) -> None:
        self.name: str = adapter.name
        self.config = config
        self.plugin = plugin
        self.supervised_host = supervised_host
        self.ended: threading.Event = threading.Event()
        self.settled: threading.Event = threading.Event()
        self.out: HostOut | None = None
        self.problem: CallboardError | None = None
        self.admitted = False
        self.claims: bool = False
        self._rejected_for: str | None = None
        self._overdue: str | None = None
        self._overdue_by = ""
        self._outage: Outage | None = None
        self._refusal: HostNotRunning | None = None
        self._fault = Fault()
        self._tells_own = False
        self._events = services.events
        self._offer = offer
        tool = HostedToolActor(
            adapter,
            settings,
            services,
            self._on_schemas,
            on_open=self.settled.set,
            dispatcher=supervised_host.dispatcher,
        )
        self.endpoint: Endpoint = tool.endpoint
        self.endpoint.left_out = lambda: plugin.left_out
        self.endpoint.absence = self._absence_in_short
        if plugin.address is not None and settings.while_down.simply_holds:
            self.endpoint.probe = supervised_host.probe  # no process of ours: an attempt is cheap
        begin = HostedToolActor.launch if supervised_host.dispatcher is None else HostedToolActor.attach
        self._actor = begin(tool)
        # In the pump's thread, under the lock of its host: a message is all that may come of it.
        plugin.input_source = ActorInputSource(self._actor, services)
        plugin.on_tools_changed = functools.partial(tell, self._actor, ToolsChanged())
        self.loaded_plugin: LoadedPlugin = LoadedPlugin(
            self.name, plugin, config, self._actor, load, self._on_loaded, self._on_rejected, self._on_failure
        )

    def child_spec(self) -> ChildSpec:
        """What the supervisor has to know of its host."""
        return self.supervised_host.child_spec()

    @property
    def scope(self) -> Scope:
        return scope_of(self.endpoint.settings.claims, sandboxed=self.plugin.sandboxed)

    @property
    def has_config_schema(self) -> bool:
        host = self.plugin.host
        return host is not None and host.description.offers("get_config_schema")

    def known_as(self, tool_name: str) -> tuple[str, ...]:
        return self.plugin.known_as(tool_name)

    def apart(self, own_name: str) -> str | None:
        return self.plugin.apart(own_name)

    def use_names(self, own_names: Mapping[str, str]) -> None:
        self.plugin.own_names = own_names

    @property
    def host_name(self) -> str:
        return self.supervised_host.name

    @property
    def absence(self) -> str | None:
        if self.problem is not None:
            return str(self.problem)
        return self._overdue if self.out is None else self.out.error

    def _absence_in_short(self) -> str | None:
        outage, out = self._outage, self.out
        if self.problem is not None:
            return shortened(str(self.problem))
        if out is None:
            return self._overdue and f"{shortened(self._overdue_by)}; {UNDER_WAY.told}"
        if outage is None:
            return shortened(out.error)
        cause = in_few_words(self._fault.told_in(outage.cause), outage.report)
        return f"{cause}; {self._next_start().told}"

    def _next_start(self) -> NextStart:
        return self.supervised_host.next_start(by_calls=self.endpoint.probe is not None)

    @property
    def is_coming(self) -> bool:
        return not self.settled.is_set() and not self.supervised_host.has_failed

    @property
    def begins_otherwise(self) -> bool:
        """Whether the next generation of the host begins in another way than the last."""
        return self.plugin.begins_otherwise

    @property
    def first_generation(self) -> int:
        return self.supervised_host.first_ready or 1

    @property
    def available(self) -> bool:
        return self.out is None and self.problem is None

    def status(self) -> dict[str, Any]:
        status = {
            "runs_in": "host",
            "kind": self.plugin.kind,
            **facts_of_plugin(self),
            "host": self.supervised_host.status(),
        }
        host = self.plugin.host
        if host is not None:
            facts: dict[str, Any] = {"counts": host.counts, "found_by": list(host.found_by)}
            where = self.plugin.address
            facts |= {"pid": host.pid} if where is None else {"address": where}
            status["host"] |= {**facts, "read_by": "loop" if host.is_led else "pump"}
        if left_out := self.plugin.left_out:
            status["left_out"] = dict(left_out)
        if differing := self.plugin.differing:
            status["differing"] = {name: list(said) for name, said in differing.items()}
        if idle_rules := self.plugin.idle_rules:
            status["idle_rules"] = list(idle_rules)
        if self.problem is not None:
            status["problem"] = str(self.problem)
        elif self._rejected_for is not None:
            status["problem"] = self._rejected_for
        elif (out := self.out) is not None and self._tells_own:
            status["problem"] = out.error  # what is known of the host has the faults of all its plugins
        return status

    def actors(self) -> list[pykka.ActorRef[Any]]:
        return [self._actor, *self.supervised_host.actors()]

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:
        self.endpoint.close(reason)
        tell(self._actor, Shutdown(reason))
        if not self.settled.is_set():  # a caller that waits for its first generation waits for nothing now
            self.problem = PluginLoadError(f"plugin {self.name!r}: {reason}", plugin=self.name)
            self.settled.set()
        if self.supervised_host.remove(self):
            self.ended.set()
            return
        self.supervised_host.close()
        if not tell(supervisor, Order("remove", self.supervised_host.name, reason)):
            self.ended.set()

    def withdraw(self, reason: str) -> None:
        """As `shut_down`, of one of whose host the supervisor has never heard."""
        self.endpoint.close(reason)
        tell(self._actor, Shutdown(reason))
        self.supervised_host.close()
        self.ended.set()

    @property
    def load_error(self) -> PluginLoadError | None:
        """Why the load has failed, for a caller that requires the plugin; ``None`` if its host is running."""
        why = self._overdue if self.out is None else self.out.error
        if why is None:
            return None
        return self._refusal or PluginLoadError(f"plugin {self.name!r}: {why}", plugin=self.name)

    def cannot_join(self, refusal: HostNotRunning) -> None:
        self._refusal = refusal

    def host_is_out(self, outage: Outage, report: dict[str, Any] | None) -> None:
        self._is_out(outage.told, report, outage)

    def _is_out(self, why: str, report: dict[str, Any] | None, outage: Outage | None = None) -> None:
        self._tells_own = self._fault.is_part_of(why)
        why = self._fault.told_in(why)
        self._outage = outage
        next_start = None if outage is None else self._next_start
        self.out = HostOut(why, report, self.endpoint.mailbox.holds, next_start)
        tell(self._actor, self.out)
        self.settled.set()

    def start_is_overdue(self, why: str, cause: str) -> None:
        self._overdue, self._overdue_by = why, cause
        self.settled.set()

    def host_is_ready(self, generation: int) -> None:
        self._refusal = self._overdue = None
        if self._rejected_for is None:
            self.out = self._outage = None
        tell(self._actor, HostReady(generation))

    def _on_loaded(self) -> None:
        """In the tool actor's thread: its tools are those of a generation."""
        if self._rejected_for is not None:
            self._rejected_for = self.out = self._outage = None

    def _on_rejected(self, cause: str) -> None:
        """In the thread of a generation's actor."""
        self._rejected_for = f"plugin {self.name!r} is not in its host: {cause}"
        self._events.publish("plugin_unavailable", self.name, why=cause)
        self._is_out(self._rejected_for, None)

    def _on_failure(self, fault: Fault) -> None:
        """In the thread of a generation's actor, before the supervisor hears of the end."""
        self._fault = fault

    def _on_schemas(self, schemas: tuple[dict[str, Any], ...], claims: bool) -> bool:
        """In the tool actor's thread."""
        self.claims = claims
        self.supervised_host.count_tools(self.name, len(schemas))
        self.problem = (
            None  # before the offer: from then on another plugin may have a better right to its names
        )
        try:
            self._offer(self, schemas)
        except CallboardError as error:
            self.problem = error
            self.settled.set()
        return self.problem is None
