"""Where the generations of a host meet orders, shortages and each other: none is counted twice, lost, or left behind."""

from __future__ import annotations

import threading

import pytest
from boards import Recorder, add_node, node_board, services
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.hosting.host_actor import HostActor
from callboard.actors.hosting.messages import BEGIN, EndGeneration
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.plugins.manager import BoardStopped
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.limits.limits import Limits
from callboard.hosts.process.process import Command
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.errors import ChildExists
from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import AddChild, GetStatus
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.runtime.telling import ask_supervisor
from leaks import no_leaks
from memory_hosts import PATIENCE, SLOWLY, MemoryHost, memory_board
from scarcity import no_more_threads
from tools import a_tool, count, tool_call


class Notes:
    """The ear of a generation and its kin: notes what it is told."""

    generation = 2

    def __init__(self) -> None:
        self.told: list[str] = []

    def ready(self) -> None:
        self.told.append("ready")

    def ended(self, exit_) -> None:
        self.told.append(f"ended: {exit_.cause}")

    def covered(self) -> bool:
        return False

    def gone(self) -> None:
        self.told.append("gone")


def test_a_generation_that_is_told_to_end_and_to_begin_at_once_ends_once():
    with memory_board() as memory:
        host, notes = memory.add(), Notes()
        generation = HostActor(
            host.plugin,
            HostSettings({}, limits=Limits(overlap=False)),
            services(memory.clock, memory.board.events),
            reporter=notes,
            context=notes,
            waits=True,
        )
        for message in (EndGeneration("taken off"), EndGeneration("stopped"), BEGIN):
            generation.actor_ref.tell(message)

        ref = HostActor.launch(generation)

        assert ref.actor_stopped.wait(PATIENCE)
        assert notes.told == ["ended: taken off", "gone"]
        assert len(host.generations) == 1


def test_a_host_whose_command_cannot_be_made_is_parked_and_nobody_waits_for_it():
    def command():
        raise PermissionError("this folder is nobody's business")

    plugin = HostedToolPlugin("host", command)
    with Board() as board:
        once = RestartPolicy(intensity=0)
        board.begin_hosted(PluginAdapter(plugin), plugin, host=HostSettings({}), policy=once)
        settled = threading.Thread(target=board.settle_hosted, args=("host",), kwargs={"required": False})
        settled.start()

        settled.join(PATIENCE)

        assert not settled.is_alive()
        assert "nobody's business" in board.status()["plugins"]["host"]["host"]["why"]


class Interrupting:
    """A lock at whose release somebody else comes in, once, and is given a moment."""

    def __init__(self, lock, somebody) -> None:
        self.lock = lock
        self.somebody = threading.Thread(target=somebody)
        self._is_owned = lock._is_owned

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()
        if self.somebody.ident is None:
            self.somebody.start()
            self.somebody.join(0.2)


@pytest.mark.parametrize("leaving", ["stop", "remove"])
def test_a_host_that_is_just_being_added_ends_with_its_board_or_its_plugin(leaving):
    with memory_board() as memory:
        board, host = memory.board, MemoryHost("host", ("tool",))
        leave = board.stop if leaving == "stop" else lambda: board.remove("host")
        lock = board.plugin_manager.lock = Interrupting(board.plugin_manager.lock, leave)

        board.begin_hosted(
            PluginAdapter(host.plugin), host.plugin, host=HostSettings({}), settings=ToolSettings()
        )
        lock.somebody.join(PATIENCE)
        is_there = "host" in board.plugin_manager.handles()
        board.stop()

        assert is_there == (leaving == "stop")
        assert all(generation.ended for generation in host.generations)
        with pytest.raises(BoardStopped):
            board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))


def test_a_tool_whose_thread_could_not_be_had_runs_once_there_are_threads_again():
    with memory_board() as memory:
        memory.board.add(a_tool(count, "counts"), config={})
        with no_more_threads():
            call = memory.board.submit(tool_call("counts"))

        memory.clock.advance(0.5)

        assert call.result(PATIENCE) == {"success": True, "result": 1}


def test_a_stand_in_that_finds_no_thread_leaves_no_caller_waiting():
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=lambda _call: {"success": True}))
        memory.crash(host)
        with no_more_threads():
            refused = memory.call()
        answered = memory.call()

        assert refused.result(PATIENCE)["code"] == "host_unavailable"
        assert answered.result(PATIENCE) == {"success": True}


def test_a_standby_that_found_no_thread_is_made_later():
    with memory_board() as memory:
        host = MemoryHost("host", ("tool",))
        memory.board.begin_hosted(
            PluginAdapter(host.plugin),
            host.plugin,
            host=HostSettings({}, standby=True),
            settings=ToolSettings(),
        )
        memory.ready()
        memory.settle()
        with no_more_threads():
            memory.clock.advance(0.1)
        memory.events.wait("standby_failed")
        memory.clock.advance(10.0)

        memory.events.wait("standby_ready")

        assert len(host.generations) == 2


def test_a_plugin_that_was_taken_off_may_come_back_while_its_host_is_still_ending():
    with node_board() as (board, _, _):
        first = board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"]
        board.remove("moody")

        add_node(board)

        assert board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"] != first


def test_a_board_that_is_stopped_waits_for_the_hosts_that_were_just_taken_off():
    with no_leaks(), Board() as board:
        events = Recorder(board)
        plugin = add_node(board)
        board.submit(tool_call("moody", do="spin"))
        events.wait("call_started")
        board.remove("moody")

        board.stop()

        assert plugin.host is None
        assert events.of("host_stopped")


def test_a_name_that_the_supervisor_knows_as_somebody_else_s_is_refused_and_that_one_lives():
    with memory_board() as memory:
        spec = ChildSpec("host", lambda _reporter: Bystander(), RestartPolicy())
        ask_supervisor(memory.board.supervisor, AddChild(spec))
        host = MemoryHost("host", ("tool",))

        with pytest.raises(ChildExists):
            memory.board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))

        assert "host" not in memory.board.plugin_manager.handles()
        assert ask_supervisor(memory.board.supervisor, GetStatus())["host"]["state"] == "starting"


def test_an_end_that_cannot_be_described_is_told_all_the_same():
    with memory_board() as memory:
        host = MemoryHost("host", ("tool",))
        host.plugin.command = lambda: Command(("host",), {"KEY": b"no text"})
        memory.board.begin_hosted(
            PluginAdapter(host.plugin),
            host.plugin,
            host=HostSettings({}),
            policy=SLOWLY,
            settings=ToolSettings(),
        )
        memory.ready()
        call = memory.call()
        host.generation.request()

        memory.relive(host)

        result = call.result(PATIENCE)
        assert (result["code"], result["crash_report"]["code"]) == ("host_crashed", 1)
        assert result["crash_report"]["in_flight"] == [call.id]


class Bystander:
    """A generation of somebody else's."""

    def stop(self, reason: str) -> None:
        raise AssertionError(reason)

    def retire(self, reason: str) -> None:
        raise AssertionError(reason)
