"""The part of the front door that takes hooks, and who asks people for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .actors.board import Board
    from .actors.listeners import HookHandle
    from .plugins.approval import Approver


class TakingHooks:
    """See the module. Whoever is one has a ``_board`` while it runs."""

    _board: Board | None
    _approver: Approver | None = None

    @property
    def _running(self) -> Board:
        raise NotImplementedError

    def hook(self, event: str, hook: Callable[[str, dict[str, Any]], Any], **options: Any) -> HookHandle:
        """Have a callable asked about each call from now on: ``hook(event, data)``, which may be asynchronous.

        Args:
            event: ``tool:pre``, ``tool:post`` or ``tool:error``.
            hook: answers nothing, a mapping with ``action``, or an object that has one.
            options: ``priority`` (0; lower goes first), ``deadline`` (5.0 seconds), ``observes`` (false), ``name``.

        Raises:
            HookRegistrationError: there is no such event, or it cannot be called.
            NotStarted: the board does not run.
        """
        return self._running.hook(event, hook, **options)

    @property
    def approver(self) -> Approver | None:
        """Asks a person about the calls that hooks want approved. Without one a question's default holds."""
        return self._approver

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        self._approver = approver
        if self._board is not None:
            self._board.approver = approver
