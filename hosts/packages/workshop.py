"""Where other programs are run on a package: git, npm, esbuild. Bounded in time, and nothing of them is left behind.

No shell, no terminal, no standard input: a program that would ask somebody something fails instead of waiting. Each
runs in a session of its own, which ends with it, and with this process, however that ends: a build that lives on
would write into a folder that the next one has begun to clear away.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ...plugins.git_address import without_secrets
from ..exit_watch import exit_descriptor
from ..ring import Ring
from ..sweep import MARK, created, end_session
from ..watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..process import Command

logger = logging.getLogger("callboard.packages")

_CHUNK = 65536
_HELD = 1024 * 1024
"""Bytes of a program's output that are kept."""


@dataclass(frozen=True, slots=True)
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


class Workshop:
    """Runs one program after another, from ``with`` to its end.

    Args:
        seconds: how long each may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._watchdog = Watchdog()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._watchdog.close()

    def run(self, command: Command) -> Ended:
        """Run a program to its end.

        Raises:
            OSError: it cannot be started.
        """
        mark = os.urandom(16).hex()
        logger.debug("%s, in %s", " ".join(map(without_secrets, command.argv)), command.cwd)
        popen = subprocess.Popen(
            command.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=command.cwd,
            env={**command.env, MARK: mark},
            start_new_session=True,
        )
        birth = created(popen.pid) or 0.0
        try:
            self._watchdog.add(popen.pid, birth, mark)
            stdout, said, in_time = _follow(popen, time.monotonic() + self.seconds)
        finally:
            # Its group before its status is taken: until then the pid can be nobody else's.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(popen.pid, signal.SIGKILL)
            code = popen.wait()
            for stream in (popen.stdout, popen.stderr):
                assert stream is not None
                stream.close()
            end_session(popen.pid, birth, [], mark=mark)
            self._watchdog.remove(popen.pid)
        return Ended(code if in_time else None, stdout.tail(1_000_000), said.tail())


def _follow(popen: subprocess.Popen[bytes], deadline: float) -> tuple[Ring, Ring, bool]:
    """Read until the program ends, or until the deadline; a child of it that holds a pipe is not waited for."""
    stdout, said = Ring(_HELD), Ring()
    assert popen.stdout is not None
    assert popen.stderr is not None
    with ExitStack() as ending, selectors.DefaultSelector() as selector:
        exit_ = exit_descriptor(popen.pid)
        ending.callback(os.close, exit_)
        selector.register(exit_, selectors.EVENT_READ)
        for stream, rings in ((popen.stdout, (stdout, said)), (popen.stderr, (said,))):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream.fileno(), selectors.EVENT_READ, rings)
        while (left := deadline - time.monotonic()) > 0:
            ready = selector.select(left)
            if not _read(selector, [key for key, _ in ready if key.data is not None]) and any(
                key.fd == exit_ for key, _ in ready
            ):
                return stdout, said, True
    return stdout, said, False


def _read(selector: selectors.BaseSelector, ready: list[selectors.SelectorKey]) -> bool:
    """Take what is there; whether there was anything."""
    found = False
    for key in ready:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            continue
        if not data:
            selector.unregister(key.fd)
            continue
        found = True
        for ring in key.data:
            ring.feed(data)
    return found


_NETWORK = frozenset({
    "all_proxy", "http_proxy", "https_proxy", "no_proxy",
    "curl_ca_bundle", "git_ssl_cainfo", "git_ssl_capath", "node_extra_ca_certs", "ssl_cert_dir", "ssl_cert_file",
    "xdg_cache_home", "xdg_config_home", "appdata", "localappdata", "programdata",
})  # fmt: skip


def network_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``parent`` that say how the network is reached, and where programs keep their settings."""
    return {name: value for name, value in parent.items() if name.lower() in _NETWORK}
