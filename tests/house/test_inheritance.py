"""A class that one other class inherits from and nothing else uses is a part of that class."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from house_source import modules

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\w+")


def _bases(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from ((node, base) for base in node.bases)


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def _texts(tree: ast.Module) -> Iterator[str]:
    """Strings that may name a class, such as its dotted path; docstrings name none."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def only_inherited(trees: list[ast.Module]) -> list[tuple[str, str]]:
    """The classes whose only use is as the base of one other class, each with that class."""
    classes = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    heirs: dict[str, list[str]] = defaultdict(list)
    uses: Counter[str] = Counter()
    for tree in trees:
        inside = set()
        for heir, base in _bases(tree):
            if (name := _name(base)) in classes:
                heirs[str(name)].append(heir.name)
            inside |= {id(node) for node in ast.walk(base)}
        uses.update(_name(node) or "" for node in ast.walk(tree) if id(node) not in inside)
        uses.update(word for text in _texts(tree) for word in _WORD.findall(text))
    return [(name, found[0]) for name, found in sorted(heirs.items()) if len(found) == 1 and not uses[name]]


def test_a_class_that_is_used_beside_its_heir_is_no_mixin() -> None:
    trees = [
        ast.parse("class A:\n    '''As B is.'''\nclass B(A): ...\nclass C: ...\nclass D(C): ...\nC()"),
        ast.parse("class E: ...\nclass F(E): ...\nclass G(E): ...\nclass H: ...\nclass I(H): ...\nx = 'm.H'"),
    ]

    assert only_inherited(trees) == [("A", "B")]


def test_no_class_is_there_for_one_heir_only() -> None:
    assert only_inherited([module.tree for module in modules()]) == []
