"""Which requests stand in lines that were not sent: no answer to the other side is one of them."""

from __future__ import annotations

import pytest
from callboard.hosts.mcp import jsonrpc
from callboard.hosts.protocol.wire import encode_request, ids_of_requests


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        (encode_request("1-7", "execute_tool", {}), {"1-7"}),
        (jsonrpc.request("1-7", "tools/call", {"name": "x"}), {"1-7"}),
        (
            jsonrpc.request("1-7", "ping") + encode_request("1-8", "x", {}) + b'{"v":1,"id":"1-9',
            {"1-7", "1-8"},
        ),
        (jsonrpc.result("1-7", {}), set()),
        (jsonrpc.error("1-7", -32601, '"method":'), set()),
        (jsonrpc.notification("notifications/cancelled", {"requestId": "1-7"}), set()),
    ],
)
def test_the_ids_are_those_of_our_requests(lines: bytes, ids: set[str]) -> None:
    assert ids_of_requests(lines) == ids
