"""Calls that clients of a served board have run as tasks, over its pipes: raw lines, for the SDK knows no tasks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from command_line import ENVIRONMENT
from leaks import TEST_MARK, no_leaks, wait_until
from mcp_clients import PATIENCE, command, written
from programs import PROGRAMS
from sdks import needs_sdk
from thorough import thorough

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = needs_sdk

Json = dict[str, Any]

SERVER = str(PROGRAMS / "python" / "mcp_task_server.py")
RELATED, EXTENSION = "io.modelcontextprotocol/related-task", "io.modelcontextprotocol/tasks"
FORMS = {"elicitation": {"form": {}}}
KNOWS = {"extensions": {EXTENSION: {}}}


def envelope(capabilities: Json) -> Json:
    return {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    }


class Talker:
    """A client at the pipes; ``stateless`` in that era, with these capabilities."""

    def __init__(
        self, process: subprocess.Popen[bytes], capabilities: Json, *, stateless: bool, revision: str
    ) -> None:
        self.process, self.told, self.asked = process, list[Json](), list[Json]()
        self._capabilities, self._stateless = capabilities, stateless
        self._answers: dict[Any, Json] = {}
        self._count = 0
        self.able: Json = {}
        if not stateless:
            client = {"name": "tester", "version": "1"}
            hello = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client}
            self.able = self.ask("initialize", **hello)["result"]["capabilities"]
            self.say(method="notifications/initialized")

    def say(self, **members: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        self._count += 1
        if self._stateless:
            params = {**params, "_meta": {**params.get("_meta", {}), **envelope(self._capabilities)}}
        self.say(id=self._count, method=method, params=params)
        return self._count

    def ask(self, method: str, **params: Any) -> Json:
        return self.answer(self.send(method, **params))

    def answer(self, number: int) -> Json:
        while number not in self._answers:
            self.hear()
        return self._answers.pop(number)

    def hear(self) -> Json:
        assert self.process.stdout is not None
        said: Json = json.loads(self.process.stdout.readline())
        if "method" not in said:
            self._answers[said["id"]] = said
        else:
            (self.asked if "id" in said else self.told).append(said)
        return said

    def hear_until(self, holds: Callable[[], object]) -> None:
        while not holds():
            self.hear()

    def begin(self, tool: str, ttl: int | None = None, meta: Json | None = None, **arguments: Any) -> Json:
        """Have a tool called as a task; the task."""
        wanted: Json = {} if self._stateless else {"task": {} if ttl is None else {"ttl": ttl}}
        more: Json = {} if meta is None else {"_meta": meta}
        made = self.ask("tools/call", name=tool, arguments=arguments, **wanted, **more)
        found: Json = made["result"] if self._stateless else made["result"]["task"]
        return found

    def until(self, task: Json, *statuses: str) -> Json:
        """Ask for a task until it is in one of these states."""
        while (found := self.ask("tasks/get", taskId=task["taskId"])["result"])["status"] not in statuses:
            pass
        return found

    def statuses(self, task: Json) -> list[str]:
        """What was told of a task."""
        told = (each["params"] for each in self.told if each["method"] == "notifications/tasks/status")
        return [each["status"] for each in told if each["taskId"] == task["taskId"]]


@contextmanager
def serving(
    folder: Path,
    *words: str,
    capabilities: Json | None = None,
    stateless: bool = False,
    revision: str = "2025-11-25",
) -> Iterator[Talker]:
    entry = {"command": sys.executable, "args": [SERVER, *words], "env": TEST_MARK}
    config = written(folder, {"mcpServers": {"tasks": entry}})
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with no_leaks(), subprocess.Popen(command(config), env=ENVIRONMENT, **pipes) as process:
        guard = threading.Timer(PATIENCE * 3, process.kill)
        guard.start()
        try:
            yield Talker(process, capabilities or {}, stateless=stateless, revision=revision)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(PATIENCE) == 0
        finally:
            guard.cancel()
            assert process.stdout is not None
            process.stdout.close()


def methods_in(log: Path) -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []  # its server may not be up yet
    return [json.loads(line).get("method") for line in lines]


def text(result: Json) -> str:
    found: str = result["content"][0]["text"]
    return found


@pytest.mark.parametrize("words", [(), ("optional",), ("modern",)], ids=["required", "optional", "stateless"])
def test_a_task_is_begun_at_once_and_its_result_is_that_of_the_call(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    with serving(tmp_path, *words) as client:
        tools = client.ask("tools/list")["result"]["tools"]
        task = client.begin("finish", text="well", ttl=60_000)
        result = client.ask("tasks/result", taskId=task["taskId"])["result"]
        again = client.ask("tasks/result", taskId=task["taskId"])["result"]
        ended = client.ask("tasks/get", taskId=task["taskId"])["result"]
        listed = client.ask("tasks/list")["result"]["tasks"]
        failed = client.begin("fail")
        error = client.begin("refuse")

        assert client.able["tasks"] == {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
        assert {tool["execution"]["taskSupport"] for tool in tools} == {"optional"}
        assert (task["status"], task["ttl"]) == ("working", 60_000)
        assert len(task["taskId"]) >= 32
        assert text(result) == "well"
        assert result["_meta"] == {RELATED: {"taskId": task["taskId"]}}
        assert again == result
        assert (ended["status"], listed) == ("completed", [ended])
        assert client.ask("tasks/result", taskId=failed["taskId"])["result"]["isError"] is True
        assert client.until(failed, "failed")["statusMessage"] == "done"
        refused = client.ask("tasks/result", taskId=error["taskId"])["error"]
        assert refused == {"code": -32050, "message": "no such thing", "data": {"own": 1}}
        client.hear_until(lambda: client.statuses(error) == ["failed"])
        client.hear_until(lambda: client.statuses(task) == ["completed"])


@pytest.mark.parametrize("revision", ["2025-11-25", pytest.param("2025-06-18", marks=thorough)])
def test_a_client_that_knows_no_tasks_calls_the_same_tools(revision: str, tmp_path: Path) -> None:
    with serving(tmp_path, revision=revision) as client:
        result = client.ask("tools/call", name="finish", arguments={"text": "plain"})["result"]
        assert text(result) == "plain"
        assert "_meta" not in result
        if revision == "2025-06-18":  # a word of it that it does not know
            assert text(client.ask("tools/call", name="finish", task={})["result"]) == "done"


def test_progress_keeps_its_token_and_names_the_task(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        task = client.begin("steps", meta={"progressToken": "mine"})
        client.ask("tasks/result", taskId=task["taskId"])
        told = [each["params"] for each in client.told if each["method"] == "notifications/progress"]

    assert [(each["progressToken"], each["progress"]) for each in told] == [
        ("mine", 1),
        ("mine", 2),
        ("mine", 3),
    ]
    assert {each["_meta"][RELATED]["taskId"] for each in told} == {task["taskId"]}


def test_a_task_that_is_cancelled_stays_so_and_so_does_the_servers(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(tmp_path, f"log={log}") as client:
        task = client.begin("never")
        waiting = client.send("tasks/result", taskId=task["taskId"])
        client.until(task, "working")
        assert wait_until(lambda: "tasks/result" in methods_in(log), PATIENCE)
        cancelled = client.ask("tasks/cancel", taskId=task["taskId"])["result"]
        result = client.answer(waiting)["result"]
        again = client.ask("tasks/cancel", taskId=task["taskId"])["error"]

        assert cancelled["status"] == "cancelled"
        assert result["isError"] is True
        assert result["_meta"]["callboard/code"] == "cancelled"
        assert again["code"] == -32602
        assert "already in terminal status" in again["message"]
        assert wait_until(lambda: "tasks/cancel" in methods_in(log), PATIENCE)


def test_what_a_server_asks_in_a_task_is_asked_while_its_client_waits_for_the_result(tmp_path: Path) -> None:
    with serving(tmp_path, capabilities=FORMS) as client:
        task = client.begin("ask")
        client.until(task, "input_required")
        assert client.asked == []
        left = client.send("tasks/result", taskId=task["taskId"])
        client.hear_until(lambda: client.asked)
        client.say(method="notifications/cancelled", params={"requestId": left})
        client.asked.clear()
        waiting = client.send("tasks/result", taskId=task["taskId"])
        client.hear_until(lambda: client.asked)
        (asked,) = client.asked
        client.say(id=asked["id"], result={"action": "accept", "content": {"name": "Ann"}})
        result = client.answer(waiting)["result"]

        assert asked["method"] == "elicitation/create"
        assert asked["params"]["_meta"][RELATED] == {"taskId": task["taskId"]}
        assert text(result) == "Ann"
        client.hear_until(lambda: client.statuses(task) == ["input_required", "working", "completed"])


def test_of_two_requests_that_wait_for_a_result_the_older_is_asked_once_the_newer_has_gone(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, capabilities=FORMS) as client:
        task = client.begin("ask")
        client.until(task, "input_required")
        older = client.send("tasks/result", taskId=task["taskId"])
        client.hear_until(lambda: client.asked)
        newer = client.send("tasks/result", taskId=task["taskId"])
        client.hear_until(lambda: len(client.asked) == 2)
        client.say(method="notifications/cancelled", params={"requestId": newer})
        client.hear_until(lambda: len(client.asked) == 3)
        for _ in range(20):  # as many turns of its loop
            client.ask("ping")
        asked = len(client.asked)
        client.say(id=client.asked[-1]["id"], result={"action": "accept", "content": {"name": "Ann"}})

        assert text(client.answer(older)["result"]) == "Ann"
        assert asked == 3


def test_a_task_is_gone_when_its_time_is_over_and_its_call_is_cancelled(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(tmp_path, f"log={log}") as client:
        client.ask("tools/call", name="finish", arguments={})  # its server is up
        task = client.begin("never", ttl=1)
        error = client.ask("tasks/result", taskId=task["taskId"])["error"]
        gone = client.ask("tasks/get", taskId=task["taskId"])["error"]

        assert task["ttl"] == 1000
        assert (error["code"], gone["code"]) == (-32602, -32602)
        assert "time of the task is over" in error["message"]
        assert wait_until(lambda: "tasks/cancel" in methods_in(log), PATIENCE)


def test_a_server_that_is_killed_ends_its_tasks_and_the_next_one_takes_others(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(tmp_path, f"log={log}") as client:
        pid = int(text(client.ask("tools/call", name="pid", arguments={})["result"]))
        tasks = [client.begin("never") for _ in range(3)]
        assert wait_until(lambda: methods_in(log).count("tasks/result") == 4, PATIENCE)
        os.kill(pid, signal.SIGKILL)
        results = [client.ask("tasks/result", taskId=task["taskId"])["result"] for task in tasks]
        again = client.ask("tasks/result", taskId=client.begin("finish")["taskId"])["result"]

        assert {each["_meta"]["callboard/code"] for each in results} == {"host_crashed"}
        assert [client.ask("tasks/get", taskId=task["taskId"])["result"]["status"] for task in tasks] == [
            "failed"
        ] * 3
        assert text(again) == "done"


def test_a_client_that_goes_leaves_no_task(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(tmp_path, f"log={log}") as client:
        client.ask("tools/call", name="finish", arguments={})
        client.send("tasks/result", taskId=client.begin("never")["taskId"])
        assert wait_until(lambda: methods_in(log).count("tasks/result") == 2, PATIENCE)

    assert methods_in(log).count("tasks/result") == 2


def test_a_client_that_begins_tasks_without_end_is_refused_and_served_on(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        numbers = [client.send("tools/call", name="never", arguments={}, task={}) for _ in range(400)]
        answers = [client.answer(number) for number in numbers]
        refused = [each["error"]["message"] for each in answers if "error" in each]
        first = client.ask("tasks/list")["result"]
        pages = [first, client.ask("tasks/list", cursor=first["nextCursor"])["result"]]

        assert len(refused) == 150
        assert "read or cancel some" in refused[0]
        assert [len(each["tasks"]) for each in pages] == [100, 100]
        assert client.ask("tasks/list", cursor="x")["error"]["code"] == -32602
        assert client.ask("ping")["result"] == {}


@thorough
def test_a_client_that_reads_its_results_begins_as_many_tasks_as_it_likes(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        for _ in range(300):
            client.ask("tasks/result", taskId=client.begin("finish")["taskId"])
        listed, cursor = 0, {}
        while True:
            page = client.ask("tasks/list", **cursor)["result"]
            listed += len(page["tasks"])
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}

    assert listed == 250


def test_a_task_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            for task_id in ("x", "", "x" * 1_000_000):
                assert client.ask(method, taskId=task_id)["error"]["code"] == -32602
            assert client.ask(method)["error"]["code"] == -32602
        assert client.ask("tasks/update", taskId="x", inputResponses={})["error"]["code"] == -32601


def test_in_the_stateless_era_a_call_that_has_to_be_a_task_is_one_for_clients_that_know_them(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, stateless=True, capabilities=KNOWS | FORMS) as client:
        able = client.ask("server/discover")["result"]["capabilities"]
        assert all("execution" not in tool for tool in client.ask("tools/list")["result"]["tools"])
        ends = {
            tool: client.until(client.begin(tool), "completed", "failed")
            for tool in ("finish", "fail", "refuse")
        }
        task = client.begin("ask")
        required = client.until(task, "input_required")
        ((key, request),) = required["inputRequests"].items()
        answer = {key: {"action": "accept", "content": {"name": "Ann"}}, "other": {"action": "cancel"}}
        assert (
            client.ask("tasks/update", taskId=task["taskId"], inputResponses=answer)["result"]["resultType"]
            == "complete"
        )
        named = client.until(task, "completed")
        never = client.begin("never")
        assert client.ask("tasks/cancel", taskId=never["taskId"])["result"]["resultType"] == "complete"
        cancelled = client.until(never, "cancelled")
        unknown = client.ask("tasks/result", taskId=task["taskId"])["error"]

        assert able["extensions"] == {EXTENSION: {}}
        assert (task["resultType"], task["status"]) == ("task", "working")
        assert {"ttlMs", "pollIntervalMs", "createdAt", "lastUpdatedAt"} <= task.keys()
        assert ends["finish"]["result"]["content"] == [{"type": "text", "text": "done"}]
        assert (ends["fail"]["status"], ends["fail"]["result"]["isError"]) == ("completed", True)
        assert ends["refuse"]["status"] == "failed"
        assert ends["refuse"]["error"]["code"] == -32050
        assert request["method"] == "elicitation/create"
        assert named["result"]["content"][0]["text"] == "Ann"
        assert "result" not in cancelled
        assert unknown["code"] == -32601


def test_in_the_stateless_era_a_tool_whose_server_has_made_a_task_is_one_from_then_on(tmp_path: Path) -> None:
    with serving(tmp_path, "modern", stateless=True, capabilities=KNOWS) as client:
        first = client.ask("tools/call", name="finish", arguments={"text": "first"})["result"]
        task = client.begin("finish", text="second")

        assert (first["resultType"], text(first)) == ("complete", "first")
        assert task["resultType"] == "task"
        assert text(client.until(task, "completed")["result"]) == "second"


def test_in_the_stateless_era_a_client_that_knows_no_tasks_waits_for_the_call(tmp_path: Path) -> None:
    with serving(tmp_path, stateless=True) as client:
        result = client.ask("tools/call", name="finish", arguments={"text": "plain"})["result"]
        refused = client.ask("tasks/get", taskId="x")["error"]
        unheard = client.ask("subscriptions/listen", notifications={"taskIds": ["x"]})["error"]

        assert (text(result), result["resultType"]) == ("plain", "complete")
        assert refused["code"] == unheard["code"] == -32021
        assert refused["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
