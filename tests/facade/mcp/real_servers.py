"""MCP servers of others under supervision, two languages and both eras; `make test-mcp` installs them.

Not collected by `make test`: none of them is there.
"""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from callboard import Callboard
from callboard.agent.replay.server import ReplayServer
from leaks import TEST_MARK, alive, no_leaks, wait_until
from mcp_clients import command
from mcp_law import law
from mcp_plain import ERAS, Client, Pipes
from mcp_records import board_of, spoken
from real_mcp_servers import node_server, python_server
from record_mcp import record_all
from tools import tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callboard.hooks import Form, Question

PATIENCE = 120.0


class Person:
    """Fills in any form, and agrees to any page."""

    def __init__(self) -> None:
        self.forms: list[Form] = []

    def ask(self, _: Question) -> bool:
        return True

    def ask_form(self, form: Form) -> dict[str, Any]:
        self.forms.append(form)
        return {} if form.url else {"name": "Ann"}


def test_a_person_is_asked_by_a_server_of_others() -> None:
    entry = {"mcp": {"command": node_server("server-everything"), "env": TEST_MARK}, "name": "server"}
    board, person = Callboard({"plugins": [entry]}), Person()
    board.approver = person
    with no_leaks(), board:
        wait_until(lambda: "trigger-url-elicitation" in {tool.tool_name for tool in board.tools()})
        filled = board.submit(tool_call("trigger-elicitation-request")).result(PATIENCE)
        page = {"url": "https://example.org/x"}
        agreed = board.submit(tool_call("trigger-url-elicitation", **page)).result(PATIENCE)

    assert person.forms[0].plugin == "server"
    assert "Name: Ann" in filled["result"]
    assert '"action": "accept"' in agreed["result"]
    assert len(person.forms[0].fields) > 10
    assert person.forms[1].url == page["url"]


def test_a_model_is_asked_for_a_server_of_others() -> None:
    with no_leaks(), ReplayServer([{"steps": [{"text": "Hi there"}]}]) as model:
        entry = {"mcp": {"command": node_server("server-everything"), "env": TEST_MARK}, "name": "server"}
        provider = {"type": "openai_chat", "model": "m", "base_url": model.url}
        with Callboard({"plugins": [entry], "agent": {"provider": provider}}) as board:
            wait_until(lambda: "trigger-sampling-request" in {tool.tool_name for tool in board.tools()})
            call = tool_call("trigger-sampling-request", prompt="Hello?", maxTokens=20)
            result = board.submit(call).result(PATIENCE)

    assert "Hi there" in result["result"]


def test_a_server_of_others_over_the_older_transport_is_called_killed_and_called_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    env = {**os.environ, **TEST_MARK, "PORT": str(port)}

    def start() -> subprocess.Popen[bytes]:
        begun = subprocess.Popen([*node_server("server-everything"), "sse"], env=env, stderr=subprocess.PIPE)
        assert begun.stderr is not None
        while not (said := begun.stderr.readline()).strip().endswith(str(port).encode()):
            assert said, "it has ended"
        return begun

    restart = {"backoff": {"first": 0.05, "min": 0.05}, "intensity": 1000}
    entry = {"mcp": {"url": f"http://localhost:{port}/sse"}, "name": "server", "restart": restart}
    updated: list[str] = []
    with no_leaks(), start() as first, Callboard({"plugins": [entry]}) as board:
        assert board.execute(tool_call("echo", message="hi"))["result"] == "Echo: hi"
        board.subscribe(lambda event: updated.append(event.facts["uri"]), ["resource_updated"])
        uri = board.resources("server")[0]["uri"]
        board.subscribe_resource("server", uri)
        assert board.execute(tool_call("toggle-subscriber-updates"))["success"]
        wait_until(lambda: uri in updated, PATIENCE)
        prompt = {"type": "ref/prompt", "name": "completable-prompt"}
        completed = board.complete("server", prompt, {"name": "department", "value": "E"})
        first.kill()
        first.wait(PATIENCE)
        with start() as second:
            wait_until(lambda: board.execute(tool_call("echo", message="again"))["success"], PATIENCE)
            second.kill()

    assert completed["completion"]["values"] == ["Engineering"]


class Server(NamedTuple):
    """A server, and a call that it answers and one that it refuses."""

    command: list[str]
    good: tuple[str, dict[str, Any]]
    refused: tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a file in it."""
    made = tmp_path_factory.mktemp("repository").resolve()
    (made / "hello.txt").write_text("hello")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return made


@pytest.fixture(params=["everything", "filesystem", "memory", "time", "git"])
def server(request: pytest.FixtureRequest, folder: Path) -> Server:
    here = str(folder)
    return {
        "everything": Server(
            node_server("server-everything"), ("echo", {"message": "hi"}), ("echo", {"message": 3})
        ),
        "filesystem": Server(
            [*node_server("server-filesystem"), here],
            ("list_directory", {"path": here}),
            ("list_directory", {"path": "/etc"}),
        ),
        "memory": Server(node_server("server-memory"), ("read_graph", {}), ("search_nodes", {"query": 3})),
        "time": Server(
            python_server("mcp-server-time"),
            ("get_current_time", {"timezone": "Europe/Berlin"}),
            ("get_current_time", {"timezone": "Nowhere"}),
        ),
        "git": Server(
            python_server("mcp-server-git"),
            ("git_status", {"repo_path": here}),
            ("git_status", {"repo_path": f"{here}/none"}),
        ),
    }[request.param]


@pytest.fixture
def board(server: Server) -> Iterator[Callboard]:
    quick = {
        "backoff": {"first": 0.0, "min": 0.01, "max": 0.05},
        "intensity": 1000,
    }
    entry = {"mcp": {"command": server.command, "env": TEST_MARK}, "name": "server"}
    with no_leaks(), Callboard({"plugins": [entry], "supervision": quick}) as board:
        assert board.failed == []
        yield board


@pytest.mark.timeout(600)
def test_what_ten_servers_say_now_is_what_a_client_hears_through_callboard(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    recorded = record_all(sessions)
    assert len({file.name.rpartition("-")[0] for file in recorded}) == 10

    for era in ERAS:
        for servers in ERAS:
            played = spoken(servers, sessions)
            with no_leaks(), Pipes(command(board_of(tmp_path, played, sessions))) as pipes:
                assert law(Client(pipes, era), played, f"{era} client, {servers} servers") == []


def pid_of(board: Callboard) -> int:
    return int(board.status()["plugins"]["server"]["host"]["pid"])


def test_it_is_listed_called_and_may_refuse(board: Callboard, server: Server) -> None:
    names = [tool.tool_name for tool in board.tools()]
    (good, arguments), (refused, wrong) = server.good, server.refused

    assert {good, refused} <= set(names)
    assert board.execute(tool_call(good, **arguments))["success"]
    assert not board.execute(tool_call(refused, **wrong))["success"]
    assert board.execute(tool_call(good, **arguments))["success"]


def test_killed_in_a_call_it_is_told_and_the_next_call_is_answered(board: Callboard, server: Server) -> None:
    name, arguments = server.good
    pid = pid_of(board)
    os.kill(pid, signal.SIGSTOP)  # so that it cannot answer before it is killed
    call = board.submit(tool_call(name, **arguments))
    os.kill(pid, signal.SIGKILL)
    ended = call.result(PATIENCE)
    following = board.execute(tool_call(name, **arguments))

    assert (ended["code"], ended["outcome"]) == ("host_crashed", "outcome_unknown")
    assert following["success"]
    assert pid_of(board) != pid


def test_stopped_nothing_of_it_is_left(board: Callboard) -> None:
    pid = pid_of(board)

    board.stop()

    assert not alive(pid)


@pytest.mark.timeout(600)
def test_of_a_thousand_calls_with_twenty_kills_each_has_one_true_answer(
    board: Callboard, server: Server
) -> None:
    name, arguments = server.good
    done = itertools.count(1)
    reached: dict[int, threading.Event] = {at: threading.Event() for at in range(40, 840, 40)}

    def call(_: int) -> dict[str, Any]:
        result = board.execute(tool_call(name, **arguments), deadline=PATIENCE)
        if (event := reached.get(next(done))) is not None:
            event.set()
        return result

    def kill() -> None:
        for event in reached.values():
            assert event.wait(PATIENCE)
            wait_until(lambda: board.status()["plugins"]["server"]["host"]["state"] == "ready", PATIENCE)
            killed.append(pid_of(board))
            os.kill(killed[-1], signal.SIGKILL)

    killed: list[int] = []
    with ThreadPoolExecutor(9) as pool:
        killing = pool.submit(kill)
        results = list(pool.map(call, range(1000)))
        killing.result()

    assert len(killed) == 20
    assert len(results) == 1000
    failed = [result for result in results if not result["success"]]
    assert {result["code"] for result in failed} <= {"host_crashed"}
    assert board.execute(tool_call(name, **arguments))["success"]
