"""The token of a board over HTTP that nobody was given one for: made once, kept for its user alone, the same over restarts."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import click

from ...base.files.private_files import make_private_folder, open_private, who_may_change
from .stderr_logs import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST: Final = 4096
"""Characters of a token."""

_BYTES: Final = 32
_NEVER_A_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOR_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class BadToken(click.ClickException):
    """A token cannot be read, or not be kept: what to do about it."""

    exit_code: ClassVar[int] = click.UsageError.exit_code


def token_file(config: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The usual file of a configuration: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    return states / "callboard" / "tokens" / file_name(config.stem, str(config.absolute()))


def kept_token(file: Path) -> str:
    """The token in a file of this user's alone, which is made if it is not there. Any number of processes may do so at once.

    Raises:
        BadToken: there can be no such file, or others can read the one that is there.
    """
    try:
        make_private_folder(file.parent)
        if (who := who_may_change(file.parent)) is not None:
            raise BadToken(f"the token in {file} cannot be relied on: its folder {who}; make it yours alone")
        if not os.path.lexists(file):
            _make(file)
        return _read(file)
    except OSError as error:
        raise BadToken(
            f"no token can be kept in {file}: {error.strerror or error}; make it writable, "
            "name a file that holds a token with --token-file, or say --no-token"
        ) from error


def _make(file: Path) -> None:
    """Make it whole or not at all: it gets its name once its content is on the disk."""
    making = file.with_name(f".{secrets.token_hex(8)}")
    try:
        with open(making, "xb", opener=open_private) as out:
            out.write(secrets.token_urlsafe(_BYTES).encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):  # of two processes the first one's stays: a renaming would replace it
            os.link(making, file)
    finally:
        making.unlink(missing_ok=True)


def _read(file: Path) -> str:
    with open(file, "rb", opener=_open_here) as opened:
        facts = os.fstat(opened.fileno())
        if sys.platform != "win32" and (facts.st_uid != os.geteuid() or facts.st_mode & _FOR_OTHERS):
            raise BadToken(
                f"others can read the token in {file}; remove the file, and another token is made at the next start"
            )
        token = plain_token(opened.read(MOST + 1))
    if token is None:
        raise BadToken(f"{file} holds no token; remove the file, and one is made at the next start")
    return token


def _open_here(path: str, flags: int) -> int:
    return os.open(path, flags | _NEVER_A_LINK)


def plain_token(content: bytes) -> str | None:
    """The token that is a file's content: 1 to `MOST` printable characters of ASCII, without spaces; else ``None``."""
    said = content.strip()
    fits = 0 < len(said) <= MOST and said.isascii() and b" " not in said
    return said.decode() if fits and said.decode().isprintable() else None
