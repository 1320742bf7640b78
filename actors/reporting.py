"""Whom a life of a host tells how it goes: its supervisor, or what stands for one while it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..supervision.exits import Exit


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

    def gone(self) -> None:
        """Nothing of this life is left. Once, when all else has been told."""
