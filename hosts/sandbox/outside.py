"""What connects a sandbox with the outside and not with this machine: pasta, or else slirp4netns. It is tried before anything runs by it."""

from __future__ import annotations

import functools
import ipaddress
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ...base.threads import uninterrupted
from ..process_tree.contained_start import Containment
from ..process_tree.group import Leader, ProcessGroup, start
from ..process_tree.tree_kill import end_session
from ..process_tree.watchdog import Watchdog
from .outside_start import ADDRESSES, own_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = ("pasta", "slirp4netns")
"""The one that is preferred first."""

INSTALL = "install pasta (apt-get install passt), or slirp4netns"
_ALLOW = (
    "see that this user may open /dev/net/tun and make user namespaces, and that this machine has an IPv4 route; or "
    + INSTALL
)
_SCRIPT = Path(__file__).with_name("outside_start.py")
_SECONDS = 20.0
_RESOLVERS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))
"""What programs go by, and what systemd-resolved goes by where that names itself."""


@frozen
class Connector:
    """The program that connects, as it was tried.

    Attributes:
        kind: one of `KINDS`; empty if there is none.
        path: where it is.
        problem: why it cannot be used, or ``None``.
        remedy: what to do then.
        seconds: what the start of a trivial program took, in a sandbox that it connects.
    """

    kind: str
    path: str = ""
    problem: str | None = None
    remedy: str = ""
    seconds: float = 0.0

    @property
    def words(self) -> tuple[str, ...]:
        """The words before those of the sandbox that is to be connected."""
        return (sys.executable, "-I", "-S", str(_SCRIPT), self.kind, self.path)


def find_connector(trial: tuple[str, ...], seccomp: bytes) -> Connector:
    """The first that works, or the first that does not, with what to do; each is tried once in a process.

    Args:
        trial: a trivial program in a sandbox, as words for bubblewrap, which is the first of them.
        seccomp: the filter of that sandbox.
    """
    failed = None
    for kind in KINDS:
        path = shutil.which(kind)
        if path is None:
            continue
        path = os.path.abspath(path)  # noqa: PTH100 - a link keeps its name: pasta is passt by another one
        tried = _try(Connector(kind, path), Path(path).stat().st_mtime_ns, trial, seccomp)
        if tried.problem is None:
            return tried
        failed = failed or tried
    return failed or Connector("", problem="there is neither pasta nor slirp4netns", remedy=INSTALL)


@functools.lru_cache(maxsize=8)
def _try(connector: Connector, changed: int, trial: tuple[str, ...], seccomp: bytes) -> Connector:
    """Run a trivial program. ``changed`` is when the connector was, so that it is tried anew."""
    del changed
    kind, path = connector.kind, connector.path
    if not sys.executable:
        return Connector(
            kind, path, "this interpreter is a part of another program, and cannot start itself", INSTALL
        )
    began = time.monotonic()
    try:
        code, said = _run((*connector.words, *trial), Containment(seccomp, bwrap=len(connector.words)))
    except (OSError, subprocess.TimeoutExpired) as error:
        code, said = -1, str(error)
    if code == 0:
        return Connector(kind, path, seconds=time.monotonic() - began)
    last = (said.strip().splitlines() or [f"exit code {code}"])[-1]
    return Connector(kind, path, f"{path} does not work here ({last:.200})", _ALLOW)


def _run(words: tuple[str, ...], containment: Containment) -> tuple[int, str]:
    """Run a program to its end, and end what connects it, which does not end by itself."""
    watchdog = Watchdog()
    running: list[Leader] = []

    def begin() -> None:
        leader = start(words, {}, "/", stdin=subprocess.DEVNULL, contained=containment)
        running.append(leader)
        watchdog.add(leader.popen.pid, leader.birth, leader.mark, leader.number)

    def end() -> None:
        while running:
            leader = running[0]
            group = ProcessGroup(leader.popen, contained=True)
            group.end()
            leader.popen.communicate()
            end_session(leader.popen.pid, leader.birth, [], mark=leader.mark, number=leader.number)
            group.close()
            running.clear()
        watchdog.close()

    try:
        uninterrupted(begin)
        popen = running[0].popen
        _, said = popen.communicate(timeout=_SECONDS)
    finally:
        try:
            uninterrupted(end)
        except BaseException:  # an interrupt: raised again
            uninterrupted(end)
            raise
    return popen.returncode, said.decode("utf-8", "replace")


def resolvers() -> Path | None:
    """The file that names a name server of the outside; ``None`` if this machine's programs go by its own alone."""
    try:
        own = own_addresses(Path(ADDRESSES).read_text())
    except OSError:
        return None
    for path in _RESOLVERS:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if any(is_outside(each, own) for each in nameservers(text)):
            return path
    return None


def nameservers(text: str) -> Iterable[str]:
    """The name servers that a ``resolv.conf`` names."""
    for line in text.splitlines():
        match line.split():
            case ["nameserver", address, *_]:
                yield address


def is_outside(address: str, own: Iterable[tuple[str, int]]) -> bool:
    """Whether a text is an IPv4 address that is not this machine's own."""
    try:
        known = ipaddress.IPv4Address(address)
    except ValueError:
        return False
    networks = (ipaddress.IPv4Network(each, strict=False) for each in own)
    return not known.is_loopback and not known.is_unspecified and not any(known in each for each in networks)
