"""Where a host finds the Python plugin that it is to run: said by the one who starts it, followed by the host.

A plugin cannot be sent to another process, only the way to it: a dotted path, an entry of a package's
manifest, or a class by its module. A module that cannot be imported by its name over there (a program
that was run as a script, above all) is loaded from its file under that name; the program's own doings
stay where they are behind ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import asdict
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from inspect import unwrap
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from ....base.errors import PluginLoadError
from ....base.frozen import frozen
from ....plugins.results.failures import describe
from ....plugins.sources.python import load_package_entry, load_python_object, read_python_package
from .loading import has_refused

PROGRAM = "__mp_main__"
"""What the module ``__main__`` of the embedding program is called in a host.

It is the name that `multiprocessing` gives it in its own processes: a tool that uses those hands on functions by it.
"""


@frozen
class PythonOrigin:
    """The way to one plugin.

    Attributes:
        path: its dotted path.
        package: the folder whose ``agent_plugin.json`` lists it, or ``None``.
        module: the part of ``path`` that is a module, where that is known.
        file: where this module is, should it not be found by its name.
    """

    path: str
    package: str | None = None
    module: str | None = None
    file: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    def load(self) -> Any:
        """Return the plugin, a class or an instance.

        Raises:
            PluginLoadError: it cannot be found, or its module raised.
        """
        if self.package is not None:
            return load_package_entry(read_python_package(Path(self.package)), self.path)
        if self.module is not None and self.file is not None and not _can_be_imported(self.module):
            _load_file(self.module, self.file, self.path)
        return load_python_object(self.path)


def origin_of(plugin: Any) -> PythonOrigin:
    """Return the way to a class or a function.

    Raises:
        PluginLoadError: there is none that another process could go: it is neither, or was made in a function or in
            an interactive session.
    """
    if not isinstance(plugin, type | FunctionType):
        raise _homeless(
            plugin,
            "is an object, which cannot be sent to a host; register its class, which is made over there, and hand "
            "over in 'config' what it needs",
        )
    module = sys.modules.get(plugin.__module__)
    home = None if module is None else _home_of(plugin, module)
    if home is None or not _is_found(home, plugin):
        raise _homeless(
            plugin,
            f"is not what {plugin.__module__}.{plugin.__qualname__} names, so a host cannot find it; define it "
            "at the top level of a module",
        )
    file = getattr(home, "__file__", None)
    name = plugin.__module__
    if name == "__main__":
        spec = getattr(home, "__spec__", None)
        if file is None or not Path(file).is_file():  # typed in, or read from stdin
            raise _homeless(
                plugin, "is defined in no file, so a host cannot load it; put it into a module of its own"
            )
        # A folder that is run has a spec of that name, which is the name of another module in a host.
        name = PROGRAM if spec is None or spec.name == "__main__" else spec.name
    where = None if file is None else str(Path(file).absolute())
    return PythonOrigin(f"{name}.{plugin.__qualname__}", module=name, file=where)


def _home_of(plugin: Any, module: ModuleType) -> ModuleType | SimpleNamespace:
    """Where its names are: a profiler runs a program as ``__main__`` with other globals than those of that module."""
    if plugin.__module__ != "__main__":
        return module
    for each in [plugin] if isinstance(plugin, FunctionType) else vars(plugin).values():
        function = unwrap(each) if isinstance(each, FunctionType) else None
        if isinstance(function, FunctionType) and function.__globals__.get("__name__") == "__main__":
            return SimpleNamespace(**function.__globals__)
    return module


def _is_found(home: ModuleType | SimpleNamespace, plugin: Any) -> bool:
    """Whether its module names it. A function may be being decorated, and has its name a moment later."""
    if isinstance(plugin, FunctionType):
        return "<" not in plugin.__qualname__
    return _followed(home, plugin.__qualname__) is plugin


def _followed(found: Any, qualname: str) -> Any:
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return found


def _can_be_imported(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a package above it
        return False


def _load_file(name: str, file: str, path: str) -> None:
    loader = SourcelessFileLoader if _is_compiled(file) else SourceFileLoader
    spec = importlib.util.spec_from_loader(name, loader(name, file))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    if name == PROGRAM:
        sys.modules["__main__"] = module
        module.__spec__ = None  # as that of a script
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # what a module does when it is imported; an interrupt passes
        happened = "it starts hosts as it is loaded" if has_refused() else f"it raised {describe(error)}"
        raise PluginLoadError(
            f"cannot load plugin {path}: its host runs {file} to load it, and {happened}; put what the program "
            'itself does behind if __name__ == "__main__"',
            plugin=path,
        ) from error


def _is_compiled(file: str) -> bool:
    """Whether Python takes a file for compiled code: by how it begins, whatever its name is."""
    with Path(file).open("rb") as opened:
        return opened.read(len(MAGIC_NUMBER)) == MAGIC_NUMBER


def _homeless(plugin: Any, problem: str) -> PluginLoadError:
    name = plugin.__qualname__ if isinstance(plugin, type | FunctionType) else repr(plugin)
    return PluginLoadError(f"plugin {name:.200} {problem}", plugin=name)
