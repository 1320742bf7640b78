"""What an author means by a path to a plugin: its folder, a configuration, or a single module.

| it is | what is run |
|---|---|
| a folder with an `agent.json` | that configuration |
| a folder with a `package.json` or an `agent_plugin.json` | the plugins of that folder |
| a module, such as `tool.mjs` | the tool that it exports |
| any other file | it as a configuration |
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..config.configuration import Configuration, read_configuration
from ..sources.entry import parse_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIGURATION = "agent.json"

_MANIFESTS = {"package.json": "node", "agent_plugin.json": "path"}
_MODULES = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})


class NothingThere(CallboardError):
    """There is nothing that could be run.

    Attributes:
        place: where it was looked for.
    """

    def __init__(self, place: Path, problem: str) -> None:
        super().__init__(f"{place} {problem}")
        self.place = place


def configuration_at(place: Path) -> Configuration:
    """The configuration that a place stands for.

    Raises:
        NothingThere: there is no such file, or the folder has nothing that names plugins.
        ConfigurationError: it cannot be used.
    """
    if not place.exists():
        raise NothingThere(place, "does not exist; 'callboard new' writes a plugin to begin with")
    if place.is_dir():
        return _of_folder(place)
    if place.suffix in _MODULES:
        return _running({"node_tool": {"file": str(place.absolute())}}, place)
    return read_configuration(place)


def _of_folder(folder: Path) -> Configuration:
    if (folder / CONFIGURATION).is_file():
        return read_configuration(folder / CONFIGURATION)
    kinds = [kind for name, kind in _MANIFESTS.items() if (folder / name).is_file()]
    if not kinds:
        names = ", ".join([CONFIGURATION, *_MANIFESTS])
        raise NothingThere(folder, f"has none of {names}; 'callboard new' writes a plugin to begin with")
    return _running(f"{kinds[0]}:{folder.absolute()}", folder)


def _running(source: Any, place: Path) -> Configuration:
    base = place if place.is_dir() else place.parent
    return replace(read_configuration({"plugins": [source]}), base=base.absolute())


def folders_of(configuration: Configuration, place: Path) -> Iterator[Path]:
    """The folders whose files make up what is run at a place; those that are there."""
    found = [place if place.is_dir() else place.parent]
    sources = (parse_entry(entry, configuration.base).source for entry in configuration.plugins)
    found += [folder for source in sources if (folder := source.folder()) is not None]
    absolute = {folder.resolve() for folder in found if folder.is_dir()}
    yield from sorted(folder for folder in absolute if not absolute & set(folder.parents))
