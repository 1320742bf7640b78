"""Reloading a host on a board: the candidate beside the present generation, the takeover, and the way back."""

from __future__ import annotations

import threading

import pytest
from boards import node_board
from callboard.actors.hosting.candidate import ProgramVersion
from callboard.actors.hosting.reload_progress import ReloadRefused
from callboard.actors.reload.policy import Change, ReloadPolicy
from callboard.actors.reload.reload import reload
from callboard.hosts.limits.limits import Limits
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from leaks import wait_until
from memory_hosts import PATIENCE, MemoryHost, memory_board
from toolbox import Toolbox


class Another(MemoryHost):
    """A host in memory whose generations die instead of answering, if they are told to."""

    dies = False

    def _carry(self, *given):
        generation = super()._carry(*given)
        if self.dies:
            generation.answer = lambda *_, **__: threading.Thread(target=generation.crash).start()
        return generation


def another(tools=("tool",), name="host"):
    """The host of another program_version, and what makes that."""
    host = Another(name, tools)
    return host, lambda _names: ProgramVersion(host.plugin)


def beside(memory, make, **options):
    """Begin a reload in a thread; what is returned waits for what came of it."""
    done = []
    options = {"policy": ReloadPolicy(), "way_back": True} | options
    thread = threading.Thread(target=lambda: done.append(reload(memory.board, "host", make, **options)))
    thread.start()

    def result():
        thread.join(PATIENCE)
        return done[0]

    return result


def load(memory, make, **options):
    return beside(memory, make, **options)()


def kinds(memory, *wanted):
    memory.settle()
    return [event.kind for event in memory.events.events if event.kind in wanted]


def test_calls_under_way_end_in_the_old_generation_and_the_next_go_to_the_new_with_the_state():
    new, make = another()
    with memory_board() as memory:
        old = memory.add()
        under_way, waiting = memory.call(), memory.call()
        first = old.generation.request()
        new.opened.clear()
        result = beside(memory, make)
        memory.events.wait("host_reloading")
        early = memory.status()["host"]["reload"]["stage"]
        new.opened.set()
        reloaded = result()
        old.generation.answer(first, {"success": True, "result": "old"}, {"n": 1})
        second = new.generation.succeed("new", {"n": 2})
        results = [under_way.result(PATIENCE), waiting.result(PATIENCE)]
        memory.events.wait("host_retired")
        status = memory.status()["host"]
        told = memory.events.of("host_reloaded")[0].facts

    assert early in {"idle", "loading"}
    assert [each["result"] for each in results] == ["old", "new"]
    assert second["params"]["state"] == {"n": 1}
    assert (reloaded.done, reloaded.generation, reloaded.changes, reloaded.why) == (True, 2, (), None)
    assert (status["generation"], status["crashes"], len(old.generations), len(new.generations)) == (
        2,
        0,
        1,
        1,
    )
    assert status["reload"] == {"stage": "probation", "done": 1, "failed": 0, "rolled_back": 0}
    assert (told["generation"], told["added"], told["removed"], told["changed"]) == (2, [], [], [])


def test_a_crash_of_the_new_generation_before_it_has_answered_brings_the_former_back():
    new, make = another(("other",))
    with memory_board() as memory:
        old = memory.add()
        changed = load(memory, make)
        new.generation.crash()
        memory.ready("host", 3)
        memory.settle()
        back = memory.call()
        old.generation.succeed("old")
        answer = back.result(PATIENCE)
        (failed,) = memory.events.of("host_reload_failed")
        status = memory.status()["host"]
        tools = [tool.tool_name for tool in memory.board.tools()]

    assert changed.tools(Change.ADDED) == ["other"]
    assert changed.tools(Change.REMOVED) == ["tool"]
    assert answer["result"] == "old"
    assert failed.facts["rolled_back"]
    assert "the former program is run again" in failed.facts["why"]
    assert (len(old.generations), tools) == (2, ["tool"])
    assert status["reload"] == {"stage": "idle", "done": 1, "failed": 0, "rolled_back": 1}


def test_a_new_generation_that_crashes_as_it_is_parked_stays_parked():
    new, make = another()
    with memory_board() as memory:
        old = memory.add()
        load(memory, make)
        call = memory.call()
        new.generation.request()
        call.add_done_callback(lambda: memory.board.order("park", "host"))
        new.generation.crash()
        memory.events.wait("host_parked")
        memory.settle()
        status = memory.status()["host"]

    assert [event.facts["generation"] for event in memory.events.of("host_crashed")] == [2]
    assert (status["state"], status["generation"], len(old.generations)) == ("parked", 2, 1)
    assert status["reload"] == {"stage": "idle", "done": 1, "failed": 0, "rolled_back": 0}


@pytest.mark.parametrize("proof", ["an answer", "time"])
def test_a_generation_that_has_proved_itself_is_started_again_as_it_is(proof):
    new, make = another()
    with memory_board() as memory:
        old = memory.add()
        load(memory, make)
        if proof == "an answer":
            call = memory.call()
            new.generation.succeed()
            call.result(PATIENCE)
        else:
            memory.clock.advance(10.0)
        new.generation.crash()
        memory.events.wait("host_backoff")
        memory.settle()
        memory.clock.advance(5.0)
        memory.ready("host", 3)

    assert (len(old.generations), len(new.generations)) == (1, 2)
    assert memory.events.of("host_reload_failed") == []


def test_a_standby_is_always_one_of_the_program_that_is_to_run():
    new, make = another()
    with memory_board() as memory:
        old = memory.add(standby=True)
        standby_of(memory, 1)
        load(memory, make)
        standby_of(memory, 2)
        new.generations[0].crash()
        memory.ready("host", 3)
        standby_of(memory, 3)
        memory.settle()

    assert (len(old.generations), len(new.generations)) == (4, 2)
    assert old.generations[1].ended
    assert new.generations[1].ended


def standby_of(memory, count):
    """Have the standby of the present generation made."""
    memory.settle()
    memory.clock.advance(0.2)
    memory.events.wait("standby_ready", count)


def test_a_host_that_is_never_started_again_has_no_way_back():
    new, make = another()
    with memory_board() as memory:
        memory.add(policy=RestartPolicy(restart=RestartType.TEMPORARY))
        load(memory, make)
        new.generation.crash()
        (failed,) = memory.events.wait("host_reload_failed")
        memory.events.wait("host_stopped")

    assert not failed.facts["rolled_back"]


def test_without_a_way_back_that_is_told_and_the_host_is_started_as_its_policy_says():
    new, make = another()
    with memory_board() as memory:
        memory.add()
        load(memory, make, way_back=False)
        new.generation.crash()
        (failed,) = memory.events.wait("host_reload_failed")
        memory.events.wait("host_backoff")
        memory.settle()
        memory.clock.advance(5.0)
        memory.ready("host", 3)

    assert not failed.facts["rolled_back"]
    assert "ran from the folder that was changed" in failed.facts["why"]
    assert len(new.generations) == 2


@pytest.mark.parametrize(
    ("tools", "policy", "why"),
    [
        (("tool", "theirs"), ReloadPolicy(), "'theirs'"),
        (("other",), ReloadPolicy(refuse=("removed",)), "'tool' is gone, which 'refuse' rules out"),
    ],
)
def test_what_is_refused_changes_nothing(tools, policy, why):
    new, make = another(tools)
    with memory_board() as memory:
        old = memory.add()
        memory.add("another", ("theirs",))
        refused = load(memory, make, policy=policy)
        call = memory.call()
        old.generation.succeed("old")
        answer = call.result(PATIENCE)
        memory.settle()
        status = memory.status()["host"]
        offered = [tool.tool_name for tool in memory.board.tools()]

    assert not refused.done
    assert why in refused.why
    assert [change.change for change in refused.changes]
    assert (answer["result"], offered, status["generation"]) == ("old", ["tool", "theirs"], 1)
    assert new.generation.ended
    assert status["reload"]["failed"] == 1
    assert kinds(memory, "host_reloading", "host_reloaded", "host_reload_failed") == [
        "host_reloading",
        "host_reload_failed",
    ]


def test_a_candidate_that_dies_or_hangs_while_it_loads_harms_nobody():
    (dying, make_dying), (hanging, make_hanging) = another(), another()
    dying.dies = True
    hanging.opened.clear()
    with memory_board() as memory:
        old = memory.add()
        results = [load(memory, make_dying), load(memory, make_hanging, timeout=0.01)]
        hanging.opened.set()
        call = memory.call()
        old.generation.succeed()
        answer = call.result(PATIENCE)
        crashes = memory.status()["host"]["crashes"]

    assert answer["success"]
    assert crashes == 0
    assert "cannot be loaded: exit code 1 before it was ready" in results[0].why
    assert "loading it took more than 0.01 s" in results[1].why


def test_a_parked_host_comes_up_with_what_was_reloaded():
    new, make = another()
    with memory_board() as memory:
        memory.add()
        memory.board.order("park", "host")
        memory.events.wait("host_parked")
        reloaded = load(memory, make)
        call = memory.call()
        new.generation.succeed("up")

        assert call.result(PATIENCE)["result"] == "up"
    assert (reloaded.done, reloaded.generation) == (True, 2)


def test_a_host_that_is_taken_off_while_it_is_reloaded_leaves_nothing():
    new, make = another()
    new.opened.clear()
    with memory_board() as memory:
        memory.add()
        result = beside(memory, make)
        memory.events.wait("host_reloading")
        wait_until(lambda: new.generations)
        memory.board.remove("host")
        new.opened.set()

        assert not result().done
    assert new.generation.ended


def test_what_cannot_be_reloaded_at_all_is_refused_with_a_remedy():
    _, make = another()
    with memory_board() as memory:
        memory.add()
        memory.board.add(PluginAdapter(Toolbox()), config={})
        for name, problem in (("nobody", "no plugin and no host"), ("toolbox", "give it 'isolate'")):
            with pytest.raises(ReloadRefused, match=problem):
                reload(memory.board, name, make, policy=ReloadPolicy(), way_back=True)
        turn = memory.board.plugin_manager.host_registry.of("host").lifecycle.reloads.turn
        assert turn.take("another")
        with pytest.raises(ReloadRefused, match=r"still under way 0\.01 s later"):
            reload(memory.board, "host", make, policy=ReloadPolicy(), way_back=True, timeout=0.01)
    with (
        node_board(host={"limits": Limits(overlap=False)}) as (board, _, _),
        pytest.raises(ReloadRefused, match="'overlap: false'"),
    ):
        reload(board, "moody", make, policy=ReloadPolicy(), way_back=True)
