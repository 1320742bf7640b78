"""Whom a life of a host tells how it goes: its supervisor, or what stands for one while it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pykka

    from ..hosts.host import Host
    from ..hosts.limits import Exceeded
    from ..supervision.exits import Exit
    from .arming import Armed


class Reporter(Protocol):
    """A `LifeReporter` is one. From any thread, never blocking."""

    @property
    def generation(self) -> int:
        """The life's; 0 of a standby."""

    def ready(self) -> None:
        """It answers calls."""

    def ended(self, exit_: Exit) -> None:
        """It has ended. Once."""


class Kin(Protocol):
    """What a life knows of the lives beside it; see `Succession`."""

    def covered(self) -> bool:
        """Whether a standby takes over as soon as the end of this life is reported."""

    def recycle(self, exceeded: Exceeded, generation: int) -> None:
        """Have this life replaced, for it has come to a limit."""

    def arm(self, life: pykka.ActorRef[Any], host: Host) -> Armed:
        """Hold a life to its limits, from now on; it is told when it comes to one."""

    def gone(self) -> None:
        """Nothing of this life is left. Once, when all else has been told."""
