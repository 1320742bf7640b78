"""A state store in an SQLite file: what is saved survives the death of the process.

Write-ahead logging with ``synchronous=NORMAL`` is enough for that: a commit is in the kernel's hands
when it returns, and SIGKILL takes nothing out of those. When the *machine* loses power, NORMAL keeps
the file sound but may lose the last commits; FULL does not, at the price of a wait for the disk at
each. A commit makes a small call 20 to 40 µs longer with NORMAL, 70 µs with FULL on a fast disk.

Threads that save at the same time share transactions: each notes its state and waits for its turn
at the file, and the one that has the turn writes all that is noted by then. What cannot be written stays
noted and goes along with the next transaction, so a store recovers by itself.

A file that is no sound store is set aside (see `sqlite_file`), at the start as well as later, and
one that was deleted is made anew: this process knows all that has to be in it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.forking import disown_in_child, keep, take_standard_descriptors
from ...base.locks import Lock
from ...base.threads import uninterrupted
from .lock import StoreLock, lock_of
from .sqlite_file import (
    OWN_NAMES,
    VERSIONS,
    Damaged,
    Row,
    Rows,
    holds_something_else,
    is_damage,
    is_in_use,
    kept_source,
    open_file,
    set_aside,
    whole_source,
    write,
)
from .store import StateStoreError, StateStoreForeign, StateStoreInUse

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from .store import News, Saved, Synchronous

logger: Log = Log("callboard.actors")


class SqliteStore:
    """A `StateStore`. See the module.

    Args:
        path: of the file, made if there is none; its folder has to be there. ``PATH.lock``,
            ``PATH-wal`` and files that were set aside lie beside it.
        synchronous: ``"full"`` to survive a loss of power too.

    Raises:
        StateStoreForeign: the file holds something else; it is as it was.
        StateStoreInUse: another board uses it.
        StateStoreNewer: a newer Callboard has written it; it is as it was.
        StateStoreError: the file cannot be opened, or is no store and cannot be set aside.
    """

    def __init__(self, path: str | os.PathLike[str], *, synchronous: Synchronous = "normal") -> None:
        self.path: Path = Path(path).resolve()
        self._synchronous = synchronous
        self._news: News | None = None
        self._set_aside: list[dict[str, Any]] = []
        self._notes = Lock()
        self._noted: dict[str, Row | None] = {}
        self._notes_made = 0
        self._turn = Lock()  # of the file, and all below
        self._notes_written = 0
        self._rows: Rows = {}
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._closed = False
        self._lock: StoreLock | None = None
        try:
            uninterrupted(self._begin)
        except BaseException:  # an interrupt too may leave no lock behind, and no file open
            self._end()
            raise

    def _begin(self) -> None:
        take_standard_descriptors()
        if self.path.is_dir():
            raise self._error("cannot be opened: it is a folder; name a file")
        try:
            # A store that lost its first page is known by the lock that lies beside it ever since its first start.
            if not lock_of(self.path).exists() and holds_something_else(self.path):
                raise StateStoreForeign(str(self.path))
            self._lock = StoreLock(self.path)
        except OSError as error:
            raise self._error(f"cannot be opened: {error.strerror}") from error
        self._open()
        disown_in_child(self)

    def _end(self) -> None:
        self._disconnect()
        if self._lock is not None:
            self._lock.release()

    def forked(self, parent: int) -> None:
        """In a child that was forked off it is closed; the connection is not, for that would write."""
        keep(self._connection)
        self._connection = None
        self._closed = True
        self._notes, self._turn = Lock(), Lock()

    def load(self, plugin: str) -> Saved | None:
        row = self._row(plugin)
        return None if row is None else self._whole(row.saved)

    def _whole(self, saved: Saved) -> Saved:
        return saved._replace(source=whole_source(saved.source, self.path.parent))

    def save(self, plugin: str, saved: Saved) -> None:
        kept = saved._replace(source=kept_source(saved.source, self.path.parent))
        self._change({plugin: Row(kept, VERSIONS.newest)})

    def forget(self, plugin: str) -> None:
        self._change({plugin: None})

    def inherits(self, former: str) -> bool:
        """Whether there is a state under a name that was not yet the plugin's own: its plugin may go by another name now."""
        row = self._row(former)
        return row is not None and row.written < OWN_NAMES

    def take_over(self, former: str, plugin: str) -> Saved | None:
        """Keep what is under a former name under the plugin's, in one transaction; returns it. See `inherits`.

        Raises:
            StateStoreError: it cannot be written now; it is kept with the next that can be, and returned by `load`.
        """
        row = self._row(former)
        if row is None:
            return None
        self._change({former: None, plugin: Row(row.saved, VERSIONS.newest)})
        return self._whole(row.saved)

    def _row(self, plugin: str) -> Row | None:
        with self._notes:
            if plugin in self._noted:
                return self._noted[plugin]
        return self._rows.get(plugin)

    def attach(self, news: News) -> None:
        with self._turn:
            self._news = news
            for facts in self._set_aside:
                news("state_store_set_aside", facts)

    def status(self) -> dict[str, Any]:
        return {
            "store": "sqlite",
            "path": str(self.path),
            "plugins": len(self._rows),
            "unsaved": len(self._noted),
            "inherited": sorted(filter(self.inherits, tuple(self._rows))),
            "unowned": sorted(name for name, row in tuple(self._rows.items()) if row.saved.source is None),
            "set_aside": list(self._set_aside),
        }

    def close(self) -> None:
        """See `StateStore`. What could not be written so far is tried once more."""
        uninterrupted(self._close)

    def _close(self) -> None:
        with self._turn:
            if not self._closed:
                try:
                    self._write_noted()
                except StateStoreError as error:
                    logger.error("states of %s are lost: %s", ", ".join(self._noted), error)  # noqa: TRY400 - the error says it all
                self._closed = True
            self._end()  # also if an interrupt came before it the first time

    def _change(self, changes: Mapping[str, Row | None]) -> None:
        with self._notes:
            self._noted.update(changes)
            self._notes_made += 1
            note = self._notes_made
        with self._turn:
            if self._notes_written < note:  # else another thread has written it along with its own
                self._write_noted()

    def _write_noted(self) -> None:
        """Write all that is noted; what cannot be written stays noted."""
        with self._notes:
            changes, last = dict(self._noted), self._notes_made
        if changes:
            self._write(changes)
        with self._notes:
            for plugin, row in changes.items():
                if self._noted[plugin] is not row:
                    continue
                del self._noted[plugin]
        self._notes_written = last

    def _write(self, changes: dict[str, Row | None]) -> None:
        if self._closed:
            raise self._error("has been closed")
        try:
            if self._connection is None or not self._is_in_place():
                uninterrupted(self._renew)
            assert self._connection is not None
            try:
                write(self._connection, changes.items())
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
                uninterrupted(self._renew)
                write(self._connection, changes.items())
        except (sqlite3.Error, OSError) as error:
            raise self._error(f"cannot be written: {error}") from error
        for plugin, row in changes.items():
            if row is None:
                self._rows.pop(plugin, None)
            else:
                self._rows[plugin] = row

    def _is_in_place(self) -> bool:
        """Whether the file still lies where it was opened; SQLite would write into one that is gone."""
        try:
            return self.path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def _renew(self) -> None:
        """Open the file again, or make a new one; this process knows best what has to be in it."""
        rows = self._rows
        self._disconnect()
        self._open()
        assert self._connection is not None
        write(self._connection, rows.items())
        self._rows = rows

    def _open(self) -> None:
        try:
            try:
                self._connection, self._rows = open_file(self.path, self._synchronous)
            except Damaged as damage:
                aside = set_aside(self.path)
                self._connection, self._rows = open_file(self.path, self._synchronous)
                write(self._connection, damage.rows.items())
                self._rows = damage.rows
                self._tell_set_aside(aside, damage)
            self._inode = self.path.stat().st_ino
        except (sqlite3.Error, OSError, Damaged) as error:
            self._disconnect()
            if is_in_use(error):
                raise StateStoreInUse(str(self.path), None) from error
            raise self._error(f"cannot be opened: {error}") from error

    def _tell_set_aside(self, aside: Path, damage: Damaged) -> None:
        read = (
            f"with the {len(damage.rows)} states that could be read"
            if damage.rows
            else "empty: no state in it could be read"
        )
        logger.error(
            "the state store %s was not sound (%s): it was renamed to %s, and a new one begins %s",
            self.path,
            damage,
            aside,
            read,
        )
        facts = {
            "path": str(self.path),
            "aside": str(aside),
            "why": str(damage),
            "plugins": sorted(damage.rows),
        }
        self._set_aside.append(facts)
        if self._news is not None:
            self._news("state_store_set_aside", facts)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()  # before it is forgotten: an interrupt may come in between
            self._connection = None

    def _error(self, what: str) -> StateStoreError:
        return StateStoreError(f"the state store {self.path} {what}", store=str(self.path))
