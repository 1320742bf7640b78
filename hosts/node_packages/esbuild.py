"""esbuild, fetched from the registry once, into the cache: for TypeScript, and for builds that call it and do not bring it.

Nobody has asked for it by name, so what is fetched has to be what we know: npm holds each archive to the hash that the
registry says, and that is held to ours. Nothing of it has been run by then.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.foreign import Log
from ...base.frozen import frozen
from ...base.json import load_json
from ..packages.cache import key_of
from ..packages.package_errors import PackageError
from .npm import Npm

if TYPE_CHECKING:
    from ..packages.cache import Entry, PackageCache
    from ..packages.command_runner import CommandRunner

logger: Log = Log("callboard.packages")

VERSION = "0.28.2"
"""The version that is fetched; part of what is made with it depends on it."""

INTEGRITY = Path(__file__).with_name("esbuild_integrity.json")
"""The hashes of that version, of its program for each system too, as npm's registry says them."""

_LIBRARY = Path("node_modules") / "esbuild" / "lib" / "main.js"


@frozen
class Esbuild:
    """esbuild in the cache, which stays there while this object lives.

    Attributes:
        entry: the cache's.
    """

    entry: Entry

    @property
    def package(self) -> Path:
        """Its module."""
        return self.entry.tree / _LIBRARY

    @property
    def programs(self) -> Path:
        """The folder that its program is in."""
        return self.entry.tree / "node_modules" / ".bin"


def get_esbuild(
    cache: PackageCache, command_runner: CommandRunner, node: str, *, user: str, refusal: str | None
) -> Esbuild:
    """esbuild, fetched if the cache does not have it.

    Args:
        cache: where it is kept.
        command_runner: where npm is run for it.
        node: the Node to run npm on.
        user: what needs it, for errors.
        refusal: why it must not be fetched, and what to do; it may if ``None``.

    Raises:
        PackageError: it cannot be fetched, or must not be.
    """

    def work(tree: Path) -> dict[str, Any]:
        if refusal is not None:
            raise PackageError(refusal, plugin=user)
        logger.info("esbuild %s: npm install", VERSION)
        Npm(node, command_runner, user).add(tree, f"esbuild@{VERSION}")
        _require_known(tree, user)
        return {"name": "esbuild", "version": VERSION}

    key = key_of("esbuild", VERSION, platform.system(), platform.machine())
    found = cache.find("tools", key)
    if found is None or not _is_whole(found):
        found = cache.make("tools", key, work, _is_whole)
    return Esbuild(found)


def _require_known(tree: Path, user: str) -> None:
    """Hold what npm has installed to `INTEGRITY`."""
    known = load_json(INTEGRITY.read_bytes())
    try:
        installed = load_json((tree / "node_modules" / ".package-lock.json").read_bytes())["packages"]
        found = {
            path.removeprefix("node_modules/"): each.get("integrity") for path, each in installed.items()
        }
    except (OSError, JsonValueError, AttributeError, KeyError, TypeError):
        found = {}
    strange = [name for name, integrity in found.items() if integrity is None or known.get(name) != integrity]
    if strange or "esbuild" not in found:
        raise PackageError(
            f"esbuild {VERSION}, which {user} needs, is not what it should be: the hash of {', '.join(strange) or 'esbuild'} is another than "
            "Callboard knows; see what your registry serves, or install an esbuild that you trust on the PATH or in the package",
            plugin=user,
        )


def _is_whole(entry: Entry) -> bool:
    return (entry.tree / _LIBRARY).is_file()
