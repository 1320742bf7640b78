"""What an MCP server tells of its resources and prompts is heard on the board, and subscriptions outlive the server."""

from __future__ import annotations

import json
import sys
import threading

import pytest
from callboard import Callboard
from callboard.hosts.errors import RemoteError
from leaks import TEST_MARK, no_leaks, wait_until
from programs import PROGRAMS
from tools import tool_call

PATIENCE = 30.0
SERVER = PROGRAMS / "python" / "mcp_news_server.py"
KINDS = ["resources_changed", "prompts_changed", "resource_updated"]
ERAS = [(), ("modern",)]


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def board_with(*words):
    server = {"command": [sys.executable, str(SERVER), *words], "env": TEST_MARK}
    policy = {"backoff": {"first": 0.05, "min": 0.05}, "intensity": 1000}
    return Callboard({"plugins": [{"mcp": server, "name": "server", "restart": policy}]})


@pytest.fixture(params=ERAS, ids=["handshake", "stateless"])
def board(request):
    with board_with(*request.param) as board:
        yield board


class Heard:
    """The news of a board, of which some can be waited for."""

    def __init__(self, board):
        self._told = []
        self._any = threading.Condition()
        board.subscribe(self._hear, KINDS)

    def _hear(self, event):
        with self._any:
            self._told.append((event.kind, event.facts.get("uri")))
            self._any.notify_all()

    def until(self, *news):
        with self._any:
            assert self._any.wait_for(lambda: set(news) <= set(self._told), PATIENCE), self._told
            told, self._told = self._told, []
        return told


def say(board, name, **arguments):
    return board.execute(tool_call(name, **arguments))


def subscribed(board):
    return json.loads(say(board, "subscribed")["result"])


def test_a_list_that_changes_is_told_of(board):
    heard = Heard(board)
    say(board, "change", kind="resources")
    say(board, "change", kind="prompts")

    assert heard.until(("resources_changed", None), ("prompts_changed", None)) == [
        ("resources_changed", None),
        ("prompts_changed", None),
    ]


def test_a_resource_that_is_subscribed_to_is_told_of_when_it_changes_and_no_other(board):
    heard = Heard(board)
    board.subscribe_resource("server", "note://one")
    with board.subscribe_resource("server", "note://two"):
        pass
    for uri in ("note://two", "note://three", "note://one"):
        say(board, "touch", uri=uri)

    assert heard.until(("resource_updated", "note://one")) == [("resource_updated", "note://one")]
    assert subscribed(board) == ["note://one"]


def test_after_its_last_subscription_a_server_is_asked_for_none(board):
    first, second = (board.subscribe_resource("server", "note://one") for _ in range(2))
    first.close()
    first.close()

    assert subscribed(board) == ["note://one"]
    second.close()
    assert subscribed(board) == []


def test_a_server_that_is_started_again_is_asked_again_and_all_may_have_changed(board):
    board.subscribe_resource("server", "note://one")
    heard = Heard(board)
    assert say(board, "crash")["code"] == "host_crashed"

    news = heard.until(
        ("resources_changed", None), ("prompts_changed", None), ("resource_updated", "note://one")
    )
    assert len(news) == 3
    assert subscribed(board) == ["note://one"]
    say(board, "touch", uri="note://one")
    heard.until(("resource_updated", "note://one"))


def test_a_server_that_is_down_is_asked_once_it_is_up(board):
    board.park("server")
    wait_until(lambda: board.status()["plugins"]["server"]["host"]["state"] == "parked", PATIENCE)
    board.subscribe_resource("server", "note://one")
    board.revive("server")

    wait_until(lambda: say(board, "subscribed")["success"], PATIENCE)
    assert subscribed(board) == ["note://one"]


@pytest.mark.parametrize("words", ERAS, ids=["handshake", "stateless"])
def test_a_server_without_subscriptions_says_so_each_time(words):
    with board_with("plain", *words) as board:
        for _ in range(2):
            with pytest.raises(RemoteError, match="subscriptions"):
                board.subscribe_resource("server", "note://one")


def test_a_subscription_that_the_server_refuses_is_none():
    with board_with() as board:
        for _ in range(2):
            with pytest.raises(RemoteError):
                board.subscribe_resource("server", "note://forbidden")
        say(board, "crash")

        assert subscribed(board) == []


def test_subscriptions_are_bounded(board):
    with pytest.raises(RemoteError, match="8192"):
        board.subscribe_resource("server", "note://" + "x" * 8192)


def test_an_argument_is_completed_by_its_server(board):
    prompt, template = (
        {"type": "ref/prompt", "name": "note"},
        {"type": "ref/resource", "uri": "note://all/{word}"},
    )

    first = board.complete("server", prompt, {"name": "word", "value": "a-"})["completion"]
    second = board.complete("server", template, {"name": "word", "value": ""}, {"arguments": {"other": "b"}})[
        "completion"
    ]

    assert first == {"values": ["a-note"], "total": 20, "hasMore": True}
    assert second["values"] == ["note://all/{word}", "b"]
