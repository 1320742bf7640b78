"""The file of an SQLite store: opened and checked whole, or set aside with what could still be read.

A file is sound if it is an SQLite database with our marks and our table, passes SQLite's own check,
and every row is what was written: a checksum in each row says so. Anything else is `Damaged`, which
carries the sound rows. A file with a newer version of our table is not read and not moved: `StateStoreNewer`. That a *sound* file cannot be opened (no such folder, no permission, somebody
else has it locked) is not damage and must not move the file: it comes out as `sqlite3.Error`.

The file is locked for as long as it is open (``locking_mode=EXCLUSIVE``). That saves the shared
memory beside it and half the time of a commit, and no reader can come and make a commit wait.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.files.versions import Versions
from ...base.private_files import make_private_file
from .store import Saved, StateStoreNewer, read_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Rows = dict[str, Saved]

APPLICATION_ID: Final = 0x43424453
VERSIONS: Final[Versions[sqlite3.Connection]] = Versions("the state store", 1, newer=StateStoreNewer)
"""Of the table. A step changes it within the transaction that it is called in."""

_READ: Final = "SELECT plugin, version, generation, state, checksum FROM state ORDER BY rowid"
_TABLE: Final = (
    "CREATE TABLE state (plugin TEXT PRIMARY KEY, version INTEGER NOT NULL, "
    "generation INTEGER NOT NULL, state BLOB NOT NULL, checksum INTEGER NOT NULL)"
)
_SAVE: Final = (
    "INSERT INTO state (plugin, version, generation, state, checksum) VALUES (?, ?, ?, ?, ?) ON CONFLICT (plugin) DO UPDATE SET "
    "version = excluded.version, generation = excluded.generation, state = excluded.state, "
    "checksum = excluded.checksum"
)
_FORGET: Final = "DELETE FROM state WHERE plugin = ?"
_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Damaged(Exception):
    """The file is no sound store.

    Attributes:
        rows: those of its rows that are sound.
    """

    def __init__(self, why: str, rows: Rows) -> None:
        super().__init__(why)
        self.rows = rows


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than what is around it."""
    code = getattr(error, "sqlite_errorcode", None)  # extended: the kind is in the last byte
    return code is not None and code & 0xFF in _DAMAGE


def open_file(path: Path, synchronous: str) -> tuple[sqlite3.Connection, Rows]:
    """Open a store's file, a new one if there is none; returns what is in it too.

    Raises:
        StateStoreNewer: a newer Callboard has written it; it is as it was.
        Damaged: it has to be set aside.
        sqlite3.Error: it cannot be opened.
    """
    make_private_file(path)  # SQLite gives the files beside it the same mode
    connection = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    try:
        rows = _checked(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
    except BaseException as error:  # an interrupt too may leave no file open
        connection.close()
        # SQLite's message about a broken schema may quote it, and then be no text itself.
        if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.Error) and is_damage(error)):
            raise Damaged(str(error), {}) from error
        raise
    return connection, rows


def write(connection: sqlite3.Connection, changes: Collection[tuple[str, Saved | None]]) -> None:
    """Save and forget (``None``), all or nothing.

    Raises:
        sqlite3.Error: nothing of it was done.
    """
    # One is a transaction by itself: each further statement would wait for the interpreter once more.
    if len(changes) == 1:
        _write(connection, changes)
        return
    try:
        connection.execute("BEGIN IMMEDIATE")
        _write(connection, changes)
        connection.execute("COMMIT")
    except sqlite3.Error:
        with suppress(sqlite3.Error):  # the first error is the one to tell; SQLite may have rolled back
            connection.execute("ROLLBACK")
        raise


def _write(connection: sqlite3.Connection, changes: Iterable[tuple[str, Saved | None]]) -> None:
    for plugin, saved in changes:
        if saved is None:
            connection.execute(_FORGET, (plugin,))
        else:
            connection.execute(_SAVE, (plugin, saved.version, saved.generation, saved.state, _sum(saved)))


def set_aside(path: Path) -> Path:
    """Rename a closed store's file, and what SQLite has beside it; returns the new name.

    Raises:
        OSError: that cannot be done.
    """
    stamp = f"{path.name}.broken-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    aside, number = path.with_name(stamp), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stamp}-{number}")
    path.rename(aside)
    for ending in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    return aside


def _checked(connection: sqlite3.Connection, path: Path) -> Rows:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    (marks,) = connection.execute(
        "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
    )
    if marks == (0, 0) and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSIONS.newest}")
        connection.execute("COMMIT")
        return {}
    if marks[0] != APPLICATION_ID:
        raise Damaged(f"it is a database of something else (marks {marks})", {})
    try:
        VERSIONS.require(marks[1], path)
    except ValueError as error:
        raise Damaged(str(error), {}) from None
    rows, problems = _read(connection)
    problems += _found_by_sqlite(connection)
    if problems:
        raise Damaged("; ".join(problems[:3]), rows)
    return rows


def _read(connection: sqlite3.Connection) -> tuple[Rows, list[str]]:
    """The sound rows, and what is wrong with the others."""
    rows: Rows = {}
    problems: list[str] = []
    connection.text_factory = bytes  # a name that is no UTF-8 must not end the reading
    # From both ends: a torn page ends the reading, and what lies behind it may be sound.
    for order in ("ASC", "DESC"):
        try:
            for row in connection.execute(f"{_READ} {order}"):
                try:
                    plugin, saved = _sound(*row)
                    rows[plugin] = saved
                except ValueError as error:
                    problems.append(f"row {row[0]!r:.80}: {error}")
        except sqlite3.DatabaseError as error:
            if not is_damage(error) and not isinstance(error, sqlite3.OperationalError):
                raise
            problems.append(str(error))
        if not problems:
            break
    connection.text_factory = str
    return rows, problems


def _sound(plugin: Any, version: Any, generation: Any, state: Any, checksum: Any) -> tuple[str, Saved]:
    saved = Saved(state, version, generation)
    kinds = tuple(map(type, (plugin, version, generation, state)))
    if kinds != (bytes, int, int, bytes):
        raise ValueError("its columns are of the wrong kinds")
    if _sum(saved) != checksum:
        raise ValueError("its checksum is wrong")
    read_state(state)
    return plugin.decode(), saved


def _found_by_sqlite(connection: sqlite3.Connection) -> list[str]:
    try:
        found = [str(problem) for (problem,) in connection.execute("PRAGMA quick_check(3)")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def _sum(saved: Saved) -> int:
    return zlib.crc32(saved.state, zlib.crc32(b"%d %d" % (saved.version, saved.generation)))
