"""Callboard in front of a user's MCP servers: what one of them does harms no other, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest
from command_line import ENVIRONMENT
from leaks import TEST_MARK, census, no_leaks, wait_until
from mcp_clients import ERAS, PATIENCE, begun, command, http_server, over_http, over_pipes, servers, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

OVER_HTTP = ("--http", "127.0.0.1:0", "--no-token")


async def pid_of(client: Client, tool: str) -> int:
    result: Any = await client.call_tool(tool, {})
    return int(result.content[0].text)


def test_each_server_may_die_and_no_other_is_touched(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=pid"], b=["tools=echo,count"]))

    async def talk() -> list[Any]:
        async with over_pipes(config, "handshake") as client:
            await client.list_tools()
            assert (await client.call_tool("count", {})).structured_content == {"count": 1}
            first = await pid_of(client, "pid")
            os.kill(first, signal.SIGKILL)
            at_once: Any = await client.call_tool("pid", {})
            if at_once.is_error:  # it was sent before the death was seen
                assert at_once.meta["callboard/code"] == "host_crashed"
            second = await pid_of(client, "pid")
            return [first != second, (await client.call_tool("count", {})).structured_content]

    with no_leaks():
        assert asyncio.run(talk()) == [True, {"count": 2}]


def test_a_grandchild_that_holds_the_pipe_holds_no_call(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["holds", "tools=crash,pid"]))

    async def talk() -> tuple[Any, int]:
        async with over_pipes(config, "stateless") as client:
            await client.list_tools()
            crashed = await client.call_tool("crash", {})
            return crashed.meta, await pid_of(client, "pid")

    with no_leaks():
        meta, pid = asyncio.run(talk())

    assert meta["callboard/code"] == "host_crashed"
    assert pid > 0


def test_after_a_sigkill_of_the_proxy_no_server_is_left(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["lingers"], b=["lingers", "holds", "tools=other"]))
    before = census().processes

    with no_leaks(), begun(command(config, "--http", "127.0.0.1:0"), stderr=PIPE, text=True) as proxy:
        assert proxy.stderr is not None
        try:
            address = proxy.stderr.readline().split()[-1]
            health = address.removesuffix("/mcp") + "/healthz"
            wait_until(lambda: _status_code(health) == 200, PATIENCE)
            started = census().processes - before
        finally:
            proxy.kill()

    assert len(started) >= 4  # with it, its two servers, and the child of one of them


def test_at_the_end_of_input_all_is_gone(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["lingers"], b=["lingers", "tools=other"]))

    with no_leaks():
        ended = subprocess.run(
            command(config),
            input=b"",
            capture_output=True,
            timeout=PATIENCE,
            env=ENVIRONMENT,
            check=False,
        )

    assert (ended.returncode, ended.stdout) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_all_of_its_servers(number: signal.Signals, tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["lingers", "tools=other"]))
    with no_leaks(), begun(command(config), stdin=PIPE, stdout=PIPE) as proxy:
        wait_until(lambda: bool(psutil.Process(proxy.pid).children()), PATIENCE * 3)
        proxy.send_signal(number)
        assert proxy.wait(PATIENCE) == 128 + number


@pytest.mark.parametrize(
    ("http", "number"), [((), signal.SIGTERM), (OVER_HTTP, signal.SIGTERM), (OVER_HTTP, signal.SIGINT)]
)
def test_a_stop_during_the_start_is_no_failure_of_a_server(
    http: tuple[str, ...], number: signal.Signals, tmp_path: Path
) -> None:
    silent = {"command": sys.executable, "args": ["-c", "input(); input()"], "env": TEST_MARK}
    config = written(tmp_path, {"mcpServers": {"notes": silent, "more": silent}})
    with no_leaks(), begun(command(config, *http), stdin=PIPE, stdout=PIPE, stderr=PIPE) as proxy:
        wait_until(lambda: len(psutil.Process(proxy.pid).children()) > 1, PATIENCE * 3)
        proxy.send_signal(number)
        assert proxy.wait(PATIENCE) == (0 if http else 128 + number)
        assert proxy.stderr is not None
        said = proxy.stderr.read().decode()
    assert [line for line in said.splitlines() if "serving on" not in line] == []


def test_many_calls_of_many_clients_while_servers_are_killed_have_one_answer_each(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=pid"], b=["tools=count"]))

    async def client_of(address: str, era: str) -> list[Any]:
        async with over_http(address, era) as client:
            await client.list_tools()
            calls = [client.call_tool(name, {}) for name in ["pid", "count"] * 8]
            return await asyncio.gather(*calls)

    async def kill(address: str) -> None:
        async with over_http(address, "handshake") as client:
            for _ in range(5):
                answered = await client.call_tool("pid", {})
                if not answered.is_error:
                    os.kill(int(answered.content[0].text), signal.SIGKILL)

    async def talk() -> list[Any]:
        with http_server(config) as address:
            clients = [client_of(address, era) for era in [*ERAS] * 2]
            *answers, _ = await asyncio.gather(*clients, kill(address))
        return [answer for of_client in answers for answer in of_client]

    with no_leaks():
        answers = asyncio.run(talk())

    assert len(answers) == 64
    for answer in answers:
        if answer.is_error:
            assert answer.meta["callboard/code"] in {"host_crashed", "host_unavailable", "overloaded"}
            assert answer.content[0].text


def test_its_health_is_what_is_true_now_and_is_told_without_the_token(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=pid"], b=["tools=other"]))
    token = tmp_path / "token"
    token.write_text("a secret word of ours".replace(" ", "-") + "\n")
    headers = {"Authorization": f"Bearer {token.read_text().strip()}"}

    logs = tmp_path / "logs"
    with no_leaks(), http_server(config, "--token-file", str(token), "--log-dir", str(logs)) as address:
        base = address.removesuffix("/mcp")
        wait_until(lambda: _status_code(f"{base}/healthz") == 200, PATIENCE)
        told = httpx.get(f"{base}/status", headers=headers).json()
        lower = {"Authorization": headers["Authorization"].replace("Bearer", "bearer ")}
        again = httpx.get(f"{base}/status", headers=lower).status_code
        wrong = {"Authorization": headers["Authorization"] + "x"}
        refused = [
            httpx.get(f"{base}/status", headers=wrong).status_code,
            httpx.post(address, json={}).status_code,
        ]

    assert {name: plugin["available"] for name, plugin in told["plugins"].items()} == {"a": True, "b": True}
    assert (again, refused) == (200, [401, 401])
    assert told["logs"] == str(logs)


def test_a_server_that_cannot_start_makes_it_unwell(tmp_path: Path) -> None:
    given = servers(a=["tools=pid"])
    given["mcpServers"]["broken"] = {"command": "x", "env": {"KEY": "${NO_SUCH_VARIABLE_OF_OURS}"}}
    config = written(tmp_path, given)

    with no_leaks(), http_server(config) as address:
        base = address.removesuffix("/mcp")
        wait_until(
            lambda: httpx.get(f"{base}/status").json()["plugins"].get("a", {}).get("available", False),
            PATIENCE,
        )
        wait_until(lambda: bool(httpx.get(f"{base}/status").json()["failed"]), PATIENCE)
        told, health = httpx.get(f"{base}/status").json(), _status_code(f"{base}/healthz")

    assert health == 503
    assert [each["plugin"] for each in told["failed"]] == ["mcp:broken"]


def test_a_page_of_a_browser_cannot_reach_it_by_a_name_of_its_own(tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=pid"]))
    said = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    with no_leaks(), http_server(config) as address:
        by_name = httpx.post(address, json={}, headers={**said, "Host": "rebound.example"})
        by_origin = httpx.post(address, json={}, headers={**said, "Origin": "http://rebound.example"})

    assert (by_name.status_code, by_origin.status_code) == (421, 403)


@pytest.mark.parametrize(
    "options",
    [
        ["--http", "0.0.0.0:0"],
        ["--http", "nonsense"],
        ["--http", "127.0.0.1:99999"],
        ["--token-file", "x"],
        ["--http", "127.0.0.1:0", "--token-file", "there is none"],
        ["--http", "127.0.0.1:0", "--print-config", "claude"],
    ],
)
def test_what_would_not_be_safe_or_is_not_meant_is_refused_before_anything_starts(
    options: list[str], tmp_path: Path
) -> None:
    config = written(tmp_path, servers(a=[]))

    ended = subprocess.run(command(config, *options), capture_output=True, timeout=PATIENCE, check=False)

    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr


def test_a_server_over_http_is_served_on_beside_one_that_is_a_process(tmp_path: Path) -> None:
    behind = tmp_path / "behind"
    behind.mkdir()
    config = written(behind, servers(far=["tools=pid"]))

    async def talk(front: Path) -> list[Any]:
        async with over_pipes(front, "stateless") as client:
            await client.list_tools()
            near: Any = await client.call_tool("echo", {})
            return [await pid_of(client, "pid") > 0, near.is_error]

    with no_leaks(), http_server(config) as address:
        given = servers(near=["tools=echo"])
        given["mcpServers"]["far"] = {"url": address}
        assert asyncio.run(talk(written(tmp_path, given))) == [True, False]


def test_only_who_serves_over_http_imports_the_sdk() -> None:
    packages = "'mcp', 'mcp_types', 'pydantic', 'starlette', 'anyio'"
    serving = "callboard.cli.mcp.command, callboard.mcp_stdio.stdio"
    program = f"import sys, {serving}; sys.exit(any(name.partition('.')[0] in ({packages}) for name in sys.modules))"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def _status_code(address: str) -> int:
    return httpx.get(address).status_code
