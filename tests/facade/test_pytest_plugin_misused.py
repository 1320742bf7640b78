"""The pytest plugin in the hands of somebody who has not read its guide: each mistake is told, and is its test's alone."""

from __future__ import annotations

import callboard.chaos.recovery
import callboard.pytest_fixtures
import pytest

pytest_plugins = ["pytester"]

HELD = (callboard.chaos.recovery, callboard.pytest_fixtures)
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
