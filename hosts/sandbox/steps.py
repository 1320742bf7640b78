"""Puts a step of an installation or a build into a sandbox: what it reads, what it makes, and whose settings it goes by."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ..errors import HostStartError
from .bwrap import View
from .containment import existing, find_bubblewrap, installations, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..process.process import Command
    from .bwrap import Network, SystemSandbox

ROOM = 2 << 30
"""Bytes that a step may write into its own /tmp and its own home: caches of npm and pip are among them."""


@frozen
class Access:
    """What a step needs.

    Attributes:
        write: what it makes, and works on.
        read: what else it reads.
        programs: programs whose installations it needs, beside the one that is run.
        network: the network that it needs, whatever the plugin may have.
        settings: files of its user's own, which may have a login in them; those that are not there are passed over.
        nests: it puts what it starts into sandboxes of their own.
    """

    write: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    programs: tuple[str, ...] = ()
    network: Network = False
    settings: tuple[Path, ...] = ()
    nests: bool = False


def contain_step(command: Command, access: Access, sandbox: SystemSandbox) -> Command:
    """A step in a sandbox that has what it needs and nothing else.

    Args:
        command: the step, by an absolute path.
        access: what it needs.
        sandbox: what its plugin may use.

    Raises:
        HostStartError: there is no bubblewrap that works, no filter of system calls, or nothing that connects it. Permanent.
    """
    found = find_bubblewrap()
    if found.path is None or found.problem is not None:
        problem = f"the sandbox 'bwrap' is not available: {found.problem}; {found.remedy}"
        raise HostStartError(f"nothing can be installed or built: {problem}", host="bwrap", permanent=True)
    home = command.env.get("HOME")
    programs = (command.argv[0], *access.programs, *((found.path,) if access.nests else ()))
    read = (*access.read, *access.settings, *certificates(command.env), *installations(programs, home))
    view = existing(
        View(
            read=read,
            write=access.write,
            network=access.network or sandbox.network,
            home=home,
            folder=command.cwd or "/",
            nests=access.nests,
            room=ROOM,
        )
    )
    return put_into(found.path, view, command, sandbox, "bwrap")


def certificates(env: Mapping[str, str]) -> Iterator[Path]:
    """The files by which a network is believed, as variables name them."""
    for name, value in env.items():
        if name.upper() in _CERTIFICATES and os.path.isabs(value):  # noqa: PTH117 - a text of the user's
            yield Path(value)


_CERTIFICATES = frozenset({
    "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "SSL_CERT_DIR", "SSL_CERT_FILE",
})  # fmt: skip


def nested_words(settings: tuple[Path, ...], *, network: bool) -> tuple[str, ...]:
    """The words that start, inside of such a sandbox, what is not to see the settings there.

    It has users and files of its own, and that is enough: from among other users the kernel lets nobody look into a process,
    neither at its environment nor at its files. A further /proc could not be mounted over one of which a part is hidden.
    """
    words = [find_bubblewrap().path or "bwrap", "--unshare-user", "--cap-drop", "ALL", "--dev-bind", "/", "/"]
    words += [] if network else ["--unshare-net"]
    for path in settings:
        if path.is_file():
            words += ["--ro-bind", "/dev/null", str(path)]
    return (*words, "--")
