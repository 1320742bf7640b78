"""The site of the documentation has every page, and its list for language models is that of its navigation."""

from __future__ import annotations

import importlib
import inspect
import re

from docs_site import API, INNER, LIST, SECTIONS, api_page, faces, llms_txt, navigation
from house_source import ROOT, project_files


def test_the_navigation_names_pages_that_there_are_each_once() -> None:
    pages = [each.page for each in navigation() if not each.page.startswith(f"{API}/")]

    assert [page for page in pages if not (ROOT / page).is_file()] == []
    assert len(set(pages)) == len(pages)


def test_every_page_stands_in_the_navigation_or_in_a_page_that_lists_its_folder() -> None:
    listed = {ROOT / each.page for each in navigation()}
    folders = {(ROOT / section).parent for section in SECTIONS}
    pages = {
        page
        for page in project_files(".md")
        if page.relative_to(ROOT).parts[0] != "hosts"
        and not any(folder in page.parents for folder in folders)
    }

    assert pages - listed == set()
    assert {ROOT / section for section in SECTIONS} <= listed


def test_the_list_for_language_models_is_made_of_the_navigation() -> None:
    assert LIST.read_text() == llms_txt(), "write it anew: python tests/support/docs_site.py"


def test_the_list_says_what_each_page_is_for() -> None:
    bare = [line for line in llms_txt().splitlines() if line.startswith("- ") and ": " not in line]

    assert len(bare) <= 5  # the start page, and what the README has in one row


# The pages that are made of docstrings


def test_each_module_that_publishes_names_has_a_page_of_its_docstrings() -> None:
    listed = {each.page for each in navigation() if each.page.startswith(f"{API}/")}

    assert listed == {f"{API}/{face}.md" for face in faces()}


def test_what_the_docstrings_tell_of_a_class_stands_on_a_written_page_or_is_for_the_house_alone() -> None:
    pages = [
        page.read_text()
        for page in [
            *(ROOT / "docs").glob("*.md"),
            *(ROOT / "docs" / "reference").glob("*.md"),
            ROOT / "README.md",
        ]
    ]
    code = [text for page in pages for text in re.findall(r"```python.*?```|`[^`\n]+`", page, re.DOTALL)]
    words = set(re.findall(r"\w+", "\n".join(code)))
    astray = {
        (name, member)
        for face, names in faces().items()
        for name in names
        for member in _members(getattr(importlib.import_module(face), name))
        if member not in words and member not in INNER.get(name, ())
    }

    assert astray == set()


def test_a_page_of_docstrings_names_all_that_its_module_publishes() -> None:
    page = api_page("callboard", faces()["callboard"])

    assert re.findall(r"^::: callboard\.(\w+)$", page, re.MULTILINE) == faces()["callboard"]
    assert all(member in page for member in INNER["Call"])


def _members(thing: object) -> list[str]:
    """The public methods and properties that a class of ours has from us."""
    if not inspect.isclass(thing):
        return []
    return [
        name
        for name, member in inspect.getmembers(thing)
        if not name.startswith("_")
        if isinstance(member, property) or inspect.isfunction(member) or inspect.ismethod(member)
        if (getattr(member, "__module__", None) or "callboard").startswith("callboard")
    ]
