"""What is said where it is needed: a contract on each public method, a reason on each exception to a rule."""

from __future__ import annotations

import ast
import functools
import re

from house_source import ROOT, modules, project_files

BROAD = {"Exception", "BaseException"}

ECHO = re.compile(r"See `[\w.]+`\.?")
"""A docstring that says where the contract is and nothing else: the name of the method says that already."""

CALL_OUT = re.compile(
    r"publish|tell|ask|join|result|select|flush|submit|reload|restart|offer|print\w*|write\w*|replace|__enter__"
    r"|_(act|commit|deliver|did|do_all|failed|hears|learn|make|print|save|composed|on_\w+|write_\w+)"
)
"""What others are called by, or what may wait for the machine: names of methods."""

HELD = {
    "actors/calls/call.py": "what an owner is told puts a message into a mailbox: the events of a call keep their order",
    "actors/hosting/limits.py": "the first to be watched starts the thread that looks, once",
    "actors/state/cell.py": "versions of a state are given to the store in their order",
    "actors/state/sqlite.py": "one connection, which is used by one thread at a time",
    "hosts/process/posix_process.py": "the pipe does not block, and messages are whole",
    "supervision/watch.py": "what is delivered puts a message into a mailbox: after it was given up nothing comes",
}
"""Modules whose locks are held across such calls everywhere, and why that is well."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def methods() -> tuple[tuple[str, ast.ClassDef, ast.FunctionDef | ast.AsyncFunctionDef], ...]:
    """All methods, with the path of their module and their class."""
    return tuple(
        (module.path, node, each)
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, FUNCTIONS)
    )


def test_a_public_method_has_a_contract_of_its_own_or_of_what_it_implements() -> None:
    told = {method.name for _, _, method in methods() if ast.get_docstring(method)}
    silent = [
        f"{path}: {owner.name}.{method.name}"
        for path, owner, method in methods()
        if not method.name.startswith("_") and not owner.name.startswith("_") and method.name not in told
    ]

    assert silent == []


def test_no_docstring_only_says_where_the_contract_is() -> None:
    echoes = [
        f"{path}: {owner.name}.{method.name}"
        for path, owner, method in methods()
        if ECHO.fullmatch(ast.get_docstring(method) or "") and len(method.body) > 1
    ]

    assert echoes == []


def test_every_broad_except_has_its_reason_on_the_line() -> None:
    silent = [
        f"{module.path}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler)
        and _is_broad(node)
        and "#" not in _line(module.path, node.lineno)
    ]

    assert silent == []


def test_every_noqa_has_its_reason_on_the_line() -> None:
    silent = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in project_files(".py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "# noqa" in line
        and not re.search(r"# noqa: [A-Z0-9, ]+ - \S", line)
        and path.name != "test_contracts.py"
    ]

    assert silent == []


def test_every_lock_that_is_held_across_a_call_out_has_its_reason_on_the_line() -> None:
    held = [
        (module.path, f"{module.path}:{node.lineno}")
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.With)
        and any(_is_lock(item.context_expr) for item in node.items)
        and any(_calls_out(inner) for part in node.body for inner in ast.walk(part))
        and "#" not in _line(module.path, node.lineno)
    ]

    assert [place for path, place in held if path not in HELD] == []
    assert set(HELD) - {path for path, _ in held} == set()


def _is_lock(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Attribute) and expression.attr.strip("_") in {"lock", "changed", "turn"}


def _calls_out(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute | ast.Name)
        # Methods of a constant, as `"".join`, run no foreign code.
        and not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant))
        and CALL_OUT.fullmatch(node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
        is not None
    )


def test_a_command_handles_signals_in_one_place() -> None:
    set_by = [
        module.path
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"signal.signal", "signal.raise_signal"}
    ]

    assert {path for path in set_by if path.startswith("facade/")} == {
        "facade/__main__.py",  # an interrupt while it is imported ends the program
        "facade/cli/ui/signals.py",
    }


@functools.cache
def _lines(path: str) -> list[str]:
    return (ROOT / path).read_text().splitlines()


def _line(path: str, number: int) -> str:
    return _lines(path)[number - 1]


def _is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or (isinstance(name, ast.Name) and name.id in BROAD) for name in names)
