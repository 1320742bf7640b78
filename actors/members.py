"""A plugin as a member of a board: its actor, its desk, and how it is shut down."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from ..plugins.errors import CallboardError, PluginLoadError
from ..supervision.messages import Order
from ..supervision.telling import tell
from . import messages as m
from .hosted_tool_actor import HostedToolActor
from .lodger import Lodger
from .thread_tool_actor import ThreadToolActor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pykka

    from ..hosts.hosted_tool import HostedToolPlugin
    from ..plugins.adapter import PluginAdapter
    from ..supervision.clock import Clock
    from ..supervision.events import EventStream
    from ..supervision.life import ChildSpec
    from ..supervision.supervisor import SupervisorActor
    from .desk import Desk, ToolSettings
    from .hook_threads import HookThreads, Pending
    from .keeping import StateKeeper
    from .lodging import Lodging


class Member(Protocol):
    """A plugin on a board.

    Attributes:
        name: the plugin's.
        desk: where its calls go.
        config: what its ``init`` was given.
        claims: it is asked whether a call is its own.
        ended: set once it has been shut down and nothing of it is left.
        problem: why its tools cannot be offered, or ``None``.
        admitted: whoever put it on the board was given its tools, so that nobody else can have their names.
    """

    name: str
    desk: Desk
    config: dict[str, Any]
    claims: bool
    ended: threading.Event
    problem: CallboardError | None
    admitted: bool

    @property
    def absence(self) -> str | None:
        """Why calls are not taken at present, as a sentence; ``None`` if they are."""

    @property
    def has_config_schema(self) -> bool:
        """Whether it is known to have a schema of its configuration."""

    @property
    def host_name(self) -> str | None:
        """Of the host that it lives in; ``None`` of one that runs in this process."""

    @property
    def available(self) -> bool:
        """Whether calls are taken at present."""

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:
        """End its calls with ``cancelled``, and itself. Returns at once; see ``ended``."""


def _facts(member: Member) -> dict[str, Any]:
    desk = member.desk
    return {
        "available": member.available,
        "waiting": desk.lane.waiting,
        "running": desk.lane.running,
        "mailbox_size": desk.lane.limit,
        "concurrency": desk.lane.concurrency,
        **desk.tally.as_dict(),
        "state_version": desk.cell.version,
        "state_resets": desk.state_resets,
        **desk.guard.status(),
        "unchecked": {} if desk.checks is None else dict(desk.checks.unchecked),
    }


class ThreadMember:
    """A plugin that runs in this process.

    Args:
        tool_runtime: see `Desk`.

    Attributes:
        state: what its ``init`` returned; what calls have made of it is the desk's.
        setting_up: its set-up, as long as nobody knows what came of it.
        unprepared: why its set-up came to nothing, or ``None``; it has no tools then.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        state: dict[str, Any],
        config: dict[str, Any],
        *,
        clock: Clock,
        events: EventStream,
        tool_runtime: Any = None,
        keeper: StateKeeper | None = None,
    ) -> None:
        self.name = adapter.name
        self.state = state
        self.config = config
        self.claims = adapter.has_claim
        self.ended = threading.Event()
        self.problem: CallboardError | None = None
        self.admitted = False
        self.setting_up: Pending[Any] | None = None
        self.unprepared: str | None = None
        self._tool = ThreadToolActor(
            adapter, settings, state, clock=clock, events=events, tool_runtime=tool_runtime, keeper=keeper
        )
        self.desk = self._tool.desk
        self._actor = ThreadToolActor.launch(self._tool)

    @property
    def has_config_schema(self) -> bool:
        """See `Member`."""
        return self.desk.adapter.offers("get_config_schema")

    @property
    def host_name(self) -> None:
        """See `Member`."""

    @property
    def absence(self) -> str | None:
        """See `Member`."""
        if self.setting_up is not None:
            return "it is still being prepared"
        if self.unprepared or self.problem:
            return self.unprepared or str(self.problem)
        return "too many of its calls are stuck" if self.desk.lane.refusing else None

    @property
    def available(self) -> bool:
        """See `Member`."""
        return self.absence is None

    def status(self) -> dict[str, Any]:
        """See `Member`."""
        status = {
            "runs_in": "thread",
            "preparing": self.setting_up is not None,
            **_facts(self),
            "fenced": self._tool.fenced,
            "fenced_total": self._tool.fenced_total,
        }
        problem = self.unprepared or self.problem
        return status if problem is None else {**status, "problem": str(problem)}

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:  # noqa: ARG002
        """See `Member`."""
        self.withdraw(reason)

    def withdraw(self, reason: str) -> None:
        """End its calls and itself."""
        self.desk.close(reason)
        tell(self._actor, m.Shutdown(reason))
        if self.setting_up is not None:  # whoever waits for it waits for nothing now
            self.setting_up.give_up(reason)
        self.ended.set()


class HostedMember:
    """A plugin that runs in a supervised host. It is a `Resident`.

    Args:
        lodging: the host, alone or with others; it has to be told that this one moves in.
        config: what its ``init`` is given.
        load: what a shared host is told to load for it.
        offer: told the schemas that a life brings, before it is sent calls.

    Attributes:
        settled: set once the first life is ready for it, or will not be.
        out: why calls are refused at present, or ``None``.
        lodging: the host.
        lodger: itself, as the lives of the host know it.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        plugin: HostedToolPlugin,
        lodging: Lodging,
        settings: ToolSettings,
        *,
        config: dict[str, Any],
        load: dict[str, Any] | None = None,
        clock: Clock,
        events: EventStream,
        offer: Callable[[HostedMember, Iterable[dict[str, Any]]], None],
        keeper: StateKeeper | None = None,
        threads: HookThreads,
    ) -> None:
        self.name = adapter.name
        self.config = config
        self.plugin = plugin
        self.lodging = lodging
        self.ended = threading.Event()
        self.settled = threading.Event()
        self.out: m.HostOut | None = None
        self.problem: CallboardError | None = None
        self.admitted = False
        self.claims = False
        self._shut_out_for: str | None = None
        self._events = events
        self._offer = offer
        tool = HostedToolActor(
            adapter,
            settings,
            clock,
            events,
            self._on_schemas,
            keeper=keeper,
            threads=threads,
            porter=lodging.porter,
        )
        self.desk = tool.desk
        begin = HostedToolActor.launch if lodging.porter is None else HostedToolActor.lodge
        self._actor = begin(tool)
        self.lodger = Lodger(self.name, plugin, config, self._actor, load, self._came_in, self._shut_out)

    def child_spec(self) -> ChildSpec:
        """What the supervisor has to know of its host."""
        return self.lodging.child_spec()

    @property
    def has_config_schema(self) -> bool:
        """See `Member`."""
        host = self.plugin.host
        return host is not None and host.description.offers("get_config_schema")

    @property
    def host_name(self) -> str:
        """See `Member`."""
        return self.lodging.name

    @property
    def absence(self) -> str | None:
        """See `Member`."""
        if self.problem is not None:
            return str(self.problem)
        return None if self.out is None else self.out.error

    @property
    def available(self) -> bool:
        """See `Member`."""
        return self.out is None and self.problem is None

    def status(self) -> dict[str, Any]:
        """See `Member`."""
        status = {
            "runs_in": "host",
            "kind": self.plugin.kind,
            **_facts(self),
            "host": self.lodging.status(),
        }
        host = self.plugin.host
        if host is not None:
            status["host"] |= {"pid": host.pid, "counts": host.counts}
        if self.problem is not None:
            status["problem"] = str(self.problem)
        elif self._shut_out_for is not None:
            status["problem"] = self._shut_out_for
        return status

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:
        """See `Member`."""
        self.desk.close(reason)
        tell(self._actor, m.Shutdown(reason))
        if not self.settled.is_set():  # whoever waits for its first life waits for nothing now
            self.problem = PluginLoadError(f"plugin {self.name!r}: {reason}", plugin=self.name)
            self.settled.set()
        if self.lodging.move_out(self):
            self.ended.set()
            return
        self.lodging.close()
        if not tell(supervisor, Order("remove", self.lodging.name, reason)):
            self.ended.set()

    def withdraw(self, reason: str) -> None:
        """As `shut_down`, of one of whose host the supervisor has never heard."""
        self.desk.close(reason)
        tell(self._actor, m.Shutdown(reason))
        self.lodging.close()
        self.ended.set()

    def host_is_out(self, why: str, report: dict[str, Any] | None) -> None:
        """See `Resident`."""
        self.out = m.HostOut(why, report, self.desk.lane.holds)
        tell(self._actor, self.out)
        self.settled.set()

    def host_is_ready(self) -> None:
        """See `Resident`."""
        if self._shut_out_for is None:
            self.out = None

    def _came_in(self) -> None:
        """In the tool actor's thread: a life is sent its calls."""
        if self._shut_out_for is not None:
            self._shut_out_for = self.out = None

    def _shut_out(self, cause: str) -> None:
        """In the thread of a life's actor."""
        self._shut_out_for = f"plugin {self.name!r} is not in its host: {cause}"
        self._events.publish("plugin_unavailable", self.name, why=cause)
        self.host_is_out(self._shut_out_for, None)

    def _on_schemas(self, schemas: tuple[dict[str, Any], ...], claims: bool) -> bool:
        """In the tool actor's thread."""
        self.claims = claims
        self.lodging.count_tools(self.name, len(schemas))
        self.problem = (
            None  # before the offer: from then on somebody else may have a better right to its names
        )
        try:
            self._offer(self, schemas)
        except CallboardError as error:
            self.problem = error
        self.settled.set()
        return self.problem is None
