"""What a page of decisions names in the code is there: a renaming has to come to the pages too."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from house_source import ROOT, project_files

PAGES = sorted((ROOT / "docs" / "design").glob("*.md"))

RECORDS = {"newcomers.md"}
"""Pages that tell of files which somebody wrote for himself."""

BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"\w[\w/]*\.(?:py|mjs|ts)")
NAME = re.compile(r"(?<![\w/.-])(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:_[a-z]+)+)\b(?!\.)")


@functools.cache
def sources() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for path in project_files(".py", ".mjs", ".ts", ".js", ".toml", ".cfg")
        if path != Path(__file__)
    }


@functools.cache
def words() -> frozenset[str]:
    return frozenset(word for text in sources().values() for word in re.findall(r"\w+", text))


def spans(page: Path) -> list[str]:
    return SPAN.findall(BLOCK.sub("", page.read_text()))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in RECORDS], ids=lambda page: page.stem
)
def test_a_file_of_a_design_page_is_there(page: Path) -> None:
    named = [file for span in spans(page) for file in FILE.findall(span)]

    assert [file for file in named if not any(f"/{path}".endswith(f"/{file}") for path in sources())] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_name_of_a_design_page_is_one_of_the_code(page: Path) -> None:
    named = [name for span in spans(page) for name in NAME.findall(span)]

    assert [name for name in named if name not in words()] == []
