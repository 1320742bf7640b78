"""Python tools: the command line that runs one of them in a host of its own.

The host is the same interpreter, and looks for modules where this process does; it is given the short list of
variables that every host is given, and nothing else that this process knows.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .environment import host_environment
from .errors import HostStartError
from .hosted_tool import HostedToolPlugin
from .process import Command
from .python_host.loading import is_loading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .python_origin import PythonOrigin

BOOT = Path(__file__).with_name("python_boot.py")
"""The script that a host begins with."""

_INTERPRETER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONUSERBASE")
"""What an interpreter may need in order to start at all, or to find the packages that this one finds."""


class PythonToolPlugin(HostedToolPlugin):
    """One Python plugin in a host of its own.

    Args:
        name: the plugin's name, unique on its board.
        origin: where the host finds it.
        env: variables that the host gets beside the allowed ones.
        version: for people.
    """

    kind = "python"

    def __init__(
        self, name: str, origin: PythonOrigin, *, env: Mapping[str, str] | None = None, version: str = "0"
    ) -> None:
        super().__init__(name, self._command, version=version)
        self.origin = origin
        self._env = dict(env or {})

    def _command(self) -> Command:
        if is_loading():
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
        told = {
            "path": [os.path.abspath(folder) for folder in sys.path],  # noqa: PTH100 - "" is the working directory
            "room": __package__,
            "name": self.name,
            "origin": self.origin.as_dict(),
        }
        argv = (sys.executable, *interpreter_options(), str(BOOT), json.dumps(told))
        kept = {name: os.environ[name] for name in _INTERPRETER if name in os.environ}
        return Command(argv, host_environment(os.environ, kept | self._env))


def interpreter_options() -> list[str]:
    """The options by which another interpreter behaves as this one does, as far as it matters to a plugin.

    ``-P`` always: a script's own folder, which is this room, is nothing for a plugin to import from.
    """
    flags = sys.flags
    options = ["-P"]
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
