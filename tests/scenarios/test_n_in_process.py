"""N: tools of this process."""

from __future__ import annotations

import subprocess
import sys
import threading

import pykka
import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.messages import Dispatch
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import Tool, a_tool, count, tool_call

PATIENCE = 20.0


class Bystander(pykka.ThreadingActor):
    """An actor of somebody else's."""

    use_daemon_thread = True

    def on_receive(self, message):
        return message


@pytest.fixture
def bystander():
    ref = Bystander.start()
    yield ref
    ref.stop()


def raising(error):
    def function(arguments, state):
        raise error

    return function


def test_scenario_N1_a_tool_that_raises_is_told_the_same_way_however_it_was_asked():
    with Board() as board:
        events = Recorder(board)
        board.add(a_tool(raising(ValueError("no")), "bad"), config={})
        asked = board.router.ask(Dispatch(tool_call("bad", "asked")), timeout=PATIENCE)
        told = board.submit(tool_call("bad", "told"))
        results = [call.result(PATIENCE) for call in (asked, told)]
        ended = {event.facts["call"]: event.facts["code"] for event in events.wait("call_ended", 2)}
        again = board.submit(tool_call("bad")).result(PATIENCE)

    assert [(result["code"], result["type"]) for result in results] == [("tool_raised", "ValueError")] * 2
    assert ended == {"asked": "tool_raised", "told": "tool_raised"}
    assert again["code"] == "tool_raised"  # it was asked again: nothing has been stopped


def test_scenario_N2_a_tool_that_exits_costs_its_call_and_no_bystander(bystander):
    with Board() as board:
        for name, error in (("exits", SystemExit(3)), ("interrupts", KeyboardInterrupt())):
            board.add(a_tool(raising(error), name), config={})
        board.add(a_tool(count, "good"), config={})
        codes = [board.submit(tool_call(name)).result(PATIENCE)["code"] for name in ("exits", "interrupts")]
        good = board.submit(tool_call("good")).result(PATIENCE)

        assert codes == ["tool_raised"] * 2
        assert good["result"] == 1
        assert bystander.ask("alive?", timeout=PATIENCE) == "alive?"


def test_scenario_N3_a_tool_that_cannot_begin_is_told_and_leaves_no_half_of_itself(bystander):
    def failing(error):
        tool = Tool(count, "late")
        tool.init = lambda config: (_ for _ in ()).throw(error)
        return PluginAdapter(tool)

    with Board() as board:
        actors = len(pykka.ActorRegistry.get_all())
        for error in (RuntimeError("no disk"), SystemExit(1)):
            with pytest.raises(Exception, match=r"late"):
                board.add(failing(error), config={})
        left = len(pykka.ActorRegistry.get_all())
        board.add(a_tool(count, "late"), config={})

        assert left == actors
        assert board.submit(tool_call("late")).result(PATIENCE)["result"] == 1
        assert bystander.is_alive()


def test_scenario_N4_a_tool_that_hangs_is_replaced_at_its_deadline_and_counted():
    clock, released, running = ManualClock(), threading.Event(), threading.Event()

    def hangs(arguments, state):
        if arguments.get("hang"):
            running.set()
            released.wait(PATIENCE)
        return {"success": True, "result": "done"}

    with Board(clock=clock) as board:
        events = Recorder(board)
        board.add(a_tool(hangs), config={}, settings=ToolSettings(deadline=5.0, grace=1.0))
        stuck, after = board.submit(tool_call("tool", hang=True)), board.submit(tool_call("tool"))
        assert running.wait(PATIENCE)
        clock.advance(4.0)
        next_one = board.submit(tool_call("tool"), deadline=100.0)
        clock.advance(1.0)
        clock.wait_pending(2)
        clock.advance(1.0)
        events.wait("thread_fenced")

        assert stuck.result(0)["code"] == after.result(0)["code"] == "deadline_exceeded"
        assert next_one.result(PATIENCE)["result"] == "done"
        assert board.status()["plugins"]["tool"]["fenced"] == 1
        released.set()

    program = subprocess.run([sys.executable, "-c", HANGS], timeout=60, check=False, capture_output=True)
    assert program.returncode == 0, program.stderr  # the stuck thread does not block the interpreter's exit


HANGS = """
import threading
from callboard import Callboard

class Tool:
    name = "tool"
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "tool", "parameters": {"type": "object"}}}]
    def execute_tool(self, name, arguments, state):
        threading.Event().wait()

with Callboard() as board:
    board.register(Tool())
    call = {"id": "1", "type": "function", "function": {"name": "tool", "arguments": {}}}
    assert board.execute(call, deadline=0.05)["code"] == "deadline_exceeded"
"""


def test_scenario_N5_foreign_actors_outlive_the_board_and_asking_in_a_circle_ends_by_the_deadline(bystander):
    with Board() as board:

        def asks_itself(arguments, state):
            return board.submit(tool_call("circle"), deadline=0.2).result(PATIENCE)

        board.add(a_tool(asks_itself, "circle"), config={}, settings=ToolSettings(deadline=PATIENCE))
        outer = board.submit(tool_call("circle")).result(PATIENCE)
    alive = bystander.is_alive()

    assert outer["said_by_tool"] == {"code": "deadline_exceeded", "outcome": "not_sent"}
    assert alive
    assert bystander.ask("still there?", timeout=PATIENCE) == "still there?"
