"""A plugin of this process on a board: its actor, its endpoint, and how it is shut down."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...plugins.contract.invocation import scope_of
from ...supervision.runtime.telling import tell
from ..endpoint.messages import Shutdown
from ..endpoint.plugin import facts_of_plugin
from .thread_tool_actor import ThreadToolActor

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pykka

    from ...base.errors import CallboardError
    from ...plugins.adapter.adapter import PluginAdapter
    from ...plugins.contract.invocation import Scope
    from ...supervision.supervisor import SupervisorActor
    from ..endpoint.endpoint import Endpoint, ToolSettings
    from ..services import Services
    from ..threads.hook_pool import Pending


class LocalPlugin:
    """A plugin that runs in this process.

    Args:
        services: the board's.
        dispatcher: has the thread of the actors of such plugins.

    Attributes:
        state: what it is given until it runs; what it begins with, and what calls have made of that, is the endpoint's.
        setting_up: its set-up, until its outcome is known.
        unprepared: why its set-up came to nothing, or ``None``; it has no tools then.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        state: dict[str, Any],
        config: dict[str, Any],
        services: Services,
        *,
        dispatcher: pykka.ActorRef[Any],
    ) -> None:
        self.name: str = adapter.name
        self.state = state
        self.config = config
        self.claims: bool = adapter.has_claim
        self.ended: threading.Event = threading.Event()
        self.problem: CallboardError | None = None
        self.admitted = False
        self.setting_up: Pending[Any] | None = None
        self.unprepared: str | None = None
        self._tool = ThreadToolActor(adapter, settings, state, services, dispatcher)
        self.endpoint: Endpoint = self._tool.endpoint
        self._actor = ThreadToolActor.attach(self._tool)

    @property
    def scope(self) -> Scope:
        return scope_of(self.endpoint.settings.claims, sandboxed=False)

    @property
    def has_config_schema(self) -> bool:
        return self.endpoint.adapter.offers("get_config_schema")

    def known_as(self, tool_name: str) -> tuple[str, ...]:
        return ()

    def apart(self, own_name: str) -> None:
        return None

    def use_names(self, own_names: Mapping[str, str]) -> None:
        assert not own_names, own_names  # it gives way to none

    @property
    def host_name(self) -> None:
        """See `PluginHandle`."""

    @property
    def plugin(self) -> None:
        """See `PluginHandle`."""

    @property
    def first_generation(self) -> int:
        return 1

    @property
    def absence(self) -> str | None:
        if self.setting_up is not None:
            return "it is still being prepared"
        if self.unprepared or self.problem:
            return self.unprepared or str(self.problem)
        return "too many of its calls are stuck" if self.endpoint.mailbox.refusing else None

    @property
    def is_coming(self) -> bool:
        return self.setting_up is not None

    @property
    def available(self) -> bool:
        return self.absence is None

    def status(self) -> dict[str, Any]:
        status = {
            "runs_in": "thread",
            "preparing": self.setting_up is not None,
            **facts_of_plugin(self),
            "fenced": self._tool.fenced,
            "fenced_total": self._tool.fenced_total,
        }
        problem = self.unprepared or self.problem
        return status if problem is None else {**status, "problem": str(problem)}

    def actors(self) -> list[pykka.ActorRef[Any]]:
        return [self._actor]

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:
        self.withdraw(reason)

    def withdraw(self, reason: str) -> None:
        """End its calls and itself."""
        self.endpoint.close(reason)
        tell(self._actor, Shutdown(reason))
        if self.setting_up is not None:  # a thread that waits for it would wait in vain
            self.setting_up.give_up(reason)
        self.ended.set()
