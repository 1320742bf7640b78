"""The borders where foreign code is called: the page lists them, the tests try each, and nobody goes past them."""

from __future__ import annotations

import ast

from foreign_borders import BORDERS
from house_source import ROOT, imports, modules

PAGE = (ROOT / "docs" / "design" / "foreign-code.md").read_text()

LOGS = {
    "chaos/__main__.py": "it sets up the log of a program",
    "facade/cli/ui/options.py": "it sets up the log of a program",
    "facade/cli/ui/streams.py": "it is a handler itself",
    "facade/exporters/json_log.py": "it is a subscriber, and what one raises is contained",
    "base/foreign.py": "it is the border",
    "facade/mcp_http/http.py": "it sets up the log of the server library",
}
"""Who may ask for a logger of the standard library."""


def rows():
    return [
        line.strip("|").split(" | ")[0].strip()
        for line in PAGE.splitlines()
        if line.startswith("| ") and " | " in line
    ][1:]


def test_the_page_lists_the_borders_that_are_tested_and_no_others():
    assert sorted(rows()) == sorted(BORDERS)


def test_nobody_calls_a_logger_whose_handlers_could_end_a_thread():
    asking = {
        module.path
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr == "getLogger"
    }

    assert asking == set(LOGS)


ROOMS = ("actors", "hosts", "supervision")


def _catches():
    """Who catches `Exception` and no more, by its line as it is written; of those who run threads."""
    for module in modules():
        if module.room not in ROOMS or module.path.startswith("hosts/python_host/"):
            continue
        lines = (ROOT / module.path).read_text().splitlines()
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.ExceptHandler)
                and isinstance(node.type, ast.Name)
                and node.type.id == "Exception"
            ):
                yield f"{module.path}: {lines[node.lineno - 1].strip()}"


def test_where_threads_run_whoever_catches_what_may_be_anything_catches_all_of_it():
    assert list(_catches()) == []


def test_a_lock_of_a_with_statement_is_one_that_no_signal_handler_leaves_taken():
    makes = {"threading.Lock", "threading.RLock", "threading.Condition"}
    importing = {found.module.path for found in imports() if found.target.startswith("callboard")}
    unsafe = []
    for module in modules():
        if module.path not in importing:
            continue  # a program of its own, which cannot have those of `base/locks.py`
        made = {
            ast.unparse(target)
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call)
            if ast.unparse(node.value.func) in makes and not node.value.args
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        }
        unsafe += [
            f"{module.path}:{node.lineno}: with {ast.unparse(item.context_expr)}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.With)
            for item in node.items
            if ast.unparse(item.context_expr) in made
        ]

    assert unsafe == []
