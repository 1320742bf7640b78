"""An event loop for one thread, made when the first asynchronous tool needs it and kept for the next.

Boards and Python hosts run asynchronous tools in it; what is run there and what its outcome means is theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .foreign import Log

if TYPE_CHECKING:
    from asyncio import Runner

logger: Log = Log("callboard.hosts")


class EventLoop:
    """See the module."""

    def __init__(self) -> None:
        self._runner: Runner | None = None

    def runner(self) -> Runner:
        """The thread's runner."""
        if self._runner is None:
            from asyncio import Runner  # noqa: PLC0415 - most plugins have no asynchronous tool

            self._runner = Runner()
        return self._runner

    def close(self) -> None:
        """End what tools have left in it."""
        if self._runner is not None:
            try:
                self._runner.close()
            except BaseException:  # tasks that a tool left behind end in here, however they end
                logger.warning("closing a tool's event loop failed", exc_info=True)
