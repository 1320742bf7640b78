"""Rules about tools hold for plugins that take calls under other names, and nobody gets a call that its gates were not asked about."""

from __future__ import annotations

import threading

import pytest
from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.hooks.approval_rules import ApprovalRules
from tools import a_tool, schema, tool_call

PATIENCE = 20.0


class Files:
    """Offers ``rm``, and claims what is said to be for it, whatever its name is."""

    def __init__(self, name="files"):
        self.name = name
        self.asked = []
        self.ran = []
        self.hang = None
        self.is_asked = threading.Event()

    def get_tool_schemas(self, state):
        return [schema(f"{self.name}_rm")]

    def can_handle_tool_call(self, tool_name, payload, state):
        self.asked.append(payload)
        self.is_asked.set()
        if self.hang is not None:
            self.hang.wait(PATIENCE)
        return True if payload.get("for") == self.name else None

    def execute_tool(self, tool_name, payload, state):
        self.ran.append(payload)
        return {"success": True, "result": [self.name, payload]}


@pytest.fixture
def files():
    return Files()


@pytest.fixture
def board(files):
    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(files), config={})
        board.add(
            a_tool(lambda arguments, _: {"success": True, "result": ["note", arguments]}, "note"), config={}
        )
        yield board


def run(board, name="note", **arguments):
    return board.submit(tool_call(name, **arguments)).result(PATIENCE)


def changing(changes):
    """A gate that replaces one input by another."""
    return lambda _event, data: {
        "action": "modify",
        "data": {**data, "input": changes.get(data["input"].get("for"), data["input"])},
    }


def test_a_rule_about_a_tool_holds_for_calls_that_its_plugin_claims(board, files):
    board.hooks.add("tool:pre", ApprovalRules(deny=("files_rm",)), name="approval")

    denied = [
        run(board, **{"for": "files"}),
        run(board, "anything", **{"for": "files"}),
        run(board, "files_rm"),
    ]
    asked = len(files.asked)
    passed = run(board, x=1)

    assert [(each["code"], each["hook"]) for each in denied] == [("denied", "approval")] * 3
    assert "the plugin 'files' claims this call, and may run 'files_rm' for it" in denied[0]["error"]
    assert files.ran == []
    assert passed["result"] == ["note", {"x": 1}]
    assert (asked, len(files.asked)) == (
        2,
        3,
    )  # once for each call, but not for one that its own name forbids


def test_a_changed_input_is_claimed_anew_and_its_gates_are_asked_again(board, files):
    other = Files("other")
    board.add(PluginAdapter(other), config={})
    told = []
    board.hooks.add(
        "tool:pre", lambda _e, data: told.append((data["plugin"], data["tool_names"])), priority=1
    )
    hook = board.hooks.add("tool:pre", changing({"me": {"for": "files"}}))

    moved = run(board, **{"for": "me"})
    hook.close()
    hook = board.hooks.add("tool:pre", ApprovalRules(deny=("files_rm",)), name="approval")
    changes = board.hooks.add("tool:pre", changing({"me": {"for": "files"}}))
    denied = run(board, **{"for": "me"})
    hook.close()
    changes.close()
    board.hooks.add("tool:pre", changing({"files": {"for": "other"}, "other": {"for": "files"}}))
    undone = run(board, **{"for": "files"})

    assert moved["result"] == ["files", {"for": "files"}]
    assert told[:2] == [("note", ["note"]), ("files", ["note", "files", "files_rm"])]
    assert (denied["code"], denied["hook"]) == ("denied", "approval")
    assert (undone["code"], undone["hook"]) == ("denied", "gates")
    assert "now it is for 'files', about which none was asked" in undone["error"]
    assert other.ran == []


def test_what_becomes_of_a_call_while_a_person_thinks_brings_it_to_no_other_plugin(board, files):
    class Person:
        def __init__(self):
            self.questions = []

        def ask(self, question):
            self.questions.append(question)
            if question.tool_name == "gone":
                board.remove("files")
                board.add(PluginAdapter(greedy), config={})
            return "Allow always"

    greedy = Files("greedy")
    person = board.hooks.approver = Person()
    board.hooks.add("tool:pre", ApprovalRules(ask=("files*", "greedy*"), default="allow"), name="approval")

    twice = [run(board, "other", **{"for": "files"}) for _ in range(2)]
    gone = run(board, "gone", **{"for": "files"})
    loading_plugin = run(board, "other", **{"for": "greedy"})

    assert all(each["success"] for each in [*twice, loading_plugin])
    assert gone["code"] == "unknown_tool"
    # A yes for one plugin's tool is none for what another one does under that name.
    assert [(each.tool_name, each.plugin) for each in person.questions] == [
        ("other", "files"),
        ("gone", "files"),
        ("other", "greedy"),
    ]


def test_a_call_that_ends_while_claims_are_awaited_frees_the_gates(board, files):
    files.hang = threading.Event()
    gates = []
    board.hooks.add("tool:pre", lambda _e, data: gates.append(data["tool_call_id"]))

    call = board.submit(tool_call("note", "first"))
    assert files.is_asked.wait(PATIENCE)
    call.cancel()
    behind = board.submit(tool_call("note", "behind"))
    files.hang.set()

    assert call.result(PATIENCE)["code"] == "cancelled"
    assert behind.result(PATIENCE)["success"]
    assert gates == ["behind"]
