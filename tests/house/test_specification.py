"""Each statement of the specification, each choice where it leaves one, and each threat has its tests on the pages that list them."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from house_source import ROOT

AUDIT = ("specification-audit.md", "")
PAGES = (
    AUDIT,
    ("specification.md", ""),
    ("interop.md", "Where the specification leaves a choice"),
    ("../security.md", "Threats"),
)
"""Pages of the design, each with the section that has the table; without one it is the whole page."""

TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")


def text_of(page: str, section: str) -> str:
    """A page of the design, or one section of it."""
    text = (ROOT / "docs" / "design" / page).read_text()
    return text.split(f"## {section}\n")[1].split("\n## ")[0] if section else text


def rows_of(page: str, section: str) -> list[str]:
    """The rows of the tables, without their headings."""
    lines = text_of(page, section).splitlines()
    heads = {number - 1 for number, line in enumerate(lines) if line.startswith("|---")}
    return [
        line
        for number, line in enumerate(lines)
        if line.startswith("|") and number not in heads and not line.startswith("|---")
    ]


@cache
def functions_of(file: str) -> frozenset[str]:
    """The functions of a file of tests; none if there is no such file."""
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.parse(path.read_text()).body if isinstance(node, functions))


@pytest.mark.parametrize("page", PAGES)
def test_no_row_is_without_a_test(page: tuple[str, str]) -> None:
    rows = rows_of(*page)

    assert rows
    assert [row for row in rows if not TEST.search(row)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_row_names_is_there(page: tuple[str, str]) -> None:
    named = [word for row in rows_of(*page) for word in re.findall(r"`(tests/[^`]*)`", row)]

    parts = [TEST.fullmatch(name) for name in named]

    assert [name for name, part in zip(named, parts, strict=True) if part is None] == []
    assert [part[0] for part in parts if part and part[2] not in functions_of(part[1])] == []


def test_every_document_has_its_table() -> None:
    titles = re.split(r"^## ", text_of(*AUDIT), flags=re.MULTILINE)[1:]

    assert [title[:3] for title in titles] == ["000", "001", "002", "003", "004"]
    assert [title for title in titles if "| statement |" not in title] == []


def test_no_threat_is_without_a_control_and_what_it_does_not_stop() -> None:
    cells = [
        [cell.strip() for cell in row.strip("|").split(" | ")] for row in rows_of("../security.md", "Threats")
    ]

    assert {len(row) for row in cells} == {4}
    assert [row for row in cells if not all(row)] == []
