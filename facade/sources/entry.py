"""One plugin entry of a configuration: the source and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..base.errors import PluginLoadError
from ..base.frozen import frozen
from ..plugins.sources.options import PluginOptions, parse_options
from .kinds import SOURCE_KEYS, PluginSource, parse_source, spelled

if TYPE_CHECKING:
    from pathlib import Path


@frozen
class PluginEntry:
    """A plugin source with its options.

    Attributes:
        source: where it comes from.
        options: how it is run.
        hidden: what was filled in for placeholders; nobody is to read it in a report.
    """

    source: PluginSource
    options: PluginOptions
    hidden: tuple[str, ...] = ()


class FileEntry(dict[str, Any]):
    """An entry of a file that its user wrote: the placeholders in its `config` and `env` are filled when it is read.

    Args:
        entry: as it stands there.
        environment: the variables that may be filled in.
    """

    def __init__(self, entry: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        super().__init__(entry)
        self.environment = environment


def parse_entry(entry: Any, base: Path) -> PluginEntry:
    """Read one item of the configuration's ``plugins``.

    Args:
        entry: a spelling of a plugin source, or a mapping of a source key and options.
        base: what relative paths are relative to.

    Raises:
        PluginLoadError: the source is none, an option is not known (names the nearest), or is of the wrong kind; a
            placeholder cannot be filled.
    """
    if isinstance(entry, str):
        return PluginEntry(parse_source(entry, base), PluginOptions())
    if not isinstance(entry, Mapping):
        raise PluginLoadError(
            f"the plugin entry {spelled(entry)} is neither a text nor a mapping", plugin=spelled(entry)
        )
    if not isinstance(entry, dict):
        entry = dict(entry)
    source = parse_source(entry, base)
    rest = {key: value for key, value in entry.items() if key not in SOURCE_KEYS}
    hidden: tuple[str, ...] = ()
    if isinstance(entry, FileEntry):
        filled, hidden = _filled(entry)
        rest |= filled
    options = parse_options(rest, plugin=spelled(entry), also=SOURCE_KEYS, written=entry)
    return PluginEntry(source, options, hidden)


def _filled(entry: FileEntry) -> tuple[dict[str, Any], tuple[str, ...]]:
    from ..plugins.placeholders import Unfilled, fill_all  # noqa: PLC0415 - only a file has placeholders

    plugin = spelled(entry)
    try:
        given = {key: entry[key] for key in ("config", "env") if key in entry}
        filled, hidden = fill_all(given, entry.environment)
        return filled, tuple(hidden)
    except Unfilled as error:
        raise PluginLoadError(f"plugin {plugin}: its {error.path[1:]} {error}", plugin=plugin) from None
