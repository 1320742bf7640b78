"""The part of the front door that administers hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base.validation import require_text

if TYPE_CHECKING:
    from .actors.board import Board


class GivingOrders:
    """See the module. Whoever is one says which board runs."""

    @property
    def _running(self) -> Board:
        raise NotImplementedError

    def restart(self, name: str) -> list[str]:
        """End a plugin's host and start the next at once, with a fresh budget. Raises `UnknownChild`.

        ``name`` may be the host's too. It returns the plugins that live there: it is done to all of them.
        """
        return self._ordered("restart", name)

    def park(self, name: str) -> list[str]:
        """End a plugin's host and leave it parked; its calls are refused. Otherwise as `restart`."""
        return self._ordered("park", name)

    def revive(self, name: str) -> list[str]:
        """Start a parked or stopped host at once, with a fresh budget. Otherwise as `restart`."""
        return self._ordered("revive", name)

    def _ordered(self, verb: str, name: str) -> list[str]:
        require_text("the name of a host or a plugin", name)
        return self._running.order(verb, name)
