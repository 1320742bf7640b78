"""`callboard cache` tells what was made for Node plugins and removes it, but for what is in use."""

from __future__ import annotations

import gc
import json
import os
import shutil
import time

import pytest
from callboard import Callboard
from callboard.hosts.packages.cache import PackageCache
from command_line import callboard, lines, on_a_terminal, write_config
from node_packages import built, committed


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a package that was built, a repository that was fetched and built, and the cache of both."""
    folder = tmp_path_factory.mktemp("made")
    built(folder / "tools")
    built(folder / "others", version="2.0.0")
    committed(folder / "others")
    for source in ("node:./tools", "node+git:./others"):
        with Callboard(write_config(folder, source, plugin_cache_dir="./cache")) as board:
            assert board.failed == []
    del board
    gc.collect()  # what a plugin runs from is in use until the plugin is gone
    return folder


@pytest.fixture
def config(made, tmp_path):
    """The configuration of the package; the cache is a copy, to be done with as one likes."""
    for name in ("tools", "cache"):
        shutil.copytree(made / name, tmp_path / name, symlinks=True)
    return write_config(tmp_path, "node:./tools", plugin_cache_dir="./cache")


def test_the_list_tells_what_is_there_and_where_it_is_from(config, made):
    rows = lines(callboard("cache", "list", "--json", config).stdout)

    assert [(row["kind"], row["name"], row["in_use"]) for row in rows] == [
        ("checkouts", "others", False),
        ("packages", "my-js-tools", False),
        ("packages", "my-js-tools", False),
    ]
    assert {row["version"] for row in rows[1:]} == {"0.1.0", "2.0.0"}
    assert {row["source"] for row in rows} == {str(made / "tools"), str(made / "others")}
    assert all(row["size"] > 0 for row in rows)


def test_people_see_a_table(config):
    code, shown = on_a_terminal("cache", "list", config)

    assert code == 0
    assert "my-js-tools" in shown
    assert "last used" in shown


def test_what_is_in_use_is_told_and_kept(config, tmp_path):
    with Callboard(config) as board:
        in_use = [row for row in lines(callboard("cache", "list", "--json", config).stdout) if row["in_use"]]
        cleaned = json.loads(callboard("cache", "clean", "--json", config).stdout)
        assert board.tools()

    assert len(in_use) == 1
    assert (cleaned["removed"], cleaned["kept"]) == (2, 1)
    assert cleaned["size"] > 0
    assert len(list(PackageCache(tmp_path / "cache").entries())) == 1


def test_what_was_used_lately_can_be_spared(config, tmp_path):
    (_, _, old), *_ = PackageCache(tmp_path / "cache").entries()
    long_ago = time.time() - 10 * 86400
    os.utime(old / "record.json", (long_ago, long_ago))

    cleaned = json.loads(callboard("cache", "clean", "--json", config, "--unused-for", "5").stdout)

    assert cleaned["removed"] == 1
    assert not old.exists()
    assert len(list(PackageCache(tmp_path / "cache").entries())) == 2


def test_all_is_made_again_after_all_was_removed(config, tmp_path):
    code, shown = on_a_terminal("cache", "clean", config)
    assert (code, shown.startswith("removed 3")) == (0, True)
    assert [
        path.name
        for path in (tmp_path / "cache" / "v1").rglob("*")
        if path.is_file() and path.parent.name != "locks" and path.name != "CACHEDIR.TAG"
    ] == []

    with Callboard(config) as board:
        assert board.failed == []


def test_a_cache_that_is_not_there_is_empty(tmp_path):
    file = write_config(tmp_path, plugin_cache_dir="./none")

    assert callboard("cache", "list", "--json", file).stdout == ""
    assert on_a_terminal("cache", "list", file)[1].strip().endswith("none is empty")
    assert not (tmp_path / "none").exists()


def test_on_a_terminal_it_is_told_what_is_being_done(tmp_path):
    built(tmp_path / "tools")
    file = write_config(tmp_path, "node:./tools", plugin_cache_dir="./cache")

    code, shown = on_a_terminal("tools", "--trust", file)
    quiet = callboard("tools", "--trust", file)

    assert code == 0
    assert "callboard: my-js-tools: npm run build" in shown
    assert quiet.stderr == ""
