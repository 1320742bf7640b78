"""A board with a hand on the line of each of its hosts, for those who try what it bears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..callboard import Callboard
from ..chaos.inject.tamper import Tamper

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from ..actors.board import Board
    from ..loading.loaded import Loaded


class TamperedBoard(Callboard):
    """See the module.

    Args:
        config: as `Callboard`'s.
        garbage: makes so many bytes that are no message.

    Attributes:
        tampers: the hands, by the names of the hosts; one that was taken off and comes again has the same.
    """

    def __init__(
        self, config: str | os.PathLike[str] | Mapping[str, Any], garbage: Callable[[int], bytes]
    ) -> None:
        super().__init__(config)
        self.tampers: dict[str, Tamper] = {}
        self._garbage = garbage

    def _begin(self, board: Board, one: Loaded) -> None:
        if one.hosted is not None:
            host = one.adapter.name if one.share is None else one.share.name
            if host not in self.tampers:
                self.tampers[host] = Tamper(self._garbage, one.hosted.carry)
            one.hosted.carry = self.tampers[host]
        super()._begin(board, one)
