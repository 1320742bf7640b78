"""Any program that speaks the protocol: the command line that runs it.

The words reach it as they are. A program that is named without a slash is looked up on the host's own PATH, and
never in a folder that happens to be the present one.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ..environment import host_environment
from ..errors import HostStartError
from ..hosted_tool import HostedToolPlugin
from ..process.process import Command
from ..sandbox.confinement import FREE, Confinement
from ..sandbox.containment import Belongings, confine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


class CommandToolPlugin(HostedToolPlugin):
    """One plugin in a host that is any program.

    Args:
        name: the plugin's name, unique on its board.
        command: the program and its arguments.
        cwd: where it runs; the present folder when ``None``.
        base: what the path of the program is relative to; ``cwd`` when ``None``.
        env: variables that the host gets beside the allowed ones.
        extended: it may know more than version 1, and is asked what.
        version: for people.
        confinement: its sandbox and its secrets.
    """

    kind = "command"

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        base: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        extended: bool = False,
        version: str = "0",
        confinement: Confinement = FREE,
    ) -> None:
        super().__init__(name, self._command, version=version)
        self.argv: tuple[str, ...] = tuple(command)
        self.cwd: Path = Path(cwd or ".").absolute()
        self._base = Path(base or self.cwd).absolute()
        self._env = dict(env or {})
        self._confinement = confinement
        self.sandboxed: bool = confinement.sandbox is not None
        self._extended = extended

    def _command(self) -> Command:
        return self._command_of(self.argv)

    def _command_of(self, words: Sequence[str]) -> Command:
        """What runs these words where and as this plugin runs. Raises `HostStartError`."""
        if not self.cwd.is_dir():
            raise self._refused(f"there is no folder {self.cwd}; correct 'cwd'")
        environment = host_environment(os.environ, self._env)
        program, *arguments = words
        argv = (self._found(program, environment), *arguments)
        command = Command(argv, environment, str(self.cwd), extended=self._extended)
        return confine(self._confinement, command, Belongings((self.cwd,)), self.name)

    def _found(self, program: str, environment: Mapping[str, str]) -> str:
        if any(separator in program for separator in _SEPARATORS) or program.startswith("~"):
            path = self._base / Path(program).expanduser()
            if path.is_dir():
                raise self._refused(f"{path} is a folder; name the program in it")
            if not path.is_file():
                raise self._refused(f"there is no program {path}; correct the path")
            if not os.access(path, os.X_OK):
                raise self._refused(
                    f"{path} is not executable; make it so (chmod +x), or name what runs it before it"
                )
            return str(path)
        found = shutil.which(program, path=environment.get("PATH", ""))
        if found is None:
            beside = (self._base / program).is_file()
            remedy = f"write './{program}' for the file that is here" if beside else "install it"
            raise self._refused(f"there is no program {program!r} on its PATH; {remedy}")
        return found

    def _refused(self, problem: str) -> HostStartError:
        return HostStartError(f"cannot start host {self.name!r}: {problem}", host=self.name, permanent=True)
