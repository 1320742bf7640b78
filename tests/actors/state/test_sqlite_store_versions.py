"""A store's file of an older version: migrated whole, with a copy beside it, whatever comes in between."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import Saved
from every_point import Interrupted, Interruption
from programs import PROGRAMS
from thorough import times

if TYPE_CHECKING:
    from pathlib import Path

OLD = PROGRAMS / "kept_files" / "0.1.0" / "state.db"
COUNTING = Saved(b'{"calls":3}', 4, 1)
NOTES = Saved(b'{"calls":2}', 2, 0)


@pytest.fixture
def path(tmp_path):
    return shutil.copy(OLD, tmp_path / "state.db")


def version(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def states(file: Path) -> dict[str, bytes]:
    """What is in a file of any version, read by SQLite alone."""
    with closing(sqlite3.connect(file)) as connection:
        return dict(connection.execute("SELECT plugin, state FROM state"))


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob("state.db.version-*"))


def test_a_store_of_version_1_is_migrated_and_a_copy_kept(path):
    store = SqliteStore(path)
    kept = store.load("Counting"), store.load("notes")
    store.close()

    (copy,) = copies(path)
    assert kept == (COUNTING, NOTES)
    assert (version(path), version(copy)) == (3, 1)
    assert states(copy) == states(OLD) == states(path)


def test_a_store_is_migrated_once(path):
    for _ in range(3):
        SqliteStore(path).close()

    assert len(copies(path)) == 1
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "state.db",
        "state.db.lock",
        "state.db.version-1",
    ]


def test_a_store_of_version_2_is_migrated_and_its_states_have_no_source_yet(path):
    shutil.copy(OLD.parents[1] / "0.2.0" / "state.db", path)

    store = SqliteStore(path)
    kept = store.load("counter"), store.load("notes")
    status = store.status()
    store.save("notes", NOTES._replace(source="program"))
    unowned = store.status()["unowned"]
    store.close()

    (copy,) = copies(path)
    assert kept == (COUNTING, NOTES)
    assert (version(path), version(copy)) == (3, 2)
    assert (status["inherited"], status["unowned"], unowned) == ([], ["counter", "notes"], ["counter"])


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("node:{}/tools/a", "node:./tools/a"),
        ("node:/elsewhere/a", "node:/elsewhere/a"),
        ('host:{} ["x"]', 'host:{} ["x"]'),
        ("python:a.B", "python:a.B"),
        ("program", "program"),
        (None, None),
    ],
)
def test_a_source_is_kept_by_its_way_from_the_file_and_comes_back_whole(tmp_path, source, kept):
    source, kept = (None if each is None else each.replace("{}", str(tmp_path)) for each in (source, kept))

    store = SqliteStore(tmp_path / "state.db")
    store.save("a", NOTES._replace(source=source))
    store.close()
    again = SqliteStore(tmp_path / "state.db")

    with closing(sqlite3.connect(f"file:{tmp_path}/state.db?immutable=1", uri=True)) as connection:
        assert connection.execute("SELECT source FROM state").fetchone() == (kept,)
    assert again.load("a") == NOTES._replace(source=source)
    again.close()


def test_a_state_that_is_saved_anew_is_no_longer_inherited(path):
    store = SqliteStore(path)
    before = store.status()["inherited"]
    store.save("notes", Saved(b'{"calls":3}', 3, 0))
    store.close()

    again = SqliteStore(path)
    assert before == ["Counting", "notes"]
    assert again.status()["inherited"] == ["Counting"]
    again.close()


def test_a_state_that_is_taken_over_stands_under_the_new_name_alone(path):
    store = SqliteStore(path)
    taken = store.take_over("Counting", "counter")
    store.close()

    again = SqliteStore(path)
    assert taken == COUNTING
    assert (again.load("Counting"), again.load("counter")) == (None, COUNTING)
    assert again.status()["inherited"] == ["notes"]
    again.close()


def fresh(path: Path) -> None:
    for each in path.parent.iterdir():
        each.unlink()
    shutil.copy(OLD, path)


def test_an_interrupt_at_any_line_leaves_each_state_under_one_name_and_the_file_free(path):
    place, seen = "", set()
    for line in itertools.count(0, times(4, 1)):
        fresh(path)
        store, interruption = None, Interruption(line, after_calls=False)
        with suppress(Interrupted), interruption:
            store = SqliteStore(path)
            store.take_over("Counting", "counter")
        if store is not None:
            store.close()
        if interruption.place is None:
            break
        place = interruption.place

        seen.add((version(path), *sorted(states(path))))
        assert set(states(path).values()) == {COUNTING.state, NOTES.state}, place
        assert all(states(copy) == states(OLD) for copy in copies(path)), place
        SqliteStore(path).close()
        assert version(path) == 3, place
    assert seen == {(1, "Counting", "notes"), (3, "Counting", "notes"), (3, "counter", "notes")}


KILLED = """
import os, signal, sys
from callboard.actors.state import sqlite

left = int(sys.argv[2])

def trace(frame, event, argument):
    global left
    if frame.f_code.co_filename.endswith(("sqlite.py", "sqlite_file.py", "copies.py")) and event == "line":
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return trace

sys.settrace(trace)
store = sqlite.SqliteStore(sys.argv[1])
store.take_over("Counting", "counter")
os._exit(0)
"""


def test_a_kill_at_any_moment_loses_no_state(path):
    ends = set()
    for line in range(10, 400, 30):
        fresh(path)

        ended = subprocess.run([sys.executable, "-c", KILLED, str(path), str(line)], check=False)
        store = SqliteStore(path)
        ends.add((ended.returncode, store.load("counter") is None))

        assert (store.load("counter") or store.load("Counting")) == COUNTING
        assert store.load("counter") is None or store.load("Counting") is None
        assert store.load("notes") == NOTES
        store.close()
    assert {(-9, True), (0, False)} <= ends


WITHOUT_ROOM = """
import resource, sys
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import StateStoreError

(_, most) = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, most))
try:
    SqliteStore(sys.argv[1])
except StateStoreError as error:
    print(error)
"""


def test_a_store_is_not_migrated_where_there_is_no_room_for_the_copy(path):
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, str(path)], capture_output=True, text=True, check=True
    )

    assert "cannot be opened" in ended.stdout
    assert path.read_bytes() == OLD.read_bytes()
    assert copies(path) == []
    SqliteStore(path).close()
    assert version(path) == 3


def test_a_damaged_store_of_version_1_is_set_aside_and_its_states_are_inherited_all_the_same(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE state SET checksum = 1 WHERE plugin = 'notes'")
        connection.commit()

    store = SqliteStore(path)

    assert (store.load("Counting"), store.load("notes")) == (COUNTING, None)
    assert store.status()["inherited"] == ["Counting"]
    assert [version(each) for each in path.parent.glob("state.db.broken-*")] == [1]
    store.close()
