"""A host that speaks MCP answers each request once, also what the session answers by itself, while the server prints without end."""

from __future__ import annotations

import threading

import pytest
from callboard.hosts.errors import RemoteError, RequestTooLarge
from callboard.hosts.mcp.session import Session
from callboard.hosts.process.process import Command
from callboard.hosts.protocol.blocking_request import ask
from callboard.hosts.translating_host import TranslatingHost
from evil_hosts import HostEar


class Nowhere:
    """A transport that leads to nobody."""

    pid, stderr_tail = 1, ""

    def start(self):
        pass

    took = None

    def write(self, data):
        pass

    def has_ended(self):
        return False

    def stop(self, reason, ladder):
        pass

    def join(self, timeout=None):
        return True


@pytest.fixture
def host():
    return TranslatingHost(
        "mcp",
        Command(("nothing",), {}),
        HostEar(),
        max_line=10_000,
        carry=lambda *_: Nowhere(),
        dialect=Session({"name": "callboard", "version": "1"}),
    )


def test_what_the_session_answers_by_itself_is_never_lost_to_another_thread(host):
    done = threading.Event()

    def print_without_end():
        while not done.is_set():
            host.on_output(b"a print\n")

    printing = threading.Thread(target=print_without_end)
    printing.start()
    try:
        for _ in range(1_000):
            with pytest.raises(RemoteError):
                ask(host, "get_tags", {}, 5.0)
    finally:
        done.set()
        printing.join()


def test_a_request_that_is_too_large_is_awaited_by_nobody(host):
    host.note("init", {}, lambda _: None)
    host.on_output(b'{"jsonrpc":"2.0","id":"callboard:discover","error":{"code":-32601,"message":"m"}}\n')
    host.on_output(
        b'{"jsonrpc":"2.0","id":"callboard:initialize","result":{"protocolVersion":"2025-11-25","capabilities":{}}}\n'
    )

    with pytest.raises(RequestTooLarge):
        ask(host, "execute_tool", {"tool_name": "t", "arguments": {"a": "x" * 20_000}, "state": {}}, 5.0)

    assert not host.busy
