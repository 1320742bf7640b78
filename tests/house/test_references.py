"""What a docstring or a comment names between backticks is there: a renaming has to come to the words too."""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
from typing import TYPE_CHECKING

import pytest
from house_source import ROOT, modules, project_files, rooms

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = {path.name for path in project_files()}
OTHERS = {
    "ActorRegistry": "pykka's",
    "ToolMessage": "LangChain's",
    "npx": "a program",
    "trust.json": "a file that is made",
    "uvx": "a program",
}
"""What is not of this project."""

TWICE = re.compile(r"``.*?``", re.DOTALL)
REFERENCE = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`")
FILE = re.compile(r"[\w-]+\.(?:py|mjs|cjs|json|md|sh)")
PATH = re.compile(r"\b(?:docs|tests)/[\w/.-]+\.(?:md|py)\b")
COMMENT = re.compile(r"(?:^|\s)# (.*)$", re.MULTILINE)


def names_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield from name.split(".")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w-]+", text):
                yield text


def texts_of(tree: ast.Module, source: str) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield TWICE.sub("", text)
    yield from COMMENT.findall(source)


@functools.cache
def known() -> frozenset[str]:
    """The names that the code knows; only who runs these tests has to read all of it."""
    names = {*dir(builtins)}
    for module in modules():
        names.update(names_of(module.tree), module.path.removesuffix(".py").split("/"))
    return frozenset(names)


def is_there(reference: str) -> bool:
    first, *_ = parts = reference.split(".")
    if reference in OTHERS or first in OTHERS or first in sys.stdlib_module_names:
        return True
    return reference in FILES if FILE.fullmatch(reference) else known().issuperset(parts)


@pytest.mark.parametrize("room", rooms())
def test_what_the_words_of_a_room_refer_to_is_there(room: str) -> None:
    texts = [
        (module.path, text)
        for module in modules()
        if module.room == room
        for text in texts_of(module.tree, (ROOT / module.path).read_text())
    ]
    referred = [(path, name) for path, text in texts for name in REFERENCE.findall(text)]
    paths = [(path, file) for path, text in texts for file in PATH.findall(text)]

    assert referred != []
    assert [(path, name) for path, name in referred if not is_there(name)] == []
    assert [(path, file) for path, file in paths if not (ROOT / file).is_file()] == []
