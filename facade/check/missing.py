"""What a source of plugins needs on this machine and does not find. Files are looked at; nothing is imported or started."""

from __future__ import annotations

import shutil
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import PluginLoadError
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.node_manifest import read_node_package
from ..plugins.sources.program import BashSource, CommandSource
from ..plugins.sources.python import read_python_package
from ..plugins.sources.source import NodeFileSource, NodePackageSource, PythonObject, PythonPackageSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..plugins.sources.source import PluginSource


def missing_of(source: PluginSource, roots: Collection[str]) -> Iterator[str]:
    """Yield what is missing, each as a sentence with what to do.

    Args:
        source: the source.
        roots: folders of the configuration's Python packages, whose modules its other entries may name too.
    """
    match source:
        case PythonPackageSource(directory) | NodePackageSource(directory) if not directory.is_dir():
            yield f"there is no folder {directory}"
        case PythonPackageSource(directory):
            yield from _of_python(directory)
        case NodePackageSource(directory):
            yield from _of_node(directory)
        case PythonObject(path):
            if (module := missing_module(path, roots)) is not None:
                yield f"there is no module {module!r} here; {_INSTALL}"
        case NodeFileSource(file) if not file.is_file():
            yield f"there is no file {file}"
        case BashSource(path) if not path.exists():
            yield f"there is no file or folder {path}"
        case CommandSource(command=command, base=base):
            yield from _of_command(command[0], base)
        case McpSource(command=(program, *_)):
            yield from _of_server(program)


def _of_command(program: str, base: Path) -> Iterator[str]:
    there = (base / program).exists() if "/" in program else shutil.which(program) is not None
    if not there:
        yield f"there is no program {program!r}"


def _of_server(program: str) -> Iterator[str]:
    """A name is looked up on the PATH that its entry gives it, and a placeholder is filled in, when it is started."""
    if Path(program).is_absolute() and "${" not in program and shutil.which(program) is None:
        yield f"there is no program {program!r} that can be run; install it, or correct 'command'"


_INSTALL = "install the package that has it, or set PYTHONPATH to the folder that it lies in"


def roots_of(sources: Iterable[PluginSource | None]) -> list[str]:
    """Return the folders that the Python packages among sources are imported from."""
    found = []
    for source in sources:
        if isinstance(source, PythonPackageSource):
            with suppress(PluginLoadError):  # told at its own entry
                found.append(str(read_python_package(source.directory).import_root))
    return found


def missing_module(path: str, roots: Collection[str] = ()) -> str | None:
    """Return the module of a dotted path that certainly cannot be found; ``None`` if all may be there.

    A name within a regular package may be made by the package's own code, which is not run here.
    """
    top, *names = path.split(".")
    try:
        spec = find_spec(top)
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


def _of_python(directory: Path) -> Iterator[str]:
    try:
        package = read_python_package(directory)
    except PluginLoadError as error:
        yield str(error)
        return
    for entry in package.entries:
        top = entry.partition(".")[0]
        if PathFinder.find_spec(top, [str(package.import_root)]) is None:
            yield f"the entry {entry!r} of {directory} names no module in {package.import_root}; correct it"


def _of_node(directory: Path) -> Iterator[str]:
    try:
        package = read_node_package(directory)
    except PluginLoadError as error:
        yield str(error)
        return
    if package.builds:  # it makes what is missing
        return
    for tool in package.missing_entries():
        try:
            package.require_entry(tool)
        except PluginLoadError as error:
            yield str(error)
