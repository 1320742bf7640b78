"""The page of traps names tests, and those exist."""

from __future__ import annotations

import re

import pytest
from house_source import ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (ROOT / "docs" / "design" / "traps.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| trap ")
]
TESTS = set(
    re.findall(
        r"^def (test_\w+)\(", "\n".join(p.read_text() for p in ROOT.glob("tests/**/test_*.py")), re.MULTILINE
    )
)


def test_the_page_can_be_read():
    assert len(ROWS) >= 13
    assert {len(row) for row in ROWS} == {3}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_trap_has_tests_and_they_exist(row):
    named = set(re.findall(r"`(test_\w+)`", row[2]))

    assert named != set()
    assert named - TESTS == set()


def test_every_test_of_the_traps_stands_on_the_page():
    here = (ROOT / "tests" / "actors" / "board" / "test_field_traps.py").read_text()
    named = {name for row in ROWS for name in re.findall(r"`(test_\w+)`", row[2])}

    assert set(re.findall(r"^def (test_\w+)\(", here, re.MULTILINE)) - named == set()
