"""The model of a board's configuration, asked for its MCP servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.locks import Lock
from ..config.errors import ConfigurationError
from ..config.provider_section import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..actors.board import Board
    from ..agent.core.core import AgentCore
    from ..agent.sampling import Sampler
    from ..config.configuration import Configuration
    from ..hosts.mcp.sampling import Sampling
    from ..loading.loaded import LoadedProvider, LoadedProviders

Json = dict[str, Any]


class _Lent:
    """What an agent has of its board, for one without the tools."""

    def __init__(self, board: Board, providers: list[LoadedProvider]) -> None:
        self.board = board
        self.providers = providers


class LentModel:
    """See the module. From any thread.

    Args:
        configuration: returns the board's.
        providers: those among its plugins.
    """

    def __init__(self, configuration: Callable[[], Configuration], providers: LoadedProviders) -> None:
        self._configuration = configuration
        self._providers = providers
        self._lock = Lock()
        self._sampler: Sampler | None = None
        self._looked: tuple[int, bool] = (-1, False)

    @property
    def ready(self) -> bool:
        """Whether the configuration has a model to ask."""
        there = list(self._providers)
        if self._looked[0] != len(there):
            try:
                choose(self._configuration(), [each.name for each in there if not each.extension])
                self._looked = (len(there), True)
            except ConfigurationError:
                self._looked = (len(there), False)
        return self._looked[1]

    def sample(self, asked: Sampling, stopped: Callable[[], bool]) -> Json:
        """As `Sampler.sample`."""
        with self._lock:
            if self._sampler is None:
                from ..agent.sampling import Sampler  # noqa: PLC0415 - most boards are asked for no agent

                self._sampler = Sampler(self._make)
            sampler = self._sampler
        return sampler.sample(asked, stopped)

    def close(self) -> None:
        """Close what was made for it; a later request makes it anew."""
        with self._lock:
            sampler, self._sampler = self._sampler, None
        if sampler is not None:
            sampler.close()

    def _make(self, board: Board) -> tuple[AgentCore, Mapping[str, Any]]:
        from ..configured_agent import Agent  # noqa: PLC0415 - as above

        agent = Agent(_Lent(board, list(self._providers)), self._configuration())
        return agent.core, agent.config
