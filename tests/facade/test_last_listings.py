"""What a server offered when it was last up is offered until it is up again, on a board that serves clients."""

from __future__ import annotations

import json
import os
import stat
import threading
from dataclasses import replace

import pytest
from boards import Recorder
from callboard import Callboard
from callboard.actors.board import NotStarted
from callboard.pins.listing_record import VERSIONS
from declared_servers import asked, declare, declared, tool
from leaks import no_leaks, wait_until
from tools import schema, tool_call

PATIENCE = 30.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    return tmp_path / "states" / "callboard" / "listings"


class Serving:
    """A board that serves clients, whose start goes on behind it."""

    def __init__(self, *entries, **more):
        self.board = Callboard({"plugins": list(entries), **more})
        self.board.configuration = replace(self.board.configuration, served=True)
        self.starting = threading.Thread(target=self.board.start)

    def __enter__(self):
        self.starting.start()
        return self

    def __exit__(self, *_):
        self.board.stop()
        self.starting.join(PATIENCE)

    def up(self):
        self.starting.join(PATIENCE)
        assert not self.starting.is_alive()
        return self.board

    def offered(self):
        """Whether each tool is remembered, by its name; nothing before the board is there."""
        try:
            return {each.tool_name: each.remembered for each in self.board.tools()}
        except NotStarted:
            return {}


def started_once(*entries, **more):
    with Serving(*entries, **more) as serving:
        serving.up()
        return list(serving.offered())


def waits(folder, name="notes"):
    file = folder / f"{name}.waits"
    file.touch()
    return file


def test_the_tools_of_the_last_start_are_offered_until_the_server_is_up_and_their_calls_wait_for_it(
    kept, tmp_path
):
    notes = declared(tmp_path, "notes", "read", "write")
    started_once(notes)
    file = waits(tmp_path)

    with Serving(notes) as serving:
        wait_until(lambda: serving.offered() == {"read": True, "write": True}, PATIENCE)
        call = serving.board.submit(tool_call("read"))
        assert not call.done()
        file.unlink()
        assert call.result(PATIENCE)["success"]
        serving.up()
        assert serving.offered() == {"read": False, "write": False}


def test_a_server_that_offers_others_now_has_them_in_place_of_the_remembered_ones(kept, tmp_path):
    notes = declared(tmp_path, "notes", "read", "write")
    started_once(notes)
    file = waits(tmp_path)
    declare(tmp_path, "notes", "write", "search")

    with Serving(notes) as serving:
        wait_until(lambda: "read" in serving.offered(), PATIENCE)
        recorder = Recorder(serving.board.board)
        file.unlink()
        serving.up()
        (changed,) = recorder.wait("tools_changed")
        gone = serving.board.execute(tool_call("read"))

    assert (changed.facts["added"], changed.facts["removed"]) == (["search"], ["read"])
    assert gone["code"] == "unknown_tool"


def test_a_board_of_a_program_remembers_nothing(kept, tmp_path):
    with Callboard({"plugins": [declared(tmp_path, "notes", "read")]}):
        pass

    assert not kept.exists()


@pytest.mark.parametrize(
    ("mcp", "offered"),
    [
        ({"tools": {"deny": ["write"]}}, {"read"}),
        ({"tools": {"rename": {"write": "save"}}}, {"read", "save"}),
        ({"pin": "withhold"}, {"read"}),
    ],
)
def test_what_is_remembered_is_held_to_the_entry_and_its_pins_as_they_are_now(mcp, offered, kept, tmp_path):
    started_once(declared(tmp_path, "notes", "read", mcp={"pin": "tell"}))
    started_once(declared(tmp_path, "notes", "read", "write", mcp={"pin": "tell"}))
    file = waits(tmp_path)

    with Serving(declared(tmp_path, "notes", "read", "write", mcp=mcp)) as serving:
        wait_until(lambda: serving.offered() == dict.fromkeys(offered, True), PATIENCE)
        file.unlink()
        serving.up()


def test_a_remembered_tool_that_is_withheld_by_now_is_not_run_by_a_call_that_waited(kept, tmp_path):
    entry = declared(tmp_path, "notes", "read", "write", mcp={"pin": "withhold"})
    started_once(entry)
    file = waits(tmp_path)
    declare(tmp_path, "notes", "read", tool("write", description="Writes it to evil.example."))

    with Serving(entry) as serving:
        wait_until(lambda: "write" in serving.offered(), PATIENCE)
        call = serving.board.submit(tool_call("write"))
        file.unlink()
        ended = call.result(PATIENCE)
        serving.up()

    assert (ended["code"], ended["outcome"]) == ("unknown_tool", "not_sent")


def test_names_are_remembered_beside_the_list(kept, tmp_path):
    notes, words = declared(tmp_path, "notes", "read"), declared(tmp_path, "words", "read")
    assert started_once(notes, words) == ["read", "words__read"]

    assert started_once(words, notes) == ["words__read", "read"]


class Reader:
    """A plugin of this process, which gives its names up to none."""

    name = "own"
    version = "1"

    def init(self, config):
        return {}

    def get_tool_schemas(self, state):
        return [schema("read")]

    def execute_tool(self, tool_name, arguments, state):
        return {"success": True, "result": "mine"}


def test_a_plugin_of_this_program_has_its_name_though_a_server_is_remembered_by_it(kept, tmp_path):
    notes = declared(tmp_path, "notes", "read")
    started_once(notes)

    with Serving(notes, {"plugin": f"{__name__}.Reader"}) as serving:
        board = serving.up()
        assert board.failed == []
        assert board.execute(tool_call("read"))["result"] == "mine"
        assert board.execute(tool_call("notes__read"))["success"]


def test_another_command_of_that_name_is_another_server(kept, tmp_path):
    started_once(declared(tmp_path, "notes", "read"))
    other = declared(tmp_path, "other", "write") | {"name": "notes"}
    file = waits(tmp_path, "other")

    with Serving(other) as serving:
        wait_until(lambda: _is_starting(serving), PATIENCE)
        assert serving.offered() == {}
        file.unlink()
        serving.up()


def _is_starting(serving):
    try:
        return serving.board.status()["plugins"]["notes"]["host"]["state"] == "starting"
    except (NotStarted, KeyError):
        return False


def test_a_declaration_with_a_secret_in_it_is_not_kept(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("PASSPHRASE_OF_TEST", "hunter2hunter2")
    leaky = tool("write", description="Writes with hunter2hunter2.")
    entry = declared(tmp_path, "notes", "read", leaky)
    entry["mcp"]["env"] = {**entry["mcp"]["env"], "KEY": "${PASSPHRASE_OF_TEST}"}

    started_once(entry)

    (file,) = kept.iterdir()
    assert "hunter2hunter2" not in file.read_text()
    assert [each["name"] for each in json.loads(file.read_text())["tools"]] == ["read"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"version": 1}', '{"version": 1, "tools": [3], "names": {}, "instructions": ""}'],
)
def test_a_damaged_record_counts_for_nothing(content, kept, tmp_path):
    notes = declared(tmp_path, "notes", "read")
    started_once(notes)
    (file,) = kept.iterdir()
    file.write_text(content)

    assert started_once(notes) == ["read"]
    assert json.loads(file.read_text())["tools"] == [tool("read")]


def test_a_record_of_a_newer_callboard_counts_for_nothing_and_stays(kept, tmp_path):
    notes = declared(tmp_path, "notes", "read")
    started_once(notes)
    (file,) = kept.iterdir()
    newer = json.loads(file.read_text()) | {"version": VERSIONS.newest + 1}
    file.write_text(json.dumps(newer))

    assert started_once(notes) == ["read"]
    assert json.loads(file.read_text()) == newer


def test_a_key_that_a_newer_version_has_added_and_that_the_server_asks_outlive_another_listing(
    kept, tmp_path
):
    notes = declared(tmp_path, "notes", "read")
    started_once(notes)
    (file,) = kept.iterdir()
    file.write_text(json.dumps(json.loads(file.read_text()) | {"asks_of_any": True, "later": [1]}))
    declare(tmp_path, "notes", "write")

    started_once(notes)

    written = json.loads(file.read_text())
    assert [each["name"] for each in written["tools"]] == ["write"]
    assert (written["asks_of_any"], written["later"]) == (True, [1])


def test_a_pipe_in_the_place_of_a_record_is_not_waited_for(kept, tmp_path):
    notes = declared(tmp_path, "notes", "read")
    started_once(notes)
    (file,) = kept.iterdir()
    file.unlink()
    os.mkfifo(file, 0o600)

    assert started_once(notes) == ["read"]


@pytest.mark.parametrize("listed", [[], ["other"]])
def test_a_call_that_waited_runs_no_denied_tool_of_the_name_that_its_own_was_given(listed, kept, tmp_path):
    rules = {"deny": ["danger"], "rename": {"safe": "danger"}}
    entry = declared(tmp_path, "notes", "safe", "danger", mcp={"tools": rules})
    assert started_once(entry) == ["danger"]
    file = waits(tmp_path)
    declare(tmp_path, "notes", *listed)

    with Serving(entry) as serving:
        wait_until(lambda: "danger" in serving.offered(), PATIENCE)
        call = serving.board.submit(tool_call("danger"))
        file.unlink()
        ended = call.result(PATIENCE)
        serving.up()

    assert (ended["code"], ended["outcome"]) == ("unknown_tool", "not_sent")
    assert asked(tmp_path, "notes", "tools/call") == []
