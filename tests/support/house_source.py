"""The sources of the house as data: its files, its modules, and who imports whom.

Everything is read, nothing is imported: a rule about the sources is told the truth even when a
module cannot be imported.
"""

from __future__ import annotations

import ast
import functools
import gc
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from programs import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

"""The checkout."""

PACKAGE = "callboard"
FACE = "facade"

FLOOR = {
    "base": 0,
    "plugins": 1,
    "interop": 1,
    "hosts": 2,
    "supervision": 2,
    "actors": 3,
    "agent": 4,
    "chaos": 4,
    FACE: 5,
}
"""The floor of each room: it stands on those below."""

ROLES = {
    "__init__.py",
    "command.py",
    "errors.py",
    "messages.py",
    "source.py",
    "summary.py",
    "tool.py",
    "view.py",
}
"""What several folders of a room have by design: each its own."""

MADE = {"build", "dist", "node_modules", "__pycache__"}
"""Folders that are made, and no part of the project; beside those whose names begin with a dot."""


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file of the package.

    Attributes:
        name: dotted, as it is imported: ``callboard.hosts.protocol.wire``.
        room: the folder at the top of the repository: ``hosts``.
        path: relative to the repository, with slashes: ``hosts/protocol/wire.py``.
        is_package: it is an ``__init__.py``.
        tree: its syntax tree.
    """

    name: str
    room: str
    path: str
    is_package: bool
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class Import:
    """One name that one module imports.

    Attributes:
        module: who imports.
        target: the module that is imported, dotted and absolute.
        relative: it is written with leading dots.
        type_only: it stands under ``if TYPE_CHECKING``.
        in_function: it stands in a function, and runs when that runs.
        line: where.
    """

    module: Module
    target: str
    relative: bool
    type_only: bool
    in_function: bool
    line: int

    @property
    def top(self) -> str:
        """The first part of the target: ``asyncio``, ``callboard``."""
        return self.target.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.module.path}:{self.line} imports {self.target}"


def reference() -> str:
    """The pages of the reference, one after the other."""
    docs = ROOT / "docs"
    pages = [docs / "reference.md", *sorted((docs / "reference").glob("*.md"))]
    return "\n".join(page.read_text() for page in pages)


def project_files(*suffixes: str) -> list[Path]:
    """The files of the project that have one of the suffixes, or all files."""
    return [path for path in _all_files() if not suffixes or path.suffix in suffixes]


@functools.cache
def _all_files() -> tuple[Path, ...]:
    return tuple(sorted(_walk(ROOT)))


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_file():
            yield path
        elif path.name == ".ci" or not (path.name in MADE or path.name.startswith(".") or _is_metadata(path)):
            yield from _walk(path)


def _is_metadata(path: Path) -> bool:
    return path.suffix == ".egg-info"


@functools.cache
def rooms() -> tuple[str, ...]:
    """The folders that ``setup.py`` maps into the package, the face first."""
    for node in ast.walk(ast.parse((ROOT / "setup.py").read_text())):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROOMS":
            return (FACE, *ast.literal_eval(node.value))
    raise AssertionError("setup.py has no ROOMS")


@functools.cache
def modules() -> tuple[Module, ...]:
    """All Python files of the package."""
    files = [(path.relative_to(ROOT).parts[0], path) for path in project_files(".py")]
    searches = gc.isenabled()
    gc.disable()  # searches for garbage in a million nodes that stay took six times as long as to parse them
    try:
        return tuple(_module(room, path) for room in rooms() for top, path in files if top == room)
    finally:
        gc.freeze()
        if searches:
            gc.enable()


def _module(room: str, path: Path) -> Module:
    inside = path.relative_to(ROOT / room).with_suffix("").parts
    is_package = inside[-1] == "__init__"
    above = (PACKAGE,) if room == FACE else (PACKAGE, room)
    name = ".".join(above + (inside[:-1] if is_package else inside))
    tree = ast.parse(path.read_text(), filename=str(path))
    return Module(name, room, path.relative_to(ROOT).as_posix(), is_package, tree)


@functools.cache
def imports() -> tuple[Import, ...]:
    """All imports of the package."""
    known = {module.name for module in modules()}
    return tuple(found for module in modules() for found in _imports(module, module.tree, known))


def _is_for_types(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "TYPE_CHECKING" for node in ast.walk(test))


def _imports(
    module: Module, node: ast.AST, known: set[str], *, type_only: bool = False, in_function: bool = False
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            relative = isinstance(child, ast.ImportFrom) and child.level > 0
            for target in _targets(module, child, known):
                yield Import(module, target, relative, type_only, in_function, child.lineno)
        elif isinstance(child, ast.If) and _is_for_types(child.test):
            body, orelse = ast.Module(child.body, []), ast.Module(child.orelse, [])
            yield from _imports(module, body, known, type_only=True, in_function=in_function)
            yield from _imports(module, orelse, known, type_only=type_only, in_function=in_function)
        else:
            enters = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(module, child, known, type_only=type_only, in_function=in_function or enters)


def _targets(module: Module, node: ast.Import | ast.ImportFrom, known: set[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        up = node.level - 1 if module.is_package else node.level
        above = module.name.split(".")
        base = ".".join([*above[: len(above) - up], *([node.module] if node.module else [])])
    names = [f"{base}.{alias.name}" for alias in node.names]
    return sorted({name if name in known else base for name in names})


def room_of(target: str) -> str | None:
    """The room that a dotted name lies in; ``None`` when it is not of this package."""
    first, *rest = target.split(".")
    if first != PACKAGE:
        return None
    return rest[0] if rest and rest[0] in rooms() else FACE


def is_standard(name: str) -> bool:
    """Whether the module belongs to Python itself."""
    return name in sys.stdlib_module_names or name in _LATER


_LATER = {"annotationlib"}
"""Modules of Python itself that came after 3.11, and are imported by those versions alone that have them."""
