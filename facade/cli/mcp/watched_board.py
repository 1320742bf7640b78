"""A board that follows its configuration's file: entries that changed are loaded anew, the others are not touched."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from ...authoring.dev_server import TappedCallboard
from ...base.errors import CallboardError, PluginError
from ...base.frozen import frozen
from ...base.locks import Lock
from ...config.configuration import read_configuration
from ...config.errors import ConfigurationError
from ...loading.prefetch import spelled_out
from ...reload.file_watcher import SourceWatch
from ...sources.kinds import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ...config.configuration import Configuration

_ENDING = 10.0
"""Seconds for hosts that were removed to end, so that others may have their names."""

_LAST_CHANGE = 1.0
"""Seconds that a change has to notice that the board was stopped."""


@frozen
class EntryChanges:
    """What has to be done that a board runs another configuration.

    Attributes:
        gone: entries to be removed; one that changed is in both.
        come: entries to be loaded.
        sections: keys that changed beside the plugins; they hold for every plugin, so nothing follows them.
    """

    gone: tuple[Any, ...]
    come: tuple[Any, ...]
    sections: tuple[str, ...]


def entry_changes(before: Configuration, after: Configuration) -> EntryChanges:
    """Compare two configurations. Pure, but for packages that are installed where an entry stands for all of them."""
    ran, runs = _by_text(before.plugins), _by_text(after.plugins)
    keys = sorted({*before.written, *after.written} - {"plugins", "$schema"})
    return EntryChanges(
        tuple(entry for text, entry in ran.items() if text not in runs),
        tuple(entry for text, entry in runs.items() if text not in ran),
        tuple(key for key in keys if _text(before.written.get(key)) != _text(after.written.get(key))),
    )


def _by_text(entries: Iterable[Any]) -> dict[str, Any]:
    return {_text(each): each for entry in entries for each in spelled_out(entry)}


def _text(value: Any) -> str:
    """Equal if the JSON is: ``1`` is not ``true``, and the order of keys says nothing."""
    return json.dumps(value, sort_keys=True)


class WatchedBoard(TappedCallboard):
    """Follows a configuration's file from its start to its stop. Else a `TappedCallboard`.

    Args:
        file: the configuration's, or that of an MCP client.
        admit: holds a configuration to what its user has agreed to, or raises.
        tell: told in a sentence what a change has come to.
        options: as of `TappedCallboard`.

    Raises:
        ConfigurationError: as `Callboard`.
    """

    def __init__(
        self,
        file: Path,
        admit: Callable[[Configuration], Configuration],
        tell: Callable[[str], None],
        **options: Any,
    ) -> None:
        super().__init__(file, **options)
        self._file = file
        self._admit = admit
        self._tell = tell
        self._following = Lock()
        places = {file.absolute(), file.resolve()}  # a link may be changed, and what it leads to
        self._watch = SourceWatch({place.parent for place in places}, lambda _: self.follow(), only=places)

    def start(self) -> Self:
        """As `Callboard`; then the file is watched."""
        super().start()
        self._watch.__enter__()
        self.follow()  # what was changed since it was read
        return self

    def stop(self, timeout: float = 10.0) -> None:
        """As `Callboard`; a change that is being followed is not finished."""
        self._watch.end()
        super().stop(timeout)
        self._watch.join(_LAST_CHANGE)

    def follow(self) -> None:
        """Read the file, and load, load anew and remove what has changed in it. Nothing is changed by a file that cannot be used."""
        with self._following:  # across the loading: two changes follow each other
            try:
                self._follow(self._admit(read_configuration(self._file)))
            except CallboardError as error:
                if self._board is not None:  # else it was stopped meanwhile
                    self._tell(f"{self._file} is not followed, and nothing has changed: {error}")

    def _follow(self, after: Configuration) -> None:
        before = self.configuration
        after = replace(after, served=before.served)
        changes = entry_changes(before, after)
        if changes.sections:
            raise ConfigurationError(
                f"{', '.join(map(repr, changes.sections))} changed, which holds for all plugins; start the server anew",
                path=f"$.{changes.sections[0]}",
            )
        if not changes.gone and not changes.come:
            return
        for entry in changes.gone:
            self._forget(entry)
        for leaving in self.board.plugin_manager.leaving():
            leaving.ended.wait(_ENDING)  # its name is free then
        failed = len(self.failed)
        try:
            self._load(changes.come, after)
        finally:
            self.configuration = after
        self._tell(_sentence(self._file, changes, [each.source for each in self.failed[failed:]]))

    def _forget(self, entry: Any) -> None:
        """Remove what came from an entry, and what is said of its failure."""
        text = _text(entry)
        for name, one in tuple(self._reloads.origins.loaded.items()):
            if one.entry is not None and _text(one.entry) == text:
                with suppress(KeyError):  # it never came on the board, or has been removed since
                    self.remove(name)
        for provider in tuple(self._installer.providers):
            if _text(provider.entry) == text:
                self._installer.providers.discard(provider)
        source = spelled(entry)
        self._installer.failed[:] = [each for each in self._installer.failed if each.source != source]

    def _load(self, entries: tuple[Any, ...], after: Configuration) -> None:
        """Load them side by side; those that are required one by one, so that the failure of one keeps no other from the board."""
        alone = [entry for entry in entries if isinstance(entry, dict) and entry.get("required")]
        together = tuple(entry for entry in entries if entry not in alone)
        for several in (together, *((entry,) for entry in alone)):
            self.configuration: Configuration = replace(after, plugins=several)
            try:
                self._installer.install_configured(self.board)
            except PluginError as error:
                self._tell(str(error))


def _sentence(file: Path, changes: EntryChanges, failed: list[str]) -> str:
    ended, begun = (", ".join(map(spelled, entries)) for entries in (changes.gone, changes.come))
    parts = {"ended": ended, "begun": begun, "did not come up": ", ".join(failed)}
    return f"{file} changed; {'; '.join(f'{word}: {names}' for word, names in parts.items() if names)}"
