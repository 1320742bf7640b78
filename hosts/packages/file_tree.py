"""A package's own files: what is in them, as one word, and a copy of them.

Its own are all but what others put there: installed packages, the records of version control, and caches, by the tag that
caches bear; ours may lie in a package. Settings for npm are no part of it either: see `npm`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .package_errors import PackageError

if TYPE_CHECKING:
    from collections.abc import Iterator

FOREIGN = frozenset({"node_modules", ".git", ".hg", ".svn", "__pycache__", ".DS_Store"})
"""Names that are no part of a package, wherever in it they stand."""

NPM_SETTINGS = ".npmrc"
"""The file by which a package would tell npm what to do, anywhere in it; some systems do not tell capitals from others."""

CACHE_TAG = "CACHEDIR.TAG"
"""The file by which a folder is known as a cache."""

MOST_FILES = 20_000
MOST_BYTES = 512 * 1024 * 1024
"""A package that is larger is no package, but a folder that holds everything its owner has."""

MOST_INSTALLED = 500_000
"""Files with all that is installed, where links are looked for."""


@frozen
class OwnFile:
    """One file of a package.

    Attributes:
        path: absolute.
        name: relative to the package, with slashes.
        is_link: it is a symbolic link, which is kept as such.
        executable: its owner may run it.
        size: in bytes.
        modified: seconds since the epoch.
    """

    path: Path
    name: str
    is_link: bool
    executable: bool
    size: int
    modified: float


def own_files(directory: Path) -> Iterator[OwnFile]:
    """The files of a package, in no order; what is neither file nor link (a pipe, a socket) is passed over.

    Raises:
        PackageError: they are too many or too large.
        OSError: one cannot be looked at.
    """
    files, size = 0, 0
    folders = [directory]
    while folders:
        with os.scandir(folders.pop()) as found:
            for item in found:
                if item.name in FOREIGN or item.name.lower() == NPM_SETTINGS:
                    continue
                if item.is_dir(follow_symlinks=False):
                    if not os.path.lexists(f"{item.path}/{CACHE_TAG}"):
                        folders.append(Path(item.path))
                    continue
                facts = item.stat(follow_symlinks=False)
                if not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
                    continue
                files, size = files + 1, size + facts.st_size
                if files > MOST_FILES or size > MOST_BYTES:
                    raise PackageError(
                        f"{directory} holds more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB beside "
                        "node_modules; name the folder of the package alone",
                        plugin=str(directory),
                    )
                path = Path(item.path)
                yield OwnFile(
                    path,
                    path.relative_to(directory).as_posix(),
                    is_link=stat.S_ISLNK(facts.st_mode),
                    executable=bool(facts.st_mode & stat.S_IXUSR),
                    size=facts.st_size,
                    modified=facts.st_mtime,
                )


def links_out(directory: Path, *, whole: bool) -> Iterator[str]:
    """The symbolic links in a folder that lead out of it, through however many others, by their names in it.

    Args:
        directory: the folder.
        whole: installed packages are looked at too, not only the package's own files.

    Raises:
        PackageError: there are too many files.
        OSError: one cannot be looked at.
    """
    home = os.path.realpath(directory)
    for path in _links(directory) if whole else (file.path for file in own_files(directory) if file.is_link):
        # A target that is not there yet counts too: it may come.
        if path.readlink().is_absolute() or not Path(os.path.realpath(path)).is_relative_to(home):
            yield path.relative_to(directory).as_posix()


def _links(directory: Path) -> Iterator[Path]:
    folders, seen = [directory], 0
    while folders:
        with os.scandir(folders.pop()) as found:
            for item in found:
                seen += 1
                if item.is_symlink():
                    yield Path(item.path)
                if not item.is_dir(follow_symlinks=False):
                    continue
                folders.append(Path(item.path))
        if seen > MOST_INSTALLED:
            raise PackageError(
                f"{directory} holds more than {MOST_INSTALLED:,} files, too many to look for links that lead out of it; "
                "name the folder of the package alone",
                plugin=str(directory),
            )


def refuse_links_out(directory: Path, source: str) -> None:
    """Raise `PackageError` if a link anywhere in a folder leads out of it.

    Args:
        directory: the folder.
        source: what its user knows it by.
    """
    try:
        name = next(links_out(directory, whole=True), None)
    except OSError as error:
        raise PackageError(
            f"{source}: {error.filename or directory} cannot be read ({error.strerror}); make it readable",
            plugin=source,
        ) from error
    if name is not None:
        raise PackageError(
            f"{source}: the link {name!r} leads out of the package, to files that are not its own; put into the package "
            "what it links to",
            plugin=source,
        )


def fingerprint(directory: Path) -> str:
    """One word for the names, contents and kinds of all of a package's files; their times do not count.

    Raises:
        PackageError, OSError: as `own_files`.
    """
    whole = hashlib.sha256()
    for file in sorted(own_files(directory), key=lambda each: each.name):
        kind = b"l" if file.is_link else b"x" if file.executable else b"f"
        whole.update(b"%s %s\0%s\n" % (kind, os.fsencode(file.name), _digest(file)))
    return whole.hexdigest()


def copy_own_files(directory: Path, to: Path) -> None:
    """Copy a package's files, with their times; links are copied as links.

    Raises:
        PackageError, OSError: as `own_files`, or one cannot be copied.
    """
    to.mkdir(parents=True, exist_ok=True)
    for file in own_files(directory):
        target = to / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file.path, target, follow_symlinks=False)


def _digest(file: OwnFile) -> bytes:
    if file.is_link:
        return hashlib.sha256(os.fsencode(file.path.readlink())).digest()
    with file.path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").digest()
