"""The part of the front door that is closed: once, whoever closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .actors.calls.waiting import in_thread, until_done
from .actors.threads.main_end import main_thread
from .actors.threads.once import Once
from .base.forking import disown_in_child, keep
from .base.validation import require_seconds
from .reloadable import Reloadable

if TYPE_CHECKING:
    from .actors.board import Board
    from .actors.state.store import StateStore
    from .loading.loaded import LoadedProviders


class Stopping(Reloadable):
    """See the module. Whoever is one has a ``_board`` while it runs, the ``_store`` that it has opened, and ``_providers``."""

    _board: Board | None
    _store: StateStore | None
    _providers: LoadedProviders

    def __init__(self) -> None:
        super().__init__()
        self._stop_once = Once("the board")
        self._board = None
        self._store = None
        self._stopped: Board | None = None
        self._home: int | None = None
        disown_in_child(self)

    def stop(self, timeout: float = 10.0) -> None:
        """End every call with ``cancelled``, every host and every actor. Done when this returns.

        While another thread stops it, this waits for that, for ``timeout`` seconds at most. It does not where it would
        wait for itself: a subscriber that is being told of an event, and a signal handler that has interrupted a
        `stop`, return at once, and the stop goes on. One that was interrupted is gone on with by the next one. In a forked
        child it does nothing: the board is its parent's.

        Args:
            timeout: seconds for hosts to end by themselves; what is left then is killed.

        Raises:
            TypeError, ValueError: the timeout is no number of seconds.
        """
        require_seconds("timeout", timeout)
        if self._home is not None:
            return
        board = self._board or self._stopped
        telling = board is not None and board.events.telling
        with self._stop_once.turn(0.0 if telling else timeout) as mine:
            if mine:
                self._stop(timeout)

    def forked(self, parent: int) -> None:
        """In a child that was forked off: a board that runs is the parent's; one that was not started may be here."""
        self._stop_once = Once("the board")
        if self._home is None and (self._board is not None or self._stopped is not None):
            self._home = parent
            keep((self._board, self._stopped, self._store))
            self._board = self._stopped = self._store = None

    def _stop(self, timeout: float) -> None:
        if self._board is not None:
            self._stopped, self._board = self._board, None
        store, self._store = self._store, None
        self._watches.end()
        try:
            if self._stopped is not None:
                self._stopped.stop(timeout)
                self._stopped = None
        finally:
            main_thread.forget(self)
            self._forget_origins()
            try:
                self._providers.close()
            finally:
                if store is not None:
                    store.close()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aexit__(self, *_: object) -> None:
        """Do as `stop`, and never block the event loop; a task that is cancelled meanwhile hears of it when that is done."""
        await until_done(in_thread(self.stop, "callboard-stop", daemon=False), shielded=True)
