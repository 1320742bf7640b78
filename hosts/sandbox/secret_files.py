"""Secrets that are given to one plugin: as files that live as long as its process, and no variables.

A variable is inherited by all that a tool starts, stands in crash dumps, and is read by any other tool of the same user in
``/proc``. A file is read by who is told of it; in a sandbox of the system's only its own plugin sees it. The form is that of
Docker and Kubernetes: ``TOKEN_FILE`` says where the file ``TOKEN`` is.

They lie in memory where the system has a place for that. Of a program that was killed what it left is removed by the
next one that gives a secret.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import HostStartError
from ..process_tree.tree_kill import created
from .bwrap import SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .confinement import Secret

MOST_BYTES = 1 << 20
"""Bytes of the largest secret."""

_PREFIX = "callboard-secrets-"


class SecretFolder:
    """A private folder with the secrets of one process; gone with `remove`, with this object, or with this program.

    Attributes:
        folder: where it is.
        values: what is in it, as texts.
        names: the names of the files.
    """

    def __init__(self, secrets: Mapping[str, Secret], host: str) -> None:
        """Read the secrets, and write them.

        Raises:
            HostStartError: one is not there or too large, permanent; or the folder cannot be made.
        """
        contents = {name: _content(name, secret, host) for name, secret in secrets.items()}
        self.names: tuple[str, ...] = tuple(contents)
        self.values: tuple[str, ...] = tuple(
            dict.fromkeys(text for data in contents.values() for text in _texts(data))
        )
        try:
            self.folder: Path = _make()
            self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
            for name, data in contents.items():
                _write(self.folder / name, data)
        except OSError as error:
            raise HostStartError(
                f"cannot start host {host!r}: its secrets cannot be written ({error.strerror}: {error.filename})",
                host=host,
                permanent=False,
            ) from error

    def remove(self) -> None:
        """Remove them, if they are there."""
        self._remove()

    def environment(self, *, contained: bool) -> dict[str, str]:
        """The variables that say where the secrets are."""
        place = str(SECRETS) if contained else str(self.folder)
        return {f"{name}_FILE": f"{place}/{name}" for name in self.names}


def _content(name: str, secret: Secret, host: str) -> bytes:
    try:
        if secret.env is not None:
            data = os.fsencode(os.environ[secret.env])
        else:
            assert secret.file is not None
            with secret.file.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
    except KeyError:
        problem = f"the variable {secret.env} is not set; set it, or correct its name in 'secrets'"
    except OSError as error:
        problem = f"{secret.file} cannot be read ({error.strerror}); correct its path in 'secrets', or make it readable"
    else:
        if len(data) <= MOST_BYTES:
            return data
        problem = f"it has more than {MOST_BYTES:,} bytes; give a smaller one"
    raise HostStartError(
        f"cannot start host {host!r}: its secret {name!r}: {problem}", host=host, permanent=True
    )


def _texts(data: bytes) -> Iterator[str]:
    """What is to be hidden where it is said: all of it, and each line that is long enough to be nothing else."""
    whole = data.decode("utf-8", "replace").strip()
    if whole:
        yield whole
    yield from (line for each in whole.splitlines() if len(line := each.strip()) >= _A_LINE)


_A_LINE = 8


def _write(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as open_file:
        open_file.write(data)


def _make() -> Path:
    base = _base()
    _remove_left(base)
    own = f"{_namespace()}-{os.getpid()}-{created(os.getpid()) or 0:.0f}-"
    return Path(tempfile.mkdtemp(prefix=_PREFIX + own, dir=base))


def _base() -> Path:
    for place in (os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm"):  # noqa: S108 - a private folder is made in it
        if place and os.access(place, os.W_OK | os.X_OK) and Path(place).is_dir():
            return Path(place)
    return Path(tempfile.gettempdir())


def _remove_left(base: Path) -> None:
    """Remove what a program of this user has left that was killed; of another container's nothing can be said."""
    for found in base.glob(f"{_PREFIX}{_namespace()}-*"):
        with suppress(OSError, ValueError):  # it is being removed by another; or no name of ours
            pid, birth = map(int, found.name.removeprefix(_PREFIX).split("-")[1:3])
            if _is_ours(found) and f"{created(pid) or -1:.0f}" != str(birth):
                shutil.rmtree(found, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    if sys.platform == "win32":  # what is there is in a folder of its user's own
        return True
    else:  # noqa: RET505 - so that the type checker follows
        return folder.stat().st_uid == os.getuid()


def _namespace() -> str:
    try:
        return re.sub(r"\D", "", os.readlink("/proc/self/ns/pid")) or "0"  # noqa: PTH115 - no file, and no path
    except OSError:
        return "0"
