"""The name of a plugin, read from the text of its module without running it. Pure.

Only where the text leaves no doubt: a class that says ``name = "…"`` once, or a function. What could change the name at run time
(a base class, a decorator, an assignment to ``….name``) makes it unknown, and the plugin has to be asked (`own_name`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 1024 * 1024
"""The longest text that is read."""

_CONTRACTS = frozenset({"callboard", "callboard.types"})
_BASES = frozenset({"ToolPlugin", "BasePlugin"})
"""Base classes that have no say in the name, and where they are imported from."""

_DISTURBING = frozenset(
    {"setattr", "vars", "exec", "globals", "__dict__", "__class__", "__new__", "__getattribute__"}
)
"""Words by which a name may be changed that is not assigned to."""


def name_in(source: bytes, word: str) -> str | None:
    """Return the name of the plugin that a module has under ``word``; ``None`` if the text alone does not say it."""
    if len(source) > MOST_BYTES:
        return None
    try:
        return _name_in(ast.parse(source), word)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # its host reports what is wrong
        return None


def _name_in(tree: ast.Module, word: str) -> str | None:
    if any(_disturbs(node) for node in ast.walk(tree)):
        return None
    bound = [(name, node) for statement in tree.body for name, node in _bindings(statement)]
    found = [node for name, node in bound if name == word]
    if len(found) != 1 or any(name == "*" for name, _ in bound):
        return None
    match found[0]:
        case ast.FunctionDef(decorator_list=[]) | ast.AsyncFunctionDef(decorator_list=[]):
            return word
        case ast.ClassDef(decorator_list=[], keywords=[]) as plugin if _has_plain_bases(plugin, tree):
            return _said(plugin)
    return None


def _said(plugin: ast.ClassDef) -> str | None:
    bindings = [node for statement in plugin.body for name, node in _bindings(statement) if name == "name"]
    match [statement for statement in plugin.body if statement in bindings], bindings:
        case [
            [
                ast.Assign(targets=[ast.Name()], value=ast.Constant(value=str(name)))
                | ast.AnnAssign(value=ast.Constant(value=str(name)))
            ],
            [_],
        ]:
            return name or None
    return None


def _has_plain_bases(plugin: ast.ClassDef, tree: ast.Module) -> bool:
    contracts = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module in _CONTRACTS and not node.level
        for alias in node.names
        if alias.name in _BASES
    }
    return all(isinstance(base, ast.Name) and base.id in {"object", *contracts} for base in plugin.bases)


def _disturbs(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="name", ctx=ast.Store() | ast.Del()):
            return True
        case ast.Attribute(attr=word) | ast.Name(id=word) | ast.FunctionDef(name=word):
            return word in _DISTURBING
    return False


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement binds in its own scope, each with the statement or alias that does."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, node
        case ast.Lambda():
            return
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield (alias.asname or alias.name).partition(".")[0], alias
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
                    yield inner.id, node
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, node
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, node
            yield from _within(node)
        case _:
            yield from _within(node)


def _within(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield from _bindings(child)
