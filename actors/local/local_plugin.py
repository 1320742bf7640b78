"""A plugin as a member of a board: its actor, its endpoint, and how it is shut down."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from ...supervision.runtime.telling import tell
from .. import messages as m
from .thread_tool_actor import ThreadToolActor

if TYPE_CHECKING:
    import pykka

    from ...base.errors import CallboardError
    from ...plugins.adapter.adapter import PluginAdapter
    from ...supervision.runtime.clock import Clock
    from ...supervision.runtime.events import EventStream
    from ...supervision.supervisor import SupervisorActor
    from ..endpoint.endpoint import Endpoint, ToolSettings
    from ..state.persister import StateKeeper
    from ..threads.hook_pool import Pending


class PluginHandle(Protocol):
    """A plugin on a board.

    Attributes:
        name: the plugin's.
        endpoint: where its calls go.
        config: what its ``init`` was given.
        claims: it is asked whether a call is its own.
        ended: set once it has been shut down and nothing of it is left.
        problem: why its tools cannot be offered, or ``None``.
        admitted: whoever put it on the board was given its tools, so that nobody else can have their names.
    """

    name: str
    endpoint: Endpoint
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


def member_facts(member: PluginHandle) -> dict[str, Any]:
    """What is going on, of any member, as JSON."""
    endpoint = member.endpoint
    return {
        "available": member.available,
        "waiting": endpoint.mailbox.waiting,
        "running": endpoint.mailbox.running,
        "mailbox_size": endpoint.mailbox.limit,
        "concurrency": endpoint.mailbox.concurrency,
        **endpoint.call_metrics.as_dict(),
        "state_version": endpoint.cell.version,
        "state_resets": endpoint.state_resets,
        **endpoint.admission.status(),
        "unchecked": {} if endpoint.checks is None else dict(endpoint.checks.unchecked),
    }


class LocalPlugin:
    """A plugin that runs in this process.

    Args:
        tool_runtime: see `Endpoint`.

    Attributes:
        state: what it is given until it runs; what it begins with, and what calls have made of that, is the endpoint's.
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
        self.endpoint = self._tool.endpoint
        self._actor = ThreadToolActor.launch(self._tool)

    @property
    def has_config_schema(self) -> bool:
        """See `PluginHandle`."""
        return self.endpoint.adapter.offers("get_config_schema")

    @property
    def host_name(self) -> None:
        """See `PluginHandle`."""

    @property
    def absence(self) -> str | None:
        """See `PluginHandle`."""
        if self.setting_up is not None:
            return "it is still being prepared"
        if self.unprepared or self.problem:
            return self.unprepared or str(self.problem)
        return "too many of its calls are stuck" if self.endpoint.mailbox.refusing else None

    @property
    def available(self) -> bool:
        """See `PluginHandle`."""
        return self.absence is None

    def status(self) -> dict[str, Any]:
        """See `PluginHandle`."""
        status = {
            "runs_in": "thread",
            "preparing": self.setting_up is not None,
            **member_facts(self),
            "fenced": self._tool.fenced,
            "fenced_total": self._tool.fenced_total,
        }
        problem = self.unprepared or self.problem
        return status if problem is None else {**status, "problem": str(problem)}

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:  # noqa: ARG002
        """See `PluginHandle`."""
        self.withdraw(reason)

    def withdraw(self, reason: str) -> None:
        """End its calls and itself."""
        self.endpoint.close(reason)
        tell(self._actor, m.Shutdown(reason))
        if self.setting_up is not None:  # whoever waits for it waits for nothing now
            self.setting_up.give_up(reason)
        self.ended.set()
