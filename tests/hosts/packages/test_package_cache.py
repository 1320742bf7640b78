"""The cache: an entry is there whole or not at all, whoever dies; it is made once, whoever asks; what is used stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from callboard.hosts.packages.cache import PackageCache, key_of, remove
from callboard.hosts.packages.lock import Hold
from callboard.hosts.packages.package_errors import PackageError
from leaks import wait_until
from node_packages import contents, write

if TYPE_CHECKING:
    from pathlib import Path

KEY = key_of("a package", "1")


@pytest.fixture
def cache(tmp_path):
    return PackageCache(tmp_path / "cache")


def work(tree: Path):
    write(tree, {"a.txt": "a", "deep/b.txt": "b"})
    return {"name": "a package"}


MADE = {"a.txt": b"a", "deep/b.txt": b"b"}


def making(cache):
    return sorted(path.name for path in (cache.root / "v1" / "making").iterdir())


def test_what_was_made_is_found(cache):
    assert cache.find("packages", KEY) is None

    made = cache.make("packages", KEY, work)
    found = cache.find("packages", KEY)

    assert contents(made.tree) == MADE
    assert found is not None
    assert (found.tree, found.record) == (made.tree, {"name": "a package"})
    assert making(cache) == []


def test_what_is_there_is_not_made_again(cache):
    cache.make("packages", KEY, work)

    def never(tree):
        raise AssertionError("it is there")

    assert contents(cache.make("packages", KEY, never).tree) == MADE


def test_a_work_that_fails_leaves_nothing(cache):
    def fails(tree):
        work(tree)
        raise PackageError("no", plugin="x")

    with pytest.raises(PackageError, match=r"^no$"):
        cache.make("packages", KEY, fails)

    assert cache.find("packages", KEY) is None
    assert making(cache) == []
    assert contents(cache.make("packages", KEY, work).tree) == MADE


@pytest.mark.parametrize("damage", ["record.json", "in-use", "tree"])
def test_what_somebody_has_damaged_is_made_again(cache, damage):
    place = cache.make("packages", KEY, work).tree.parent
    remove(place / damage)

    assert cache.find("packages", KEY) is None
    assert contents(cache.make("packages", KEY, work).tree) == MADE


def test_a_record_that_is_no_json_is_made_again(cache):
    place = cache.make("packages", KEY, work).tree.parent
    (place / "record.json").write_text("{")

    assert cache.find("packages", KEY) is None
    assert cache.make("packages", KEY, work).record == {"name": "a package"}


def test_what_its_user_does_not_accept_is_made_again(cache):
    (cache.make("packages", KEY, work).tree / "a.txt").unlink()

    again = cache.make("packages", KEY, work, lambda entry: (entry.tree / "a.txt").is_file())

    assert contents(again.tree) == MADE


def test_many_threads_that_ask_at_once_have_it_made_once(cache):
    times, all_ask = [], threading.Barrier(8)

    def counted(tree):
        times.append(1)
        return work(tree)

    def ask():
        all_ask.wait()
        cache.make("packages", KEY, counted)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert times == [1]


def test_what_is_in_use_is_not_cleaned(cache):
    made = cache.make("packages", KEY, work)
    ((_, key, place),) = cache.entries()

    assert cache.in_use(key, place)
    assert not cache.clean(key, place)
    assert contents(made.tree) == MADE

    del made
    assert not cache.in_use(key, place)
    assert cache.clean(key, place)
    assert list(cache.entries()) == []
    assert making(cache) == []


def test_what_is_open_or_cannot_be_moved_is_not_cleaned_where_what_is_open_stays(cache, monkeypatch):
    made = cache.make("packages", KEY, work)
    ((_, _, place),) = cache.entries()
    while_held = cache.clean_closed(place)
    del made

    def cannot(*_):
        raise PermissionError("somebody has just opened something in it")

    with monkeypatch.context() as patch:
        patch.setattr(type(place), "rename", cannot)
        while_opened = cache.clean_closed(place)

    assert (while_held, while_opened, place.exists()) == (False, False, True)
    assert cache.clean_closed(place)
    assert not place.exists()


def test_what_another_process_uses_is_not_cleaned(cache):
    place = cache.make("packages", KEY, work).tree.parent
    program = (
        "import sys; from pathlib import Path; from callboard.hosts.packages.lock import Hold; "
        "hold = Hold(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    user = subprocess.Popen(
        [sys.executable, "-c", program, str(place / "in-use")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with user:
        assert user.stdout.readline() == "held\n"

        assert not cache.clean(KEY, place)

        user.kill()
    assert cache.clean(KEY, place)


def test_what_is_just_cleaned_cannot_be_taken_into_use(cache, tmp_path):
    file = tmp_path / "in-use"
    with pytest.raises(FileNotFoundError):
        Hold(file)
    file.touch()
    Hold(file)


def test_files_that_cannot_be_written_can_be_cleaned_all_the_same(cache):
    def locked(tree):
        work(tree)
        (tree / "deep" / "b.txt").chmod(0o400)
        (tree / "deep").chmod(0o500)
        return {}

    place = cache.make("packages", KEY, locked).tree.parent

    assert cache.clean(KEY, place)
    assert not place.exists()


def test_a_cache_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = PackageCache(tmp_path / "file" / "cache")

    with pytest.raises(
        PackageError, match=r"the plugin cache .* cannot be written \(Not a directory\); .*'plugin_cache_dir'"
    ):
        cache.make("packages", KEY, work)


def test_notes_are_kept_whole(cache):
    cache.keep_note("refs", lambda note: {**note, "a": 1})
    cache.keep_note("refs", lambda note: {**note, "b": 2})

    assert cache.note("refs") == {"a": 1, "b": 2}
    assert cache.note("other") == {}
    cache.clean_rest()
    assert cache.note("refs") == {}


EVERY_STEP = """
import json, os, signal, sys
from pathlib import Path
from callboard.hosts.packages.cache import PackageCache, key_of

KEY = key_of("a package", "1")
WRITES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "open", "os.chmod", "os.utime", "fcntl.flock", "tempfile.mkdtemp")

def work(tree):
    (tree / "deep").mkdir()
    (tree / "a.txt").write_text("a")
    (tree / "deep" / "b.txt").write_text("b")
    return {"name": "a package"}

def dying_at(step):
    seen = 0
    def hook(event, arguments):
        nonlocal seen
        if event in WRITES:
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
    return hook

root = Path(sys.argv[1])
damaged = "damaged" in sys.argv
for step in range(1, 1000):
    cache = PackageCache(root / str(step))
    if damaged:
        (cache.make("packages", KEY, work).tree.parent / "in-use").unlink()
    pid = os.fork()
    if pid == 0:
        sys.addaudithook(dying_at(step))
        cache.make("packages", KEY, work)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    found = cache.find("packages", KEY)
    whole = None if found is None else sorted(path.name for path in found.tree.rglob("*"))
    again = cache.make("packages", KEY, work)
    print(json.dumps({
        "step": step,
        "killed": os.WIFSIGNALED(status),
        "found": whole,
        "again": sorted(path.name for path in again.tree.rglob("*")),
    }))
    cache.make("packages", key_of("another"), work)
    left = list((cache.root / "v1" / "making").iterdir())
    assert left == [], left
    if not os.WIFSIGNALED(status):
        break
"""


@pytest.mark.parametrize("before", ["empty", "damaged"])
def test_a_maker_that_is_killed_at_any_step_leaves_all_or_nothing_and_the_next_one_repairs(tmp_path, before):
    ended = subprocess.run(
        [sys.executable, "-c", EVERY_STEP, str(tmp_path), before], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    steps = [json.loads(line) for line in ended.stdout.splitlines()]

    whole = ["a.txt", "b.txt", "deep"]
    assert [step["killed"] for step in steps] == [True] * (len(steps) - 1) + [False]
    assert len(steps) > 15
    assert {json.dumps(step["found"]) for step in steps} == {"null", json.dumps(whole)}
    assert [step["again"] for step in steps] == [whole] * len(steps)


def test_what_a_dead_maker_left_is_cleared_away_by_the_next_who_makes_anything(cache):
    cache.make("packages", KEY, work)
    (cache.root / "v1" / "making" / f"{key_of('dead')}-x" / "tree").mkdir(parents=True)

    cache.make("packages", key_of("another"), work)

    wait_until(lambda: making(cache) == [])


def test_what_a_living_maker_makes_is_left_alone(cache):
    begun, go_on = threading.Event(), threading.Event()

    def slowly(tree):
        begun.set()
        assert go_on.wait(20)
        return work(tree)

    maker = threading.Thread(target=cache.make, args=("packages", KEY, slowly))
    maker.start()
    assert begun.wait(20)
    cache.clean_rest()
    go_on.set()
    maker.join()

    assert contents(cache.find("packages", KEY).tree) == MADE


def test_a_folder_for_a_moment_is_empty_and_gone_at_its_end(cache):
    with cache.scratch("name") as folder:
        (folder / "file").touch()
    with cache.scratch("name") as again:
        assert list(again.iterdir()) == []

    assert list(folder.parent.iterdir()) == []


def test_what_is_left_of_a_moment_is_cleaned_unless_it_lasts(cache):
    (cache.root / "v1" / "scratch" / "dead").mkdir(parents=True)

    with cache.scratch("name") as folder:
        cache.clean_rest()

        assert [path.name for path in folder.parent.iterdir()] == ["name"]


# Whose it is

STRANGER = 54321


def given_away(folder):
    os.chown(folder, STRANGER, STRANGER)


def opened(folder):
    folder.chmod(folder.stat().st_mode | 0o022)


WAYS = [opened] + ([given_away] if os.geteuid() == 0 else [])
"""How a folder comes to be another's; only root can give one away."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["", "v1", "v1/packages", "v1/packages/KEY", "v1/packages/KEY/tree"])
def test_what_others_may_have_changed_is_not_used(cache, part, way):
    cache.make("packages", KEY, work)
    folder = cache.root / part.replace("KEY", KEY)

    way(folder)

    for use in (lambda: cache.find("packages", KEY), lambda: cache.make("packages", KEY, work)):
        with pytest.raises(
            PackageError, match=f"{folder} in the plugin cache (belongs to|can be written by)"
        ):
            use()
    if part in {"", "v1"}:
        for use in (lambda: cache.compiled, lambda: cache.note("refs"), lambda: list(cache.entries())):
            with pytest.raises(PackageError):
                use()


@pytest.mark.parametrize("mask", [0o000, 0o002])
def test_what_the_cache_makes_is_its_owners_alone_whatever_the_umask(tmp_path, mask):
    cache = PackageCache(tmp_path / "above" / "cache")
    before = os.umask(mask)
    try:
        entry = cache.make("packages", KEY, work)
        cache.keep_note("refs", lambda _: {"a": 1})
        compiled = cache.compiled
    finally:
        os.umask(before)

    folders = [
        cache.root.parent,
        cache.root,
        *entry.tree.parents[:3],
        entry.tree,
        compiled,
        cache.root / "v1" / "notes",
    ]
    assert {oct(folder.stat().st_mode & 0o777) for folder in folders} == {"0o700"}
    assert cache.find("packages", KEY) is not None
