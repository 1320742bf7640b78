"""Each of the seventeen laws of formats has its tests, and the page that lists them is true."""

from __future__ import annotations

import re

from house_source import ROOT

PAGE = (ROOT / "docs" / "design" / "interop-laws.md").read_text()

ROWS = {
    int(number): tests for number, tests in re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE)
}


def _named(tests: str) -> list[tuple[str, str]]:
    """The tests of a row: the file and the function of each."""
    found: list[tuple[str, str]] = []
    for part in tests.split(";"):
        file, *functions = re.findall(r"`([^`]+)`", part)
        found += [(file, function) for function in functions]
    return found


def test_there_are_seventeen_laws_and_each_has_a_test() -> None:
    assert sorted(ROWS) == list(range(1, 18))
    assert [number for number, tests in ROWS.items() if not _named(tests)] == []


def test_every_test_of_a_law_exists() -> None:
    missing = [
        f"{file}: {function}"
        for tests in ROWS.values()
        for file, function in _named(tests)
        if f"\ndef {function}(" not in (ROOT / file).read_text()
    ]

    assert missing == []


def test_every_test_that_bears_the_number_of_a_law_stands_on_the_page() -> None:
    bearing = {
        (int(number), function)
        for path in (ROOT / "tests").rglob("test_*.py")
        for function, number in re.findall(r"^def (test_law_(\d+)_\w+)\(", path.read_text(), re.MULTILINE)
    }
    listed = {(number, function) for number, tests in ROWS.items() for _, function in _named(tests)}

    assert {name for name in bearing if name[0] not in ROWS} == set()
    assert {number for number, _ in bearing} <= {number for number, _ in bearing & listed}
