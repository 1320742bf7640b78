"""A plugin on a board, wherever it runs: its name, its endpoint, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping

    import pykka

    from ...base.errors import CallboardError
    from ...hosts.hosted_tool import HostedToolPlugin
    from ...plugins.contract.invocation import Scope
    from ...supervision.supervisor import SupervisorActor
    from .endpoint import Endpoint


class PluginHandle(Protocol):
    """A plugin on a board.

    Attributes:
        name: the plugin's.
        endpoint: where its calls go.
        config: what its ``init`` was given.
        claims: it is asked whether a call is its own; which calls, says ``scope``.
        ended: set once it has been shut down and nothing of it is left.
        problem: why its tools cannot be offered, or ``None``.
        admitted: its tools were given to the caller who added it, so that no other plugin can have their names.
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
    def scope(self) -> Scope:
        """Which calls it is asked about, if it claims any."""

    @property
    def has_config_schema(self) -> bool:
        """Whether it is known to have a schema of its configuration."""

    def apart(self, own_name: str) -> str | None:
        """Another name for one of its tools, if another plugin's has its own; ``None`` if it gives way to none."""

    def use_names(self, own_names: Mapping[str, str]) -> None:
        """Its tools are offered under other names from now on.

        Args:
            own_names: its own names for those tools, by the names that they are offered under.
        """

    @property
    def host_name(self) -> str | None:
        """Of the host that it runs in; ``None`` of one that runs in this process."""

    @property
    def plugin(self) -> HostedToolPlugin | None:
        """What speaks to its host; ``None`` of one that runs in this process."""

    @property
    def first_generation(self) -> int:
        """The number of the first generation that was ready; 1 while there is none, and of one that runs in this process."""

    @property
    def is_coming(self) -> bool:
        """Whether its first start or preparation is under way and has not failed."""

    @property
    def available(self) -> bool:
        """Whether calls are taken at present."""

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""

    def known_as(self, tool_name: str) -> tuple[str, ...]:
        """Other names of one of its tools, by which rules may name it."""

    def actors(self) -> list[pykka.ActorRef[Any]]:
        """Those that it runs by; some may have ended."""

    def shut_down(self, reason: str, supervisor: pykka.ActorRef[SupervisorActor]) -> None:
        """End its calls with ``cancelled``, and itself. Returns at once; see ``ended``."""


def facts_of_plugin(handle: PluginHandle) -> dict[str, Any]:
    """What is going on, of any plugin, as JSON."""
    endpoint = handle.endpoint
    return {
        "available": handle.available,
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
