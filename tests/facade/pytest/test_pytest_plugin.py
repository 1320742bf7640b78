"""The pytest plugin, by real inner runs: what passes, what fails, and what a failure tells."""

from __future__ import annotations

import json
import re
from configparser import ConfigParser

import callboard.chaos.recovery
import callboard.pytest.fixtures
import pytest
from callboard.chaos.checker.leak_check import Census
from house_source import ROOT

pytest_plugins = ["pytester"]

HELD = (callboard.chaos.recovery, callboard.pytest.fixtures)
"""What an inner run imports, it forgets; what was there before, it shares with the other runs."""

LOADED = ("-p", "no:callboard-chaos", "-p", "callboard.pytest_plugin", "-p", "no:cacheprovider")
"""By its module: the environment of a checkout may not know of the entry point yet."""

TOOL = """
class Echo:
    name = "echo"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "echo", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload}

CALL = {"type": "function_call", "call_id": "1", "name": "echo", "arguments": {"n": 1}}
"""

GUIDE = ROOT / "docs" / "testing-crash-recovery.md"

COUNT = '{"type": "function_call", "call_id": "1", "name": "evil_count", "arguments": {}}'


@pytest.fixture
def inner(pytester):
    def run(source, *options, loaded=LOADED):
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess(*loaded, "-q", *options)

    return run


def test_a_board_runs_and_leaves_nothing(inner):
    result = inner(
        TOOL + "def test(board):\n    board.register(Echo)\n    assert board.execute(CALL)['success']\n"
    )

    result.assert_outcomes(passed=1)


def test_a_board_that_leaves_a_thread_behind_is_found(inner, monkeypatch):
    monkeypatch.setitem(Census.left.__kwdefaults__, "within", 0.1)

    result = inner("""
        import threading

        def test(board):
            threading.Thread(target=threading.Event().wait, name="forgotten", daemon=True).start()
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*LeftBehind*threads: *forgotten*"])


def test_a_board_that_leaves_a_descriptor_behind_is_found(inner):
    result = inner("import os\n\ndef test(board):\n    os.pipe()\n")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*LeftBehind*descriptors: *pipe*"])


def test_the_tests_of_the_guide_pass(pytester):
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        (pytester.path / name).write_text(text)

    # The warning is about what is already imported here.
    strict = ("-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    result = pytester.runpytest_inprocess(*LOADED, "-q", *strict, "test_upper.py")

    result.assert_outcomes(passed=4)


def test_a_fixture_of_ones_own_goes_before_one_of_the_same_name(inner):
    result = inner("""
        import pytest, sys

        @pytest.fixture
        def board():
            return "my own"

        @pytest.fixture
        def events():
            return ["mine"]

        def test(board, events):
            assert (board, events) == ("my own", ["mine"])
            assert "callboard.callboard" not in sys.modules or True
    """)

    result.assert_outcomes(passed=1)


def test_a_configuration_is_given_by_a_fixture(inner):
    result = inner("""
        import pytest

        @pytest.fixture
        def board_config():
            return {"calls": {"mailbox_size": 7}}

        def test(board):
            assert board.configuration.calls.mailbox_size == 7
    """)

    result.assert_outcomes(passed=1)


def test_an_evil_host_goes_wrong_at_the_call_that_its_schedule_says(inner):
    result = inner(f"""
        import pytest
        from callboard.chaos.faults import Exit
        from callboard.chaos.triggers import NthCall

        @pytest.mark.faults(schedule=[(NthCall(2), Exit(3))])
        def test(board, evil_host, events):
            evil_host()
            call = {COUNT}
            results = [board.execute(call) for _ in range(3)]
            assert [result["success"] for result in results] == [True, False, True]
            assert results[1]["crash_report"]["exit"] == "exit code 3"
            events.expect("host_crashed", "evil", generation=1)
            events.expect("host_ready", generation=lambda n: n == 2)
            events.expect_none("host_parked")
    """)

    result.assert_outcomes(passed=1)


def test_a_failure_tells_seed_schedule_events_last_words_and_how_to_see_it_again(pytester):
    pytester.makepyfile(f"""
        import pytest
        from callboard.chaos.faults import StderrFlood, Exit
        from callboard.chaos.triggers import NthCall

        @pytest.mark.faults(seed=42, schedule=[(NthCall(1), StderrFlood(100)), (NthCall(1), Exit(3))])
        def test_it(board, evil_host):
            evil_host()
            assert board.execute({COUNT})["success"]
    """)
    keeps = [option for option in LOADED if option != "no:cacheprovider"]
    keeps.pop(keeps.index("callboard.pytest_plugin") + 1)

    result = pytester.runpytest_inprocess(*keeps, "-q")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*crash recovery*", "seed: 42", 'schedule: {"format"*"stderr_flood"*"exit"*']
    )
    result.stdout.fnmatch_lines(["*- events -*", "*evil*host_crashed*exit code 3*", "*stderr of evil*"])
    (file,) = re.findall(r"--chaos-replay=(\S+)", result.stdout.str())
    assert json.loads((pytester.path / file).read_text())["seed"] == 42

    again = pytester.runpytest_inprocess(*keeps, "-q", f"--chaos-replay={file}")

    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["seed: 42"])


def test_the_seed_of_a_run_is_the_seed_of_all_chance(inner):
    source = "def test(rng, chaos_run):\n    print('drew', rng.random(), chaos_run.seed)\n    assert False\n"

    first, second, other = (
        re.findall(r"^drew .*", inner(source, f"--chaos-seed={seed}").stdout.str(), re.MULTILINE)
        for seed in (5, 5, 6)
    )

    assert first == second != other


def test_a_test_is_run_with_as_many_seeds_as_are_wanted_until_one_fails(inner):
    result = inner(
        """
        seen = []

        def test_all(chaos_run):
            seen.append(chaos_run.seed)

        def test_seen():
            assert seen == [7, 8, 9]

        def test_until(chaos_run):
            assert chaos_run.seed < 8
        """,
        "--chaos-seed=7",
        "--chaos-runs=3",
    )

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["seed: 8"])


def test_a_test_is_run_with_a_crash_at_every_step(inner):
    result = inner(f"""
        import pytest

        steps = []

        @pytest.mark.crash_at_every_step
        def test_every_step(board, evil_host, chaos_run):
            evil_host(idempotent=True)
            steps.append(chaos_run.plan.step)
            call = {COUNT}
            for _ in range(3):
                if board.execute(call)["success"]:
                    return
            assert False, "it never answered"

        def test_afterwards():
            assert steps[0] is None
            assert len(steps) == 1 + 3 + 3  # three lines in and three lines out: init, schemas, the call
    """)

    result.assert_outcomes(passed=2)


def test_the_step_at_which_a_test_fails_is_told(inner):
    result = inner(f"""
        import pytest

        @pytest.mark.crash_at_every_step
        def test_it(board, evil_host):
            evil_host()
            assert board.execute({COUNT})["success"]
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a crash at step 3 of 6: evil, at line 3 that it reads*"])


def test_a_nemesis_does_to_real_hosts_what_its_schedule_says(inner, tmp_path):
    (tmp_path / "up.mjs").write_text("""
        export default { init: () => ({}),
          getToolSchemas: () => [{ type: 'function', function: { name: 'up', parameters: { type: 'object' } } }],
          executeTool: () => ({ success: true, result: 1 }) };
    """)
    result = inner(f"""
        from callboard.chaos.faults import Signal
        from callboard.chaos.triggers import NthCall
        from callboard.chaos.schedule import Schedule

        def test(board, nemesis, events):
            board.load({{"node_tool": {{"file": {str(tmp_path / "up.mjs")!r}, "id": "up"}}}})
            nemesis(Schedule(1, [(NthCall(1), Signal(9))]))
            board.execute({{"type": "function_call", "call_id": "1", "name": "up", "arguments": {{}}}})
            events.expect("host_crashed", "up", exit="signal")
            events.expect("host_ready", "up", generation=2)
    """)

    result.assert_outcomes(passed=1)


def test_a_probe_hears_what_an_actor_would(inner):
    result = inner("""
        import pytest
        from callboard import Event

        def test_hears(board, probe, evil_host):
            board.subscribe(probe.ref, {"host_ready", "plugin_registered"})
            evil_host()
            assert probe.fish(lambda event: event.kind == "host_ready").subject == "evil"
            probe.ref.tell("hello")
            probe.expect("hello")
            probe.expect_none(within=0.02)

        def test_says_what_came_instead(probe):
            probe.ref.tell("hello")
            with pytest.raises(AssertionError, match="Event was to come; there came 'hello'"):
                probe.expect(Event)
            with pytest.raises(AssertionError, match="nothing did"):
                probe.expect(Event, within=0.02)
    """)

    result.assert_outcomes(passed=2)


def test_an_event_that_does_not_come_is_told_with_what_came(inner):
    result = inner("""
        import pytest

        def test(board, evil_host, events):
            evil_host()
            events.expect("host_ready", "evil", generation=1)
            with pytest.raises(AssertionError, match="host_crashed of 'evil' did not come within 0.05 s"):
                events.expect("host_crashed", "evil", within=0.05)
            with pytest.raises(ValueError, match="no kind of event 'host_redy'"):
                events.expect("host_redy")
    """)

    result.assert_outcomes(passed=1)


def test_a_scripted_host_lives_in_virtual_time(inner):
    result = inner("""
        import pytest
        from callboard.chaos.faults import Exit
        from callboard.chaos.triggers import NthCall

        @pytest.mark.faults(schedule=[(NthCall(2), Exit(3))])
        def test(virtual_board, virtual_clock, scripted_host, events, probe):
            scripted_host("book", {"book": lambda call: {"success": True, "result": call.generation}})
            results = [virtual_board.execute("book", "book") for _ in range(2)]
            assert [result.get("code") for result in results] == [None, "host_crashed"]
            events.expect("host_crashed", "book", generation=1)
            events.expect("host_ready", "book", generation=2, within=60)
            before = virtual_clock.elapsed
            events.expect_none("host_crashed", within=3600)
            assert virtual_clock.elapsed == before + 3600
            assert virtual_board.execute("book", "book")["result"] == 2

        @pytest.mark.crash_at_every_step
        def test_every_step(virtual_board, scripted_host):
            scripted_host("book", {"book": lambda call: {"success": True}})
            assert any(virtual_board.execute("book", "book")["success"] for _ in range(2))
    """)

    result.assert_outcomes(passed=2)


def test_recovery_in_one_line(inner):
    result = inner(f"""
        import pytest
        from callboard.chaos.recovery import assert_recovers

        def test_well(board, evil_host):
            evil_host()
            evil_host("other")
            took = assert_recovers(board, within=10, calls=2)
            assert set(took) == {{"evil", "other"}}

        def test_ill(board, evil_host, events):
            evil_host()
            board.park("evil")
            events.expect("host_parked")
            with pytest.raises(AssertionError, match="does not answer while it lives"):
                assert_recovers(board, within=0.5, calls=[{COUNT}])

        def test_without_a_host(board):
            with pytest.raises(ValueError, match="no host that could be killed"):
                assert_recovers(board)
    """)

    result.assert_outcomes(passed=3)


def test_a_run_that_uses_none_of_it_imports_nothing_but_the_modules_of_the_options(pytester):
    pytester.makepyfile("""
        import sys

        OPTIONS = {
            "callboard",
            "callboard.pytest_plugin",
            "callboard.chaos",
            "callboard.chaos.conformance",
            "callboard.chaos.conformance.plugin",
        }

        def test():
            house = {name for name in sys.modules if name.partition(".")[0] == "callboard"}
            assert house == OPTIONS
            assert not {"pykka", "psutil", "orjson", "tenacity"} & set(sys.modules)
    """)

    result = pytester.runpytest_subprocess(*LOADED, "-q")

    result.assert_outcomes(passed=1)


def test_the_entry_point_is_the_plugin():
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg")

    assert "callboard-chaos = callboard.pytest_plugin" in settings["options.entry_points"]["pytest11"]
