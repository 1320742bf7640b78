"""Connections of strangers: whatever they do before they have said a token, those who have it are answered, and the board goes on."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import threading
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from leaks import no_leaks, wait_until
from mcp_clients import (
    JSON_OR_STREAM,
    PATIENCE,
    header_of,
    serve_to_its_end,
    served_over_http,
    servers,
    written,
)
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

MANY = 400
FEW = 100
"""Descriptors: fewer than those who would have them all."""
RESERVED = 64
"""Of these, the ones that connections leave to hosts."""


def half_open(address: str, stack: ExitStack, count: int = MANY, said: bytes = b"POST /mcp HT") -> list[Any]:
    """Connections that have said a part of a request, or what else is said."""
    place = urlsplit(address)
    opened = []
    for _ in range(count):
        each = stack.enter_context(socket.create_connection((place.hostname, place.port), PATIENCE))
        with suppress(OSError):  # it may have been ended already
            each.sendall(said)
        opened.append(each)
    return opened


def called(address: str, header: dict[str, str], name: str) -> Any:
    """The result of a call of the stateless kind: one request of its own."""
    params = {"name": name, "arguments": {}, "_meta": META}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    told = httpx.post(
        address,
        json=call,
        headers={**JSON_OR_STREAM, **header, **STATELESS, "Mcp-Name": name},
        timeout=PATIENCE,
    )
    assert told.status_code == 200, told.text
    return told.text


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
STATELESS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}


def pid_in(told: str) -> int:
    found = re.search(r'"text":"(\d+)"', told)
    assert found, told
    return int(found[1])


def descriptors_of_the_server() -> int:
    (server,) = [each for each in psutil.Process().children(recursive=True) if "--http" in each.cmdline()]
    return server.num_fds()


def test_a_call_is_answered_beside_many_half_open_connections_and_a_dead_host_is_replaced(
    tmp_path: Path,
) -> None:
    config = written(tmp_path, servers(a=["tools=pid"]))

    with no_leaks(), ExitStack() as stack:
        limits = ("--header-timeout", "600")  # none goes by itself
        address, next_line = stack.enter_context(served_over_http(config, *limits, descriptors=FEW))
        header = header_of(next_line)
        first = pid_in(called(address, header, "pid"))
        half_open(address, stack)
        assert FEW - descriptors_of_the_server() > RESERVED / 2
        assert pid_in(called(address, header, "pid")) == first
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: '"callboard/restarted":true' in called(address, header, "pid"), PATIENCE)


def test_a_plugin_comes_up_though_the_flood_came_first(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    config = written(tmp_path, servers(a=["tools=pid", f"waits={ready}"], b=["tools=two"]))

    with no_leaks(), ExitStack() as stack:
        address, next_line = stack.enter_context(served_over_http(config, descriptors=FEW))
        header = header_of(next_line)
        half_open(address, stack)
        ready.touch()
        told = called(address, header, "pid")

    assert pid_in(told) > 0


@pytest.mark.parametrize("said", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_who_does_not_send_all_headers_in_time_is_ended_however_steadily_bytes_come(
    said: bytes, tmp_path: Path
) -> None:
    config = written(tmp_path, servers())

    with no_leaks(), ExitStack() as stack:
        address, _ = stack.enter_context(served_over_http(config, "--header-timeout", "1"))
        (slow,) = half_open(address, stack, 1, said)
        slow.settimeout(0.1)
        begun = time.monotonic()
        while not is_closed(slow):
            assert time.monotonic() - begun < PATIENCE
            if said:
                with suppress(OSError):
                    slow.sendall(b"x")


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed it, as far as can be seen in the time that it has for reading."""
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_no_more_connections_are_open_than_may_be_and_the_longest_silent_go_first(tmp_path: Path) -> None:
    config = written(tmp_path, servers())
    limits = ("--max-connections", "3", "--header-timeout", "600")

    with no_leaks(), ExitStack() as stack:
        address, _ = stack.enter_context(served_over_http(config, *limits))
        silent = half_open(address, stack, 20)
        for each in silent[:-3]:
            each.settimeout(PATIENCE)
            assert is_closed(each)
        assert not any(is_readable(each) for each in silent[-3:])


def is_readable(connection: socket.socket) -> bool:
    return bool(select.select([connection], [], [], 0)[0])


def test_a_flood_writes_a_few_lines_of_log(tmp_path: Path) -> None:
    config = written(tmp_path, servers())
    lines: list[str] = []

    with no_leaks(), ExitStack() as stack:
        address, next_line = stack.enter_context(served_over_http(config, "--max-connections", "3"))
        reading = threading.Thread(target=lambda: lines.extend(iter(next_line, "")))
        reading.start()
        half_open(address, stack)
        for said in (b"\0\r\n\r\n", UPGRADE):
            for each in half_open(address, stack, 50, said):
                each.settimeout(PATIENCE)
                assert is_ended(each)
    reading.join(PATIENCE)

    told = [line for line in lines if "Authorization" not in line and "mcpServers" not in line]
    assert 1 <= len(told) <= 8


UPGRADE = b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


def is_ended(connection: socket.socket) -> bool:
    """Whether the other end closes it once it has answered."""
    with suppress(ConnectionResetError):
        while connection.recv(4096):
            pass
    return True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-connections", "5"], "--max-connections"),
        (["--header-timeout", "5"], "--header-timeout"),
        (["--http", "127.0.0.1:0", "--max-connections", "0"], "--max-connections"),
        (["--http", "127.0.0.1:0", "--header-timeout", "0"], "--header-timeout"),
        (["--http", "127.0.0.1:0", "--header-timeout", "11"], "'strict' does not allow --header-timeout"),
        (["--http", "127.0.0.1:0", "--max-connections", "101"], "'strict' does not allow --max-connections"),
    ],
)
def test_limits_that_are_none_or_weaker_than_the_strict_profile_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    ended = serve_to_its_end(written(tmp_path, {"profile": "strict", "plugins": []}), *options)

    assert ended.returncode == 2
    assert said in ended.stderr
