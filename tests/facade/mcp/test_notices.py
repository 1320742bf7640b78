"""Progress and log messages of a server's call reach the client as the server has said them, and all of them."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from leaks import no_leaks
from mcp_clients import command, http_server
from mcp_plain import ERAS, Client, Heard, Http, Pipes
from mcp_records import Exchange, Record, board_of
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

Json = dict[str, Any]

HELLO = '{"jsonrpc":"2.0","id":"%ID%","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tells","version":"1"}}}'
LISTED = '{"jsonrpc":"2.0","id":"%ID%","result":{"tools":[{"name":"good","inputSchema":{"type":"object"}}]}}'
DONE = '{"jsonrpc":"2.0","id":"%ID%","result":{"content":[{"type":"text","text":"done"}]}}'
WAYS = [*ERAS, "http"]


def heard_behind(folder: Path, way: str, before: list[str]) -> list[str]:
    """What a client hears before the result of a call in which the server says so: the texts of ``params``."""
    exchanges = [
        Exchange("initialize", {}, Heard([], HELLO)),
        Exchange("tools/list", {}, Heard([], LISTED)),
        Exchange("tools/call", {"name": "good"}, Heard(before, DONE)),
    ]
    record = Record("tells", "handshake", "", exchanges)
    record.write(folder)
    config = board_of(folder, [record], folder)
    with no_leaks(), ExitStack() as stack:
        if way == "http":
            client = Client(Http(stack.enter_context(http_server(config))), "handshake")
        else:
            client = Client(stack.enter_context(Pipes(command(config))), way)
        client.begin()
        client.ask("tools/list", {})
        heard = client.ask("tools/call", {"name": "good"})
    assert "done" in heard.answer
    return heard.before


PROGRESS = [
    ['"progress":0,"total":2', '"progress":1,"total":2', '"progress":2,"total":2'],
    ['"progress":0.0', '"progress":0.5', '"progress":1.0'],
    ['"progress":-1', '"progress":-0.0', '"progress":1'],
    ['"progress":1,"message":"a"', '"progress":1,"message":"b"', '"progress":1'],
    ['"progress":5', '"progress":3', '"progress":7'],
    ['"progress":12345678901234567890', '"progress":12345678901234567891,"total":98765432109876543210'],
    ['"message":"m","progress":1.5,"total":3.0,"own":[1,{"a":null}],"_meta":{"own":1}'],
]


@pytest.mark.parametrize("way", WAYS)
def test_progress_goes_on_as_it_came(way: str, tmp_path: Path) -> None:
    said = [f'{{{each},"progressToken":"%TOKEN%"}}' for row in PROGRESS for each in row]
    before = [f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{each}}}' for each in said]

    told = heard_behind(tmp_path, way, before)

    assert [json.dumps(json.loads(each)["params"]) for each in told] == [
        json.dumps(json.loads(each)) for each in said
    ]


def test_progress_that_the_protocol_does_not_know_is_counted(tmp_path: Path) -> None:
    odd = ['"progress":"1"', '"progress":7,"message":{"a":1}', '"progress":1e999', '"progress":true']
    before = [
        f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"%TOKEN%",{each}}}}}'
        for each in odd
    ]

    told = [json.loads(each)["params"] for each in heard_behind(tmp_path, "handshake", before)]

    assert [each["progress"] for each in told] == [1, 7, 8, 9]


@pytest.mark.parametrize("way", WAYS)
def test_of_many_log_messages_of_a_call_each_one_comes_in_order_before_the_result(
    way: str, tmp_path: Path
) -> None:
    said = [{"level": "error", "logger": "own", "data": f"message {number}"} for number in range(20_000)]
    before = [
        json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": each}) for each in said
    ]

    told = heard_behind(tmp_path, way, before)

    assert [json.loads(each)["params"]["data"] for each in told] == [each["data"] for each in said]
