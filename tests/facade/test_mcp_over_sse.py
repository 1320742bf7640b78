"""A server that has only the older transport, HTTP+SSE, is a host as any other: each call ends once and truly."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from callboard import Callboard
from leaks import no_leaks, wait_until
from mcp_http_servers import HttpServer
from programs import PROGRAMS
from sdks import needs_sdk
from tools import tool_call

PATIENCE = 30.0
SECRET = "s3cret"
SERVER = PROGRAMS / "python" / "mcp_sse_server.py"
SDK_SERVER = PROGRAMS / "python" / "mcp_sdk_sse_server.py"
FOUND_OUT, SAID = {}, {"type": "sse"}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def serving(*words):
    return HttpServer(*words, program=SERVER)


@contextmanager
def board_at(url, *, calls=None, restart=None, **server):
    policy = {"backoff": {"first": 0.05, "min": 0.05}, "intensity": 1000} | (restart or {})
    entry = {"mcp": {"url": url, "id": "server", **server}, "restart": policy, "concurrency": 64}
    with Callboard({"plugins": [entry], "calls": calls or {}}) as board:
        yield board


@pytest.fixture
def server():
    with serving() as server:
        yield server


@pytest.fixture
def board(server):
    with board_at(server.url) as board:
        yield board


def say(board, name, **arguments):
    return board.execute(tool_call(name, **arguments))


def facts(board):
    return json.loads(say(board, "facts_of")["result"])


def generation(board):
    return board.status()["plugins"]["server"]["host"]["generation"]


def fate(result):
    return result["success"], result.get("code"), result.get("outcome")


def why_not_up(board):
    (failed,) = board.failed
    assert say(board, "echo")["code"] in {"unknown_tool", "host_unavailable"}
    return failed.error + json.dumps(board.status()["plugins"]["server"])


@pytest.mark.parametrize(
    "entry", [FOUND_OUT, SAID, {"transport": "sse"}], ids=["found out", "type", "transport"]
)
@pytest.mark.parametrize("refusal", ["refuses=405", "refuses=404", "refuses=400", "absolute"])
def test_its_tools_are_called_as_all_tools_are(entry, refusal):
    with serving(refusal) as server, board_at(server.url, **entry) as board:
        assert say(board, "echo", a=1) == {"success": True, "result": '{"a": 1}'}
        assert fate(say(board, "fail")) == (False, "invalid_call", "outcome_unknown")
        assert [
            each["part"]["progress"] for each in board.stream(tool_call("progress")) if "part" in each
        ] == [0, 1, 2]
        assert generation(board) == 1


@needs_sdk
@pytest.mark.parametrize("entry", [FOUND_OUT, SAID], ids=["found out", "said"])
def test_a_server_on_the_official_sdk_is_called_killed_and_called_again(entry):
    with HttpServer(program=SDK_SERVER) as server, board_at(server.url, **entry) as board:
        assert say(board, "echo", text="hello")["result"] == {"result": "hello"}
        *parts, last = board.stream(tool_call("count_to", last=3))
        sleeping = board.submit(tool_call("sleep", seconds=600))
        killed = say(board, "die")
        server.wait()
        threading.Timer(0.2, server.start).start()
        after = say(board, "echo", text="again")

    assert ([each["part"]["progress"] for each in parts], last["success"]) == ([0, 1, 2], True)
    assert fate(killed) == fate(sleeping.result(PATIENCE)) == (False, "host_crashed", "outcome_unknown")
    assert after["success"], after


@pytest.mark.parametrize("tool", ["end_stream", "drop_stream", "die"])
def test_the_end_of_its_stream_is_the_end_of_the_session(server, tool):
    with board_at(server.url) as board:
        sleeping = board.submit(tool_call("sleep", seconds=600))
        lost = say(board, tool)
        if tool == "die":
            server.wait()
            server.start()
        after = say(board, "echo")

        assert fate(lost) == fate(sleeping.result(PATIENCE)) == (False, "host_crashed", "outcome_unknown")
        assert after["success"], after
        assert generation(board) == 2 or tool == "die"
        wait_until(lambda: say(board, "streams")["result"] == "1", PATIENCE)


def test_a_server_that_is_gone_was_sent_nothing(server):
    with board_at(server.url, restart={"intensity": 1}) as board:
        assert say(board, "echo")["success"]
        server.kill()
        refused = say(board, "echo")
        server.start()

    assert fate(refused) in {
        (False, "host_unavailable", "not_sent"),
        (False, "host_crashed", "outcome_unknown"),
    }


def test_calls_run_side_by_side_and_each_gets_its_own_answer(board):
    with ThreadPoolExecutor(64) as threads:
        results = list(threads.map(lambda number: say(board, "echo", number=number), range(64)))

    assert [json.loads(each["result"])["number"] for each in results] == list(range(64))


def test_what_is_no_message_of_its_stream_is_not_heard(board):
    assert say(board, "other_kinds")["result"] == "the message"
    assert say(board, "echo")["success"]
    assert generation(board) == 1


def test_a_call_that_is_overdue_or_cancelled_ends_and_the_server_hears_it(board):
    late = board.execute(tool_call("hang"), deadline=0.5)
    given_up = board.submit(tool_call("hang"))
    wait_until(lambda: facts(board)["hangs"] == 2, PATIENCE)
    given_up.cancel()

    assert late["code"] == "deadline_exceeded"
    assert given_up.result(PATIENCE)["code"] == "cancelled"
    wait_until(lambda: len(facts(board)["cancels"]) == 2, PATIENCE)
    assert generation(board) == 1


def test_an_answer_that_comes_before_the_request_is_taken_counts():
    with serving("late") as server, board_at(server.url) as board:
        assert say(board, "echo", a=1)["result"] == '{"a": 1}'
        assert generation(board) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 403, 413, 503, 302])
def test_a_refusal_of_one_call_is_that_call_s(status):
    with serving("late") as server, board_at(server.url) as board:
        refused = say(board, "status", status=status)

        assert fate(refused) == (False, "tool_raised", "outcome_unknown")
        assert str(status) in refused["error"]
        assert say(board, "echo")["success"]
        assert generation(board) == 1


def test_a_request_that_nobody_answers_costs_that_call_alone():
    with serving("late") as server, board_at(server.url) as board:
        assert fate(say(board, "cut")) == (False, "protocol_error", "outcome_unknown")
        assert say(board, "echo")["success"]
        assert generation(board) == 1


def test_a_call_that_each_session_is_forgotten_with_comes_to_an_end():
    with serving("late") as server, board_at(server.url, restart={"intensity": 3}) as board:
        assert fate(say(board, "forget")) == (False, "host_unavailable", "not_sent")


@pytest.mark.parametrize(("tool", "given"), [("large", {"bytes": 2 << 20}), ("flood", {})])
def test_a_message_beyond_the_bound_ends_the_session_as_over_pipes(server, tool, given):
    with board_at(server.url, calls={"max_line_bytes": 1 << 20}) as board:
        refused = say(board, tool, **given)

        assert fate(refused) == (False, "host_crashed", "outcome_unknown")
        assert "max_line_bytes" in refused["error"]
        assert say(board, "echo")["success"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "http://localhost:PORT/messages",
        "http://127.0.0.1:1/messages",
        "https://HOST/messages",
        "//example.org/messages",
        "http://me:s3cret@HOST/messages",
        "ftp://HOST/messages",
    ],
)
def test_messages_are_sent_to_the_server_s_own_origin_and_nowhere_else(elsewhere):
    with (
        serving(f"elsewhere={elsewhere}") as server,
        board_at(server.url, headers={"X-Key": SECRET}, restart={"intensity": 1}) as board,
    ):
        problem = why_not_up(board)

    assert "an address that is not its own" in problem
    assert SECRET not in problem


@pytest.mark.parametrize(
    ("words", "entry", "said"),
    [
        (("locked",), SAID, "401"),
        (("locked",), FOUND_OUT, "401"),
        (("moved",), SAID, "307"),
        (("moved",), FOUND_OUT, "405"),
        (("gets=404",), SAID, "404"),
        (("gets=404", "refuses=400"), FOUND_OUT, "HTTP 400"),
        (("html",), SAID, "text/html"),
        (("talks",), SAID, "does not begin"),
    ],
)
def test_a_server_that_has_no_such_stream_is_unavailable_with_that_reason(words, entry, said):
    with serving(*words) as server, board_at(server.url, **entry) as board:
        problem = why_not_up(board)

    assert said in problem
    assert SECRET not in problem


def test_one_that_never_says_where_to_send_messages_is_unavailable_in_time():
    with serving("mute") as server, board_at(server.url, **SAID) as board:
        problem = why_not_up(board)

    assert "where messages are sent" in problem


def test_what_the_entry_says_of_headers_goes_with_each_request():
    with (
        serving("locked") as server,
        board_at(server.url, headers={"Authorization": f"Bearer {SECRET}"}) as board,
    ):
        told = json.loads(say(board, "headers")["result"])

    assert told["authorization"] == f"Bearer {SECRET}"
    assert told["content-type"] == "application/json"
    assert "origin" not in told


def test_a_server_that_is_not_ready_yet_is_tried_again():
    with serving("gets=503") as server:
        ready = threading.Timer(0.5, server.become)
        ready.start()
        with board_at(server.url, **SAID) as board:
            ready.join()

            wait_until(lambda: any(each.tool_name == "echo" for each in board.tools()), PATIENCE)
            assert say(board, "echo")["success"]


def test_its_stream_ends_with_the_board(server):
    with board_at(server.url) as board:
        assert say(board, "streams")["result"] == "1"
    with board_at(server.url) as board:
        wait_until(lambda: say(board, "streams")["result"] == "1", PATIENCE)
