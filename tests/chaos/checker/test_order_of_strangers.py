"""A call has a place among a plugin's calls from the time at which the plugin offers its name."""

from __future__ import annotations

import threading

from callboard import Callboard
from callboard.chaos.checker.call_rules import calls_begin_in_order
from callboard.chaos.recorder import Recorder


def echo(value):
    return value


class Hesitates:
    """Claims nothing, and takes its time over one call."""

    name = "hesitates"

    def __init__(self):
        self.asked = threading.Event()
        self.may_say = threading.Event()

    def can_handle_tool_call(self, tool_name, payload, state):
        if payload == {"value": "early"}:
            self.asked.set()
            assert self.may_say.wait(60)
        return False

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": None}


def test_a_call_of_a_name_that_nobody_offers_yet_comes_before_no_other():
    claimer = Hesitates()
    with Callboard({"calls": {"claim_patience": 60}}) as board:
        recorder = Recorder(board.board)
        board.register(claimer)
        early = recorder.submit("echo", "echo", {"value": "early"}, name="early")
        assert claimer.asked.wait(60)
        board.register(echo)
        later = recorder.submit("echo", "echo", {"value": "later"}, name="later")
        assert later.result(60)["success"]
        claimer.may_say.set()

        assert early.result(60)["success"]
        recorder.close()
        run = recorder.run()

    assert not list(calls_begin_in_order(run))
