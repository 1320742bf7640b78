"""The table of mutants is about the table of threats: each control is taken out by one, and each named test fails by one."""

from __future__ import annotations

import ast
import re

import pytest
from mutants import PAGE, ROOT, Edit, mutants, threats

MUTANTS = mutants()
THREATS = {row.threat: row for row in threats()}
JOINS = {"also", "and", "by", "or"}
"""Words between two controls."""


def controls_of(threat: str) -> list[str]:
    return [mutant.control for mutant in MUTANTS if mutant.threat == threat]


def test_a_mutant_is_of_a_row_of_a_control_that_it_names_and_of_its_tests() -> None:
    astray = [
        mutant
        for mutant in MUTANTS
        if mutant.threat not in THREATS
        or mutant.control not in THREATS[mutant.threat].controls
        or not mutant.tests
        or not set(mutant.tests) <= THREATS[mutant.threat].tests.keys()
    ]

    assert astray == []


def test_each_control_that_a_row_names_is_taken_out_by_a_mutant() -> None:
    left = {}
    for row in THREATS.values():
        words = row.controls
        for control in sorted(controls_of(row.threat), key=len, reverse=True):
            words = words.replace(control, " ")
        left[row.threat] = set(re.findall(r"\w+", words)) - JOINS

    assert {threat: words for threat, words in left.items() if words} == {}


def test_each_test_that_a_row_names_is_failed_by_a_mutant() -> None:
    failed = {(mutant.threat, test) for mutant in MUTANTS for test in mutant.tests}

    assert [
        (row.threat, test)
        for row in THREATS.values()
        for test in row.tests
        if (row.threat, test) not in failed
    ] == []


def test_the_text_of_a_mutant_stands_once_in_its_file_and_what_it_becomes_can_be_read() -> None:
    for mutant in MUTANTS:
        sources = {edit.file: (ROOT / edit.file).read_text(encoding="utf-8") for edit in mutant.edits}
        for edit in mutant.edits:
            assert edit.text != edit.becomes
            sources[edit.file] = edit.applied(sources[edit.file])
        for file, source in sources.items():
            if file.endswith(".py"):
                ast.parse(source, file)


def test_the_page_says_how_many_mutants_there_are() -> None:
    assert f" {len(MUTANTS)} mutants, all killed." in PAGE.read_text(encoding="utf-8")


def test_a_text_that_is_gone_or_stands_twice_is_no_mutant() -> None:
    edit = Edit("a.py", "check()", "pass")

    for source in ("", "check()\ncheck()\n"):
        with pytest.raises(ValueError, match=r"a\.py has this text \d times, not once"):
            edit.applied(source)
