"""Every public name says what it promises where it is made, and stands in the reference."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys

import callboard
import pytest
from house_source import FACE, ROOT, Import, Module, imports, modules, reference


def _published(module: Module) -> list[str]:
    """What the module's ``__all__`` names."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


@functools.cache
def _faces() -> dict[str, Module]:
    return {module.name: module for module in modules() if module.room == FACE and _published(module)}


def _names() -> list[tuple[str, str]]:
    return [(face, name) for face, module in _faces().items() for name in _published(module)]


def test_a_face_lists_what_it_publishes() -> None:
    assert {"callboard", "callboard.types", "callboard.tool_interop"} <= set(_faces())


def test_a_public_name_can_be_imported() -> None:
    missing = [(face, name) for face, name in _names() if not hasattr(importlib.import_module(face), name)]

    assert missing == []


def test_a_public_name_says_what_it_promises_where_it_is_made() -> None:
    assert [(face, name) for face, name in _names() if not _says(_faces()[face], name)] == []


def test_the_front_door_fetches_each_name_from_where_a_type_checker_finds_it() -> None:
    front = _faces()["callboard"]
    shown = {
        alias.name: "." * node.level + str(node.module)
        for node in _body(front)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }

    assert shown == callboard._PLACES
    assert sorted(shown) == sorted(callboard.__all__)


def test_the_front_door_shows_every_name_before_it_is_fetched() -> None:
    program = (
        "import callboard; print(set(callboard.__all__) <= set(dir(callboard)), 'Call' in vars(callboard))"
    )

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert said.stdout == "True False\n"


def test_the_front_door_refuses_a_name_that_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Callbord'"):
        _ = callboard.Callbord


def test_a_plugin_that_imports_its_contract_waits_for_no_actor() -> None:
    program = (
        "import callboard.types, sys; print([name for name in ('pykka', 'psutil') if name in sys.modules])"
    )

    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert said.stdout == "[]\n"


def test_every_public_name_stands_in_the_reference() -> None:
    pages = (ROOT / "docs" / "reference-chaos.md").read_text() + reference()

    assert [each for each in _names() if not re.search(rf"\b{each[1]}\b", pages)] == []


def _says(module: Module, name: str) -> str | None:
    """The docstring of a name, found by following the imports to where it is made."""
    body = _body(module)
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return ast.get_docstring(node)
        if name in _assigned(node):
            return _text(after) or (ast.get_docstring(module.tree) if name == "__version__" else None)
        if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
            original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
            return _says(_source(module, node.lineno), original)
    return None


def _body(module: Module) -> list[ast.stmt]:
    """The statements of a module, those that a type checker alone reads among them."""
    return [
        inner
        for node in module.tree.body
        for inner in (
            node.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" else [node]
        )
    ]


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _text(node: ast.stmt | None) -> str | None:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return None


def _source(module: Module, line: int) -> Module:
    def is_that(found: Import) -> bool:
        return found.module == module and found.line == line

    target = next(found.target for found in imports() if is_that(found))
    return next(other for other in modules() if other.name == target)
