"""Who is let in over HTTP: real requests to a real server, by programs of this machine and by pages of a browser."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest
from leaks import no_leaks, wait_until
from mcp_clients import (
    JSON_OR_STREAM,
    PATIENCE,
    header_of,
    over_pipes,
    serve_to_its_end,
    served_over_http,
    servers,
    written,
)
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = needs_sdk

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {}}}


def status_of(base: str, path: str, headers: dict[str, str]) -> int:
    if path == "/mcp":
        return httpx.post(f"{base}/mcp", json=CALL, headers={**JSON_OR_STREAM, **headers}).status_code
    return httpx.get(f"{base}{path}", headers=headers).status_code


@pytest.mark.parametrize("path", ["/mcp", "/status", "/nowhere"])
def test_each_route_is_closed_to_strange_names_strange_pages_and_who_has_no_token(
    path: str, tmp_path: Path
) -> None:
    config = written(tmp_path, servers(a=["tools=echo"]))

    with no_leaks(), served_over_http(config) as (address, next_line):
        base, token = address.removesuffix("/mcp"), header_of(next_line)
        statuses = [
            status_of(base, path, headers)
            for headers in (
                {"Host": "rebound.example"},
                token | {"Host": "rebound.example"},
                token | {"Origin": "http://rebound.example"},
                token | {"Origin": "null"},
                {},
                token | {"Authorization": token["Authorization"] + "x"},
                {"Connection": "Upgrade", "Upgrade": "websocket"},
            )
        ]
        let_in = status_of(base, path, token)

    assert statuses == [421, 421, 403, 403, 401, 401, 401]
    assert let_in not in {401, 403, 421}


def test_a_probe_by_any_name_hears_of_health_and_of_nothing_else(tmp_path: Path) -> None:
    given = servers(a=["tools=echo"])
    given["mcpServers"]["secret-name"] = {"command": "x", "env": {"KEY": "${NO_SUCH_VARIABLE_OF_OURS}"}}
    config = written(tmp_path, given)

    with no_leaks(), served_over_http(config) as (address, next_line):
        base, token = address.removesuffix("/mcp"), header_of(next_line)
        wait_until(lambda: bool(httpx.get(f"{base}/status", headers=token).json()["failed"]), PATIENCE)
        told = httpx.get(f"{base}/healthz", headers={"Host": "probe.example"})

    assert (told.status_code, told.text) == (503, "degraded\n")
    assert set(told.headers) == {"content-length", "content-type", "connection", "date"}


def test_no_program_of_the_machine_calls_a_tool_with_what_the_address_says(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=echo"]))

    with no_leaks(), served_over_http(config) as (address, next_line):
        refused = status_of(address.removesuffix("/mcp"), "/mcp", {})
        token = header_of(next_line)["Authorization"].removeprefix("Bearer ")

    assert refused == 401
    assert token not in address
    assert urlsplit(address).query == ""


def test_the_entry_that_is_printed_is_all_that_a_client_needs(tmp_path: Path) -> None:
    config = written(tmp_path, servers(far=["tools=echo"]))
    behind = tmp_path / "behind"
    behind.mkdir()

    async def talk(front: Path) -> Any:
        async with over_pipes(front, "stateless") as client:
            await client.list_tools()
            return await client.call_tool("echo", {"a": 1})

    with no_leaks(), served_over_http(config) as (_, next_line):
        line = ""
        while "mcpServers" not in line:
            line = next_line()
        told = asyncio.run(talk(written(behind, json.loads(line))))

    assert told.content[0].text == '{"a": 1}'


def test_a_token_is_made_once_for_its_user_alone_and_is_the_same_over_restarts(tmp_path: Path) -> None:
    config, states = written(tmp_path, servers()), tmp_path / "states"
    found = []

    def serve() -> None:
        with served_over_http(config, states=states) as (_, next_line):
            found.append(header_of(next_line)["Authorization"])

    with no_leaks():
        both = [threading.Thread(target=serve) for _ in range(2)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        serve()

    (file,) = (states / "callboard" / "tokens").iterdir()
    assert found == [f"Bearer {file.read_text().strip()}"] * 3
    assert [stat.S_IMODE(each.stat().st_mode) for each in (file, file.parent)] == [0o600, 0o700]
    assert len(file.read_text().strip()) >= 32


def make_readable(file: Path) -> None:
    file.chmod(0o644)


def make_link(file: Path) -> None:
    planted = file.with_name("planted")
    planted.write_text("known-to-the-attacker\n")
    planted.chmod(0o600)
    file.unlink()
    file.symlink_to(planted)


def make_empty(file: Path) -> None:
    file.write_text("")


def open_folder(file: Path) -> None:
    file.parent.chmod(0o777)


@pytest.mark.parametrize("spoil", [make_readable, make_link, make_empty, open_folder])
def test_a_kept_token_that_others_may_know_or_have_made_is_not_used(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    config, states = written(tmp_path, servers()), tmp_path / "states"
    with served_over_http(config, states=states):
        (file,) = (states / "callboard" / "tokens").iterdir()
    spoil(file)

    ended = serve_to_its_end(config, "--http", "127.0.0.1:0", states=states)

    assert ended.returncode == 2
    assert str(file) in ended.stderr


@pytest.mark.parametrize("options", [[], ["--behind-proxy"]])
def test_no_token_is_needed_once_that_is_said(options: list[str], tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=echo"]))

    with no_leaks(), served_over_http(config, "--no-token", *options) as (address, _):
        base = address.removesuffix("/mcp")
        statuses = [status_of(base, "/status", {}), status_of(base, "/status", {"Host": "rebound.example"})]

    assert statuses == [200, 200 if options else 421]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--no-token"], "--http"),
        (["--http", "127.0.0.1:0", "--no-token", "--token-file", "x"], "choose one"),
        (["--http", "0.0.0.0:0", "--no-token"], "other machines"),
    ],
)
def test_what_contradicts_itself_or_opens_it_to_all_machines_is_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    ended = serve_to_its_end(written(tmp_path, servers()), *options)

    assert ended.returncode == 2
    assert said in ended.stderr


def test_the_strict_profile_serves_nobody_without_a_token(tmp_path: Path) -> None:
    config = written(tmp_path, {"profile": "strict", "plugins": []})

    ended = serve_to_its_end(config, "--http", "127.0.0.1:0", "--no-token")

    assert ended.returncode == 2
    assert "'strict' does not allow --no-token" in ended.stderr


def test_who_is_refused_cannot_keep_the_connection(tmp_path: Path) -> None:
    config = written(tmp_path, servers())
    begun = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"

    with no_leaks(), served_over_http(config) as (address, _):
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), PATIENCE) as strange:
            strange.sendall(begun)
            said = b""
            while piece := strange.recv(4096):  # until it is closed: else this times out
                said += piece

    assert said.startswith(b"HTTP/1.1 401 ")
