"""What the words of the project may not say, and what they say that has to be true."""

from __future__ import annotations

import itertools
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from house_source import ROOT, project_files

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN = {
    "a home folder": re.compile(r"(?<![\w.~])/(?:root|(?:home|Users)/(?!user\b)\w+)/"),
    "this checkout": re.compile(rf"(?<![\w.]){re.escape(str(ROOT))}\b"),
    "a package registry": re.compile(
        r"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|registry\.yarnpkg\.com"
    ),
}
"""What holds on one machine, or in one network, only."""

FROM_AN_INDEX = re.compile(r"pip install [^\n]*\bcallboard\b(?![^\n]*checkout)")
"""A name that is in no index is nobody's, until somebody takes it: what is said to be installed is there."""

PAGES = [path.relative_to(ROOT).as_posix() for path in project_files(".md")]

CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<page>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("what", FOREIGN)
def test_no_file_names_what_holds_on_one_machine_only(what: str) -> None:
    naming = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in project_files()
        for number, line in enumerate(_lines(path), 1)
        if FOREIGN[what].search(line)
    ]

    assert naming == []


def test_nobody_is_told_to_install_callboard_from_where_it_is_not() -> None:
    telling = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in project_files()
        for number, line in enumerate(_lines(path), 1)
        if FROM_AN_INDEX.search(line) and path.name != "test_text.py"
    ]

    assert telling == []


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_a_page_names_exists(page: str) -> None:
    commands = [
        line.split("#")[0] for code in CODE.findall((ROOT / page).read_text()) for line in code.split("\n")
    ]
    words = [command.strip("`$ ").split() for command in commands]

    named = {word for first, *rest in filter(None, words) if first == "make" for word in rest}

    assert {word for word in named if re.fullmatch("[a-z][a-z-]*", word)} - _targets() == set()


def test_make_alone_lists_every_target_that_is_explained() -> None:
    ended = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert {line.split()[1] for line in ended.stdout.splitlines()} == _targets()
    assert ended.stderr == ""  # no target stands twice


@pytest.mark.parametrize("page", PAGES)
def test_every_link_within_the_project_leads_somewhere(page: str) -> None:
    assert [link for link, _ in _links(page) if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_part_of_a_page_names_a_heading_of_it(page: str) -> None:
    there = [((ROOT / page).parent / link if link else ROOT / page, anchor) for link, anchor in _links(page)]

    assert [anchor for target, anchor in there if anchor and anchor not in _anchors(target)] == []


def test_every_page_can_be_reached_from_the_first_one() -> None:
    reached, found = set(), {ROOT / "README.md"}
    while found:
        page = found.pop()
        reached.add(page)
        links = {(page.parent / link).resolve() for link, _ in _links(page) if link.endswith(".md")}
        found |= links - reached

    assert set(project_files(".md")) - reached == set()


@pytest.mark.parametrize(
    ("folder", "index"),
    [("docs", "README.md"), ("docs/design", "docs/design/README.md"), ("examples", "examples/README.md")],
)
def test_every_page_of_a_folder_stands_in_its_index(folder: str, index: str) -> None:
    listed = {((ROOT / index).parent / link).resolve() for link, _ in _links(index)}
    pages = {path for path in project_files(".md") if path.parent == ROOT / folder} - {ROOT / index}

    assert pages - listed == set()


def _links(page: str | Path) -> list[tuple[str, str]]:
    """The links of a page to files of the project: path, which is empty for the page itself, and anchor."""
    found = LINK.finditer(_prose(ROOT / page))
    return [(link["page"], link["anchor"] or "") for link in found if "://" not in link["page"]]


def _anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links: in small letters, without marks, hyphens for blanks."""
    headings = HEADING.findall(_prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_a_table_stands_under_its_heading(page: str) -> None:
    lines = ["", *_prose(ROOT / page).splitlines(), ""]

    begun = [
        number
        for number, (before, line) in enumerate(itertools.pairwise(lines))
        if line.startswith("|") and not before.startswith("|")
    ]

    assert [lines[at + 1] for at in begun if not re.fullmatch(r"\|[-:| ]+\|", lines[at + 2])] == []


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def _lines(path: Path) -> list[str]:
    """The lines of a text file; a binary one has none."""
    try:
        return path.read_text().splitlines()
    except UnicodeDecodeError:
        return []
