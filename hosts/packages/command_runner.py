"""Where other programs are run on a package: git, npm, esbuild. Bounded in time, and nothing of them is left behind.

No shell, no terminal, no standard input but what its caller gives it: a program that asks a question fails instead of waiting. Each
runs in a session of its own, which ends with it, and with this process, however that ends: a build that lives on
would write into a folder that the next one has begun to clear away.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self
from weakref import finalize

from ...base.foreign import Log
from ...base.frozen import frozen
from ...base.threads import uninterrupted
from ...plugins.sources.git_url import without_secrets
from ...plugins.time_limit import require_time, time_left
from ..process_tree.group import ProcessGroup, start
from ..process_tree.tree_kill import end_session
from ..process_tree.watchdog import Watchdog
from ..sandbox.steps import Access, contain_step

if sys.platform == "win32":
    from .output_windows import ThreadedOutput as SystemsOutput
else:
    from .output_posix import PolledOutput as SystemsOutput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..process.process import Command
    from ..process_tree.group import Leader
    from ..sandbox.bwrap import SystemSandbox
    from .output import Output

logger: Log = Log("callboard.packages")

NOTHING = Access()


@frozen
class Ended:
    """How a program ended.

    Attributes:
        code: its exit status; negative is a signal; ``None`` if it took too long and was ended.
        stdout: the last megabyte of what it wrote there, as text.
        said: the last lines of all that it wrote, stdout and stderr as they came.
    """

    code: int | None
    stdout: str
    said: str

    @property
    def well(self) -> bool:
        """Whether it says that all went well."""
        return self.code == 0

    @property
    def text(self) -> str:
        """``ended with exit code 1``, or as it was."""
        if self.code is None:
            return "took too long"
        return f"ended with exit code {self.code}" if self.code >= 0 else f"was ended by signal {-self.code}"


class CommandRunner:
    """Runs one program after another, from ``with`` to its end.

    Args:
        seconds: how long each may take.
        output: how what they say is read.
        sandbox: what the plugin may use that they are run for; each then runs in a sandbox with what it needs alone.
    """

    def __init__(
        self,
        seconds: float,
        output: type[Output] = SystemsOutput,
        *,
        sandbox: SystemSandbox | None = None,
    ) -> None:
        self.seconds = seconds
        self.sandbox = sandbox
        self._output = output
        self._watchdog = Watchdog()
        # A signal handler may raise as the ``with`` is left: it is closed then when this is gone.
        self._unclosed = finalize(self, self._watchdog.close)
        self._unclosed.atexit = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._watchdog.close()
        self._unclosed.detach()

    def run(self, command: Command, access: Access = NOTHING, *, stdin: int = subprocess.DEVNULL) -> Ended:
        """Run a program to its end.

        Args:
            command: the program.
            access: what it needs, should it run in a sandbox.
            stdin: a descriptor to read from; none by default.

        Raises:
            LoadTimeout: the load that it is a part of has no time left; it has been ended.
            HostStartError: there is no such sandbox here.
            OSError: it cannot be started.
            ValueError: it is a batch file, on Windows.
        """
        logger.debug("%s, in %s", " ".join(map(without_secrets, command.argv)), command.cwd)
        if self.sandbox is not None:
            command = contain_step(command, access, self.sandbox)
        running: list[_Running] = []

        def begin() -> None:
            leader = start(command.argv, command.env, command.cwd, stdin=stdin, contained=command.contained)
            running.append(_Running(leader, self._output(leader.popen), self._watchdog))
            self._watchdog.add(leader.popen.pid, leader.birth, leader.mark, leader.number)

        def end() -> None:
            for program in running:
                program.end()

        try:
            uninterrupted(begin)
            in_time = running[0].output.follow(time.monotonic() + time_left(self.seconds))
        finally:
            try:
                uninterrupted(end)
            except BaseException:  # an interrupt: raised again
                uninterrupted(end)
                raise
        code, output = running[0].code, running[0].output
        if not in_time:
            require_time(f"{' '.join(map(without_secrets, command.argv)):.200} has not ended")
        return Ended(code if in_time else None, output.stdout.tail(1_000_000), output.said.tail())


class _Running:
    """A program that has been started.

    Attributes:
        output: what it says.
        code: how it has ended, once it has.
    """

    def __init__(self, leader: Leader, output: Output, watchdog: Watchdog) -> None:
        self.output = output
        self.code: int | None = None
        self._leader = leader
        self._group = ProcessGroup(leader.popen, contained=leader.contained)
        self._watchdog = watchdog
        self._over = False

    def end(self) -> None:
        """End it, and all that it has started; once."""
        if self._over:
            return
        leader, popen = self._leader, self._leader.popen
        # The group first: once its leader has been waited for, the system may give the number to another group.
        self._group.end()
        self.code = leader.told(popen.wait())
        end_session(popen.pid, leader.birth, [], mark=leader.mark, number=leader.number)
        self.output.close()
        self._group.close()
        self._watchdog.remove(popen.pid)
        self._over = True


_NETWORK = frozenset({
    "all_proxy", "http_proxy", "https_proxy", "no_proxy",
    "curl_ca_bundle", "git_ssl_cainfo", "git_ssl_capath", "node_extra_ca_certs", "ssl_cert_dir", "ssl_cert_file",
    "xdg_cache_home", "xdg_config_home", "appdata", "localappdata", "programdata",
})  # fmt: skip


def network_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``parent`` that say how the network is reached, and where programs keep their settings."""
    return {name: value for name, value in parent.items() if name.lower() in _NETWORK}


_LOGIN = re.compile(r"(?<=://)[^/?#\s]*@")
_LOGIN_AT_A_PROXY = re.compile(r"\A([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
"""All before the last ``@``: a proxy has no path, and a password may have a slash."""


def without_logins(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables as a build may see them: without the names and passwords in addresses of proxies and registries."""
    return {
        name: _LOGIN_AT_A_PROXY.sub(r"\1", value) if name.lower().endswith("proxy") else _LOGIN.sub("", value)
        for name, value in environment.items()
    }
