"""Where states are kept: the section of the configuration, the argument, and the option of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from callboard import Callboard, ConfigurationError, read_configuration
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import MemoryStore, StateStoreInUse
from callboard.config.state import StateSettings, read_state_settings
from command_line import ECHO, callboard, lines, ndjson, write_config
from tools import Tool, count, tool_call

BASE = Path("/base")


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ({}, StateSettings()),
        ({"store": "memory", "max_state_bytes": 10}, StateSettings(max_state_bytes=10)),
        ("state.db", StateSettings("sqlite", BASE / "state.db")),
        (Path("/elsewhere/state.db"), StateSettings("sqlite", Path("/elsewhere/state.db"))),
        ({"path": "a/b.db", "synchronous": "full"}, StateSettings("sqlite", BASE / "a/b.db", "full")),
        ({"store": "sqlite", "path": "~/state.db"}, StateSettings("sqlite", Path.home() / "state.db")),
    ],
)
def test_the_section_is_read_with_its_short_spelling_and_paths_are_relative_to_its_file(given, settings):
    assert read_state_settings(given, BASE) == settings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, r"\$\.state is 7; it has to be a path or an object"),
        ("", r"\$\.state\.path is ''; it has to be a text"),
        ({"path": 7}, r"\$\.state\.path is 7; it has to be a text"),
        ({"pth": "x"}, r"unknown key 'pth' in \$\.state; did you mean 'path'\?"),
        ({"store": "sqlite"}, r"\$\.state has no 'path'; an SQLite store needs one"),
        ({"store": "memory", "path": "x"}, r"\$\.state has a 'path', which a store in memory has no use for"),
        (
            {"store": "redis", "path": "x"},
            r"\$\.state\.store is 'redis'; it has to be one of: memory, sqlite",
        ),
        ({"path": "x", "synchronous": "off"}, r"'off'; it has to be one of: normal, full"),
        (
            {"max_state_bytes": 1},
            r"\$\.state\.max_state_bytes is 1; it has to be a number of bytes, 2 or more",
        ),
        ({"max_state_bytes": True}, r"\$\.state\.max_state_bytes is True"),
    ],
)
def test_a_mistake_in_the_section_is_refused_by_its_path(given, message):
    with pytest.raises(ConfigurationError, match=message):
        read_configuration({"state": given})


def counted(board):
    board.register(Tool(count))
    return board.execute(tool_call("tool"))["result"]


def test_a_board_goes_on_from_the_file_of_its_configuration(tmp_path):
    (tmp_path / "agent.json").write_text('{"state": "kept.db"}')
    seen = []
    for _ in range(2):
        with Callboard(tmp_path / "agent.json") as board:
            seen.append(counted(board))
            store = board.status()["state_store"]

    assert seen == [1, 2]
    assert (store["store"], store["path"]) == ("sqlite", str(tmp_path / "kept.db"))


def test_a_board_that_is_started_again_opens_its_store_again(tmp_path):
    board = Callboard(state=tmp_path / "state.db")
    seen = []
    for _ in range(2):
        with board:
            seen.append(counted(board))

    assert seen == [1, 2]


def test_the_argument_takes_the_place_of_what_is_configured(tmp_path):
    with Callboard({"state": str(tmp_path / "a.db")}, state=str(tmp_path / "b.db")) as board:
        counted(board)

    assert {path.name for path in tmp_path.iterdir() if path.suffix == ".db"} == {"b.db"}


def test_a_store_of_the_embedders_is_used_and_not_closed():
    store, seen = MemoryStore(), []
    for _ in range(2):
        with Callboard(state=store) as board:
            seen.append(counted(board))

    assert seen == [1, 2]


def test_a_store_that_is_in_use_stops_the_start_and_starts_nothing(tmp_path):
    store = SqliteStore(tmp_path / "state.db")
    board = Callboard(state=tmp_path / "state.db")

    with pytest.raises(StateStoreInUse):
        board.start()

    assert board.status()["running"] is False
    store.close()


def test_the_size_of_states_is_bounded_by_the_configuration(tmp_path):
    config = {"state": {"path": str(tmp_path / "state.db"), "max_state_bytes": 10}}
    with Callboard(config) as board:
        board.register(Tool(count))
        answer = board.execute(tool_call("tool"))

    assert (answer["code"], answer["max_state_bytes"]) == ("invalid_result", 10)


def test_one_run_goes_on_where_the_run_before_it_ended(tmp_path):
    config = write_config(tmp_path, ECHO)
    calls = []
    for _ in range(2):
        ended = callboard(
            "run", config, "--state", str(tmp_path / "s.db"), text=ndjson([tool_call("echo", value="x")])
        )
        assert ended.returncode == 0, ended.stderr
        calls += [line["metadata"] for line in lines(ended.stdout) if "role" in line]
    store = SqliteStore(tmp_path / "s.db")
    saved = store.load("echo")
    store.close()

    assert len(calls) == 2
    assert saved.version == 3  # the init of the first run, and two calls
    assert json.loads(saved.state)["calls"] == 2


def test_a_run_whose_state_is_in_use_says_so_and_does_nothing(tmp_path):
    store = SqliteStore(tmp_path / "s.db")

    ended = callboard("run", write_config(tmp_path, ECHO), "--state", str(tmp_path / "s.db"))

    store.close()
    assert ended.returncode == 2
    assert "is in use by process" in ended.stderr
