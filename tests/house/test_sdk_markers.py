"""Tests that need an SDK say so, so that all others run where none is installed."""

from __future__ import annotations

import ast
import configparser
import functools
import re

from house_source import ROOT
from sdks import SDKS, WHOLE_MODULE

TESTS = {path: path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").rglob("test_*.py"))}
SUPPORT = {path.stem: path for path in (ROOT / "tests" / "support").glob("*.py")}
MODULES = {module.partition(".")[0] for module in SDKS.values()} | {"mcp_types"}


def imported(path):
    """The modules that are imported with this one: not those of a function, or for type checkers."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@functools.cache
def imports_an_sdk(path):
    return any(
        name in MODULES or (name in SUPPORT and imports_an_sdk(SUPPORT[name])) for name in imported(path)
    )


def test_a_module_of_tests_that_imports_an_sdk_is_left_out_where_there_is_none():
    importing = [name for path, name in TESTS.items() if imports_an_sdk(path)]

    assert importing
    assert [name for name in importing if WHOLE_MODULE not in (ROOT / name).read_text()] == []


def asks_the_sdks(test):
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sdks"
        for node in ast.walk(test)
    )


def test_a_test_that_asks_the_sdks_is_marked():
    texts = {name: path.read_text() for path, name in TESTS.items()}
    unmarked = [
        f"{name}: {test.name}"
        for name, text in texts.items()
        if "sdks()" in text and WHOLE_MODULE not in text
        for test in ast.parse(text).body
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_") and asks_the_sdks(test)
        if not any("needs_sdk" in ast.unparse(decorator) for decorator in test.decorator_list)
    ]

    assert unmarked == []


def test_the_sdks_are_those_of_the_extra():
    configuration = configparser.ConfigParser()
    configuration.read(ROOT / "setup.cfg")
    pinned = re.findall(r"^([\w-]+)==", configuration["options.extras_require"]["sdk"], re.MULTILINE)

    assert set(pinned) - {"jsonschema"} == SDKS.keys()
