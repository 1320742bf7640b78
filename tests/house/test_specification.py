"""Each statement of the specification, and each choice where it leaves one, has its tests on the pages that list them."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from house_source import ROOT

PAGES = ("specification-audit.md", "specification.md")

TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")


def rows_of(page: str) -> list[str]:
    """The rows of a page's tables, without their headings."""
    lines = (ROOT / "docs" / "design" / page).read_text().splitlines()
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
def test_no_row_is_without_a_test(page: str) -> None:
    rows = rows_of(page)

    assert rows
    assert [row for row in rows if not TEST.search(row)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_row_names_is_there(page: str) -> None:
    named = [word for row in rows_of(page) for word in re.findall(r"`(tests/[^`]*)`", row)]

    assert [name for name in named if not TEST.fullmatch(name)] == []
    assert [
        name for name in named if name.partition("::")[2] not in functions_of(name.partition("::")[0])
    ] == []


def test_every_document_has_its_table() -> None:
    page = (ROOT / "docs" / "design" / PAGES[0]).read_text()

    assert re.findall(r"^## (\d{3}): ", page, re.MULTILINE) == ["000", "001", "002", "003", "004"]
    assert [
        title for title in re.split(r"^## ", page, flags=re.MULTILINE)[1:] if "| statement |" not in title
    ] == []
