"""Python tools: the command line that runs one of them in a host of its own.

The host is the same interpreter, and looks for modules where this process does, though a package's not in the folders of other
packages; it is given the short list of variables that every host is given, and nothing else that this process knows. Or it is
the interpreter of an environment, and looks there alone: of what this process can import it is lent Callboard, and the one package
that Callboard cannot do without.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...plugins.sources.python import path_without_packages
from ..environment import host_environment
from ..errors import HostStartError
from ..hosted_tool import HostedToolPlugin
from ..process.process import Command
from ..sandbox.confinement import FREE, Confinement
from ..sandbox.containment import Belongings, confine
from .runner.loading import is_loading, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..python_packages.venv import Environment
    from .runner.origin import PythonOrigin

BOOT = Path(__file__).with_name("bootstrap.py")
"""The script that a host begins with."""

LENT = ("orjson",)
"""What Callboard cannot do without in a host. An environment that has its own uses that."""

_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_INTERPRETER = (*_LIBRARIES, "PYTHONHOME", "PYTHONUSERBASE")
"""What an interpreter may need in order to start at all, or to find the packages that this one finds."""


class PythonToolPlugin(HostedToolPlugin):
    """One Python plugin in a host of its own.

    Args:
        name: the plugin's name, unique on its board.
        origin: where the host finds it.
        env: variables that the host gets beside the allowed ones.
        version: for people.
        environment: what it runs in, which is kept as long as this lives; this Python, and what it has, if ``None``.
        watched: its files are changed while it runs. Python tells what it has compiled from a newer text by the size and
            the second of the change, and would run an old one; so nothing that is compiled is kept, as nothing is for
            packages.
        confinement: its sandbox and its secrets.
    """

    kind = "python"

    def __init__(
        self,
        name: str,
        origin: PythonOrigin,
        *,
        env: Mapping[str, str] | None = None,
        version: str = "0",
        environment: Environment | None = None,
        watched: bool = False,
        confinement: Confinement = FREE,
    ) -> None:
        super().__init__(name, self._command, version=version)
        self.origin = origin
        self._env = dict(env or {})
        self._environment = environment
        self._confinement = confinement
        self.sandboxed: bool = confinement.sandbox is not None
        self._options = ["-B"] if watched or origin.package is not None else []

    def asking(self) -> Command:
        """The command line of a process that says the plugin's own name and ends. Raises `HostStartError`."""
        return self._command(ask=True)

    def _command(self, *, ask: bool = False) -> Command:
        if is_loading():
            refuse()
            raise HostStartError(
                f"cannot start host {self.name!r}: this process is a host itself, and still loads its plugin; what "
                'the program does when it is run belongs behind if __name__ == "__main__"',
                host=self.name,
                permanent=True,
            )
        if not sys.executable:
            raise HostStartError(
                f"cannot start host {self.name!r}: this interpreter is embedded in another program, and there is "
                "no telling how to start another one; run the plugin in this process, without 'isolate'",
                host=self.name,
                permanent=True,
            )
        told: dict[str, Any] = {
            "room": __package__,
            "name": self.name,
            "origin": self.origin.as_dict(),
            "ask": ask,
        }
        if self._environment is not None:
            return self._command_in(self._environment, told)
        path = sys.path if self.origin.package is None else path_without_packages()
        told["path"] = [os.path.abspath(folder) for folder in path]  # noqa: PTH100 - "" is the working directory
        argv = (sys.executable, *interpreter_options(), *self._options, str(BOOT), json.dumps(told))
        kept = {name: os.environ[name] for name in _INTERPRETER if name in os.environ}
        command = Command(argv, host_environment(os.environ, kept | self._env), extended=True)
        return self._confined(command, path=tuple(map(Path, told["path"])))

    def _command_in(self, environment: Environment, told: dict[str, Any]) -> Command:
        """Its Python as if the environment were activated, and without a trace in the plugin's own folder (``-B``)."""
        if not environment.python.exists():
            raise HostStartError(
                f"cannot start host {self.name!r}: its environment {environment.folder} has no Python any more; start "
                "the board again, and it is made anew",
                host=self.name,
                permanent=True,
            )
        told["lent"] = {name: _location(name) for name in LENT}
        told["callboard"] = _location(__package__.partition(".")[0])
        options = [option for option in interpreter_options() if option not in ("-S", "-B")]
        argv = (str(environment.python), *options, "-B", str(BOOT), json.dumps(told))
        kept = {name: os.environ[name] for name in _LIBRARIES if name in os.environ}
        path = os.pathsep.join([str(environment.programs), os.environ.get("PATH", os.defpath)])
        activated = {"VIRTUAL_ENV": str(environment.folder), "PATH": path}
        command = Command(argv, host_environment(os.environ, kept | activated | self._env), extended=True)
        lent = tuple(Path(folder) for _, folder in told["lent"].values())
        return self._confined(command, path=(environment.folder, *lent))

    def _confined(self, command: Command, path: tuple[Path, ...]) -> Command:
        folder = self.origin.package or (self.origin.file and str(Path(self.origin.file).parent))
        own = () if folder is None else (Path(folder),)
        prefixes = map(Path, (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix))
        belongings = Belongings(
            own,
            (sys.executable,),
            (*path, *prefixes, *_house()),
            folder=own[0] if own else None,
        )
        return confine(self._confinement, command, belongings, self.name)


def _house() -> tuple[Path, ...]:
    """Callboard and the rooms that a host needs of it, which need not lie in one folder."""
    rooms = BOOT.parents[2]
    return (Path(_location(__package__.partition(".")[0])[1]), *(rooms / room for room in _ROOMS))


_ROOMS = ("base", "plugins", "interop", "hosts")


def _location(module: str) -> list[str]:
    """Where a package is: the file that is run for it, and its folder."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return [spec.origin, str(Path(spec.origin).parent)]


def interpreter_options() -> list[str]:
    """The options by which another interpreter behaves as this one does, as far as it matters to a plugin.

    ``-P`` always: a script's own folder, which is this room, is nothing for a plugin to import from. ``-u`` too: what is printed has to be
    out before the crash that follows it.
    """
    flags = sys.flags
    options = ["-P", "-u"]
    options += ["-I"] * flags.isolated
    options += ["-s"] * flags.no_user_site
    options += ["-S"] * flags.no_site
    options += ["-B"] * flags.dont_write_bytecode
    options += ["-" + "O" * flags.optimize] * bool(flags.optimize)
    options += ["-X", "dev"] * flags.dev_mode
    options += ["-X", f"utf8={flags.utf8_mode}"]
    for filter_ in sys.warnoptions:
        options += ["-W", filter_]
    return options
