"""A failure that Callboard reports says why, and never more or less than is known about the call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from callboard.base.json import copy_json
from callboard.plugins.results.codes import OUTCOMES, Code, Outcome
from callboard.plugins.results.failures import failure, tool_raised

PAIRS = [(code, outcome) for code in Code for outcome in Outcome]


@pytest.mark.parametrize(("code", "outcome"), PAIRS)
def test_a_failure_takes_the_outcomes_of_its_code_and_no_other(code, outcome):
    if outcome in OUTCOMES[code]:
        result = failure(code, "why", outcome=outcome)
        assert result == {"success": False, "error": "why", "code": code.value, "outcome": outcome.value}
    else:
        with pytest.raises(ValueError, match=f"a failure with code {code} says"):
            failure(code, "why", outcome=outcome)


@pytest.mark.parametrize("code", Code)
def test_the_outcome_is_filled_in_where_there_is_only_one(code):
    if len(OUTCOMES[code]) == 1:
        assert failure(code, "why")["outcome"] == OUTCOMES[code][0].value
    else:
        with pytest.raises(ValueError, match="not None"):
            failure(code, "why")


def test_facts_stand_beside_the_rest_and_cannot_replace_it():
    result = failure(Code.OVERLOADED, "full", waiting=1000)

    assert result["waiting"] == 1000
    with pytest.raises(ValueError, match=re.escape("['success']")):
        failure(Code.OVERLOADED, "full", success=True)


@pytest.mark.parametrize("code", Code)
def test_codes_and_outcomes_are_plain_text_in_a_result(code):
    result = failure(code, "why", outcome=OUTCOMES[code][-1])

    assert {type(value) for value in result.values()} == {bool, str}


def test_every_code_says_what_may_have_happened():
    assert OUTCOMES.keys() == set(Code)
    assert all(OUTCOMES.values())


def caught(function):
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError


def deep(levels):
    if levels:
        deep(levels - 1)
    raise KeyError("bottom")


def test_a_tool_that_raised_is_answered_with_type_message_and_traceback():
    error = caught(lambda: deep(0))

    result = tool_raised(error)

    assert result["code"] == "tool_raised"
    assert result["outcome"] == "outcome_unknown"
    assert result["error"] == "KeyError: 'bottom'"
    assert (result["type"], result["message"]) == ("KeyError", "'bottom'")
    assert Path(__file__).name in result["traceback"]
    assert copy_json(result) == result


def test_a_traceback_keeps_its_innermost_frames():
    error = caught(lambda: deep(200))

    text = tool_raised(error)["traceback"]

    assert text.count("in deep") <= 20
    assert text.endswith("KeyError: 'bottom'\n")


def test_an_exception_without_a_message_is_told_by_its_name():
    assert tool_raised(KeyboardInterrupt())["error"] == "KeyboardInterrupt"


def test_an_exception_that_cannot_be_told_does_not_cost_the_answer():
    class EvilError(Exception):
        def __str__(self):
            raise RuntimeError("no")

    result = tool_raised(caught(lambda: (_ for _ in ()).throw(EvilError())))

    assert result["type"] == "EvilError"
    assert result["message"] == "(the exception's own text cannot be read)"
