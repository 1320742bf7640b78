"""A package of an npm registry as a plugin source: its name, its version, and the hash that it is held to.

npm reads what is behind a name in many ways: a range, an address, a folder, another package under this name. Only a whole
version and a tag are taken here, so that a package comes from the registry alone, and what was agreed to has one meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .node_source import NodeSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

LATEST = "latest"
"""The tag of who names no version."""

MOST_OF_A_NAME = 214
"""Letters of a package's name, as npm's registry bounds it."""

_NAME = re.compile(r"(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*")
_NO_NAMES = frozenset({"node_modules", "favicon.ico"})
_NUMBER = r"(?:0|[1-9]\d{0,14})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?", re.ASCII)
_TAG = re.compile(r"(?![vVxX](?:\d|\.|$))[A-Za-z][A-Za-z0-9._-]{0,99}", re.ASCII)
_INTEGRITY = re.compile(r"sha512-[A-Za-z0-9+/]{86}==")


@frozen
class NpmSource(NodeSource):
    """A package that a registry of npm's has.

    Attributes:
        name: the package's, with its scope.
        version: a whole version, which never comes to mean another, or a tag.
        integrity: the SHA-512 of its archive, as lock files have it; what the registry says if ``None``.
    """

    name: str
    version: str = LATEST
    integrity: str | None = None

    def identity(self) -> str:
        return f"npm:{self.name}"

    def folder(self) -> None:
        return None

    def missing(self, _: Collection[str]) -> Iterator[str]:
        yield from ()  # it is fetched

    @property
    def spec(self) -> str:
        """How npm calls it."""
        return f"{self.name}@{self.version}"

    @property
    def fixed(self) -> bool:
        """Whether its version never comes to mean another."""
        return is_version(self.version)


@frozen
class Release:
    """One version of a package.

    Attributes:
        version: the whole of it.
        integrity: the SHA-512 of its archive.
    """

    version: str
    integrity: str


def is_version(text: str) -> bool:
    """Whether it is a whole version."""
    return len(text) <= MOST_OF_A_NAME and _VERSION.fullmatch(text) is not None


def is_integrity(text: str) -> bool:
    """Whether it is a SHA-512 as lock files have it."""
    return _INTEGRITY.fullmatch(text) is not None


def read_npm_source(text: str, integrity: str | None = None) -> NpmSource:
    """Read ``NAME``, ``NAME@VERSION`` or ``NAME@TAG``.

    Raises:
        ValueError: it is none; says what is wrong, to be put behind the source.
    """
    at = text.find("@", 1)
    name, version = (text, None) if at < 0 else (text[:at], text[at + 1 :])
    if len(name) > MOST_OF_A_NAME or _NAME.fullmatch(name) is None or name.lower() in _NO_NAMES:
        raise ValueError(
            f"has {name!r:.100}, which names no package; write '@scope/name@1.2.3' or 'name@1.2.3'"
        )
    if version is not None and not (is_version(version) or _TAG.fullmatch(version)):
        raise ValueError(
            f"has {version!r:.100} as version; it has to be a whole version such as '1.2.3', or a tag, and no range"
        )
    source = NpmSource(name, version or LATEST, integrity)
    if integrity is not None and not is_integrity(integrity):
        raise ValueError(
            f"has {integrity!r:.120} as 'integrity'; it has to be a SHA-512 as lock files have it: 'sha512-' and 88 letters"
        )
    if integrity is not None and not source.fixed:
        raise ValueError(f"has an 'integrity' without a whole version: write {f'{name}@1.2.3'!r}")
    return source
