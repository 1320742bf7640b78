"""Formats that the provider's side of a core brings, for the schemas of its tools; and the tools that wait for one.

The board of a core reads what its tools declare when they are registered. A declaration may be in a format that
only a provider, an extension or a feature of the core knows. So those are asked for their formats when there is a
tool to be read, and a tool in an unknown format waits: until another of them is registered, or a request says
what one of them needs to know. What they bring is asked last, below the built-in formats: for a request
the formats of its own provider count, and those of the others are there so that the tools can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import CallboardError, ContractError
from ...base.foreign import Log
from ...base.locks import RLock
from ...interop.default_registry import ToolInteropContribution
from ...interop.errors import UnknownFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...actors.board import Board
    from .provider_adapter import ProviderAdapter

logger: Log = Log("callboard.agent")

Json = dict[str, Any]

_HOOK = "get_tool_interop_contribution"


class _Waiting(NamedTuple):
    put: Callable[[], object]
    error: ContractError


class BroughtFormats:
    """See the module. Any thread.

    Args:
        board: whose tools they are.
        adapters: returns the providers, extensions and features that there are.

    Attributes:
        unread: why a tool waits, of the first that does; ``None`` if none does.
    """

    def __init__(self, board: Board, adapters: Callable[[], Iterable[ProviderAdapter]]) -> None:
        self.unread: ContractError | None = None
        self._board = board
        self._adapters = adapters
        self._lock = RLock()
        self._waiting: list[_Waiting] = []
        self._learned: list[ProviderAdapter] = []

    def put(self, put: Callable[[], object]) -> None:
        """Put a tool on the board, or have it wait if its declaration cannot be read. Raises what else goes wrong."""
        self._learn({})
        error = _unread(put)
        if error is not None:
            logger.warning("%s. It waits for a provider, an extension or a feature that brings it", error)
            with self._lock:
                self._waiting.append(_Waiting(put, error))
                self.unread = self._waiting[0].error

    def look_again(self, config: Json) -> None:
        """Put the tools on the board that can be read by now.

        Args:
            config: of a request; for those who cannot say without it which formats they bring.

        Raises:
            PluginError: one that can be read breaks its contract otherwise. It waits no more.
        """
        if self.unread is None:
            return
        with self._lock:  # across the plugins' own code: a request meanwhile waits, and has these tools too
            self._learn(config)
            waiting, self._waiting = self._waiting, []
            try:
                self._put(waiting)
            finally:
                self._waiting += waiting
                self.unread = self._waiting[0].error if self._waiting else None

    def _put(self, waiting: list[_Waiting]) -> None:
        while waiting:
            tool = waiting.pop(0)
            error = _unread(tool.put)
            if error is not None:
                self._waiting.append(_Waiting(tool.put, error))

    def require_read(self, config: Json | None = None) -> None:
        """Look again, with the configuration of a request if there is one.

        Raises:
            ContractError: a tool still waits.
        """
        if config is not None:
            self.look_again(config)
        unread = self.unread
        if unread is not None:  # an error of its own for each who hears of it
            raise ContractError(str(unread), plugin=unread.plugin) from unread

    def _learn(self, config: Json) -> None:
        """Ask those that have not been asked yet; one that cannot say now is asked again."""
        for adapter in self._adapters():
            if adapter in self._learned or not adapter.offers(_HOOK):
                continue
            try:
                contribution = adapter.interop_contribution(adapter.init(config))
                if contribution is not None and not isinstance(contribution, ToolInteropContribution):
                    continue  # the first request says so
                if contribution is not None:
                    self._board.catalog.contribute_below(adapter.name, contribution)
            except CallboardError as error:
                logger.debug("%r cannot say yet which formats it brings: %s", adapter.name, error)
            else:
                self._learned.append(adapter)


def _unread(put: Callable[[], object]) -> ContractError | None:
    """Put a tool on the board; return why that cannot be, if its declaration is in no known format."""
    try:
        put()
    except ContractError as error:
        if not isinstance(error.__cause__, UnknownFormatError):
            raise
        return error
    return None
