"""A store's file that is broken, gone, in use or out of reach."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import Saved, StateStoreError, StateStoreForeign, StateStoreInUse

NEWS: list = []


def saved(number: int) -> Saved:
    return Saved(b'{"count":%d,"pad":"%s"}' % (number, b"x" * 300), number, 1)


def large(number: int) -> Saved:
    return Saved(b'{"count":%d,"pad":"%s"}' % (number, b"x" * 1_000_000), number, 1)


def filled(path, plugins=20, version=7):
    """A sound store with some plugins, closed."""
    store = SqliteStore(path)
    for number in range(plugins):
        store.save(f"p{number}", saved(version))
    store.close()
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.db"


def opened(path):
    """A store, and the news that it had at the start."""
    store, news = SqliteStore(path), []
    store.attach(lambda kind, facts: news.append((kind, facts)))
    return store, news


def tables(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
    connection.commit()
    connection.close()


BREAKS = {
    "not a database": lambda path: path.write_bytes(b"once upon a time " * 1000),
    "cut in the middle": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zeros all over": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "another program's tables": lambda path: (path.unlink(), tables(path, "CREATE TABLE state (x)")),
    "our marks without our table": lambda path: tables(path, "DROP TABLE state"),
    "our marks with another table": lambda path: tables(
        path, "DROP TABLE state", "CREATE TABLE state (plugin)"
    ),
    "a version that there never was": lambda path: tables(path, "PRAGMA user_version = 0"),
}


@pytest.mark.parametrize("way", BREAKS)
def test_a_store_that_is_broken_is_set_aside_and_told(path, way):
    BREAKS[way](filled(path))
    broken = path.read_bytes()

    store, news = opened(path)
    store.save("new", saved(1))
    store.close()

    ((kind, facts),) = news
    assert kind == "state_store_set_aside"
    assert facts["path"] == str(path)
    assert Path(facts["aside"]).read_bytes() == broken
    assert facts["why"]
    again, nothing = opened(path)
    assert again.load("new") == saved(1)
    assert nothing == []
    again.close()


OF_OTHERS = {
    "a configuration": lambda path: path.write_text('{"plugins": []}'),
    "a file of bytes": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "a database without a mark": lambda path: tables(path, "CREATE TABLE bookmarks (url)"),
    "a database with another mark": lambda path: tables(
        path, "CREATE TABLE bookmarks (url)", "PRAGMA application_id = 7"
    ),
    "a damaged database": lambda path: (
        tables(path, "CREATE TABLE bookmarks (url)"),
        path.write_bytes(path.read_bytes()[:100]),
    ),
}


@pytest.mark.parametrize("other", OF_OTHERS)
def test_a_file_that_never_was_a_store_is_refused_and_touched_by_nothing(path, other):
    OF_OTHERS[other](path)
    before = path.read_bytes(), path.stat().st_mtime_ns

    with pytest.raises(StateStoreForeign) as refused:
        SqliteStore(path)

    assert refused.value.store == str(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(path.parent.iterdir()) == [path]


def test_an_empty_file_and_a_database_with_nothing_in_it_become_stores(path):
    for make in (path.touch, lambda: tables(path, "CREATE TABLE t (x)", "DROP TABLE t")):
        make()
        store, news = opened(path)
        store.close()
        assert news == []
        path.unlink()
        path.with_name("state.db.lock").unlink()


ROWS = {
    "a state that is no JSON": ("UPDATE state SET state = ? WHERE plugin = 'p3'", (b"{",)),
    "a state that is another one": ("UPDATE state SET state = ? WHERE plugin = 'p3'", (b'{"count":1}',)),
    "a state that is a number": ("UPDATE state SET state = 7 WHERE plugin = 'p3'",),
    "a version that is text": ("UPDATE state SET version = 'seven' WHERE plugin = 'p3'",),
    "another version": ("UPDATE state SET version = 8 WHERE plugin = 'p3'",),
    "no name": ("UPDATE state SET plugin = NULL WHERE plugin = 'p3'",),
    "a name that is no UTF-8": ("UPDATE state SET plugin = CAST(x'ff' AS TEXT) WHERE plugin = 'p3'",),
}


@pytest.mark.parametrize("row", ROWS)
def test_of_a_file_with_an_unsound_row_all_others_are_saved(path, row):
    tables(filled(path), ROWS[row])

    store, news = opened(path)

    assert store.load("p3") is None
    assert [store.load(f"p{number}") for number in range(20) if number != 3] == [saved(7)] * 19
    assert [len(facts["plugins"]) for _, facts in news] == [19]
    assert store.status()["set_aside"] == [facts for _, facts in news]
    store.close()


def test_of_a_file_with_torn_pages_nothing_is_taken_that_was_not_written(path):
    outcomes = set()
    for seed in range(60):
        path.unlink(missing_ok=True)
        filled(path)
        content, random = bytearray(path.read_bytes()), Random(seed)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(content))
            length = random.choice([1, 16, 512, 4096])
            content[at : at + length] = random.randbytes(len(content[at : at + length]))
        path.write_bytes(content)

        store, news = opened(path)
        found = {plugin: store.load(plugin) for plugin in (f"p{number}" for number in range(20))}
        store.close()

        assert set(found.values()) <= {saved(7), None}
        assert news or None not in found.values()
        outcomes.add((bool(news), None in found.values()))
    assert (True, True) in outcomes


def test_files_that_are_set_aside_in_the_same_second_do_not_replace_each_other(path):
    for _ in range(3):
        filled(path, plugins=1).write_bytes(b"no store")
        opened(path)[0].close()

    assert len(list(path.parent.glob("state.db.broken-*"))) == 3


def test_a_file_that_breaks_under_the_program_is_set_aside_and_made_anew(path):
    store, news = opened(path)
    for version in (1, 2):
        for number in range(10):
            store.save(f"p{number}", large(version))
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(path.stat().st_size - 8192))

    for number in range(5):
        store.save(f"p{number}", large(3))
    store.close()

    assert [kind for kind, _ in news] == ["state_store_set_aside"]
    again, nothing = opened(path)
    found = [again.load(f"p{number}") for number in range(10)]
    assert found == [large(3)] * 5 + [large(2)] * 5
    assert nothing == []
    again.close()


def test_a_file_that_is_taken_away_is_made_anew_with_all_that_was_in_it(path):
    store, news = opened(path)
    store.save("a", saved(1))
    store.save("b", saved(2))
    path.rename(path.with_name("elsewhere"))

    store.save("a", saved(3))
    store.close()

    again, _ = opened(path)
    assert (again.load("a"), again.load("b")) == (saved(3), saved(2))
    assert news == []
    again.close()


def test_what_cannot_be_written_goes_along_with_the_next_that_can(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    store = SqliteStore(folder / "state.db")
    store.save("a", saved(1))
    folder.rename(tmp_path / "away")

    with pytest.raises(StateStoreError, match=r"state\.db cannot be (opened|written)") as refused:
        store.save("a", saved(2))
    unsaved = store.status()["unsaved"]
    (tmp_path / "away").rename(folder)
    store.save("b", saved(1))
    store.close()

    assert refused.value.store == str(folder / "state.db")
    assert unsaved == 1
    again = SqliteStore(folder / "state.db")
    assert (again.load("a"), again.load("b")) == (saved(2), saved(1))
    again.close()


def test_closing_tries_once_more_to_write_what_could_not_be(tmp_path, caplog):
    folder = tmp_path / "folder"
    folder.mkdir()
    store = SqliteStore(folder / "state.db")
    folder.rename(tmp_path / "away")
    with pytest.raises(StateStoreError):
        store.save("a", saved(1))

    store.close()

    assert "states of a are lost" in caplog.text


def test_two_boards_of_one_process_cannot_share_a_store(path):
    store = SqliteStore(path)

    with pytest.raises(StateStoreInUse, match=f"in use by process {os.getpid()}; stop that first"):
        SqliteStore(path)

    store.close()
    SqliteStore(path).close()


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_store_is_the_same_by_whatever_name_it_is_called(path, link):
    store = SqliteStore(path)
    link(path.with_name("link.db"), path)

    with pytest.raises(StateStoreInUse):
        SqliteStore(path.with_name("link.db"))

    store.close()


HOLDER = """
import sys
from callboard.actors.state.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_two_programs_cannot_share_a_store_and_a_dead_one_holds_none(path):
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"

        with pytest.raises(StateStoreInUse) as refused:
            SqliteStore(path)
        holder.kill()

    assert refused.value.pid == holder.pid
    SqliteStore(path).close()


def test_a_store_that_another_program_reads_is_not_set_aside(path):
    filled(path)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM state").fetchall()

    with pytest.raises(StateStoreInUse, match="by another program"):
        SqliteStore(path)

    reader.close()
    store, news = opened(path)
    assert (store.load("p1"), news) == (saved(7), [])
    store.close()


def test_a_store_in_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(
        StateStoreError, match=r"nowhere/state\.db cannot be opened: No such file or directory"
    ):
        SqliteStore(tmp_path / "nowhere" / "state.db")


def test_a_store_that_is_a_folder_is_an_error_and_leaves_it_alone(tmp_path):
    with pytest.raises(StateStoreError, match="cannot be opened"):
        SqliteStore(tmp_path)

    assert tmp_path.is_dir()


SHORT_OF_DISK = """
import resource, sys
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import Saved, StateStoreError

def saved(number):
    return Saved(b'{"count":%d,"pad":"%s"}' % (number, b"x" * 300), number, 1)

store = SqliteStore(sys.argv[1])
store.save("a", saved(1))
(_, most) = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
refused = []
for number in range(2, 200):
    try:
        store.save("a", saved(number))
    except StateStoreError as error:
        refused.append(str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
store.save("b", saved(1))
assert refused, "the disk was never full"
assert "cannot be written" in refused[0], refused[0]
assert store.status()["unsaved"] == 0
"""


def test_a_store_without_room_on_the_disk_refuses_and_recovers_when_there_is_some(path):
    ended = subprocess.run(
        [sys.executable, "-c", SHORT_OF_DISK, str(path)], capture_output=True, text=True, check=False
    )

    assert ended.stderr == ""
    store, news = opened(path)
    assert (store.load("a"), store.load("b"), news) == (saved(199), saved(1), [])
    store.close()
