"""The pytest plugin in the hands of somebody who has not read its guide: each mistake is told, and is its test's alone."""

from __future__ import annotations

import textwrap

import callboard.chaos.recovery
import callboard.pytest.fixtures
import pytest

pytest_plugins = ["pytester"]

HELD = (callboard.chaos.recovery, callboard.pytest.fixtures)
"""What an inner run imports, it forgets; what was there before, it shares with the other runs."""

LOADED = ("-p", "no:callboard-chaos", "-p", "callboard.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture
def inner(pytester):
    def run(source, *options):
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess(*LOADED, "-q", *options)

    return run


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ("faults(schedule='no.json')", "*faults(schedule='no.json'): No such file or directory*"),
        ("faults(schedule=[(1, 2)])", "*entries[[]0].trigger: it is 1, which is no trigger*"),
        ("faults(shedule='draw')", "*faults() takes no 'shedule'; did you mean 'schedule'?*"),
        ("faults([])", "*faults(): say what is what*"),
    ],
)
def test_a_mark_that_cannot_be_carried_out_is_an_error_of_its_test_and_of_no_other(inner, mark, why):
    result = inner(f"""
        import pytest

        @pytest.mark.{mark}
        def test_marked(board): ...

        def test_other(board): ...
    """)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([why])


@pytest.mark.parametrize("mark", ["faults(schedule='draw')", "crash_at_every_step"])
@pytest.mark.parametrize(("warnings", "outcomes"), [("default", {"passed": 1}), ("error", {"errors": 1})])
def test_a_mark_that_does_nothing_is_warned_of(inner, mark, warnings, outcomes):
    said = f"{mark.split('(')[0]} does nothing to a test that asks for no fixture"
    result = inner(f"import pytest\n\n@pytest.mark.{mark}\ndef test(): ...\n", "-W", f"{warnings}:{said}")

    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([f"*{said}*"])


def test_a_test_cannot_be_run_less_than_once(inner):
    result = inner("def test(board): ...", "--chaos-runs=0")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--chaos-runs: a test is run once or more*"])


EVIL = """
import pytest
from callboard.chaos.faults import Exit, Signal
from callboard.chaos.triggers import NthCall

COUNT = {"type": "function_call", "call_id": "1", "name": "evil_count", "arguments": {}}
"""


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        (
            """
            @pytest.mark.faults(schedule=[(NthCall(9), Exit(3)), (NthCall(8), Exit(3))])
            def test(board, evil_host):
                evil_host()
                assert board.execute(COUNT)["success"]
            """,
            2,
        ),
        (
            """
            def test(board, evil_host, nemesis):
                evil_host()
                nemesis([(NthCall(9), Signal(9))])
                assert board.execute(COUNT)["success"]
            """,
            1,
        ),
        (
            """
            @pytest.mark.faults(schedule=[(NthCall(1), Exit(3))])
            def test(board):
                pass
            """,
            1,
        ),
        (
            """
            @pytest.mark.faults(schedule=[(NthCall(9), Exit(3))])
            def test(virtual_board, scripted_host):
                scripted_host("a", {"a": lambda call: {"success": True}})
                assert virtual_board.execute("a", "a")["success"]
            """,
            1,
        ),
    ],
    ids=["evil", "nemesis", "no host", "scripted"],
)
def test_a_test_in_which_nothing_went_wrong_as_it_was_to_does_not_pass(inner, test, wanted):
    result = inner(EVIL + textwrap.dedent(test))

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*not tested: none of the {wanted} faults that were to come has come*"])


def test_a_test_that_fails_is_not_told_beside_that_nothing_was_tested(inner):
    result = inner(
        EVIL
        + """
@pytest.mark.faults(schedule=[(NthCall(9), Exit(3))])
def test(board):
    assert False
"""
    )

    result.assert_outcomes(failed=1)


@pytest.mark.parametrize("fixtures", ["board", "board, evil_host"])
def test_a_crash_at_every_step_of_nothing_does_not_pass(inner, fixtures):
    result = inner(f"import pytest\n\n@pytest.mark.crash_at_every_step\ndef test({fixtures}): ...\n")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*crash_at_every_step: not tested: *"])


def test_a_schedule_is_drawn_anew_until_something_of_it_comes_true(inner):
    source = """
seeds = []

@pytest.mark.faults(schedule="draw")
def test(board, evil_host, chaos_run):
    evil_host()
    seeds.append(chaos_run.seed)
    board.execute(COUNT)

def test_afterwards():
    assert len(seeds) > 1  # what is drawn from 10 wants more calls than there are
    assert seeds == list(range(10, 10 + len(seeds)))
"""
    result = inner(EVIL + source, "--chaos-seed=10")

    result.assert_outcomes(passed=2)
