"""The file of an SQLite store: opened and checked whole, or set aside with what could still be read.

A file is sound if it is an SQLite database with our marks and our table, passes SQLite's own check,
and every row is what was written: a checksum in each row says so. Anything else is `Damaged`, which
carries the sound rows. A file with a newer version of our table is not read and not moved: `StateStoreNewer`. A *sound* file that
cannot be opened (no such folder, no permission, locked by another process) is not damaged and stays: `sqlite3.Error` is raised.

An older version of our table is migrated in one transaction, after a copy of the file was put beside it. Since version 2 a row says
under which version it was written: what version 1 kept under a name may be the state of a plugin that goes by another name now. Since
version 3 it says for which source's plugin it is kept; a checksum covers that too.

The file is locked for as long as it is open (``locking_mode=EXCLUSIVE``). That saves the shared
memory beside it and half the time of a commit, and no reader can come and make a commit wait.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.files.copies import keep_copy
from ...base.files.private_files import make_private_file
from ...base.files.versions import NewerVersion, Versions
from .store import Saved, StateStoreError, read_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


class StateStoreNewer(StateStoreError, NewerVersion):
    """A store's file was written by a newer Callboard; see `NewerVersion`."""

    def __init__(self, message: str, *, file: Path, found: int, newest: int) -> None:
        NewerVersion.__init__(self, message, file=file, found=found, newest=newest)
        self.store: str = str(file)


class Row(NamedTuple):
    """What a store keeps of one plugin.

    Attributes:
        saved: its state.
        written: the version of the table under which the row was written last.
    """

    saved: Saved
    written: int


Rows = dict[str, Row]

APPLICATION_ID: Final = 0x43424453


def kept_source(source: str | None, folder: Path) -> str | None:
    """A source as the file has it: what lies below the file's folder by its way from there, so that both may be moved."""
    kind, _, where = (source or "").partition(":")
    inside = f"{folder}{os.sep}"
    return f"{kind}:./{where.removeprefix(inside)}" if where.startswith(inside) else source


def whole_source(kept: str | None, folder: Path) -> str | None:
    """The source of which `kept_source` made this."""
    kind, _, where = (kept or "").partition(":")
    return f"{kind}:{folder}{os.sep}{where.removeprefix('./')}" if where.startswith("./") else kept


def _note_version(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Version 2: each row says under which version it was written."""
    connection.execute("ALTER TABLE state ADD COLUMN written INTEGER NOT NULL DEFAULT 1")
    return connection


def _note_source(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Version 3: each row says for which source's plugin it is kept."""
    connection.execute("ALTER TABLE state ADD COLUMN source TEXT")
    return connection


VERSIONS: Final = Versions("the state store", 3, (_note_version, _note_source), StateStoreNewer)
"""Of the table. A step changes it within the transaction that it is called in."""

OWN_NAMES: Final = 2
"""The version from which on a row stands under its plugin's own name. Before, a plugin in a host was called by its class."""

_READ: Final = {
    1: "SELECT plugin, version, generation, state, checksum, 1, NULL FROM state ORDER BY rowid",
    2: "SELECT plugin, version, generation, state, checksum, written, NULL FROM state ORDER BY rowid",
    3: "SELECT plugin, version, generation, state, checksum, written, source FROM state ORDER BY rowid",
}
"""By the version of the table: an old file is read before it is migrated, so that none that is broken is."""

_TABLE: Final = (
    "CREATE TABLE state (plugin TEXT PRIMARY KEY, version INTEGER NOT NULL, "
    "generation INTEGER NOT NULL, state BLOB NOT NULL, checksum INTEGER NOT NULL, written INTEGER NOT NULL DEFAULT 1, source TEXT)"
)
_SAVE: Final = (
    "INSERT INTO state (plugin, version, generation, state, checksum, written, source) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (plugin) DO UPDATE SET "
    "version = excluded.version, generation = excluded.generation, state = excluded.state, "
    "checksum = excluded.checksum, written = excluded.written, source = excluded.source"
)
_FORGET: Final = "DELETE FROM state WHERE plugin = ?"
_SQLITE: Final = b"SQLite format 3\0"
_MARK_AT: Final = 68  # where the header of a database has its application id
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


def is_in_use(error: BaseException) -> bool:
    """Whether another connection holds the file: by a hard link it has another name, and so another lock beside it."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_BUSY


def holds_something_else(path: Path) -> bool:
    """Whether a file that has content was written by another program: it is no database, or a database without our mark. Nothing is changed.

    Raises:
        OSError: the file cannot be read.
    """
    if not path.is_file():  # nothing is there, or what SQLite will refuse
        return False
    with path.open("rb") as file:
        head = file.read(_MARK_AT + 4)
    if not head.startswith(_SQLITE):
        return head != b""
    if head[_MARK_AT:] == APPLICATION_ID.to_bytes(4, "big"):
        return False
    try:  # "immutable": neither a lock is taken nor a journal rolled back
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
    except sqlite3.DatabaseError:
        return True


def open_file(path: Path, synchronous: str) -> tuple[sqlite3.Connection, Rows]:
    """Open a store's file, a new one if there is none; returns what is in it too. An older version is migrated.

    Raises:
        StateStoreNewer: a newer Callboard has written it; it is as it was.
        Damaged: it has to be set aside.
        sqlite3.Error: it cannot be opened, or not be migrated; it is as it was.
        OSError: the copy of an older version cannot be written.
    """
    make_private_file(path)  # SQLite gives the files beside it the same mode
    connection = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
    try:
        rows = _checked(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        return connection, rows  # noqa: TRY300 - an interrupt may come here too
    except BaseException as error:  # an interrupt too may leave no file open
        connection.close()
        # SQLite's message about a broken schema may quote it, and then be no text itself.
        if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.Error) and is_damage(error)):
            raise Damaged(str(error), {}) from error
        raise


def write(connection: sqlite3.Connection, changes: Collection[tuple[str, Row | None]]) -> None:
    """Save and forget (``None``), all or nothing.

    Raises:
        sqlite3.Error: nothing of it was done.
    """
    # One is a transaction by itself: each further statement would wait for the interpreter once more.
    if len(changes) == 1:
        _write(connection, changes)
        return
    with _transaction(connection):
        _write(connection, changes)


def _write(connection: sqlite3.Connection, changes: Iterable[tuple[str, Row | None]]) -> None:
    for plugin, row in changes:
        if row is None:
            connection.execute(_FORGET, (plugin,))
        else:
            saved = row.saved
            values = (plugin, saved.version, saved.generation, saved.state, _sum(saved), row.written)
            connection.execute(_SAVE, (*values, saved.source))


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
        found = VERSIONS.require(marks[1], path)
    except ValueError as error:
        raise Damaged(str(error), {}) from None
    rows, problems = _read(connection, _READ[found])
    problems += _found_by_sqlite(connection)
    if problems:
        raise Damaged("; ".join(problems[:3]), rows)
    if found < VERSIONS.newest:
        keep_copy(path, found, partial(_back_up, connection))
        _migrate(connection, found)
    return rows


def _back_up(connection: sqlite3.Connection, copy: Path) -> None:
    """By SQLite, which knows what is in the log beside the file."""
    with closing(sqlite3.connect(copy)) as target:
        connection.backup(target)


def _migrate(connection: sqlite3.Connection, found: int) -> None:
    with _transaction(connection):
        VERSIONS.migrated(connection, found)
        connection.execute(f"PRAGMA user_version = {VERSIONS.newest}")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:  # an interrupt too may leave no half of it
        with suppress(sqlite3.Error):  # the first error is the one to tell; SQLite may have rolled back
            connection.execute("ROLLBACK")
        raise


def _read(connection: sqlite3.Connection, query: str) -> tuple[Rows, list[str]]:
    """The sound rows, and what is wrong with the others."""
    rows: Rows = {}
    problems: list[str] = []
    connection.text_factory = bytes  # a name that is no UTF-8 must not end the reading
    # From both ends: a torn page ends the reading, and what lies behind it may be sound.
    for order in ("ASC", "DESC"):
        try:
            for row in connection.execute(f"{query} {order}"):
                try:
                    plugin, kept = _sound(row)
                    rows[plugin] = kept
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


def _sound(columns: tuple[Any, ...]) -> tuple[str, Row]:
    plugin, version, generation, state, checksum, written, source = columns
    kinds = tuple(map(type, (plugin, version, generation, state, written)))
    if kinds != (bytes, int, int, bytes, int) or not isinstance(source, bytes | None):
        raise ValueError("its columns are of the wrong kinds")
    saved = Saved(state, version, generation, None if source is None else source.decode())
    if _sum(saved) != checksum:
        raise ValueError("its checksum is wrong")
    read_state(state)
    return plugin.decode(), Row(saved, written)


def _found_by_sqlite(connection: sqlite3.Connection) -> list[str]:
    try:
        found = [str(problem) for (problem,) in connection.execute("PRAGMA quick_check(3)")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def _sum(saved: Saved) -> int:
    found = zlib.crc32(saved.state, zlib.crc32(b"%d %d" % (saved.version, saved.generation)))
    return found if saved.source is None else zlib.crc32(saved.source.encode(), found)
