"""The reference of the test kit has every name of it, and says of each what its docstring says in its first line."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from typing import TYPE_CHECKING

import pytest
from callboard.chaos.campaign.ledger_rules import LEDGER_RULES
from callboard.chaos.checker.invariants import RULES
from house_source import ROOT, Module, modules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAGE = (ROOT / "docs" / "reference-chaos.md").read_text()

NOT_IMPORTED = ("callboard.chaos.__main__", "callboard.chaos.inject.evil_host", "callboard.chaos.conformance")
"""Programs, and the tests that `pytest --pyargs` runs: nobody imports a name of theirs."""


def public_names(module: Module) -> dict[str, str]:
    """The classes, functions and constants of a module, each with the first line of what is said of it."""
    found: dict[str, str] = {}
    for node, after in zip(module.tree.body, [*module.tree.body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = first_line(ast.get_docstring(node) or "", module)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            assert isinstance(after.value, ast.Constant)
            found[ast.unparse(target)] = first_line(after.value.value, module)
    return {name: said for name, said in found.items() if not name.startswith("_")}


def first_line(docstring: str, module: Module) -> str:
    if docstring.startswith(("See the module", "As `")) or not docstring:
        docstring = ast.get_docstring(module.tree) or ""
    line = docstring.split("\n\n")[0].replace("\n", " ").strip()
    return re.sub(r"\s+", " ", line).replace("|", r"\|").replace("``", "`")


@functools.cache
def kit() -> dict[str, dict[str, str]]:
    """The names of each module."""
    found = {module.name: public_names(module) for module in modules() if module.room == "chaos"}
    return {name: names for name, names in found.items() if names and not name.startswith(NOT_IMPORTED)}


def section(name: str) -> list[str]:
    heading = f"\n## {name}\n"
    assert heading in PAGE, f"docs/reference-chaos.md has no section {name!r}"
    return re.split(r"^## ", PAGE.split(heading)[1], maxsplit=1, flags=re.MULTILINE)[0].strip().splitlines()


def wanted(name: str) -> list[str]:
    return [f"| `{one}` | {said} |" for one, said in kit()[name].items()]


def test_every_public_name_of_the_kit_stands_in_its_reference() -> None:
    told = {name: [line for line in section(name) if line.startswith("| `")] for name in kit()}

    assert told == {name: wanted(name) for name in kit()}


def test_every_name_of_the_reference_can_be_imported() -> None:
    missing = [
        f"{name}.{one}"
        for name, names in kit().items()
        for one in names
        if not hasattr(importlib.import_module(name), one)
    ]

    assert missing == []


def test_the_reference_has_no_module_that_there_is_not() -> None:
    assert set(re.findall(r"^## (callboard\.chaos\S*)$", PAGE, re.MULTILINE)) == set(kit())


@pytest.mark.parametrize(
    ("heading", "rules"), [("The rules", RULES), ("The rules of a ledger", LEDGER_RULES)]
)
def test_every_rule_stands_in_the_reference_with_what_it_holds(
    heading: str, rules: Mapping[str, Callable[..., object]]
) -> None:
    told = [line for line in section(heading) if line.startswith("| ")]

    assert told[1:] == [
        f"| {name} | {(rule.__doc__ or '').splitlines()[0].replace('``', '`')} |"
        for name, rule in rules.items()
    ]
