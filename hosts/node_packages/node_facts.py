"""What is known of a package on disk, before anything is done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plugins.sources.node_plan import Output, PackageFacts
from ..packages.file_tree import own_files
from .typescript import is_typescript

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.sources.node_manifest import NodePackage

LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
"""The files that ``npm ci`` reads."""
_SLACK = 2.0
"""Seconds by which a source has to be younger: what is unpacked or checked out at once has no order that means anything."""


def read_facts(package: NodePackage, *, dated: bool) -> PackageFacts:
    """Look at a package.

    Args:
        package: as its manifest says.
        dated: the times of its files mean something, as those of a fresh check-out do not.

    Raises:
        PackageError, OSError: its files cannot be looked at; see `own_files`.
    """
    directory = package.directory
    return PackageFacts(
        output=_output(package, dated=dated),
        builds=package.builds,
        locked=any((directory / name).is_file() for name in LOCKS),
        has_dependencies=package.has_dependencies,
        unmet=tuple(name for name in package.dependencies if not _is_met(directory, name, above=dated)),
        outside=package.outside,
    )


def _output(package: NodePackage, *, dated: bool) -> Output:
    if package.missing_entries():
        return Output.MISSING
    root = package.directory.resolve()
    made = [tool.entry for tool in package.tools if _is_made(tool.entry, root)]
    if not (made and dated and package.builds):
        return Output.READY
    oldest = min(entry.stat().st_mtime for entry in made)
    outputs = {entry.relative_to(root).parts[0] for entry in made}
    newest = max(
        (
            file.modified
            for file in own_files(root)
            if file.name.partition("/")[0] not in outputs
            if not (file.name.startswith(".") or file.name.endswith(".md"))
        ),
        default=0.0,
    )
    return Output.OLDER if newest > oldest + _SLACK else Output.READY


def _is_made(entry: Path, root: Path) -> bool:
    """Whether a build makes it, as far as can be told: it is no TypeScript, and does not lie among the sources."""
    return not is_typescript(entry) and entry.relative_to(root).parts[0] != "src"


def _is_met(directory: Path, name: str, *, above: bool) -> bool:
    """Whether Node finds the package from there; in a check-out only what is in it counts."""
    root = directory.resolve()
    folders = (root, *root.parents) if above else (root,)
    return any((folder / "node_modules" / name / "package.json").is_file() for folder in folders)
