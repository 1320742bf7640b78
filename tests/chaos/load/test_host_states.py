"""A host whose process has ended is not ready, though its supervisor hears of the end when the whole tree is gone."""

from __future__ import annotations

import threading
from functools import partial

from boards import Recorder, add_node
from callboard.actors.board import Board
from callboard.chaos.load.host_states import ENDING, host_states
from late_ends import MORTAL, carried_with_late_ends
from leaks import no_leaks, wait_until

PATIENCE = 20.0


def test_a_host_that_has_ended_is_ending_until_its_supervisor_has_started_the_next_one(tmp_path):
    file = tmp_path / "mortal.mjs"
    file.write_text(MORTAL)
    may_come = threading.Event()

    with no_leaks(), Board() as board:
        recorder = Recorder(board)
        carry = carried_with_late_ends(partial(may_come.wait, PATIENCE))
        add_node(board, file, name="mortal", carry=carry)
        before = host_states(board)
        lost = board.submit({"type": "function_call", "name": "die", "arguments": {}}).result(PATIENCE)
        status = board.status()["plugins"]["mortal"]
        meanwhile = host_states(board)
        may_come.set()
        recorder.wait("host_ready", 2)
        wait_until(lambda: host_states(board) == {"mortal": "ready"})

    assert lost["code"] == "host_crashed"
    assert (status["host"]["state"], status["running"]) == ("ready", 0)
    assert (before, meanwhile) == ({"mortal": "ready"}, {"mortal": ENDING})
