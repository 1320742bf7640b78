"""A rule that forbids or asks holds for a tool whatever else is on the board: a second server must not switch it off."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from callboard import Callboard
from command_line import callboard
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

SERVER = str(PROGRAMS / "python" / "mcp_server.py")


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def server(name, *words, **options):
    return {
        "mcp": {"command": sys.executable, "args": [SERVER, *words], **options},
        "name": name,
        "env": TEST_MARK,
    }


def board_of(*servers, **rules):
    return Callboard({"plugins": list(servers), "approval": rules})


def code_of(board, name):
    return board.execute(tool_call(name)).get("code")


FILES = server("files", "tools=echo,count")
OTHER = server("other", "tools=echo")


@pytest.mark.parametrize(("rules", "rule"), [("deny", "echo"), ("ask", "e*")])
def test_what_is_forbidden_or_asked_about_stays_so_beside_a_second_server_with_the_name(rules, rule):
    with board_of(OTHER, FILES, **{rules: [rule]}) as board:
        assert code_of(board, "files__echo") == "denied"
        assert code_of(board, "echo") == "denied"
        assert code_of(board, "count") is None


def test_what_is_forbidden_stays_so_once_the_second_server_has_gone():
    with board_of(FILES, deny=["files__echo"]) as board:
        assert code_of(board, "echo") == "denied"


def test_a_rule_about_the_tool_of_one_plugin_leaves_that_of_another_alone():
    with board_of(FILES, OTHER, deny=["other:echo"]) as board:
        assert code_of(board, "echo") is None
        assert code_of(board, "other__echo") == "denied"


def test_a_renamed_tool_is_forbidden_by_the_name_that_its_server_gives_it():
    renamed = server("files", "tools=count", tools={"rename": {"count": "number"}})

    with board_of(renamed, deny=["count"]) as board:
        assert code_of(board, "number") == "denied"


def test_a_rule_that_fits_no_tool_is_told_at_the_start(caplog):
    with (
        caplog.at_level(logging.WARNING, "callboard"),
        board_of(FILES, OTHER, deny=["ecko", "count"], ask=["files:*", "delete_*"]),
    ):
        told = [record.getMessage() for record in caplog.records]

    rules = ("ecko", "count", "files:*", "delete_*")
    assert [rule for rule in rules if any(repr(rule) in each for each in told)] == ["ecko", "delete_*"]


def test_tools_that_may_be_repeated_or_go_unchecked_are_found_by_their_own_names_too(tmp_path):
    dies = server("files", f"dies_once={tmp_path / 'died'}", "tools=pid,echo") | {"idempotent": ["pid"]}

    with Callboard({"plugins": [server("other", "tools=pid"), dies]}) as board:
        answered = board.execute(tool_call("files__pid"))

    assert answered["success"]


def test_a_rule_of_a_servers_entry_that_fits_none_of_its_tools_is_told(caplog, tmp_path):
    rules = {
        "allow": ["e*", "c*", "raed"],
        "deny": ["ecko", "count"],
        "rename": {"cuont": "c", "echo": "say"},
    }
    given = server("files", "tools=echo,count", tools=rules)
    file = tmp_path / "board.json"
    file.write_text(json.dumps({"plugins": [given]}))

    with caplog.at_level(logging.WARNING, "callboard"), board_of(given, OTHER) as board:
        at_start = [record.getMessage() for record in caplog.records]
        caplog.clear()
        board.load(server("later", "tools=text", tools={"deny": ["txet"]}))
        at_load = [record.getMessage() for record in caplog.records]
        plugins = board.status()["plugins"]
    said = callboard("doctor", "--trust", str(file)).stdout

    idle = ["allow 'raed'", "deny 'ecko'", "rename 'cuont'"]
    assert [plugins[name].get("idle_rules") for name in ("files", "later", "other")] == [
        idle,
        ["deny 'txet'"],
        None,
    ]
    assert [sum(f"rule {rule} " in line for line in at_start) for rule in idle] == [1, 1, 1]
    assert [line for line in at_load if "rule" not in line or "later" not in line] == []
    assert len(at_load) == 1
    assert [rule for rule in idle if rule not in said] == []
