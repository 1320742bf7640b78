"""A host that floods, or sends what would take all memory, harms neither its own next call nor anybody else's."""

from __future__ import annotations

import sys

import pytest
from callboard import Callboard
from callboard.actors.calls.unread_parts import MAX_UNREAD_BYTES
from leaks import no_leaks
from thorough import every

PATIENCE = 60.0
MIB = 1024 * 1024

HOST = r"""
import json, sys

TOOLS = [{"type": "function", "function": {"name": "send", "parameters": {"type": "object"}}}]
out = sys.stdout.buffer

for line in sys.stdin.buffer:
    request = json.loads(line)
    head = b'{"v":1,"id":"%s",' % request["id"].encode()
    if request["method"] == "init":
        out.write(head + b'"ok":true,"result":{"value":{},"state":{}}}\n')
    elif request["method"] == "get_tool_schemas":
        out.write(head + b'"ok":true,"result":{"value":%s}}\n' % json.dumps(TOOLS).encode())
    else:
        told = request["params"]["arguments"]
        item, size = told["item"].encode(), told["bytes"]
        filling = told["begin"].encode() + item * (size // len(item)) + told["end"].encode()
        for _ in range(told.get("parts", 0)):
            out.write(head + b'"event":{"type":"part","payload":%s}}\n' % filling)
        for _ in range(told.get("prints", 0)):
            out.write(filling + b"\n")
        result = b"0" if told.get("parts") or told.get("prints") else filling
        for _ in range(told.get("answers", 1)):
            out.write(head + b'"ok":true,"result":{"value":{"success":true,"result":%s}}}\n' % result)
    out.flush()
"""


@pytest.fixture
def board(tmp_path):
    program = tmp_path / "host.py"
    program.write_text(HOST)
    with no_leaks(), Callboard() as board:
        command = [sys.executable, "-I", str(program)]
        board.load({"host": {"command": command, "protocol": "thp/1"}}, name="evil", deadline=PATIENCE)
        yield board


def send(board, item="x", size=1, begin='"', end='"', **more):
    arguments = {"item": item, "bytes": size, "begin": begin, "end": end, **more}
    return board.submit({"name": "send", "arguments": arguments})


@pytest.mark.parametrize(
    ("item", "begin", "end"),
    every(
        3,
        [
            ("QUJD", '"', '"'),
            ("a,1,2;", '"', '"'),
            (",{[", '"', '"'),
            ('{"id":123456,"name":"a name of things","price":12.5,"tags":["a","bc"]},', "[", "0]"),
        ],
    ),
    ids=every(3, ["base64", "CSV", "commas and brackets", "records"]),
)
def test_16_mb_of_ordinary_json_are_an_answer_like_any_other(board, item, begin, end):
    result = send(board, item, 16_000_000, begin, end).result(PATIENCE)

    assert result["success"] is True, result
    assert len(result["result"]) > 200_000


def test_a_message_that_holds_too_much_is_a_protocol_error_with_the_numbers_and_the_next_call_works(board):
    result = send(board, "{},", 16 * MIB, "[", "0]").result(PATIENCE)

    assert (result["code"], result["outcome"], result["reason"]) == (
        "protocol_error",
        "outcome_unknown",
        "too_many_values",
    )
    assert result["limit"] == 10_000_000 < result["values"]
    assert result["bytes"] > 16_000_000
    assert send(board).result(PATIENCE)["result"] == "x"


def test_a_line_that_is_too_long_says_what_the_limit_is(board):
    result = send(board, "x", 70 * MIB).result(PATIENCE)

    assert (result["reason"], result["limit"]) == ("line_too_long", 64 * MIB)


@pytest.mark.parametrize("item", every(2, ["{},", "x"]))
def test_parts_that_nobody_reads_are_bounded_in_bytes_and_the_result_says_how_many_were_dropped(board, item):
    filling = {"begin": '"', "end": '"'} if item == "x" else {"begin": "[", "end": "0]"}
    call = send(board, item, MIB, **filling, parts=100)
    result = call.result(PATIENCE)
    kept = list(call.parts())

    assert result["success"] is True
    assert 0 < len(kept) <= MAX_UNREAD_BYTES // MIB
    assert call.parts_dropped == result["parts_dropped"] == 100 - len(kept)
    assert board.status()["dead_letters"] == {"parts": 1}


def test_parts_of_a_tool_in_this_process_are_bounded_in_bytes_too():
    class Tool:
        name = "tool"

        def get_tool_schemas(self):
            return [{"type": "function", "function": {"name": "stream", "parameters": {"type": "object"}}}]

        def stream_tool(self, tool_name, payload, state):
            for _ in range(100):
                yield {"part": "x" * MIB}
            yield {"success": True, "result": "done"}

    with Callboard() as board:
        board.register(Tool())
        call = board.submit({"name": "stream", "arguments": {}})
        result = call.result(PATIENCE)

    assert len(list(call.parts())) == 100 - result["parts_dropped"] == 63


@pytest.mark.parametrize("flood", ["prints", "answers"])
def test_after_a_flood_the_next_call_of_the_same_host_works_and_all_is_counted(board, flood):
    print_ = (
        {"item": "a stray line of words ", "size": 22, "begin": "", "end": ""} if flood == "prints" else {}
    )
    first = send(board, **print_, **{flood: 100_000})

    assert first.result(PATIENCE)["success"] is True
    assert send(board).result(PATIENCE)["result"] == "x"
    counts = board.status()["plugins"]["evil"]["host"]["counts"]
    assert counts in ({"stray": 100_000}, {"duplicate": 99_999})
