"""The text of a result is told from the line around it: what is given on as text is one value, and the one that was read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard.base.errors import JsonValueError
from callboard.base.json import load_json
from callboard.hosts.mcp import jsonrpc
from callboard.hosts.mcp.jsonrpc import Answer
from hypothesis import example, given
from hypothesis import strategies as st

MEMBERS = (
    ("jsonrpc", '"2.0"'),
    ("jsonrpc", '"1.0"'),
    ("id", '"1-1"'),
    ("id", '"1-2"'),
    ("id", "7"),
    ("id", r'"1\u002d1"'),
    ("result", '{"content":[]}'),
    ("result", '{"a":{"b":"}"},"_meta":{}}'),
    ("result", "{}"),
    ("result", "[{}]"),
    ("result", "7"),
    (r"r\u0065sult", '{"other":1}'),
    ("error", '{"code":1}'),
    ("other", '{"id":"1-2"}'),
)
BLANKS = st.sampled_from(["", "", "", " ", "\t", "\r", "\n ", "\v"])
"""The last one is no blank of JSON."""


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    members = draw(st.lists(st.sampled_from(MEMBERS), max_size=5))
    said = [
        f'{draw(BLANKS)}"{key}"{draw(BLANKS)}:{draw(BLANKS)}{value}{draw(BLANKS)}' for key, value in members
    ]
    return f"{draw(BLANKS)}{{{','.join(said)}}}{draw(BLANKS)}".encode()


@given(lines())
@example(b'{"jsonrpc":"2.0","id":"1-1","result":{"content":[]}}')
@example(b'{"jsonrpc":"2.0","id":"1-1","result":{"a":1},"id":"1-2","result":{}}')
@example(b'{"result":{},"id":"1-1","jsonrpc":"2.0"}\r')
def test_the_text_of_a_result_is_one_value_and_the_one_that_counts(line: bytes) -> None:
    try:
        message = load_json(line)
    except JsonValueError:
        message = {}

    read = jsonrpc.read(line)

    if message.get("jsonrpc") == "2.0" and "result" in message:
        assert isinstance(read, Answer)
        assert (read.id, read.result, read.error) == (message.get("id"), message["result"], None)
    if isinstance(read, Answer) and read.text is not None:
        again = b'{"id":7,"result":%b}' % bytes(read.text)
        assert json.loads(again, object_pairs_hook=tuple) == (("id", 7), ("result", _pairs(read.result)))


def _pairs(value: Any) -> Any:
    return json.loads(json.dumps(value), object_pairs_hook=tuple)


@pytest.mark.parametrize(
    "result",
    [
        '{"content":[{"type":"text","text":"a"}]}',
        '{"content":[],"structuredContent":{"a":1e400,"b":18446744073709551617,"c":-0.0}}',
        r'{"content":[{"type":"text","text":"\ud800 callboard/ and \u0063"}]}',
        '{ "a" : [ 1.50, {"a":1,"a":2} ] }',
        "{" + ",".join(f'"{number}":{{}}' for number in range(2000)) + "}",
    ],
)
@pytest.mark.parametrize("around", ['{"jsonrpc":"2.0","id":"1-1","result":%s}', '{"result":%s, "id":"1-1", "jsonrpc": "2.0" }'])  # fmt: skip
def test_a_plain_answer_has_the_text_that_was_written(around: str, result: str) -> None:
    line = (around % result).encode()

    read = jsonrpc.read(line)

    assert isinstance(read, Answer)
    assert read.text is not None
    assert (read.id, bytes(read.text)) == ("1-1", result.encode())
    assert read.result == jsonrpc.load_value(line)["result"]


@pytest.mark.parametrize(
    "result",
    [
        '{"content":[],"_meta":{"callboard/code":"denied","own":1}}',
        r'{"content":[],"_meta":{"\u0063allboard\/code":"denied","own":1}}',
        '{"content":[],"_meta":{"callboard/code":"denied","own":1},"more":"' + "x" * 5000 + '"}',
    ],
)
def test_of_what_lacks_a_forged_key_there_is_no_text(result: str) -> None:
    read = jsonrpc.read(f'{{"jsonrpc":"2.0","id":"1-1","result":{result}}}'.encode())

    assert isinstance(read, Answer)
    assert read.text is None
    assert read.result["_meta"] == {"own": 1}


def test_what_is_nested_too_deep_is_an_answer_without_a_result() -> None:
    deep = "[" * 260 + "]" * 260

    read = jsonrpc.read(f'{{"jsonrpc":"2.0","id":"1-1","result":{{"a":{deep}}}}}'.encode())

    assert read == Answer("1-1", jsonrpc.ABSENT, None)
