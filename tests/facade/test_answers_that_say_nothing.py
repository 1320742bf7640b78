"""A host, or an MCP server, that answers with an id and no result ends its call at once, and truly."""

from __future__ import annotations

import sys

import pytest
from callboard import Callboard
from leaks import TEST_MARK
from programs import PROGRAMS
from tools import tool_call

SPEAKER = str(PROGRAMS / "python" / "says_keys.py")
HOST = {"host": {"command": [sys.executable, SPEAKER], "protocol": "thp/1"}, "env": TEST_MARK}
SERVER = {"mcp": {"command": [sys.executable, SPEAKER, "mcp"], "id": "server"}, "env": TEST_MARK}
ANSWER = {"value": {"success": True, "result": 1}}
PATIENCE = 5.0
"""Seconds until the deadline, which none of these calls may reach."""


def answered(plugin, *keys):
    """What comes of calls that are answered with these keys."""
    with Callboard({"plugins": [plugin]}) as board:
        return [board.execute(tool_call("say", keys=each), deadline=PATIENCE) for each in keys]


def test_an_answer_of_a_host_that_has_an_id_and_is_no_message_is_a_protocol_error_at_once():
    spoilt = [
        {},
        {"v": 1},
        {"ok": True, "result": ANSWER},
        {"result": ANSWER},
        {"jsonrpc": "2.0", "result": ANSWER},
        {"error": {"type": "Error", "detail": "no", "stack": ""}},
    ]

    *failed, after = answered(HOST, *spoilt, {"v": 1, "ok": True, "result": ANSWER})

    assert [(each["code"], each["outcome"]) for each in failed] == [
        ("protocol_error", "outcome_unknown")
    ] * len(spoilt)
    assert "'v'" in failed[0]["error"]
    assert after["success"]


def test_an_answer_of_a_server_that_has_an_id_and_no_result_is_a_protocol_error_at_once():
    spoilt = [{}, {"jsonrpc": "2.0"}, {"result": {"content": []}}, {"jsonrpc": "2.0", "error": "no"}]

    *failed, after = answered(SERVER, *spoilt, {"jsonrpc": "2.0", "result": {"content": []}})

    assert [(each["code"], each["outcome"]) for each in failed] == [
        ("protocol_error", "outcome_unknown")
    ] * len(spoilt)
    assert after["success"]


@pytest.mark.parametrize("last", [False, True], ids=["id first", "id last"])
@pytest.mark.parametrize(
    ("plugin", "spoilt", "sound"),
    [
        (HOST, {"v": 1, "ok": True, "result": "DEEP"}, {"v": 1, "ok": True, "result": ANSWER}),
        (
            SERVER,
            {"jsonrpc": "2.0", "result": {"content": "DEEP"}},
            {"jsonrpc": "2.0", "result": {"content": []}},
        ),
    ],
    ids=["host", "server"],
)
def test_an_answer_that_is_nested_too_deep_to_be_read_is_a_protocol_error_at_once(
    plugin, spoilt, sound, last
):
    failed, after = answered(plugin, {**spoilt, "last": last}, sound)

    assert (failed["code"], failed["outcome"]) == ("protocol_error", "outcome_unknown")
    assert after["success"]


@pytest.mark.parametrize(
    "result",
    [
        {"content": 5},
        {"content": None},
        {"content": "done"},
        {"content": [5]},
        {"content": [{"type": "text", "text": 5}]},
        {"content": [{"text": "done"}]},
        {"content": [], "isError": "yes"},
    ],
)
def test_a_result_of_a_server_that_is_none_by_its_protocol_is_no_success(result):
    failed, after = answered(
        SERVER,
        {"jsonrpc": "2.0", "result": result},
        {"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": "done"}]}},
    )

    assert (failed["success"], failed["code"]) == (False, "invalid_result")
    assert after == {"success": True, "result": "done"}
