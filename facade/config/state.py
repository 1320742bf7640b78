"""Where the states of tools are stored: read from the configuration, and opened.

Nothing is stored unless the configuration says where; see `docs/design/state.md`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..actors.state.persister import MAX_STATE_BYTES
from ..actors.state.store import Synchronous
from ..base.foreign import Log
from ..base.frozen import frozen
from ..base.paths import at_home
from .errors import ConfigurationError, refused, require_known

if TYPE_CHECKING:
    from ..actors.state.store import StateStore

logger: Log = Log("callboard.config")

STORES = ("memory", "sqlite")
KEYS = frozenset({"store", "path", "synchronous", "max_state_bytes"})


_INSTEAD = Path(os.sep)
"""Stands for a working directory that has been deleted. Known by its identity: the root may be a folder like any other."""


def working_folder() -> Path:
    """Return the working directory, from which relative paths start; the root, with a warning, if it has been deleted.

    A program may outlive its folder, and only relative paths need it.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        logger.warning("the working directory has been deleted; relative paths start from %s", _INSTEAD)
        return _INSTEAD


def written_at(base: Path, given: str, path: str) -> Path:
    """Where something is written: a path relative to ``base``.

    Args:
        base: the configuration's folder, or what `working_folder` returned.
        given: as it was written.
        path: of the value, for errors.

    Raises:
        ConfigurationError: it is relative to a working directory that has been deleted; it would be written to the root.
    """
    file = at_home(given)
    if base is _INSTEAD and not file.is_absolute():
        raise ConfigurationError(
            f"{path} is {given!r}, relative to the working directory, which has been deleted; "
            "give an absolute path, or start in a folder that is there",
            path=path,
        )
    return base / file


@frozen
class StateSettings:
    """Where the states of tools are stored.

    Attributes:
        store: ``memory``: in the process, and gone with it; ``sqlite``: in a file.
        path: the file.
        synchronous: ``normal`` survives the death of the process, ``full`` a loss of power too.
        max_state_bytes: the largest state of one plugin that is stored, in bytes of JSON.
    """

    store: str = "memory"
    path: Path | None = None
    synchronous: Synchronous = "normal"
    max_state_bytes: int = MAX_STATE_BYTES


def read_state_settings(given: Any, base: Path, path: str = "$.state") -> StateSettings:
    """Read the section, or a file's path alone, which is short for an SQLite store in that file.

    Args:
        given: as it was written.
        base: the folder that a relative path is relative to.
        path: of the section, for errors.

    Raises:
        ConfigurationError: something in it is wrong.
    """
    if isinstance(given, str | os.PathLike):
        given = {"path": os.fspath(given)}
    if not isinstance(given, Mapping):
        raise refused(given, path, "a path or an object")
    require_known(given, KEYS, path=path)
    store = given.get("store", "sqlite" if "path" in given else "memory")
    _require_one_of(store, STORES, f"{path}.store")
    if store == "sqlite" and "path" not in given:
        raise ConfigurationError(f"{path} has no 'path'; an SQLite store needs one", path=path)
    if store == "memory" and "path" in given:
        raise ConfigurationError(f"{path} has a 'path', which a store in memory has no use for", path=path)
    settings = StateSettings(store=store)
    if "path" in given:
        file = given["path"]
        if not isinstance(file, str) or not file:
            raise refused(file, f"{path}.path", "a text")
        settings = replace(settings, path=written_at(base, file, f"{path}.path"))
    if "synchronous" in given:
        _require_one_of(given["synchronous"], get_args(Synchronous), f"{path}.synchronous")
        settings = replace(settings, synchronous=given["synchronous"])
    if "max_state_bytes" in given:
        settings = replace(
            settings, max_state_bytes=_size(given["max_state_bytes"], f"{path}.max_state_bytes")
        )
    return settings


def open_state_store(settings: StateSettings) -> StateStore | None:
    """Open the store; ``None`` if states end with the board.

    Raises:
        StateStoreInUse: another board uses it.
        StateStoreError: it cannot be opened.
    """
    if settings.path is None:
        return None
    from ..actors.state.sqlite import SqliteStore  # noqa: PLC0415 - most programs can do without SQLite

    return SqliteStore(settings.path, synchronous=settings.synchronous)


def _require_one_of(value: Any, known: tuple[str, ...], path: str) -> None:
    if value not in known:
        raise refused(value, path, f"one of: {', '.join(known)}")


def _size(value: Any, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 2:  # noqa: PLR2004 - "{}"
        raise refused(value, path, "a number of bytes, 2 or more")
    return value
