"""Every rule of the conformance list has one test, which bears its code, and no other test does."""

from __future__ import annotations

import re
from collections import Counter

from house_source import ROOT

RULES = {
    "A": 3, "B": 7, "C": 7, "D": 7, "E": 6, "F": 11, "G": 6, "H": 11, "I": 10, "J": 6, "K": 8, "L": 8,
    "M": 3, "N": 5,
}  # fmt: skip
"""How many rules each letter has: specifications, starting, restart types, strategies, intensity,
backoff, administration, shutdown, calls, death watch and dead letters, breaker, protocol, state, and
tools of this process."""

CODES = [f"{letter}{number}" for letter, count in RULES.items() for number in range(1, count + 1)]

TESTS = Counter(
    code
    for file in (ROOT / "tests" / "scenarios").glob("test_*.py")
    for code in re.findall(r"^def test_scenario_([A-Z]\d+)_", file.read_text(), re.MULTILINE)
)


def test_there_are_as_many_rules_as_the_list_has():
    assert len(CODES) == 98


def test_a_rule_has_one_test():
    assert {code: TESTS[code] for code in CODES if TESTS[code] != 1} == {}


def test_no_test_bears_a_code_that_there_is_not():
    assert set(TESTS) <= set(CODES)


def test_nothing_else_passes_for_one_of_them():
    named = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^\s*(?:async )?def (test_\w*)", file.read_text(), re.MULTILINE)
        if "scenario" in name and not re.match(r"test_scenario_[A-Z]\d+_", name)
    ]

    assert named == []
