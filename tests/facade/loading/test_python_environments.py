"""Python packages that need what is not here run in environments of their own, made in the cache, once, whole."""

from __future__ import annotations

import gc
import json
import shutil
import socket
import sys
from pathlib import Path

import callboard.types
import orjson
import pytest
from callboard import Callboard
from callboard.hosts.packages.cache import PackageCache
from callboard.hosts.packages.cache_admin import items
from leaks import no_leaks, wait_until
from node_packages import contents
from packaging.requirements import Requirement
from python_packages import loading, project, tool_package, wheel
from thorough import thorough
from tools import tool_call

PATIENCE = 50

WORDS = "callboard_words"
ABSENT = Requirement("absent @ https://here.example/absent.tar.gz")


@pytest.fixture
def wheels(tmp_path):
    wheel(tmp_path / "wheels")
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}


SURROUNDINGS = f"""
def answer():
    import importlib.util, os, subprocess, sys
    import callboard.types, orjson
    import {WORDS}
    said = subprocess.run(["say-words"], capture_output=True, text=True, check=True).stdout.strip()
    others = [name for name in ("pykka", "pytest", "psutil") if importlib.util.find_spec(name)]
    return [{WORDS}.WORD, said, sys.prefix, callboard.types.__file__, orjson.__file__, others]
"""


def test_a_package_that_needs_more_than_is_here_runs_in_an_environment_of_its_own(tmp_path, caplog):
    its_wheel = wheel(tmp_path / "wheels")
    package = tool_package(
        tmp_path / "my-tools",
        "cb_surrounded",
        answer=SURROUNDINGS,
        pyproject_toml=project(
            f"{WORDS} @ {its_wheel.as_uri()}", "callboard>=99", "absent; python_version < '3'"
        ),
    )
    before, cache = contents(package), PackageCache(tmp_path / "cache")
    configuration = {"plugins": [f"path:{package}"], "plugin_cache_dir": str(cache.root)}

    with caplog.at_level("INFO", "callboard.packages"), Callboard(configuration) as board:
        assert board.failed == []
        word, said, prefix, house, lent, others = board.execute(tool_call("where"))["result"]
        plugin = board.status()["plugins"]["where"]
        ((_, key, place),) = cache.entries()
        cleaned_while_it_runs = cache.clean(key, place)
    (item,) = items(cache)

    assert (plugin["runs_in"], plugin["kind"]) == ("host", "python")
    assert (word, said) == ("words 1.0", "words 1.0")
    assert (Path(prefix), place.parent.name) == (place / "tree", "environments")
    assert (house, lent, others) == (callboard.types.__file__, orjson.__file__, [])
    assert contents(package) == before
    assert "which this Python does not have: it runs in a host of its own" in caplog.text
    assert [
        record.getMessage().split(": ")[1][: len(words)]
        for record, words in zip(
            caplog.records[1:], ("making a virtual", "pip install", "ready after"), strict=True
        )
    ] == ["making a virtual", "pip install", "ready after"]
    assert not cleaned_while_it_runs
    assert (item.kind, item.name, item.source) == ("environments", "my-tools", str(package))

    del board, plugin
    gc.collect()
    (place / "tree" / "bin" / "python").unlink()
    with Callboard(configuration) as board:
        repaired = board.execute(tool_call("where"))
    assert repaired["success"]

    its_wheel.unlink()
    with Callboard(configuration) as board:
        (failed,) = board.failed
    assert f"{package} needs {its_wheel}, which cannot be read (No such file or directory)" in failed.error


def test_what_pip_says_last_is_told_with_what_to_do(tmp_path, wheels, monkeypatch):
    for name, value in wheels.items():
        monkeypatch.setenv(name, value)
    package = tool_package(tmp_path / "my-tools", "cb_failing", requirements_txt=f"{WORDS}==7\n")

    with Callboard({"plugins": [f"path:{package}"], "plugin_cache_dir": str(tmp_path / "cache")}) as board:
        (failed,) = board.failed

    sentence, *words = failed.error.splitlines()
    assert sentence.startswith(
        f"plugin {package}: pip install ended with exit code 1; correct the name or the version"
    )
    assert any(f"No matching distribution found for {WORDS}==7" in line for line in words)
    assert list((tmp_path / "cache" / "v1" / "making").iterdir()) == []


@thorough
def test_a_program_that_is_killed_while_it_installs_leaves_it_to_those_who_wait_and_one_of_them_does_it(
    tmp_path, wheels, caplog
):
    package = tool_package(tmp_path / "my-tools", "cb_killed", pyproject_toml=project(f"{WORDS}==1.0"))
    before, cache, source = contents(package), tmp_path / "cache", f"path:{package}"

    with no_leaks(), socket.create_server(("127.0.0.1", 0)) as index:
        address = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        first = loading(cache, source, PIP_INDEX_URL=address, PIP_CONFIG_FILE="/dev/null")
        index.settimeout(PATIENCE)
        asked, _ = index.accept()  # pip asks, and is not answered
        others = [loading(cache, source, **wheels) for _ in range(2)]
        for other in others:
            assert other.stderr is not None
            wait_until(lambda: "waiting for another" in other.stderr.readline(), PATIENCE)  # noqa: B023 - it is called in this turn of the loop
        first.kill()
        first.communicate()
        told = [other.communicate(timeout=PATIENCE) for other in others]
        asked.close()

        assert [said for said, _ in told] == ["words 1.0\n"] * 2
        assert sorted("pip install" in complained for _, complained in told) == [False, True]
        assert list((cache / "v1" / "making").iterdir()) == []

    shutil.rmtree(tmp_path / "wheels")
    with caplog.at_level("INFO", "callboard.packages"), Callboard({"plugin_cache_dir": str(cache)}) as board:
        board.load(source)
        assert board.execute(tool_call("where"))["result"][0] == "words 1.0"
    assert "pip install" not in caplog.text
    assert contents(package) == before


HERE = "def answer():\n    import sys\n    return sys.prefix\n"


@pytest.mark.parametrize(
    ("entry", "policy", "runs_in"),
    [
        ({}, {}, "thread"),
        ({"isolate": True}, {"python_install_deps": False}, "host"),
    ],
)
def test_what_is_here_already_needs_no_environment(tmp_path, entry, policy, runs_in):
    package = tool_package(
        tmp_path / "my-tools",
        f"cb_met_{runs_in}",
        answer=HERE,
        pyproject_toml=project("orjson>=3", "callboard"),
    )
    configuration = {
        "plugins": [{"plugin": f"path:{package}", "name": "where", **entry}],
        "plugin_policy": policy,
        "plugin_cache_dir": str(tmp_path / "cache"),
    }

    with Callboard(configuration) as board:
        assert board.status()["plugins"]["where"]["runs_in"] == runs_in
        assert board.execute(tool_call("where"))["result"] == sys.prefix

    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("entry", "text", "said"),
    [
        (
            {},
            project(str(ABSENT)),
            f"asks for what has to be built ({ABSENT})",
        ),
        (
            {"isolate": False},
            project("absent>=1"),
            "needs absent>=1, which this Python does not have; install it here",
        ),
        ({}, project(**{"requires-python": "<3"}), "needs Python <3, and this is 3."),
        ({}, project("absent >> 1"), "the requirement 'absent >> 1' of"),
    ],
)
def test_a_package_that_cannot_run_is_left_out_with_a_sentence(tmp_path, entry, text, said):
    package = tool_package(tmp_path / "my-tools", "cb_refused", pyproject_toml=text)

    with Callboard({"plugins": [{"plugin": f"path:{package}", **entry}]}) as board:
        (failed,) = board.failed

    assert said in failed.error


# Plugins that are installed


def test_plugins_that_are_installed_are_loaded_by_name_or_all_of_them(tmp_path, monkeypatch):
    site = tool_package(tmp_path / "site", "cb_installed", answer=HERE) / "src"
    info = site / "my_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-tools\nVersion: 1.0\n")
    points = "where = cb_installed:Where\nbroken = cb_installed:Nowhere\n"
    (info / "entry_points.txt").write_text(f"[callboard.plugins]\n{points}")
    monkeypatch.syspath_prepend(str(site))
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"plugins": ["entry_point:*"]}))

    with Callboard(file) as board:
        here = board.execute(tool_call("where"))
        failed = [one.source for one in board.failed]
    with Callboard() as board:
        board.load("entry_point:where", isolate=True)
        there = board.status()["plugins"]["where"]["runs_in"], board.execute(tool_call("where"))

    assert (here["success"], failed) == (True, ["entry_point:broken"])
    assert there == ("host", here)
