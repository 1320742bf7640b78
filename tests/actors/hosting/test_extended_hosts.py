"""Tools in a Node host that can do more than version 1 of the protocol, on a board."""

from __future__ import annotations

from boards import Recorder, add_node
from callboard.actors.board import Board
from programs import NODE
from tools import tool_call

TOOL = NODE / "extended_tool.mjs"

PATIENCE = 30.0


def raw(name, text):
    return {"type": "custom_tool_call", "call_id": "c", "name": name, "input": text}


def test_a_tool_is_prepared_claims_calls_takes_raw_text_and_says_farewell():
    with Board() as board:
        events = Recorder(board)
        plugin = add_node(board, TOOL, name="extended", config={"greeting": "salve"}, grace=20.0)
        names = [tool.tool_name for tool in board.tools()]

        greeting = board.submit(tool_call("greet", name="you")).result(PATIENCE)
        plain = board.submit(tool_call("tell", a=1)).result(PATIENCE)["result"]
        text = board.submit(raw("record", "@one line")).result(PATIENCE)["result"]
        unclaimed = board.submit(raw("unknown", "a line")).result(PATIENCE)
        claimed = board.submit(raw("unknown", "@a line")).result(PATIENCE)["result"]
        preview = plugin.format_tool_call_preview("record", "x", {}, payload_kind="text")
        host = plugin.host

        waiting = board.submit(tool_call("wait"))
        next(waiting.parts())
        waiting.cancel()
        after = board.submit(tool_call("tell")).result(PATIENCE)
        same = plugin.host is host

        board.remove("extended")
        host.join(PATIENCE)
        said = host.stderr_tail

    assert names == ["greet", "tell", "wait", "wait_for_ever", "record", "salve"]
    assert greeting == {"success": True, "result": "salve you"}
    assert (plain["args"], plain["payloadKind"], plain["toolCall"]) == ({"a": 1}, "object", None)
    assert (text["args"], text["payloadKind"]) == ("@one line", "text")
    assert text["toolCall"]["input"] == "@one line"
    assert unclaimed["code"] == "unknown_tool"
    assert claimed["args"] == "@a line"
    assert preview == 'record text "x"'
    assert waiting.result(0)["code"] == "cancelled"
    assert after["success"]
    assert same
    assert events.of("host_crashed") == []
    assert "farewell after 5 calls" in said


def test_a_call_that_falls_silent_is_given_up_as_at_its_deadline():
    with Board() as board:
        events = Recorder(board)
        plugin = add_node(board, TOOL, name="extended", grace=1.0, idle_deadline=0.2)
        host = plugin.host

        quick = board.submit(tool_call("tell")).result(PATIENCE)
        heeds = board.submit(tool_call("wait")).result(PATIENCE)
        after = board.submit(tool_call("tell")).result(PATIENCE)
        same = plugin.host is host
        deaf = board.submit(tool_call("wait_for_ever")).result(PATIENCE)
        at_last = board.submit(tool_call("tell")).result(PATIENCE)

    assert quick["success"]
    assert (heeds["code"], heeds["outcome"]) == ("deadline_exceeded", "outcome_unknown")
    assert heeds["error"].startswith("'wait' was silent for 0.2 s")
    assert after["success"]
    assert same
    assert deaf["code"] == "deadline_exceeded"
    assert at_last["success"]
    [crash] = events.of("host_crashed")
    assert "1 s beyond its idle deadline" in str(crash)


def test_a_call_that_does_not_heed_its_end_costs_the_host_after_the_grace():
    with Board() as board:
        events = Recorder(board)
        add_node(board, TOOL, name="extended", grace=0.1)

        waiting = board.submit(tool_call("wait_for_ever"), deadline=0.3)
        result = waiting.result(PATIENCE)
        after = board.submit(tool_call("tell")).result(PATIENCE)

    assert result["code"] == "deadline_exceeded"
    assert after["success"]
    assert [event.kind for event in events.of("host_crashed")] == ["host_crashed"]


def test_a_preparation_that_fails_or_takes_too_long_parks_the_host_with_the_reason():
    with Board(prepare_timeout=0.2) as board:
        add_node(board, TOOL, name="fails", config={"unprepared": True}, required=False)
        add_node(board, TOOL, name="hangs", config={"never_ready": True}, required=False, start_deadline=0.6)
        status = board.status()["plugins"]
        result = board.submit(tool_call("greet", name="you")).result(PATIENCE)

    assert status["fails"]["host"]["state"] == status["hangs"]["host"]["state"] == "parked"
    assert "preparing it failed: Error: the index cannot be read" in status["fails"]["host"]["why"]
    assert "preparing it took more than 0.2 s" in status["hangs"]["host"]["why"]
    assert result["code"] == "unknown_tool"
