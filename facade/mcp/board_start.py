"""The start of a board that is served already, and what clients are told while it does not run."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ..actors.board import NotStarted
from ..actors.calls.waiting import ended_apart, in_thread, until_done
from ..actors.state.store import StateStoreError
from ..base.errors import CallboardError
from ..base.foreign import Log, contain
from ..config.hook_section import warn_of_unasked
from .health import as_one_line, why_not_running

if TYPE_CHECKING:
    from ..callboard import Callboard
    from ..supervision.runtime.events import Event

logger: Log = Log("callboard.mcp")

COMING = frozenset(
    {
        "plugin_registered",
        "plugin_unavailable",
        "plugin_removed",
        "host_crashed",
        "host_parked",
        "host_stopped",
    }
)
"""Kinds of events after which an unknown tool may be known, or a list need not wait any longer."""

STOP_TIMEOUT = 1.0
"""Seconds for hosts to end by themselves, when the client has gone: clients wait for two before they kill."""

OTHER_LISTS_PATIENCE = 5.0
"""Seconds, from the start of the board, for which lists of resources and prompts wait for servers. They are not remembered, so each start takes that."""

INTRODUCTION = 1.0
"""Seconds that the one client may take to say what it can do, before the board is started all the same."""


class BoardStart:
    """See the module. In the event loop.

    Args:
        board: not started yet.
        many: clients come and go; else there is one, and the board is started when it has said what it can do, or after a second.

    Attributes:
        board: as given.
        failure: why the board could not be started; ``None`` while that is not known.
        introduced: set once a client has said what it can do.
        changes: counts what has become of plugins while they start.
    """

    def __init__(self, board: Callboard, *, many: bool) -> None:
        self.board = board
        self.failure: BaseException | None = None
        self.introduced: asyncio.Event = asyncio.Event()
        if many:
            self.introduced.set()
        self._up = asyncio.Event()
        self._changed = asyncio.Event()
        self.changes: int = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._began: float | None = None
        self._stopping = False
        self._no_state: CallboardError | None = None
        try:
            board.open_state()  # before the first client is told how the board is used
        except StateStoreError as error:
            self._no_state = error

    @property
    def starting(self) -> bool:
        """Whether plugins may still come up for the first time."""
        return not self._up.is_set()

    async def run(self) -> None:
        """Start the board; returns when all of its plugins had their chance, or it could not be started."""
        self._loop = asyncio.get_running_loop()
        # Servers of the handshake era are told once what they may ask for, and that is what the client can be asked for.
        with suppress(TimeoutError):
            await asyncio.wait_for(self.introduced.wait(), INTRODUCTION)
        self._began = time.monotonic()
        try:
            await until_done(in_thread(self._start, "callboard-start"))
        except Exception as error:  # noqa: BLE001 - told to who runs the server; its clients see no tools
            if not self._stopping:  # which ends a start that is under way
                self.failure = error
                _log_failure(error)
        finally:
            self._up.set()
            self._note_change()

    def _start(self) -> None:
        self.board.start()
        if self.board.approver is None:
            callers = self.board.callers
            offers = () if callers is None else callers.offers()
            warn_of_unasked(self.board.configuration.approval, self.board.tools(), offers)

    async def stop(self) -> None:
        """Stop the board; done when this returns."""
        self._stopping = True
        await ended_apart(lambda: self.board.stop(STOP_TIMEOUT))

    def hear(self, event: Event) -> None:
        """In the thread that tells events."""
        if event.kind in COMING and self.starting and self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended since
                self._loop.call_soon_threadsafe(self._note_change)

    def may_bring_more(self) -> bool:
        """Whether an unknown tool may be known soon; never on a board that was stopped or could not start."""
        return self.starting and not self.is_known()

    def _note_change(self) -> None:
        self.changes += 1
        told, self._changed = self._changed, asyncio.Event()
        told.set()

    async def further(self, seen: int) -> None:
        """Wait until more has changed than was ``seen``, by the count of ``changes``, or all plugins had their chance."""
        while self.starting and self.changes == seen:
            await self._changed.wait()

    async def tools_known(self) -> bool:
        """Wait until each plugin has its tools, remembered ones included, at most until `Configuration.list_patience` after the start. Returns whether each has."""
        while self.starting and (left := self._left(self.board.configuration.list_patience)) > 0:
            seen = self.changes
            if self.is_known():
                return True
            with suppress(TimeoutError):
                await asyncio.wait_for(self.further(seen), left)
        return not self.starting

    async def over_soon(self) -> None:
        """Wait until each plugin is up or has failed, at most until `OTHER_LISTS_PATIENCE` after the start."""
        if self.starting and (left := self._left(OTHER_LISTS_PATIENCE)) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._up.wait(), left)

    def is_known(self) -> bool:
        """Whether each plugin has its tools, remembered ones included, or has failed to come up."""
        try:
            manager, offers = self.board.board.plugin_manager, self.board.board.catalog.offers
        except NotStarted:
            return False
        handles = manager.handles().values()
        return manager.all_begun and all(each.name in offers or not each.is_coming for each in handles)

    def _left(self, patience: float) -> float:
        """Seconds for which a list may still wait."""
        # Counted from the start of the board: a server that never comes up delays the first list alone.
        return INTRODUCTION + patience if self._began is None else self._began + patience - time.monotonic()

    def why_not_running(self) -> str | None:
        """Why the board does not run, or will not, for a model; ``None`` if it may."""
        if self._no_state is not None and self.starting:
            return as_one_line(str(self._no_state))
        consent = self.board.configuration.consent
        obstacle = None if consent is None else consent.obstacle
        if obstacle is not None and (self.starting or self.failure is not None):
            return why_not_running(*obstacle)
        if self.failure is None:
            return None
        if not isinstance(self.failure, CallboardError):
            return f"its start failed ({type(self.failure).__name__}); the log of 'callboard mcp' says why"
        return as_one_line(str(self.failure))


def _log_failure(error: Exception) -> None:
    """Log why a board cannot be started. The traceback of an error of the user's is shown at the end, with ``--debug``."""
    if isinstance(error, CallboardError):
        said = ". ".join((str(error), *getattr(error, "__notes__", ())))
        logger.error("the board cannot be started, and serves no tools: %s", said)
    else:
        contain(error, logger, "the board cannot be started, and serves no tools")
