"""What is in the cache, and clearing it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import JsonValueError
from ...base.frozen import frozen
from ...base.json import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .cache import PackageCache


@frozen
class Item:
    """One entry of the cache.

    Attributes:
        kind: one of the store's `KINDS`.
        key: by which it is found.
        place: its folder.
        name: what it is called.
        version: its version or commit, if it has one.
        source: where it came from, if it has one.
        size: in bytes.
        used: when it was last used, in seconds since the epoch.
        in_use: somebody runs from it, or makes it.
    """

    kind: str
    key: str
    place: Path
    name: str
    version: str
    source: str
    size: int
    used: float
    in_use: bool


@frozen
class Cleaned:
    """What was cleared away.

    Attributes:
        removed: how many entries.
        size: their bytes.
        kept: how many were left because they are in use.
    """

    removed: int
    size: int
    kept: int


def items(cache: PackageCache) -> Iterator[Item]:
    """All entries of the cache. Raises `PackageError`: it cannot be written."""
    for kind, key, place in cache.entries():
        record = _record(place)
        version = record.get("version") or record.get("commit", "")[:12]
        yield Item(
            kind,
            key,
            place,
            record.get("name", "?"),
            version,
            record.get("source") or record.get("url", ""),
            _size(place),
            _used(place),
            cache.in_use(key, place),
        )


def clean(cache: PackageCache, *, unused_since: float | None = None) -> Cleaned:
    """Clear away what nobody uses.

    Args:
        cache: which.
        unused_since: only what was not used since then, in seconds since the epoch; all, and what is no entry, if
            ``None``.

    Raises:
        PackageError: the cache cannot be written.
    """
    removed = size = kept = 0
    for kind, key, place in list(cache.entries()):
        del kind
        if unused_since is not None and _used(place) >= unused_since:
            continue
        bytes_ = _size(place)
        if cache.clean(key, place):
            removed, size = removed + 1, size + bytes_
        else:
            kept += 1
    if unused_since is None:
        cache.clean_rest()
    return Cleaned(removed, size, kept)


def _record(place: Path) -> dict[str, str]:
    try:
        record = load_json((place / "record.json").read_bytes())
    except (OSError, JsonValueError):
        return {}
    return {str(key): str(value) for key, value in record.items()} if isinstance(record, dict) else {}


def _used(place: Path) -> float:
    try:
        return (place / "record.json").stat().st_mtime
    except OSError:  # somebody has damaged it: nobody can use it
        return 0.0


def _size(place: Path) -> int:
    return sum(path.lstat().st_size for path in place.rglob("*") if not path.is_dir())
