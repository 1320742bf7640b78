"""Whose a kept state is: the plugin's of its name *and* source. Another one of that name neither gets it nor destroys it."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from callboard import Callboard
from callboard.actors.state.store import MemoryStore, Saved, StateOfAnotherSource, StateStoreError
from leaks import no_leaks
from programs import PROGRAMS
from tools import schema, tool_call

KEPT = PROGRAMS / "kept_files" / "0.2.0" / "state.db"
NUMBERS = itertools.count(1)
VAULT = """
class Tool:
    name = "vault"

    def init(self, config):
        return {"token": None}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": each, "parameters": {"type": "object"}}} for each in ("put", "show")]

    def execute_tool(self, tool_name, payload, state):
        if tool_name == "put":
            state["token"] = payload["token"]
        return {"success": True, "result": state}
"""


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def package(folder, name="vault"):
    """A package whose plugin says this name."""
    folder.mkdir(parents=True)
    module = f"tool_{next(NUMBERS)}"
    (folder / f"{module}.py").write_text(VAULT.replace('"vault"', json.dumps(name)))
    (folder / "agent_plugin.json").write_text(json.dumps({"entries": [f"{module}.Tool"]}))
    return f"path:{folder}"


@pytest.fixture
def mine(tmp_path):
    return package(tmp_path / "mine")


@pytest.fixture
def theirs(tmp_path):
    return package(tmp_path / "theirs")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "state.db"


def shown(state, entry, tool="show", **arguments):
    """What a plugin of this entry, alone on a board, says that its state is."""
    with Callboard({"plugins": [entry]}, state=state) as board:
        assert not board.failed, board.failed
        return board.execute(tool_call(tool, **arguments))["result"]


def refusal(state, entry):
    with Callboard({"plugins": [entry]}, state=state) as board:
        (failed,) = board.failed
        assert board.tools() == []
        return failed.error


def rows(file):
    with closing(sqlite3.connect(file)) as connection:
        return dict(connection.execute("SELECT plugin, state FROM state"))


def test_another_package_that_says_the_same_name_does_not_get_the_state(file, mine, theirs):
    shown(file, mine, "put", token="s3cret")

    refused = refusal(file, theirs)

    assert mine in refused
    assert f'"state_from": "{mine}"' in refused
    assert "s3cret" not in refused
    assert rows(file) == {"vault": b'{"token":"s3cret"}'}
    assert shown(file, mine) == {"token": "s3cret"}


def test_one_that_has_to_be_there_is_an_error_that_has_both_sources(file, mine, theirs):
    shown(file, mine, "put", token="s3cret")

    with Callboard(state=file) as board, pytest.raises(StateOfAnotherSource) as refused:
        board.load(theirs)

    assert (refused.value.plugin, refused.value.kept_for, refused.value.source) == ("vault", mine, theirs)


def test_it_goes_on_with_the_state_where_its_entry_says_so_and_owns_it_from_then_on(file, mine, theirs):
    shown(file, mine, "put", token="s3cret")

    taken = shown(file, {"plugin": theirs, "state_from": mine})

    assert taken == shown(file, theirs) == {"token": "s3cret"}
    assert theirs in refusal(file, mine)


def test_it_begins_anew_under_another_name_and_the_state_stays(file, mine, theirs):
    shown(file, mine, "put", token="s3cret")

    assert shown(file, {"plugin": theirs, "name": "vault-2"}, "put", token="other") == {"token": "other"}
    assert shown(file, {"plugin": theirs, "name": "vault-2"}) == {"token": "other"}
    assert shown(file, mine) == {"token": "s3cret"}


def test_a_word_about_another_source_gives_nothing(file, mine, theirs, tmp_path):
    shown(file, mine, "put", token="s3cret")

    assert mine in refusal(file, {"plugin": theirs, "state_from": f"path:{tmp_path / 'else'}"})


def test_how_a_source_is_run_and_spelled_and_where_all_lies_together_is_no_other_source(file, mine, tmp_path):
    shown(file, mine, "put", token="s3cret")
    moved = tmp_path / "moved"
    moved.mkdir()
    shutil.copytree(tmp_path / "mine", moved / "mine")
    shutil.copy(file, moved / "state.db")

    assert shown(file, {"plugin": f"path:{tmp_path}/mine/../mine", "isolate": True})["token"] == "s3cret"
    assert (
        shown(moved / "state.db", {"plugin": f"path:{moved / 'mine'}", "isolate": True})["token"] == "s3cret"
    )


def test_a_folder_of_the_same_spelling_elsewhere_is_another_source(file, mine, theirs, tmp_path):
    shown(file, {"plugin": mine}, "put", token="s3cret")
    project = tmp_path / "project"
    package(project / "mine")
    (project / "agent.json").write_text(json.dumps({"plugins": ["path:./mine"]}))

    with Callboard(project / "agent.json", state=file) as board:
        assert [mine in each.error for each in board.failed] == [True]


def test_a_state_from_before_sources_were_kept_is_taken_over_once(tmp_path, file):
    shutil.copy(KEPT, file)
    first, second = package(tmp_path / "first", "counter"), package(tmp_path / "second", "counter")

    assert shown(file, first) == {"calls": 3}
    assert first in refusal(file, second)
    assert shown(file, first) == {"calls": 3}


def test_it_is_given_to_none_of_two_that_say_its_name(tmp_path, file):
    shutil.copy(KEPT, file)
    first, second = package(tmp_path / "first", "counter"), package(tmp_path / "second", "counter")

    with Callboard({"plugins": [first, second]}, state=file) as board:
        assert len(board.failed) == 2
        assert all(first in each.error and second in each.error for each in board.failed)

    assert rows(file)["counter"] == b'{"calls":3}'
    assert shown(file, {"plugin": second}) == {"calls": 3}


class Registered:
    name = "vault"

    def get_tool_schemas(self, state):
        return [schema("show")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": state}


def test_what_a_program_registers_is_one_source_and_no_package_is_that(mine):
    store = MemoryStore()
    store.save("vault", Saved(b'{"token":"s3cret"}', 1, 0, "program"))

    with Callboard(state=store) as board:
        board.register(Registered())
        assert board.execute(tool_call("show"))["result"] == {"token": "s3cret"}
    assert '"state_from": "program"' in refusal(store, mine)


class Full(MemoryStore):
    """Takes nothing."""

    def save(self, plugin, saved):
        raise StateStoreError("no room", store="full")


def test_a_state_that_could_not_be_saved_yet_is_not_given_to_another_source_either(mine, theirs):
    with Callboard(state=Full()) as board:
        board.load(mine)
        board.execute(tool_call("put", token="s3cret"))
        board.remove("vault")
        with pytest.raises(StateOfAnotherSource):
            board.load(theirs)
        board.load(mine)

        assert board.execute(tool_call("show"))["result"] == {"token": "s3cret"}


class Forgetful(MemoryStore):
    """A program's own store, which knows no sources."""

    def save(self, plugin, saved):
        super().save(plugin, Saved(saved.state, saved.version, saved.generation))


def test_a_store_that_keeps_no_sources_goes_by_names(mine, theirs):
    store = Forgetful()
    shown(store, mine, "put", token="s3cret")

    assert shown(store, mine) == shown(store, theirs) == {"token": "s3cret"}
