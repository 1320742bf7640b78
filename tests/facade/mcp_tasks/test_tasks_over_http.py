"""Tasks of a board that is served over HTTP outlive their connections, and are their clients' alone."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
from leaks import TEST_MARK, no_leaks
from mcp_clients import JSON_OR_STREAM, PATIENCE, http_server, written
from programs import PROGRAMS
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_sdk

Json = dict[str, Any]

SERVER = str(PROGRAMS / "python" / "mcp_task_server.py")
EXTENSION = "io.modelcontextprotocol/tasks"
CLIENT = {"name": "tester", "version": "1"}


class Requests:
    """A client that sends one request at a time."""

    def __init__(self, address: str, *, stateless: bool = False) -> None:
        self._address, self._stateless = address, stateless
        self._headers = dict(JSON_OR_STREAM)
        self._count = 0
        if not stateless:
            hello = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {}},
                "clientInfo": CLIENT,
            }
            self.able = self.ask("initialize", **hello)["result"]["capabilities"]
            self._post({"method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> Json:
        return _answer_in(self._post(self.message(method, **params)))

    def message(self, method: str, **params: Any) -> Json:
        self._count += 1
        if self._stateless:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}},
                "io.modelcontextprotocol/clientInfo": CLIENT,
            }
        return {"id": self._count, "method": method, "params": params}

    def headers(self, message: Json) -> dict[str, str]:
        if not self._stateless:
            return self._headers
        params = message["params"]
        name = params.get("name") or params.get("taskId")
        named = {"Mcp-Name": name} if name else {}
        said = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
        return {**self._headers, **said, **named}

    def _post(self, message: Json) -> httpx.Response:
        said = {"jsonrpc": "2.0", **message}
        answer = httpx.post(self._address, json=said, headers=self.headers(message), timeout=PATIENCE)
        if "mcp-session-id" in answer.headers:
            self._headers |= {"mcp-session-id": answer.headers["mcp-session-id"]}
        return answer

    def until(self, task: Json, *statuses: str) -> Json:
        while (found := self.ask("tasks/get", taskId=task["taskId"])["result"])["status"] not in statuses:
            time.sleep(0.05)
        return found

    @contextmanager
    def streaming(self, method: str, **params: Any) -> Iterator[httpx.Response]:
        message = self.message(method, **params)
        said = {"jsonrpc": "2.0", **message}
        with httpx.stream(
            "POST", self._address, json=said, headers=self.headers(message), timeout=PATIENCE
        ) as answer:
            yield answer


def _answer_in(answer: httpx.Response) -> Json:
    body = answer.text
    lines = [
        line.removeprefix("data:")
        for line in body.splitlines()
        if line.startswith("data:") and line[5:].strip()
    ]
    found: Json = json.loads(lines[-1] if lines else body)
    return found


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    entry = {"command": sys.executable, "args": [SERVER, *words], "env": TEST_MARK}
    with no_leaks(), http_server(written(folder, {"mcpServers": {"tasks": entry}})) as address:
        yield address


def test_a_task_outlives_its_connections_and_is_its_sessions_alone(tmp_path: Path) -> None:
    there = tmp_path / "there"
    with served(tmp_path) as address:
        client, other = Requests(address), Requests(address)
        task = client.ask("tools/call", name="after", arguments={"path": str(there)}, task={})["result"][
            "task"
        ]
        with client.streaming("tasks/result", taskId=task["taskId"]):
            pass  # it hangs up
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            assert other.ask(method, taskId=task["taskId"])["error"]["code"] == -32602
        assert other.ask("tasks/list")["result"]["tasks"] == []
        assert client.ask("tasks/get", taskId=task["taskId"])["result"]["status"] == "working"
        there.touch()
        result = client.ask("tasks/result", taskId=task["taskId"])["result"]

        assert client.able["tasks"] == {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
        assert result["content"][0]["text"] == "done"
        assert client.ask("tasks/get", taskId=7)["error"]["code"] == -32602
        assert client.ask("tasks/update", taskId="x", inputResponses={})["error"]["code"] == -32601


def test_what_a_server_asks_comes_in_the_stream_of_the_result(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        client = Requests(address)
        task = client.ask("tools/call", name="ask", arguments={}, task={})["result"]["task"]
        client.until(task, "input_required")
        with client.streaming("tasks/result", taskId=task["taskId"]) as stream:
            said = (
                json.loads(line[5:])
                for line in stream.iter_lines()
                if line.startswith("data:") and line[5:].strip()
            )
            asked = next(said)
            accepted = {"action": "accept", "content": {"name": "Ann"}}
            client._post({"id": asked["id"], "result": accepted})
            result = next(said)["result"]

    assert asked["method"] == "elicitation/create"
    assert asked["params"]["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task["taskId"]}
    assert result["content"][0]["text"] == "Ann"


def test_in_the_stateless_era_whoever_knows_the_id_has_the_task_and_nobody_guesses_it(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as address:
        client, other = Requests(address, stateless=True), Requests(address, stateless=True)
        able = client.ask("server/discover")["result"]["capabilities"]
        client.ask("tools/list")
        task = client.ask("tools/call", name="finish", arguments={})["result"]
        ended = other.until(task, "completed")
        unknown = client.ask("tasks/list")["error"]

    assert able["extensions"] == {EXTENSION: {}}
    assert task["resultType"] == "task"
    assert re.fullmatch(r"[\w-]{32}", task["taskId"])  # 192 random bits
    assert ended["result"]["content"][0]["text"] == "done"
    assert unknown["code"] == -32601


def test_a_result_that_is_larger_than_one_message_is_cut_as_that_of_any_call(tmp_path: Path) -> None:
    text = "x" * (900 * 1024)
    with served(tmp_path) as address:
        for stateless in (False, True):
            client = Requests(address, stateless=stateless)
            client.ask("tools/list")
            more: Json = {} if stateless else {"task": {}}
            made = client.ask("tools/call", name="finish", arguments={"text": text + '"' * 200_000}, **more)[
                "result"
            ]
            if stateless:
                result = client.until(made, "completed")["result"]
            else:
                result = client.ask("tasks/result", taskId=made["task"]["taskId"])["result"]

            assert result["content"][0]["text"].startswith(text[:1000])
            assert len(json.dumps(result)) < 1024 * 1024
            assert len(result["content"]) > 1  # which says where the rest is
