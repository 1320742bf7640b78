"""Sources of plugins written in Python: a dotted path, a folder with an ``agent_plugin.json``, and what is installed."""

from __future__ import annotations

import importlib.util
import os
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from .source import Source, Spelling, Template, located

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_INSTALL: Final = "install the package that has it, or set PYTHONPATH to the folder that it lies in"


class PythonSource(Source):
    """What those of Python have in common: they run in this process, unless they are isolated."""

    __slots__ = ()

    def strict(self) -> Mapping[str, Any]:
        return {"isolate": True, "claims": "own"}

    def refused(self) -> Mapping[str, str]:
        return {}

    def inline(self) -> None:
        return None


@frozen
class PythonObject(PythonSource):
    """A class or an instance in an importable module, by its dotted path."""

    path: str

    def identity(self) -> str:
        return f"python:{self.path}"

    def folder(self) -> Path | None:
        """The folder of the outermost package alone: to find one within, Python would import what is around it."""
        try:
            spec = importlib.util.find_spec(self.path.partition(".")[0])
        except ValueError:  # such as of a program that is run from its text
            return None
        return None if spec is None or spec.origin is None else Path(spec.origin).parent

    def missing(self, roots: Collection[str]) -> Iterator[str]:
        if (module := missing_module(self.path, roots)) is not None:
            yield f"there is no module {module!r} here; {_INSTALL}"


@frozen
class PythonPackageSource(PythonSource):
    """A directory with an ``agent_plugin.json``."""

    directory: Path

    def identity(self) -> str:
        return f"path:{os.path.normpath(self.directory)}"

    def folder(self) -> Path:
        return self.directory

    def missing(self, _: Collection[str]) -> Iterator[str]:
        if not self.directory.is_dir():
            yield f"there is no folder {self.directory}"
            return
        from .python import read_python_package  # noqa: PLC0415 - only `check` asks what is missing

        try:
            package = read_python_package(self.directory)
        except PluginLoadError as error:
            yield str(error)
            return
        for entry in package.entries:
            top = entry.partition(".")[0]
            if PathFinder.find_spec(top, [str(package.import_root)]) is None:
                yield f"the entry {entry!r} of {self.directory} names no module in {package.import_root}; correct it"


@frozen
class InstalledSource(PythonSource):
    """A plugin that an installed distribution offers, by the name of its entry point; ``*`` for all of them."""

    name: str

    def identity(self) -> str:
        return f"entry_point:{self.name}"

    def folder(self) -> None:
        return None

    def missing(self, _: Collection[str]) -> Iterator[str]:
        yield from ()  # its loader knows the distributions


AnyPythonSource = PythonObject | PythonPackageSource | InstalledSource


def missing_module(path: str, roots: Collection[str] = ()) -> str | None:
    """Return the module of a dotted path that certainly cannot be found; ``None`` if all may be there.

    A name within a regular package may be made by the package's own code, which is not run here.
    """
    top, *names = path.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):  # the module has no specification
        return None
    spec = spec or PathFinder.find_spec(top, list(roots))
    found = top
    if spec is None:
        return found
    for name in names[:-1]:
        if spec.origin is not None or spec.submodule_search_locations is None:
            return None
        found = f"{found}.{name}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
        if spec is None:
            return found
    return None


def _package(text: str, base: Path) -> PythonPackageSource:
    return PythonPackageSource(located(text, base))


def _installed(text: str, _: Path) -> InstalledSource:
    return InstalledSource(text)


def _proposed(text: str, place: Path) -> str | None:
    return f"'path:{text}'" if (place / "agent_plugin.json").is_file() else None


SPELLING: Final[Spelling[PythonPackageSource | InstalledSource]] = Spelling(
    under_key=None,
    prefixes={"path": _package, "entry_point": _installed},
    proposed=_proposed,
    templates=(Template("python", ("pytest",), ("template-python-tools",)),),
)
"""Beside them stands a dotted path, which has no prefix."""
