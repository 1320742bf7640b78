"""Servers that run and never answer keep no other server from its start, however many there are."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

import pytest
from callboard import Callboard
from callboard.base.errors import CallboardError
from declared_servers import declared
from leaks import TEST_MARK, no_leaks

MANY = 12
DEADLINE = 12.0
"""Seconds that a mute server has: three times four that wait their turn for five seconds each take longer."""
PATIENCE = 60.0

MUTE = "import sys; sys.stdin.read()"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def mute(number):
    return {
        "name": f"mute{number}",
        "mcp": {"command": [sys.executable, "-c", MUTE], "env": TEST_MARK},
        "start_deadline": DEADLINE,
    }


class Starting(threading.Thread):
    """Starts a board, and tells what comes first of a plugin: that it is ready, or that another has failed."""

    def __init__(self, entries, wanted):
        super().__init__(daemon=True)
        self.wanted, self.first, self.known = wanted, None, threading.Event()
        self.board = Callboard({"plugins": entries}, subscribers=[self.hear])

    def run(self):
        with suppress(CallboardError):  # it is stopped while it starts
            self.board.start()

    def hear(self, event):
        if event.kind == "host_crashed" or (event.kind == "host_ready" and event.subject == self.wanted):
            self.first = self.first or (event.kind, event.subject)
            self.known.set()


def test_the_server_behind_twelve_mute_ones_is_ready_before_any_of_them_is_given_up(tmp_path):
    starting = Starting([*map(mute, range(MANY)), declared(tmp_path, "good", "read")], "good")
    starting.start()

    assert starting.known.wait(PATIENCE)
    starting.board.stop()
    starting.join(PATIENCE)

    assert starting.first == ("host_ready", "good")
