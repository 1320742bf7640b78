"""A `Callboard` whose hosts are listened to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..callboard import Callboard

if TYPE_CHECKING:
    from ..actors.board import Board
    from ..hosts.process.transport import Carry
    from ..loading.loaded import Loaded


class TappedCallboard(Callboard):
    """Carries every host in a way of its own; see `callboard.hosts.tap.tapping`. Else a `Callboard`."""

    def __init__(self, config: Any = None, *, carry: Carry, **options: Any) -> None:
        super().__init__(config, **options)
        self._carry = carry

    def _begin(self, board: Board, one: Loaded) -> None:
        if one.hosted is not None:
            one.hosted.carry = self._carry
        super()._begin(board, one)
