"""A Python plugin has one name, in this process and in a host, and so one state; a state under its old name is found."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing

import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS

KEPT = PROGRAMS / "kept_files"
HOSTED = {"isolate": True, "env": TEST_MARK}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A folder on the path, for modules; and the module whose states are kept."""
    shutil.copy(KEPT / "kept_tools.py", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("kept_tools", "named_tools"):
        sys.modules.pop(name, None)


@pytest.fixture
def state(tools):
    """A store of 0.1.0: 'Counting', in a host, was called three times, and 'notes', in the process, twice."""
    return shutil.copy(KEPT / "0.1.0" / "state.db", tools / "state.db")


def kept(path):
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT plugin, state FROM state"))


def heard(events):
    return [
        (event.kind, event.subject, event.facts.get("former"))
        for event in events
        if "taken_over" in event.kind
    ]


NAMES = {
    "the class says it": ("class Tool(Counting):\n    name = 'mine'", {}),
    "a base says it": ("class Tool(Counting): pass", {}),
    "an instance says it": ("class Tool(Counting):\n    def __init__(self): self.name = 'own'", {}),
    "it is made with its configuration": (
        "class Tool(Counting):\n    def __init__(self, config): self.name = config['called']",
        {"config": {"called": "as configured"}},
    ),
    "a property says it": ("class Tool(Counting):\n    name = property(lambda self: 'prop' + 'erty')", {}),
    "nobody says it": ("class Tool(Counting):\n    name = None", {}),
    "it is an instance": ("class Kind(Counting):\n    name = 'an instance'\nTool = Kind()", {}),
    "it prints": ("print({'name': 'printed'})\nclass Tool(Counting): pass", {}),
}


@pytest.mark.parametrize("way", NAMES)
def test_a_plugin_has_the_same_name_in_a_host_as_in_this_process(tools, way):
    text, options = NAMES[way]
    (tools / "named_tools.py").write_text(f"from kept_tools import Counting\n{text}")
    names = []

    for isolated in (HOSTED, {}):
        with Callboard() as board:
            board.load("named_tools.Tool", **options, **isolated)
            names += board.status()["plugins"]

    assert names[0] == names[1]


@pytest.mark.parametrize("source", ["kept_tools.Counting", "path"])
def test_a_state_goes_on_when_a_plugin_is_isolated_and_when_it_is_not_any_more(tools, source):
    if source == "path":
        (tools / "agent_plugin.json").write_text('{"entries": ["kept_tools.Counting"]}')
        source = f"path:{tools}"
    counts = []

    for options in ({}, HOSTED, {}, HOSTED):
        with Callboard(state=tools / "new.db") as board:
            board.load(source, **options)
            counts.append(board.call("count"))

    assert counts == [1, 2, 3, 4]


def test_a_class_that_is_registered_has_the_same_name_in_a_host(tools):
    (tools / "named_tools.py").write_text(
        "from kept_tools import Counting\nclass Tool(Counting):\n    def __init__(self): self.name = 'own'"
    )
    from named_tools import Tool  # noqa: PLC0415 - written above

    with Callboard() as board:
        board.register(Tool, **HOSTED)

        assert list(board.status()["plugins"]) == ["own"]


@pytest.mark.parametrize("options", [HOSTED, {}], ids=["in a host", "in this process"])
def test_a_state_under_the_old_name_is_taken_over_once_and_told(state, options):
    events, counts = [], []

    for _ in range(2):
        with Callboard(state=state, subscribers=[events.append]) as board:
            board.load("kept_tools.Counting", **options)
            counts.append(board.call("count"))

    assert counts == [4, 5]
    assert heard(events) == [("state_taken_over", "counter", "Counting")]
    assert sorted(kept(state)) == ["counter", "notes"]


def test_a_state_under_the_old_name_is_taken_over_by_a_plugin_of_the_configuration(state):
    plugins = [{"plugin": "kept_tools.Counting", **HOSTED}, "kept_tools.Noting"]

    with Callboard({"plugins": plugins, "state": str(state)}) as board:
        assert (board.call("count"), board.call("note")) == (4, 3)


TWO = """
from kept_tools import Counting as Kept

class Counting(Kept):
    name = "another"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "count_too", "parameters": {"type": "object"}}}]
"""


def test_a_state_that_two_plugins_could_own_stays_and_what_to_write_is_told(tools, state):
    (tools / "named_tools.py").write_text(TWO)
    events = []
    first, second = ({"plugin": f"{name}.Counting", **HOSTED} for name in ("kept_tools", "named_tools"))

    with Callboard({"plugins": [first, second], "state": str(state)}, subscribers=[events.append]) as board:
        counts = board.call("count"), board.call("count_too")
    told = [event.facts["why"] for event in events if event.kind == "state_not_taken_over"]
    named = {**second, "name": "Counting"}
    with Callboard({"plugins": [first, named], "state": str(state)}) as board:
        as_told = board.call("count"), board.call("count_too")

    assert counts == (1, 1)
    assert heard(events) == [
        ("state_not_taken_over", "counter", "Counting"),
        ("state_not_taken_over", "another", "Counting"),
    ]
    assert all('"name": "Counting"' in why for why in told)
    assert as_told == (2, 4)


def test_a_state_under_the_old_name_does_not_replace_one_under_the_own(tools, state):
    with closing(sqlite3.connect(state)) as connection:
        connection.execute("UPDATE state SET plugin = 'counter' WHERE plugin = 'notes'")
        connection.commit()
    events = []

    with Callboard(state=state, subscribers=[events.append]) as board:
        board.load("kept_tools.Counting", **HOSTED)
        count = board.call("count")

    assert count == 3
    assert heard(events) == [("state_not_taken_over", "counter", "Counting")]
    assert "Counting" in kept(state)


def test_a_state_of_a_plugin_that_goes_by_the_old_name_is_not_taken_from_it(tools, state):
    (tools / "named_tools.py").write_text(TWO)
    plugins = [
        {"plugin": "named_tools.Counting", **HOSTED},
        {"plugin": "kept_tools.Noting", "name": "Counting"},
    ]
    events = []

    with Callboard({"plugins": plugins, "state": str(state)}, subscribers=[events.append]) as board:
        counts = board.call("count_too"), board.call("note")

    assert counts == (1, 4)
    assert heard(events) == []


def test_a_state_that_this_version_wrote_is_nobodys_by_an_old_name(tools):
    with Callboard(state=tools / "new.db") as board:
        board.load("kept_tools.Noting", name="Counting")
        board.call("note")

    with Callboard(state=tools / "new.db") as board:
        board.load("kept_tools.Counting", **HOSTED)

        assert board.call("count") == 1
    assert sorted(kept(tools / "new.db")) == ["Counting", "counter"]


def test_a_plugin_that_cannot_say_its_name_is_told_of_and_what_to_write(tools, caplog):
    (tools / "named_tools.py").write_text(
        "import pathlib\nfrom kept_tools import Counting\n"
        f"asked = pathlib.Path({str(tools / 'asked')!r})\n"
        "class Tool(Counting):\n"
        "    def __init__(self):\n"
        "        if not asked.exists():\n"
        "            asked.touch()\n"
        "            raise OSError('not yet')\n"
    )

    with Callboard() as board:
        board.load("named_tools.Tool", **HOSTED)

        assert list(board.status()["plugins"]) == ["Tool"]
    assert "cannot be asked for its name" in caplog.text
    assert "not yet" in caplog.text
    assert "Give it a 'name'" in caplog.text
