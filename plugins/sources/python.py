"""Python plugins from their sources: a dotted path, or a directory with an ``agent_plugin.json``.

A directory's code is imported like any other: its import root is put at the end of `sys.path`, once, and
stays there. At the end, so that a plugin's ``tests`` or ``json.py`` shadows no other module. The price
is that two plugins cannot both have a top-level module ``tools``: the second would silently get the first
one's code, and is refused instead.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.foreign import blames
from ...base.frozen import frozen
from ...base.suggestions import meant
from ..results.failures import describe
from .manifest_file import inside, read_manifest_file

if TYPE_CHECKING:
    from types import ModuleType

_FILE = "agent_plugin.json"
_EXAMPLE = '{"entries": ["my_tools.my_tool.MyTool"]}'
_KEYS = frozenset({"entries", "subdirectory"})

_roots: list[str] = []
"""What was put on `sys.path` for packages; a folder that other code has put there is not in it."""


@frozen
class PythonPackage:
    """What an ``agent_plugin.json`` says.

    Attributes:
        directory: where it is.
        entries: dotted paths of plugins; at least one.
        root: the folder of its Python project: the subdirectory that the manifest names, else the directory itself.
        import_root: what has to be on `sys.path`: ``src`` in the subdirectory if there is one, else the
            subdirectory, which is the directory itself unless the manifest says otherwise.
    """

    directory: Path
    entries: tuple[str, ...]
    root: Path
    import_root: Path


def read_python_package(directory: Path) -> PythonPackage:
    """Read a directory's ``agent_plugin.json``. Keys other than ``entries`` and ``subdirectory`` are left alone.

    Raises:
        PluginLoadError: there is no manifest, it lists no entries, or its subdirectory is not there or
            lies outside the directory.
    """
    manifest = read_manifest_file(directory, _FILE, f"add one, such as {_EXAMPLE}")
    entries = manifest.get("entries")
    if not isinstance(entries, list) or not entries or not all(isinstance(each, str) for each in entries):
        hints = [f"; {key!r}: {meant(key, _KEYS)}" for key in manifest if key not in _KEYS]
        raise _refused(
            directory,
            f"lists no entries; it needs dotted paths of plugins, such as {_EXAMPLE}{''.join(hints)}",
        )
    subdirectory = manifest.get("subdirectory", ".")
    if not isinstance(subdirectory, str):
        raise _refused(directory, f"has {subdirectory!r:.100} as subdirectory; it has to be a text")
    root = inside(directory, subdirectory, directory / _FILE, "subdirectory")
    if not root.is_dir():
        raise _refused(
            directory, f"names the subdirectory {subdirectory!r}, which does not exist; correct it"
        )
    source = root / "src"
    return PythonPackage(directory, tuple(entries), root, source if source.is_dir() else root)


def load_package_entry(package: PythonPackage, entry: str) -> Any:
    """Return the plugin, a class or an instance, that one dotted path of a package names.

    Raises:
        PluginLoadError: as `load_python_object`, or a module of the same name was imported from elsewhere before.
    """
    root = str(package.import_root)
    if root not in sys.path:
        sys.path.append(root)
        _roots.append(root)
        importlib.invalidate_caches()
    return _load_from(package, entry)


def path_without_packages() -> list[str]:
    """Return `sys.path` as it is without the packages that were loaded here: what a host looks in for one of them.

    There each has its own folder and none of its neighbours', so that two of them may have a module of one name.
    """
    return [folder for folder in sys.path if folder not in _roots]


_INSTALL_OR_LOAD = "install the package that has it, load a directory with 'path:', or set PYTHONPATH to the folder that it lies in"


def load_python_object(path: str, *, of_package: bool = False, remedy: str = _INSTALL_OR_LOAD) -> Any:
    """Return what a dotted path such as ``package.module.PluginClass`` names.

    Args:
        path: the dotted path.
        of_package: it is an entry of a package, which can say what it needs.
        remedy: what to do if there is no such module, where it is no plugin that is loaded.

    Raises:
        PluginLoadError: the module cannot be found or raised when it was imported, or it has no such name.
    """
    module, names = _import(path, of_package=of_package, remedy=remedy)
    found: Any = module
    for name in names:
        if not hasattr(found, name):
            owner = getattr(found, "__name__", path)
            raise PluginLoadError(
                f"cannot load plugin {path}: {owner} has no {name!r}; {meant(name, _public(found))}",
                plugin=path,
            )
        found = getattr(found, name)
    return found


def _load_from(package: PythonPackage, entry: str) -> Any:
    plugin = load_python_object(entry, of_package=True)
    top = entry.partition(".")[0]
    where = _location(sys.modules[top])
    if where is not None and not where.is_relative_to(package.import_root.resolve()):
        raise PluginLoadError(
            f"cannot load plugin {entry} of {package.directory}: another module {top!r} is already in use, "
            f"from {where}; rename one of the two",
            plugin=entry,
        )
    return plugin


def _import(path: str, *, of_package: bool, remedy: str) -> tuple[ModuleType, list[str]]:
    """Import the longest part of a dotted path that is a module, and return it with the names that are left."""
    modules = path.split(".")
    names = [modules.pop()]
    missing = path
    while modules:
        name = ".".join(modules)
        try:
            return importlib.import_module(name), names
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise _import_failed(path, name, error, of_package=of_package) from error
            missing = error.name  # the module itself, or a package above it
        except BaseException as error:  # what a module does when it is imported
            if not blames(error):
                raise
            raise _import_failed(path, name, error, of_package=of_package) from error
        names.insert(0, modules.pop())
    if of_package:
        remedy = "correct the entry, or 'subdirectory'"
    raise PluginLoadError(
        f"cannot load plugin {path}: there is no module {missing!r} here; {remedy}", plugin=path
    )


def _import_failed(path: str, module: str, error: BaseException, *, of_package: bool) -> PluginLoadError:
    remedy = ""
    if isinstance(error, ModuleNotFoundError) and error.name:
        what = f"what has the module {error.name!r}"
        remedy = f"; add {what} to the package's dependencies" if of_package else f"; install {what}"
    return PluginLoadError(
        f"cannot load plugin {path}: importing {module} raised {describe(error)}{remedy}", plugin=path
    )


def _location(module: ModuleType) -> Path | None:
    """Return where a module is; ``None`` for one that is in no file."""
    file = getattr(module, "__file__", None)
    if file is not None:
        return Path(file).resolve()
    paths = list(getattr(module, "__path__", ()))
    return Path(paths[0]).resolve() if paths else None


def _public(found: Any) -> list[str]:
    return [name for name in dir(found) if not name.startswith("_")]


def _refused(directory: Path, problem: str) -> PluginLoadError:
    return PluginLoadError(f"{directory / _FILE} {problem}", plugin=str(directory))
