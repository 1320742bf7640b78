"""The recorder notes each event when it was published, and the end of each call whatever it says."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict

import pytest
from boards import add_node
from callboard.actors.board import Board
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos.checker.facts import Answered, Happened, Ordered, Terms
from callboard.chaos.inject.evil_tool import EvilToolPlugin
from callboard.chaos.recorder import Recorder
from callboard.chaos.schedule import Schedule
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.errors import UnknownChild
from callboard.supervision.runtime.clock import SystemClock
from late_ends import MORTAL, carried_with_late_ends
from leaks import no_leaks
from tools import Tool

LONG = 0.05


class PreemptedClock(SystemClock):
    """A clock whose readers now and then get no processor just before they read it, or just after."""

    def __init__(self, *, after):
        super().__init__()
        self._readings = defaultdict(itertools.count)
        self._after = after

    def now(self):
        long = next(self._readings[threading.get_ident()]) % 3 == 0
        if long and not self._after:
            threading.Event().wait(LONG)
        read = super().now()
        if long and self._after:
            threading.Event().wait(LONG)
        return read


@pytest.mark.parametrize("after", [True, False])
def test_events_are_noted_in_their_order_by_a_thread_that_gets_no_processor(after):
    clock = PreemptedClock(after=after)
    published = {}
    with Board(clock=clock) as board:
        board.subscribe(lambda event: published.update({event.sequence: event.time}))
        recorder = Recorder(board)
        for generation in range(1, 7):
            board.events.publish("host_starting", "book", generation=generation)
            board.events.publish("host_ready", "book", generation=generation)
            threading.Event().wait(2 * LONG)  # so that one event bounds the time of the next no more
        recorder.close()
    clock.close()

    told = {fact.sequence: fact.at for fact in recorder.run().facts if isinstance(fact, Happened)}
    off = [told[number] - told[1] - (published[number] - published[1]) for number in published]

    assert list(told) == sorted(published)
    assert max(map(abs, off)) < LONG / 2


class BoardThatGoesOn(Board):
    """A board on which much happens while its status is read: what the status says already, and what it does not say yet."""

    def status(self):
        said = super().status()
        if "evil" in said["plugins"]:
            self.events.publish("host_starting", "evil", generation=1)
            self.events.publish("host_ready", "evil", generation=1)
            self.events.publish("host_replaced", "evil", generation=1, why="its time is over")
            self.events.publish("host_starting", "evil", generation=2)
        return said


def test_what_a_host_does_while_a_recording_begins_is_noted_once(tmp_path):
    with BoardThatGoesOn() as board:
        plugin = EvilToolPlugin("evil", Schedule(1, []), folder=tmp_path, language="python")
        board.add_hosted(PluginAdapter(plugin), plugin, host=HostSettings({}))
        recorder = Recorder(board)
        recorder.close()

    told = [
        (fact.kind, fact.facts["generation"]) for fact in recorder.run().facts if isinstance(fact, Happened)
    ]
    assert told[:4] == [("host_starting", 1), ("host_ready", 1), ("host_replaced", 1), ("host_starting", 2)]


def test_an_answer_that_its_judge_cannot_read_is_wrong_and_ends_its_call():
    with Board() as board:
        board.add(PluginAdapter(Tool(lambda *_: {"success": True, "result": "no object"}, "book")), config={})
        recorder = Recorder(board)
        recorder.submit("book", "book", name="c1", judge=lambda result: {"counted": result["count"]}).result()
        recorder.close()

    (answered,) = [fact for fact in recorder.run().facts if isinstance(fact, Answered)]

    assert (answered.call, answered.ending, answered.judged) == ("c1", "success", True)
    assert answered.wrong == "it cannot be read: KeyError: 'count'"


def test_the_end_of_a_host_with_which_a_call_was_lost_is_noted_however_late_it_is_told(tmp_path):
    file = tmp_path / "mortal.mjs"
    file.write_text(MORTAL)
    may_come = threading.Event()
    late = threading.Timer(0.3, may_come.set)  # as long as a busy machine may take to look for what is left
    with no_leaks(), Board() as board:
        carry = carried_with_late_ends(lambda: may_come.wait(20.0))
        add_node(board, file, name="mortal", carry=carry)
        recorder = Recorder(board)
        ending = recorder.submit("mortal", "die").result(20.0)
        late.start()
        recorder.close()
        late.join()

    assert ending["code"] == "host_crashed"
    assert "host_crashed" in {fact.kind for fact in recorder.run().facts if isinstance(fact, Happened)}


def test_a_plugin_that_was_taken_off_the_board_is_still_known_to_have_lived_in_its_host():
    with Board() as board:
        recorder = Recorder(board)
        recorder.terms["guest"] = Terms(host="house")
        with pytest.raises(UnknownChild):
            recorder.order("restart", "guest")

    assert [fact.plugin for fact in recorder.facts if isinstance(fact, Ordered)] == ["house"]
