"""The type of a result says what results have: the codes, the outcomes, and the keys that the reference names."""

from __future__ import annotations

import re
from typing import get_args

from callboard.plugins.results.call_result import CallResult, CodeLiteral, OutcomeLiteral
from callboard.plugins.results.codes import OUTCOMES, Code, Outcome
from callboard.plugins.results.normalise import _ATTRIBUTES, _OURS
from house_source import ROOT

PAGE = ROOT / "docs" / "reference" / "results.md"


def _facts_of_codes() -> set[str]:
    """What stands in the last column of the table of codes, in backticks; a fact's own values are not among it."""
    rows = re.findall(r"^\| `(\w+)` \| `[^|]*` \|([^|]*)\|$", PAGE.read_text(), re.MULTILINE)
    assert {name for name, _ in rows} == {code.value for code in Code}
    return {fact for _, facts in rows for fact in re.findall(r"`(\w+)`", facts)}


def test_the_literals_are_the_texts_of_the_codes_and_outcomes() -> None:
    assert get_args(CodeLiteral) == tuple(code.value for code in OUTCOMES)
    assert get_args(CodeLiteral) == tuple(code.value for code in Code)
    assert get_args(OutcomeLiteral) == tuple(outcome.value for outcome in Outcome)


def test_a_result_may_have_every_key_that_callboard_gives_it() -> None:
    values = {"breaker_open", "quarantined"}
    known = {*_OURS, *_ATTRIBUTES, "said_by_tool", "error_details", "parts_dropped", "more_problems"}

    assert set(CallResult.__annotations__) == known | (_facts_of_codes() - values)


def test_every_result_has_success_and_no_other_key_for_certain() -> None:
    assert CallResult.__required_keys__ == {"success"}
