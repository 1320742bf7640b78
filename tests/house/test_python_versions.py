"""Newer versions of Python: the page that lists what they changed, and what the sources keep to for them."""

from __future__ import annotations

import ast
import re

import pytest
from house_source import ROOT, modules
from pythons import promised_versions

PAGE = (ROOT / "docs" / "design" / "python-versions.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.match(r"\| 3\.\d+ \|", line)]
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
SETUP = (ROOT / "setup.cfg").read_text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:40])
def test_each_change_names_the_tests_that_hold_it(row):
    named = re.findall(r"`(test_\w+)`", row[-1])

    assert named
    assert [name for name in named if f"def {name}(" not in TESTS] == []


def test_each_version_after_the_oldest_stands_on_the_page():
    assert sorted({row[0] for row in ROWS}) == promised_versions(SETUP)[1:]


def test_the_workflow_tries_each_version_that_is_promised():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    (tried,) = re.findall(r"python: \[(.+)\]", workflow)
    promised, hoped_for = workflow.split("  hoped-for:")

    assert re.findall(r"[\d.]+", tried) == promised_versions(SETUP)
    assert "3.14t" not in promised
    assert "3.14t" in hoped_for.split("continue-on-error: true")[0]


def test_nothing_leaves_a_finally_before_its_end():
    """Since Python 3.14 that is a warning; before, it dropped the exception in silence."""
    leaving = [
        f"{module.path}:{node.lineno}"
        for module in modules()
        for tried in ast.walk(module.tree)
        if isinstance(tried, ast.Try)
        for node in _leaving(tried.finalbody, loops=0)
    ]

    assert leaving == []


def _leaving(nodes, *, loops):
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not loops):
            yield node
        inside = loops + isinstance(node, ast.For | ast.AsyncFor | ast.While)
        yield from _leaving(ast.iter_child_nodes(node), loops=inside)
