"""Plugins at work while they are written: loaded, called, and loaded anew when their files have changed.

What was changed is reloaded beside what runs, so that a call under way comes to its end, and a file that was saved half
written leaves what ran before. Every plugin runs in a host, Python ones too: a module that was imported into this process would stay as it was. State is kept
from one loading to the next, in memory: what an agent keeps in a file is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from ..actors.hosting.reload_progress import ReloadRefused
from ..actors.state.store import MemoryStore
from ..base.errors import CallboardError
from ..base.frozen import frozen
from ..base.locks import RLock
from ..callboard import Callboard
from ..sources.kinds import spelled
from .locate import configuration_at

if TYPE_CHECKING:
    from pathlib import Path

    from ..actors.board import Board
    from ..actors.calls.call import Call
    from ..config.configuration import Configuration
    from ..hosts.process.transport import Carry
    from ..loading.loaded import Loaded
    from ..supervision.runtime.events import Event


class TappedCallboard(Callboard):
    """Carries every host in a way of its own; see `callboard.hosts.tap.tapping`. Else a `Callboard`."""

    def __init__(self, config: Any = None, *, carry: Carry | None, **options: Any) -> None:
        super().__init__(config, **options)
        self._carry = carry

    def _begin(self, board: Board, one: Loaded) -> None:
        # Others are no processes, or carry their messages in a way of their own.
        if self._carry is not None and one.hosted is not None and one.hosted.carry is None:
            one.hosted.carry = self._carry
        super()._begin(board, one)


Json = dict[str, Any]
Admit = Callable[["Configuration", bool], "Configuration"]

_HERE = {"isolate": True, "required": True}
_ALONE = {**_HERE, "share": False}
"""Options of every plugin here, unless it is the sharing that is to be seen: what a host says, and how it dies, is then
one plugin's."""


@frozen
class LoadedAnew:
    """What came of loading.

    Attributes:
        tools: what can be called now.
        problems: a sentence for each plugin that cannot be run, or for the configuration.
    """

    tools: tuple[str, ...]
    problems: tuple[str, ...]


class DevServer:
    """Runs what is at a place, from ``with`` to its end. `load` may be called from any thread.

    Args:
        place: see `configuration_at`.
        carry: how hosts are carried, to listen to them.
        hears: told of every event of the board.
        alone: every plugin has a host of its own, whatever the configuration says of sharing.
        admit: holds a configuration to what its user has agreed to have fetched, built and run, asking if it is the first
            one (``asks``), or refuses it.

    Attributes:
        board: for what this does not offer.

    Raises:
        NothingThere, ConfigurationError: there is nothing that could be run.
        CallboardError: as ``admit`` raises.
    """

    def __init__(
        self,
        place: Path,
        carry: Carry,
        hears: Callable[[Event], None],
        *,
        alone: bool = True,
        admit: Admit | None = None,
    ) -> None:
        self._place = place
        self._options = _ALONE if alone else _HERE
        self._admit = admit
        self._lock = RLock()
        self.configuration: Configuration = configuration_at(place)
        self.board: TappedCallboard = TappedCallboard(carry=carry, subscribers=[hears], state=MemoryStore())
        self._use(self.configuration, asks=True)
        self._whole = False
        self._last: Call | None = None

    def __enter__(self) -> Self:
        self.board.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.board.stop()

    def load(self, *, forget_state: bool = False) -> LoadedAnew:
        """Load everything, in place of what was loaded before; calls under way end with ``cancelled``.

        A configuration that cannot be read leaves everything as it is.
        """
        with self._lock:  # across the loading: a call that comes meanwhile waits for what is loaded
            try:
                self._use(configuration_at(self._place))
            except CallboardError as error:
                return LoadedAnew(self.tools(), (str(error),))
            for name in self.board.status()["plugins"]:
                self.board.remove(name, forget_state=forget_state)
            problems = [problem for entry in self.configuration.plugins for problem in self._load(entry)]
            self._whole = not problems
            return LoadedAnew(self.tools(), tuple(problems))

    def reload(self) -> LoadedAnew:
        """Have what is on the disk now take over where it can, and leave what ran before where it cannot.

        As `load` where something else is to be run than before, or not all of it runs; and where a call that was given up
        still runs on, which the next ones would have to wait for.
        """
        with self._lock:  # as in `load`
            try:
                same = self._whole and configuration_at(self._place) == self.configuration
            except CallboardError as error:
                return LoadedAnew(self.tools(), (str(error),))
            if not same or self._is_stuck:
                return self.load()
            problems: list[str] = []
            try:
                for name in self.board.status()["plugins"]:
                    reloaded = self.board.reload(name)
                    problems += (
                        [] if reloaded.why is None else [f"{name}: {reloaded.why}; what was there goes on"]
                    )
            except ReloadRefused:  # its source has other plugins now
                return self.load()
            return LoadedAnew(self.tools(), tuple(problems))

    def tools(self) -> tuple[str, ...]:
        """The names of the tools that can be called now."""
        with self._lock:
            return tuple(tool.tool_name for tool in self.board.tools())

    def schema(self, tool: str) -> Json | None:
        """The schema of a tool, as its plugin wrote it; ``None`` if there is no such tool."""
        with self._lock:
            return next((each.schema for each in self.board.tools() if each.tool_name == tool), None)

    def states(self) -> Json:
        """The kept state of every plugin, by name."""
        with self._lock:
            names = self.board.status()["plugins"]
            return {name: self.board.board.state_of(name) for name in names}

    def submit(self, tool_call: Any, deadline: float | None = None) -> Call:
        """Run a call; what is being loaded is waited for."""
        with self._lock:  # it waits for a load, and no load removes its plugin between looking and calling
            self._last = self.board.submit(tool_call, deadline=deadline)
            return self._last

    @property
    def _is_stuck(self) -> bool:
        """Whether something runs that is not waited for."""
        waited_for = self._last is not None and not self._last.done()
        return not waited_for and any(each["running"] for each in self.board.status()["plugins"].values())

    def give_up(self, call: Call) -> None:
        """Cancel a call, and start the host of its plugin anew: one that hangs would keep the next call until its deadline."""
        call.cancel()
        with self._lock:  # a load must not remove the plugin between looking and restarting
            name = call.plugin_name
            if name is not None and name in self.board.status()["plugins"]:
                self.board.restart(name)

    def _use(self, configuration: Configuration, *, asks: bool = False) -> None:
        held = configuration
        # Held as they are loaded: a Python plugin that has a host may have an environment.
        if self._admit is not None:
            held = self._admit(replace(held, plugins=tuple(map(self._entry, held.plugins))), asks)
        self.configuration = configuration
        self.board.configuration = replace(held, plugins=())

    def _entry(self, entry: Any) -> Any:
        if not isinstance(entry, str | dict):  # no entry; its loading says so
            return entry
        return ({"plugin": entry} if isinstance(entry, str) else entry) | self._options

    def _load(self, entry: Any) -> list[str]:
        try:
            self.board.load(self._entry(entry))
        except CallboardError as error:
            return [f"{spelled(entry)}: {error}"]
        return []
