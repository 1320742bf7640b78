"""The two ways in which a Python tool can run: in this process, and in a host of its own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from callboard import AgentCore, Callboard
from leaks import TEST_MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

WAYS = ["in process", "isolated"]


@contextmanager
def core_with_tools(way: str) -> Iterator[AgentCore]:
    """A core that runs the tools it is given one way or the other."""
    with Callboard() as board, EitherWayCore(board, way) as core:
        yield core


class EitherWayCore(AgentCore):
    """See `core_with_tools`."""

    def __init__(self, board: Callboard, way: str) -> None:
        super().__init__(board)
        self._callboard = board
        self._options = {"isolate": True, "env": TEST_MARK} if way == "isolated" else {}

    def register_tool(self, tool: Any, *, config: Any = None, name: Any = None, settings: Any = None) -> None:
        """As that of `AgentCore`."""
        assert settings is None
        self._callboard.register(tool, config=config, name=name, **self._options)
