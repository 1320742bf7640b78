"""Virtual environments for Python packages, in the cache: found by what is in them, made once.

An environment is made under one name and comes to its place by a rename. Its Python is found by where it lies, so that it
does not mind; the programs that pip has put beside it name the old place, and are corrected before.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import time
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.frozen import frozen
from ..packages.cache import key_of
from ..packages.package_errors import PackageError
from .pip import Pip, interpreter, programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ...plugins.requirements.python_requirements import PythonNeeds
    from ...plugins.requirements.requirements import Needed
    from ..packages.cache import Entry, PackageCache
    from ..packages.command_runner import CommandRunner

logger: Log = Log("callboard.packages")


@frozen
class Environment:
    """A virtual environment that stays where it is while this object lives.

    Attributes:
        folder: where it is.
        entry: the cache's.
    """

    folder: Path
    entry: Entry

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return interpreter(self.folder)

    @property
    def programs(self) -> Path:
        """The folder of its programs."""
        return programs(self.folder)


def make_environment(
    needs: PythonNeeds,
    needed: tuple[Needed, ...],
    bounds: tuple[Needed, ...],
    files: Sequence[str],
    *,
    why: str | None,
    builds: bool,
    cache: PackageCache,
    command_runner: CommandRunner,
) -> Environment:
    """The environment in which a package has what it needs; made if the cache does not have it.

    Args:
        needs: what the package says.
        needed: its requirements, those that concern this Python.
        bounds: what bounds their versions.
        files: see `named_files`.
        why: what its user should be told when it is made, as a clause.
        builds: packages may be built.
        cache: where it is made.
        command_runner: where programs are run for it.

    Raises:
        PackageError: it cannot be made.
    """
    told, bound = ([each.text for each in some] for some in (needed, bounds))
    apart = [] if command_runner.sandbox is None else [repr(command_runner.sandbox)]
    key = key_of(*told, "", *bound, "", *files, str(builds), *_this_python(), *apart)
    local = tuple(each.file for each in (*needed, *bounds) if each.file)
    making = _Making(
        needs, told, bound, why, builds, cache.place("environments", key) / "tree", command_runner, local
    )
    found = cache.find("environments", key)
    if found is None or not _is_whole(found):
        found = cache.make("environments", key, making.work, _is_whole)
    return Environment(found.tree, found)


def named_files(needs: PythonNeeds, named: Iterable[Needed]) -> list[str]:
    """The files on this machine that are named, each with its digest. Raises `PackageError`: one cannot be read."""
    try:
        return [f"{each.file} {_digest(each.file)}" for each in named if each.file]
    except OSError as error:
        raise PackageError(
            f"{needs.directory} needs {error.filename}, which cannot be read ({error.strerror}); correct its path",
            plugin=str(needs.directory),
        ) from error


def _this_python() -> tuple[str, ...]:
    """What an environment is bound to: it is made of links to this Python."""
    tag = sys.implementation.cache_tag or platform.python_implementation()
    return tag, os.path.realpath(sys.base_prefix), platform.system(), platform.machine()


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@frozen
class _Making:
    needs: PythonNeeds
    told: list[str]
    bound: list[str]
    why: str | None
    builds: bool
    place: Path
    command_runner: CommandRunner
    files: tuple[Path, ...]

    def work(self, tree: Path) -> dict[str, Any]:
        name, source = self.needs.name, str(self.needs.directory)
        began = time.monotonic()
        requirements = _write(tree / "requirements.txt", self.told)
        constraints = _write(tree / "constraints.txt", self.bound) if self.bound else None
        if self.why is not None:
            logger.info("%s: %s", name, self.why)
        pip = Pip(self.command_runner, source, builds=self.builds)
        logger.info("%s: making a virtual environment", name)
        pip.make(tree)
        logger.info("%s: pip install", name)
        pip.install(tree, requirements, constraints, self.files)
        _correct_programs(programs(tree), str(tree), str(self.place))
        logger.info("%s: ready after %.1f s", name, time.monotonic() - began)
        version = platform.python_version()
        return {"name": name, "version": f"Python {version}", "source": source, "installed": _installed(tree)}


def _write(file: Path, lines: Iterable[str]) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def _correct_programs(folder: Path, made: str, place: str) -> None:
    """Have the scripts beside the interpreter name the place that they will be in."""
    for file in folder.iterdir():
        if file.is_symlink() or not file.is_file():
            continue
        content = file.read_bytes()
        if os.fsencode(made) in content and b"\0" not in content:
            file.write_bytes(content.replace(os.fsencode(made), os.fsencode(place)))


def _installed(environment: Path) -> list[str]:
    return sorted(
        str(path.relative_to(environment)) for path in environment.glob("[Ll]ib/**/site-packages/*.dist-info")
    )


def _is_whole(entry: Entry) -> bool:
    """Whether nobody has taken anything away that would be missed at once: the Python it links to, above all."""
    installed = entry.record.get("installed", [])
    return interpreter(entry.tree).exists() and all((entry.tree / each).is_dir() for each in installed)
