"""An MCP server over HTTP is a host without a process: each call ends once and truly, and the next one works."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from callboard import Callboard
from leaks import no_leaks, wait_until
from mcp_http_servers import HttpServer
from thorough import each_once
from tools import tool_call

PATIENCE = 30.0
SECRET = "s3cret"
ERAS = [(), ("modern",)]


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@contextmanager
def board_at(url, *, calls=None, restart=None, concurrency=2, **server):
    policy = {"backoff": {"first": 0.05, "min": 0.05}, "intensity": 1000} | (restart or {})
    entry = {"mcp": {"url": url, "id": "server", **server}, "restart": policy, "concurrency": concurrency}
    with Callboard({"plugins": [entry], "calls": calls or {}}) as board:
        yield board


@pytest.fixture(params=ERAS, ids=["handshake", "stateless"])
def server(request):
    with HttpServer(*request.param) as server:
        yield server


@pytest.fixture
def board(server):
    with board_at(server.url) as board:
        yield board


def say(board, name, **arguments):
    return board.execute(tool_call(name, **arguments))


def generation(board):
    return board.status()["plugins"]["server"]["host"]["generation"]


def fate(result):
    return result["success"], result.get("code"), result.get("outcome")


def test_its_tools_are_called_as_all_tools_are(board):
    assert say(board, "echo", a=1) == {"success": True, "result": '{"a": 1}'}
    assert fate(say(board, "fail")) == (False, "invalid_call", "outcome_unknown")
    assert say(board, "two")["result"] == "both"


def test_a_call_has_the_server_s_answer_beside_its_result(board):
    call = board.submit(tool_call("echo", a=1))

    assert call.result(PATIENCE)["result"] == '{"a": 1}'
    assert json.loads(call.raw_answer)["result"]["content"] == [{"type": "text", "text": '{"a": 1}'}]


@pytest.mark.parametrize("words", [("misplaces",), ("misplaces", "modern")], ids=["handshake", "stateless"])
def test_a_tool_with_an_annotation_where_none_can_be_is_left_out_alone(words):
    with HttpServer(*words) as server, board_at(server.url) as board:
        offered = {tool.tool_name for tool in board.tools()}
        left_out = board.status()["plugins"]["server"].get("left_out", {})

    assert "echo" in offered
    assert ("misplaced" in offered) == ("misplaced" not in left_out) == ("modern" not in words)
    if "modern" in words:
        assert "x-mcp-header" in left_out["misplaced"]


def test_progress_in_a_stream_of_events_comes_as_parts(board):
    *parts, last = board.stream(tool_call("events"))

    assert [part["part"]["progress"] for part in parts] == [0, 1, 2]
    assert last["result"] == "done"


def test_its_headers_are_those_of_the_revision_and_of_the_entry(server):
    with board_at(server.url, headers={"X-Own": "mine"}) as board:
        told = json.loads(say(board, "headers", region="eu")["result"])

    assert (told["x-own"], told["content-type"], told["accept"]) == (
        "mine",
        "application/json",
        "application/json, text/event-stream",
    )
    assert "origin" not in told
    if server.words:
        assert (told["mcp-protocol-version"], told["mcp-method"], told["mcp-name"]) == (
            "2026-07-28",
            "tools/call",
            "headers",
        )
        assert "mcp-session-id" not in told
        assert told["mcp-param-region"] == "eu"
    else:
        assert told["mcp-protocol-version"] == "2025-11-25"
        assert told["mcp-session-id"]


@pytest.mark.parametrize(("server", "tool"), each_once(ERAS, ["dropped", "cut"]), indirect=["server"])
def test_a_connection_that_ends_in_a_call_costs_that_call_alone(board, tool):
    sleeping = board.submit(tool_call("sleep", seconds=1))

    lost = say(board, tool)

    assert fate(lost) == (False, "protocol_error", "outcome_unknown")
    assert sleeping.result(PATIENCE)["success"]
    assert say(board, "echo")["success"]
    assert generation(board) == 1


@pytest.mark.parametrize(
    ("server", "tool"), each_once(ERAS, ["html", "accepted", "encoded"]), indirect=["server"]
)
def test_an_answer_that_is_none_is_said_to_be_none(board, tool):
    assert fate(say(board, tool)) == (False, "tool_raised", "outcome_unknown")
    assert say(board, "echo")["success"]
    assert generation(board) == 1


@pytest.mark.parametrize(
    ("server", "status"), each_once(ERAS, [400, 404, 401, 403, 503, 302]), indirect=["server"]
)
def test_a_refusal_of_one_call_is_that_call_s(board, status):
    call = board.submit(tool_call("status", status=status))
    refused = call.result(PATIENCE)

    assert call.raw_answer is None  # the words are ours
    assert fate(refused) == (False, "tool_raised", "outcome_unknown")
    assert str(status) in refused["error"]
    assert SECRET not in json.dumps(refused)
    assert generation(board) == 1


def test_a_server_that_is_killed_in_a_call_ends_it_and_the_next_one_waits_until_it_is_back(server):
    with board_at(server.url) as board:
        killed = say(board, "die")
        server.wait()
        threading.Timer(0.5, server.start).start()
        after = say(board, "echo")

    assert fate(killed) == (False, "host_crashed", "outcome_unknown")
    assert after["success"], after


def test_a_call_for_a_server_that_is_not_there_was_not_sent(server):
    with board_at(server.url, restart={"intensity": 1}) as board:
        assert say(board, "echo")["success"]
        server.kill()
        refused = say(board, "echo")
        server.start()

    assert fate(refused) == (False, "host_unavailable", "not_sent")


PARKED = {"intensity": 0, "cool_down": 600}
"""A host is parked by the first start that fails, and only a call has it probed."""


def park(board, server):
    server.kill()
    wait_until(lambda: fate(say(board, "echo")) == (False, "host_unavailable", "not_sent"))


def test_the_first_call_to_a_parked_server_that_is_up_again_is_answered(server):
    with board_at(server.url, restart=PARKED) as board:
        park(board, server)
        server.start()
        wait_until(lambda: say(board, "echo").get("code") is None)
        later = [say(board, "echo")["success"] for _ in range(3)]

    assert later == [True] * 3


def test_calls_to_a_server_that_stays_down_make_one_probe_a_second_and_are_refused_with_what_it_found(server):
    told = []
    with board_at(server.url, restart=PARKED) as board:
        board.subscribe(told.append, ["host_starting", "host_parked"])
        park(board, server)
        wait_until(lambda: (say(board, "echo"), len(told) > 6)[1])
        with ThreadPoolExecutor(16) as pool:
            refused = list(pool.map(lambda _: say(board, "echo"), range(64)))

    times = [each.time for each in told]
    pauses = [
        later - earlier
        for earlier, later, each in zip(times, times[1:], told, strict=False)
        if each.kind == "host_parked"
    ]
    assert {fate(each) for each in refused} == {(False, "host_unavailable", "not_sent")}
    assert all("All connection attempts failed" in each["error"] for each in refused)
    assert pauses
    assert min(pauses) > 0.9


def test_a_server_that_was_parked_by_hand_is_not_probed_for_a_call(server):
    with board_at(server.url, restart=PARKED) as board:
        board.park("server")
        wait_until(lambda: fate(say(board, "echo")) == (False, "host_unavailable", "not_sent"))
        told = []
        board.subscribe(told.append, ["host_starting"])
        refused = [fate(say(board, "echo")) for _ in range(3)]

    assert refused == [(False, "host_unavailable", "not_sent")] * 3
    assert told == []


@pytest.mark.parametrize(("words", "more"), each_once([(), ("says400",)], [("no_news",), ()]))
def test_a_session_that_the_server_has_forgotten_is_begun_anew_and_no_call_is_run_twice(words, more):
    with HttpServer(*words, *more) as server, board_at(server.url) as board:
        assert say(board, "forget")["success"]
        assert say(board, "echo")["success"]
        assert say(board, "count")["result"] == "3"
        assert generation(board) == 2


def test_a_call_that_each_session_ends_with_comes_to_an_end():
    with HttpServer("no_news") as server, board_at(server.url, restart={"intensity": 3}) as board:
        refused = say(board, "gone")

    assert fate(refused) == (False, "host_unavailable", "not_sent")


def test_a_stream_that_is_cut_on_purpose_is_resumed():
    with HttpServer() as server, board_at(server.url) as board:
        assert say(board, "resumed")["result"] == "the rest"


def test_a_server_that_is_not_there_when_a_stream_is_resumed_was_sent_the_call_all_the_same():
    with HttpServer("no_news") as server, board_at(server.url) as board:
        resumed = board.submit(tool_call("resumed", retry=2000))
        wait_until(lambda: say(board, "count")["result"] == "2", PATIENCE)
        server.become()

        assert fate(resumed.result(PATIENCE)) == (False, "host_crashed", "outcome_unknown")
        assert say(board, "count")["result"] == "1"


@pytest.mark.parametrize(("server", "tool"), each_once(ERAS, ["hang", "endless"]), indirect=["server"])
def test_a_call_that_never_ends_is_ended_by_its_deadline_or_its_caller_and_the_server_hears_it(server, tool):
    with board_at(server.url) as board:
        late = board.execute(tool_call(tool), deadline=0.5)
        given_up = board.submit(tool_call(tool))
        given_up.cancel()

        assert late["code"] == "deadline_exceeded"
        assert given_up.result(PATIENCE)["code"] == "cancelled"
        if not server.words:
            wait_until(lambda: json.loads(say(board, "cancels")["result"]), PATIENCE)
        assert say(board, "echo")["success"]
        assert generation(board) == 1


@pytest.mark.parametrize(
    ("server", "asked"), each_once(ERAS, [("large", {"bytes": 2 << 20}), ("flood", {})]), indirect=["server"]
)
def test_an_answer_beyond_the_bound_costs_that_call_alone(server, asked):
    with board_at(server.url, calls={"max_line_bytes": 1 << 20}) as board:
        refused = say(board, asked[0], **asked[1])

        assert fate(refused) == (False, "protocol_error", "outcome_unknown")
        assert refused["reason"] == "line_too_long"
        assert say(board, "echo")["success"]
        assert generation(board) == 1


def test_an_answer_of_many_megabytes_is_taken_and_bounded_as_its_entry_says(server):
    with board_at(server.url, result_limit=32 << 20) as board:
        assert len(say(board, "large", bytes=16 << 20)["result"]) == 16 << 20
    with board_at(server.url) as board:
        assert len(say(board, "large", bytes=16 << 20)["result"]) < 2 << 20


def test_sixty_four_calls_are_under_way_at_once(server):
    with board_at(server.url, concurrency=64) as board, ThreadPoolExecutor(64) as threads:
        slept = list(threads.map(lambda _: say(board, "sleep", seconds=1), range(64)))

    assert all(each["success"] for each in slept)


def test_sixty_four_calls_that_meet_the_end_of_a_session_each_end_once():
    with (
        HttpServer() as server,
        board_at(server.url, concurrency=64) as board,
        ThreadPoolExecutor(65) as threads,
    ):
        sleeping = [threads.submit(say, board, "sleep", seconds=0.2) for _ in range(64)]
        forgets = threads.submit(say, board, "forget")
        ended = [each.result(PATIENCE) for each in [*sleeping, forgets]]
        following = [say(board, "echo")["success"] for _ in range(3)]

    assert {fate(each) for each in ended} <= {(True, None, None), (False, "host_crashed", "outcome_unknown")}
    assert following == [True] * 3


def test_tools_that_a_server_learns_are_offered_without_a_new_session(board):
    wait_until(lambda: int(say(board, "news")["result"]) == 1, PATIENCE)
    assert say(board, "learn", tools=["learn", "echo"])["success"]

    wait_until(lambda: {each.tool_name for each in board.tools()} == {"learn", "echo"}, PATIENCE)
    assert generation(board) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [(("locked",), "401"), (("moved",), "307"), (("refuses=404",), "404"), (("refuses=403",), "403")],
)
def test_a_server_that_lets_nobody_in_is_unavailable_with_that_reason(words, said):
    with HttpServer(*words) as server, board_at(server.url) as board:
        refused = say(board, "echo")
        problem = json.dumps(board.status()["plugins"]["server"])

    assert refused["code"] in {"unknown_tool", "host_unavailable"}
    assert said in problem
    assert SECRET not in problem


@pytest.mark.parametrize(
    ("headers", "remedy"),
    [
        ({}, "or log in: callboard mcp CONFIG --login server, where CONFIG is your configuration"),
        (
            {"authorization": f"Bearer {SECRET}"},
            "correct 'Authorization' under 'headers' in the entry of 'server'",
        ),
    ],
)
def test_a_server_that_wants_other_credentials_is_told_of_with_its_name_and_what_its_entry_lacks(
    headers, remedy
):
    with HttpServer("refuses=401") as server, board_at(server.url, headers=headers) as board:
        problem = str(board.status()["plugins"]["server"])

    assert remedy in problem


def test_a_server_that_is_not_ready_yet_is_tried_again():
    with HttpServer("refuses=503") as server:
        ready = threading.Timer(1.0, server.become)
        ready.start()
        with board_at(server.url) as board:
            ready.join()

            wait_until(lambda: any(each.tool_name == "echo" for each in board.tools()), PATIENCE)
            assert say(board, "echo")["success"]


def test_what_it_is_given_as_headers_is_seen_nowhere(caplog):
    caplog.set_level(0)
    events = []
    entry = {"url": "", "headers": {"Authorization": f"Bearer {SECRET}"}}
    with HttpServer("locked") as server, Callboard() as board:
        board.subscribe(events.append)
        board.load({"mcp": entry | {"url": f"{server.url}?key={SECRET}"}})
        told = say(board, "headers")
        crashed = say(board, "die")
        status = board.status()
        server.wait()
        server.start()

    assert told["success"]  # the server has said it to the one who called it
    assert crashed["code"] == "host_crashed"
    assert SECRET not in json.dumps([crashed, status], default=str)
    assert SECRET not in " ".join(str(each) for each in events if each.kind != "call_finished")
    assert SECRET not in caplog.text


def test_a_session_is_ended_with_the_board():
    with HttpServer() as server:
        with board_at(server.url) as board:
            assert say(board, "open_sessions")["result"] == "1"
        with board_at(server.url) as board:
            assert say(board, "open_sessions")["result"] == "1"


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ({"limits": {"memory": "100MB"}}, "limits.memory"),
        ({"limits": {"cpu_seconds": 1}}, "limits.cpu_seconds"),
        ({"limits": {"descriptors": 10}}, "limits.descriptors"),
        ({"sandbox": {"kind": "bubblewrap"}}, "sandbox"),
        ({"env": {"A": "b"}}, "env"),
        ({"share": "x"}, "share"),
    ],
)
def test_an_option_that_needs_a_process_is_refused_by_its_name(option, named):
    with Callboard({"plugins": [{"mcp": {"url": "http://127.0.0.1:1/mcp"}, **option}]}) as board:
        (failed,) = board.failed

    assert f"'{named}'" in failed.error


@pytest.mark.parametrize(
    "server", [{"url": "mailto:x"}, {"url": "http://x/", "headers": {"Mcp-Session-Id": "1"}}]
)
def test_an_entry_that_cannot_be_sent_is_refused_when_it_is_loaded(server):
    with Callboard({"plugins": [{"mcp": server}]}) as board:
        (failed,) = board.failed

    assert "'url'" in failed.error or "'Mcp-Session-Id'" in failed.error


def test_the_strict_profile_has_nothing_to_withhold_from_a_server_that_runs_elsewhere():
    with (
        HttpServer() as server,
        Callboard({"profile": "strict", "plugins": [{"mcp": {"url": server.url}}]}) as board,
    ):
        assert say(board, "echo")["success"]


def test_it_is_no_process_and_says_where_it_is(board, server):
    host = board.status()["plugins"]["server"]["host"]

    assert "pid" not in host
    assert host["address"] == server.url
