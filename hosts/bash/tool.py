"""Tools in Bash: the command line that runs a script, or a folder of them, in `host.sh`."""

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
    from collections.abc import Mapping

BASH_HOST = Path(__file__).with_name("host.sh")
"""The runner; it needs Bash 4.4, and says so to an older one."""


class BashToolPlugin(HostedToolPlugin):
    """The tools of a script or of a folder of scripts, in a Bash host of their own.

    Args:
        name: the plugin's name, unique on its board.
        path: a script, or a folder of them.
        env: variables that the host gets beside the allowed ones; the scripts get them too.
        version: for people.
        confinement: its sandbox and its secrets.
    """

    kind = "bash"

    def __init__(
        self,
        name: str,
        path: str | os.PathLike[str],
        *,
        env: Mapping[str, str] | None = None,
        version: str = "0",
        confinement: Confinement = FREE,
    ) -> None:
        super().__init__(name, self._command, version=version)
        self.path: Path = Path(path).absolute()
        self._env = dict(env or {})
        self._confinement = confinement
        self.sandboxed: bool = confinement.sandbox is not None

    def _command(self) -> Command:
        environment = host_environment(os.environ, self._env)
        bash = shutil.which("bash", path=environment.get("PATH", ""))
        if bash is None:
            raise HostStartError(
                f"cannot start host {self.name!r}: there is no bash on its PATH; install it",
                host=self.name,
                permanent=True,
            )
        if not self.path.exists():
            raise HostStartError(
                f"cannot start host {self.name!r}: {self.path} does not exist; correct the path",
                host=self.name,
                permanent=True,
            )
        way = "--file" if self.path.is_file() else "--path"
        command = Command((bash, str(BASH_HOST), way, str(self.path)), environment, extended=True)
        folder = self.path if self.path.is_dir() else self.path.parent
        return confine(
            self._confinement, command, Belongings((folder, BASH_HOST.parent), folder=folder), self.name
        )
