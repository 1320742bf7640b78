"""A program that has no descriptor left for a while: its hosts are not blamed for that, and come back."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from callboard import Callboard
from leaks import no_leaks, wait_until
from programs import PROGRAMS
from scarcity import descriptors_up_to, lowest_free_descriptor

SERVER = str(PROGRAMS / "python" / "mcp_server.py")


ALONE = {"intensity": 1, "cool_down": 3600}
IN_A_GROUP = {"cool_down": 3600, "groups": {"g": {"intensity": 1, "cool_down": 3600}}}


@pytest.mark.parametrize(("supervision", "more"), [(ALONE, {}), (IN_A_GROUP, {"group": "g"})])
def test_a_host_comes_back_when_there_are_descriptors_again_and_its_budget_is_not_charged(supervision, more):
    entry = {"mcp": {"command": [sys.executable, SERVER, "tools=pid"]}, "name": "a", **more}
    configuration = {"plugins": [entry], "supervision": supervision}
    attempts = []

    def hear(event):
        if event.facts.get("exit") == "start_failed":
            attempts.append(event)

    with no_leaks(), Callboard(configuration, subscribers=(hear,)) as board:
        pid = int(board.call("pid"))
        with descriptors_up_to(lowest_free_descriptor()):
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: len(attempts) >= 2)  # one more than the budget has
        again = int(board.call("pid", deadline=30))

    assert again != pid
    assert all("Too many open files" in event.facts["cause"] for event in attempts)
