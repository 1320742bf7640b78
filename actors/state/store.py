"""Where the state of tools outlives what made it: the contract of a store, and the store in memory.

A store keeps one row for each plugin, by its name: the last committed state, with the source of the plugin that it is kept
for. A plugin of another source is not given it, see `StateOwner`. A store decides nothing
about when a state is committed (see `StateCell`) and nothing about what becomes of a call whose state
cannot be kept (see `StateKeeper`).

A board without a store has its states in the cells alone. `MemoryStore` is not that: it outlives
boards, within one process, and is the smallest store there can be.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from ...base.errors import CallboardError, PluginLoadError
from ...base.frozen import frozen
from ...base.json import dump_json
from ...base.locks import Lock
from ...base.validation import a_type

if TYPE_CHECKING:
    from collections.abc import Callable

    News = Callable[[str, dict[str, Any]], None]
    """Told of what happens to a store: the event's kind and its facts."""

Synchronous = Literal["normal", "full"]
"""What a commit survives: the death of the process, or a loss of power too."""


class StateStoreError(CallboardError):
    """A store cannot be opened, or cannot take a state.

    Attributes:
        store: which one: its path, if it has one.
    """

    def __init__(self, message: str, *, store: str) -> None:
        super().__init__(message)
        self.store = store


class StateStoreForeign(StateStoreError):
    """The file holds something else and never was a store; nothing has touched it."""

    def __init__(self, store: str) -> None:
        super().__init__(
            f"{store} is no state store and never was one; it is left as it is. Name another file, or move this one away first",
            store=store,
        )


class StateStoreInUse(StateStoreError):
    """Another board uses the store; two that write to one would each undo the other's states.

    Attributes:
        pid: the other's process, or ``None`` if that is not known.
    """

    def __init__(self, store: str, pid: int | None) -> None:
        by = "by another program" if pid is None else f"by process {pid}"
        super().__init__(
            f"the state store {store} is in use {by}; stop that first, or give this one a file of its own",
            store=store,
        )
        self.pid = pid


class Saved(NamedTuple):
    """A committed state, as a store keeps it.

    Attributes:
        state: one JSON object as text.
        version: the cell's version with this commit; goes on counting in the next program.
        generation: the generation of the host that answered with it; 0 for a tool that has no host.
        source: that of the plugin that it is kept for; ``None`` if that was not noted, as before version 3 of the file.
    """

    state: bytes
    version: int
    generation: int
    source: str | None = None


class StateOfAnotherSource(PluginLoadError):
    """A plugin has the name under which the state of another one is kept. It is not loaded, and the state stays as it is.

    Attributes:
        source: where the plugin comes from.
        kept_for: where the plugin came from whose state it is; ``None`` if that was not noted, and several could own it.
    """

    def __init__(self, message: str, *, plugin: str, source: str, kept_for: str | None) -> None:
        super().__init__(message, plugin=plugin)
        self.source = source
        self.kept_for = kept_for


@frozen
class StateOwner:
    """The plugin that wants the state which is kept under its name.

    Attributes:
        plugin: its name.
        source: where it comes from.
        state_from: the source whose state it may go on with, by its entry.
        former: what it was called before; a state under that is taken over, if it can only be this plugin's.
        rivals: other plugins that such a state could belong to.
        namesakes: the sources of others that want its name.
    """

    plugin: str
    source: str
    state_from: str | None = None
    former: str | None = None
    rivals: tuple[str, ...] = ()
    namesakes: tuple[str, ...] = ()

    def require(self, kept_for: str | None) -> None:
        """See that a state under its name may be its own.

        Args:
            kept_for: the source that the state is kept for.

        Raises:
            StateOfAnotherSource: it is another plugin's, or may be.
        """
        if kept_for is None and self.namesakes:
            several = " or ".join([self.source, *self.namesakes])
            why = f"may be that of {several}; to say whose it is, have one alone go by that name"
        elif kept_for is not None and kept_for not in {self.source, self.state_from}:
            said = dump_json(kept_for).decode()
            why = (
                f"is that of {kept_for}, and this plugin comes from {self.source}; to go on with it, write "
                f'"state_from": {said} in the plugin\'s entry'
            )
        else:
            return
        anew = dump_json(f"{self.plugin}-2").decode()
        raise StateOfAnotherSource(
            f'the state that is kept under {self.plugin!r} {why}. To begin without it, write "name": {anew}',
            plugin=self.plugin,
            source=self.source,
            kept_for=kept_for,
        )


def read_state(text: bytes) -> dict[str, Any]:
    """Read a saved state.

    Raises:
        ValueError: it is no JSON object.
    """
    try:
        # Not orjson: it makes floats of integers beyond 64 bits, which Python tools may have.
        state = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(state, dict):
        raise ValueError(f"it is {a_type(state)}, not an object")  # noqa: TRY004 - of what was read
    return state


class StateStore(Protocol):
    """Keeps the last committed state of each plugin. All methods may be called from any thread."""

    def load(self, plugin: str) -> Saved | None:
        """What was saved last, or ``None``. Of a save that failed it may be either state."""

    def save(self, plugin: str, saved: Saved) -> None:
        """Keep a state in the place of the one before; done when this returns.

        Saves of one plugin come one after the other; those of several at the same time.

        Raises:
            StateStoreError: it cannot be kept now. The store may keep it with a later one, and must
                not be less usable than before.
        """

    def forget(self, plugin: str) -> None:
        """Keep nothing of a plugin any more; unknown ones are ignored. Raises as `save`."""

    def attach(self, news: News) -> None:
        """Have ``news`` told of what happens to the store from now on, and at once of what has."""

    def status(self) -> dict[str, Any]:
        """What it is and how it does, as JSON; ``store`` names the kind."""

    def close(self) -> None:
        """Let go of everything; what is saved stays saved. A second time changes nothing."""


@runtime_checkable
class InheritingStore(Protocol):
    """A store that may have states under names that were not yet the plugins' own."""

    def load(self, plugin: str) -> Saved | None:
        """See `StateStore`."""

    def inherits(self, former: str) -> bool:
        """Whether there is a state under this name that may belong to a plugin which goes by another name now."""

    def take_over(self, former: str, plugin: str) -> Saved | None:
        """Keep that state under the plugin's name instead, at one stroke; returns it. Raises as `StateStore.save`."""


class MemoryStore:
    """A store that ends with the process. See the module."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._saved: dict[str, Saved] = {}

    def load(self, plugin: str) -> Saved | None:
        return self._saved.get(plugin)

    def save(self, plugin: str, saved: Saved) -> None:
        with self._lock:
            self._saved[plugin] = saved

    def forget(self, plugin: str) -> None:
        with self._lock:
            self._saved.pop(plugin, None)

    def attach(self, news: News) -> None:
        """Nothing ever happens to it."""

    def status(self) -> dict[str, Any]:
        unowned = sorted(plugin for plugin, saved in tuple(self._saved.items()) if saved.source is None)
        return {"store": "memory", "plugins": len(self._saved), "unowned": unowned}

    def close(self) -> None:
        """It holds nothing that needs letting go, and may be handed to the next board."""
