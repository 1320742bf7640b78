"""What a line of a host is, in every protocol that one may speak: a call of a tool, an answer, or neither."""

from __future__ import annotations

import json

import pytest
from callboard.chaos.inject.wires import HostReply, ToolRequest, host_reply, tool_request

OURS = {"v": 1, "id": "1-2"}
THEIRS = {"jsonrpc": "2.0", "id": "1-2"}


def line(message):
    return json.dumps(message).encode()


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({**OURS, "method": "execute_tool", "params": {"a": 1}}, ToolRequest("1-2", "1-2", {"a": 1}, True)),
        ({**THEIRS, "method": "tools/call", "params": {"a": 1}}, ToolRequest("1-2", "1-2", {"a": 1}, False)),
        (
            {"jsonrpc": "2.0", "id": "1-2~3", "method": "tools/call", "params": {}},
            ToolRequest("1-2~3", "1-2", {}, False),
        ),
        ({**OURS, "method": "init", "params": {"config": "execute_tool"}}, None),
        ({**THEIRS, "method": "tools/list", "params": {"cursor": "tools/call"}}, None),
        ({"jsonrpc": "2.0", "method": "tools/call", "params": {}}, None),
        ({**OURS, "method": "execute_tool"}, None),
        (["execute_tool"], None),
    ],
)
def test_a_line_to_a_host_calls_a_tool_or_does_not(message, found):
    assert tool_request(line(message)) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (
            {**OURS, "ok": True, "result": {"value": 7, "state": {"n": 1}}},
            HostReply("1-2", "1-2", 7, {"n": 1}),
        ),
        ({**OURS, "ok": True, "result": {"value": 7}}, HostReply("1-2", "1-2", 7)),
        ({**OURS, "ok": False, "error": {"type": "Oh"}}, HostReply("1-2", "1-2")),
        ({**OURS, "event": {"type": "part", "payload": {"ok": True}}}, None),
        (
            {**THEIRS, "result": {"content": [{"type": "text", "text": "hi"}]}},
            HostReply("1-2", "1-2", {"success": True, "result": "hi"}),
        ),
        (
            {**THEIRS, "result": {"content": [{"type": "text", "text": "no"}], "isError": True}},
            HostReply("1-2", "1-2", {"success": False, "error": "no"}),
        ),
        ({**THEIRS, "error": {"code": -32602, "message": "no"}}, HostReply("1-2", "1-2")),
        (
            {
                "jsonrpc": "2.0",
                "id": "1-2~1",
                "result": {"resultType": "input_required", "requestState": "x"},
            },
            HostReply("1-2~1", "1-2", is_last=False),
        ),
        ({**THEIRS, "method": "elicitation/create", "params": {}}, None),
        ({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, None),
        (7, None),
    ],
)
def test_a_line_of_a_host_is_an_answer_or_is_none(message, found):
    assert host_reply(line(message)) == found


@pytest.mark.parametrize("text", [b"", b'{"ok": tr', b'print: "ok" "jsonrpc" execute_tool', b'\xff"ok"'])
def test_what_is_no_message_is_neither(text):
    assert host_reply(text) is None
    assert tool_request(text) is None
