"""Requirements of Python packages: which concern this Python, which of them are met, which have to be built. Pure.

It leans on ``packaging``, whose import takes longer than all else that is done for most plugins: import it where a package
does have requirements.

Callboard itself is no requirement: what runs a plugin is the Callboard that loads it, in whatever environment.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from packaging.markers import InvalidMarker, Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from .requirement_lines import hashes, line_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

OURSELVES = "callboard"

_ARCHIVE = re.compile(r"\.(whl|zip|tar\.gz|tgz|tar\.bz2|tar\.xz)$")


class Installed(NamedTuple):
    """A distribution that is there.

    Attributes:
        version: its version.
        requires: what it requires itself.
        address: where it was installed from, if it was named by an address.
    """

    version: str
    requires: tuple[str, ...]
    address: str | None


@frozen
class Needed:
    """One requirement.

    Attributes:
        text: as pip is told it: said anew from what was read, so that nothing is in it that was not looked at.
        requirement: what it says, or ``None`` for an address without a name.
        address: where it is to be had, if it says so.
    """

    text: str
    requirement: Requirement | None
    address: str | None

    def __str__(self) -> str:
        return hashes(self.text)[0]

    @property
    def file(self) -> Path | None:
        """What it names on this machine, if it does."""
        if self.address is None:
            return None
        parts = urlsplit(self.address)
        if parts.scheme not in ("file", ""):
            return None
        return Path(unquote(parts.path))

    @property
    def has_to_be_built(self) -> bool:
        """Whether code of it is run to install it, whatever pip is told: all addresses but those of wheels."""
        return self.address is not None and not urlsplit(self.address).path.endswith(".whl")


def read_requirements(texts: Iterable[str], directory: Path) -> tuple[Needed, ...]:
    """Read requirements, and leave out those that do not concern this Python.

    Args:
        texts: as they stand in a file.
        directory: what paths in them are relative to.

    Raises:
        PluginLoadError: one is none.
    """
    return tuple(found for text in texts if (found := _read(text, directory)) is not None)


def unmet(needed: Iterable[Needed], installed: Callable[[str], Installed | None]) -> tuple[str, ...]:
    """The requirements that what is installed does not meet; of what they require in turn, only that of their extras."""
    return tuple(str(each) for each in needed if not _is_met(each, installed))


def python_problem(wanted: str | None, version: str) -> str | None:
    """Why a package that runs on the versions ``wanted`` does not run on Python ``version``; ``None`` if it does."""
    if wanted is None:
        return None
    try:
        fits = SpecifierSet(wanted).contains(version, prereleases=True)
    except InvalidSpecifier:
        return f"has {wanted!r} as requires-python, which says no versions; correct it"
    return None if fits else f"needs Python {wanted}, and this is {version}; run Callboard on another"


def _read(text: str, directory: Path) -> Needed | None:
    problem = line_problem(text)
    if problem is not None:
        raise PluginLoadError(f"{directory} {problem}", plugin=str(directory))
    said, kept = hashes(text)
    try:
        if _ARCHIVE.search(said) and not re.search(r"[@\s]|://", said):
            return _by_address(said, kept, directory, None)  # pip, too, takes what looks like a file for one
        requirement = Requirement(said)
    except InvalidRequirement as error:
        return _by_address(said, kept, directory, error)
    if canonicalize_name(requirement.name) == OURSELVES:
        return None
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return None
    return Needed(" ".join([str(requirement), *kept]), requirement, requirement.url)


def _by_address(
    said: str, kept: tuple[str, ...], directory: Path, error: InvalidRequirement | None
) -> Needed | None:
    """A requirement that has no name: a URL, or a path."""
    where, *rest = re.split(r"\s*;\s", said, maxsplit=1)
    try:
        markers = [Marker(each) for each in rest]
    except InvalidMarker as wrong:
        raise _unread(said, directory, wrong) from wrong
    if not all(marker.evaluate({"extra": ""}) for marker in markers):
        return None
    if re.search(r"\s", where):
        raise _unread(said, directory, error)
    if "://" not in where:
        if not (where.startswith((".", "/", "~")) or _ARCHIVE.search(where)):
            raise _unread(said, directory, error)
        where = str((directory / where).absolute())
    return Needed(" ".join([where, *kept]), None, where)


def _unread(said: str, directory: Path, error: Exception | None) -> PluginLoadError:
    why = str(error or "a space in an address").splitlines()[0]
    return PluginLoadError(
        f"the requirement {said!r:.200} of {directory} cannot be read ({why}); correct it",
        plugin=str(directory),
    )


def _is_met(each: Needed, installed: Callable[[str], Installed | None]) -> bool:
    if each.requirement is None:
        return False  # what it is called is known to pip alone
    return _meets(each.requirement, installed, frozenset())


def _meets(wanted: Requirement, installed: Callable[[str], Installed | None], above: frozenset[str]) -> bool:
    name = canonicalize_name(wanted.name)
    found = installed(name)
    if found is None or not wanted.specifier.contains(found.version, prereleases=True):
        return False
    if wanted.url is not None and wanted.url != found.address:
        return False
    if not wanted.extras or name in above:
        return True
    of_extras = (
        requirement
        for requirement in map(Requirement, found.requires)
        if (marker := requirement.marker) is not None
        and not marker.evaluate({"extra": ""})
        and any(marker.evaluate({"extra": extra}) for extra in wanted.extras)
    )
    return all(_meets(each, installed, above | {name}) for each in of_extras)
