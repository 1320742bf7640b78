"""The law of a gateway over recorded sessions of ten real servers: direct and through Callboard, all frames are equal as JSON values.

`mcp_law` says what is compared, and ``recorded_exceptions.toml`` what may differ; ``make test-mcp`` records anew, and holds what it hears to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp_clients import command, http_server
from mcp_law import differences, law
from mcp_mask import masked, timeless
from mcp_plain import ERAS, Client, Http, Pipes
from mcp_records import board_of, records, spoken
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk


def test_there_are_ten_servers_and_both_eras() -> None:
    assert len({record.server for record in records()}) == 10
    assert {record.era for record in records()} == set(ERAS)


@pytest.mark.parametrize(
    ("direct", "behind", "found"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, []),
        ({"a": 1}, {"a": 1.0}, [("a", "value")]),
        ({"a": 2**64}, {"a": 2**64 + 1}, [("a", "value")]),
        ({"a": True}, {"a": 1}, [("a", "value")]),
        ({"a": [1]}, {"a": [1, 2]}, [("a", "value")]),
        ({"a": [{"b": 0.0}]}, {"a": [{"b": -0.0}]}, [("a.#.b", "value")]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [("", "order")]),
        ({"a": 1}, {"b": 1}, [("a", "less"), ("b", "more")]),
        ({}, {"_meta": {"callboard/plugin": "a"}}, [("_meta.callboard/plugin", "more")]),
        ({"_meta": {"own": 1}}, {}, [("_meta.own", "less")]),
    ],
)
def test_no_difference_is_overlooked(direct: Any, behind: Any, found: list[tuple[str, str]]) -> None:
    assert [(place, kind) for place, kind, *_ in differences(direct, behind)] == found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (r'{"description":"Ab \u00e9\ud83d\ude00 x1 — é字\n","n":1.0}', r'{"description":"Ab \u00e9\ud83d\ude00 d1 — é字\n","n":1.0}'),
        ('{"name":"kept","properties":{"title":{"type":"string"}}}', '{"name":"kept","properties":{"title":{"type":"string"}}}'),
        ('{"data": "QUJD", "structuredContent":{"a":["some"]}}', '{"data": "ABCD", "structuredContent":{"a":["abcd"]}}'),
        ('{"error":{"code":-1,"message":"No \\"such\\" thing"}}', '{"error":{"code":-1,"message":"Ab \\"cdef\\" ghijk"}}'),
        ('{"text":"at 2026-08-31T01:02:03.4Z, 1:02:03 PM, Fri Nov 27 2026 01:02:03"}', '{"text":"ab 2000-01-01C00:00:00D, 00:00:00, Efg Hij 1 2000 00:00:00"}'),
        ('{"protocolVersion":"2025-11-25"}', '{"protocolVersion":"2025-11-25"}'),
    ],
)  # fmt: skip
def test_of_what_others_wrote_a_record_has_no_word_and_no_time(text: str, left: str) -> None:
    assert masked(timeless(text)) == left


@pytest.mark.parametrize("servers", ERAS)
@pytest.mark.parametrize("era", ERAS)
def test_over_pipes_a_client_hears_what_each_server_says(tmp_path: Path, era: str, servers: str) -> None:
    recorded = spoken(servers)

    with Pipes(command(board_of(tmp_path, recorded))) as pipes:
        found = law(Client(pipes, era), recorded, f"{era} client, {servers} servers")

    assert found == []


def test_over_http_a_client_hears_what_each_server_says(tmp_path: Path) -> None:
    recorded = spoken("handshake")

    with http_server(board_of(tmp_path, recorded)) as address, Http(address) as http:
        found = law(Client(http, "handshake"), recorded, "over HTTP")

    assert found == []
