"""Sources of plugins that run in Node: a file, and a package in a folder or a repository. One of a registry is an `NpmSource`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from .git_url import without_secrets
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path


class NodeSource(Source):
    """What those of Node have in common: a host that runs under Node's permission model, if it is asked to."""

    __slots__ = ()

    def strict(self) -> Mapping[str, Any]:
        return {"sandbox": True, "claims": "own"}

    def refused(self) -> Mapping[str, str]:
        return {}

    def inline(self) -> None:
        return None


@frozen
class NodeFileSource(NodeSource):
    """A single JavaScript or TypeScript file.

    Attributes:
        file: the module.
        id: the plugin's name; that of the file, without its suffix, unless it is given.
        export: which export is the tool; the default export if ``None``.
    """

    file: Path
    id: str
    export: str | None = None

    def identity(self) -> str:
        return f"node:{os.path.normpath(self.file)}"

    def folder(self) -> Path:
        return self.file.parent

    def missing(self, _: Collection[str]) -> Iterator[str]:
        if not self.file.is_file():
            yield f"there is no file {self.file}"


@frozen
class NodePackageSource(NodeSource):
    """A directory with a ``package.json`` that lists tools."""

    directory: Path

    def identity(self) -> str:
        return f"node:{os.path.normpath(self.directory)}"

    def folder(self) -> Path:
        return self.directory

    def missing(self, _: Collection[str]) -> Iterator[str]:
        if not self.directory.is_dir():
            yield f"there is no folder {self.directory}"
            return
        from .node_manifest import read_node_package  # noqa: PLC0415 - only `check` asks what is missing

        try:
            package = read_node_package(self.directory)
        except PluginLoadError as error:
            yield str(error)
            return
        if package.builds:  # it makes what is missing
            return
        for tool in package.missing_entries():
            try:
                package.require_entry(tool)
            except PluginLoadError as error:
                yield str(error)


@frozen
class NodeGitSource(NodeSource):
    """A repository that holds a Node package.

    Attributes:
        url: its address, or the absolute path of one on this machine.
        ref: a branch, a tag or a commit; the default branch if ``None``.
        submodules: those of the repository are fetched too.
    """

    url: str
    ref: str | None = None
    submodules: bool = False

    def identity(self) -> str:
        return f"node+git:{without_secrets(self.url)}"

    def folder(self) -> None:
        return None

    def missing(self, _: Collection[str]) -> Iterator[str]:
        yield from ()  # it is fetched
