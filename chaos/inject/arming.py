"""Tells hosts that go wrong on schedule of the moments that they cannot know: times, and states on the board."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from ...base.locks import Lock
from .. import triggers as t

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...actors.board import Board
    from ...supervision.runtime.events import Event
    from ..faults import Fault
    from .evil_tool import EvilToolPlugin


class Entered:
    """Which states of its generations a host has entered, each told once.

    Whoever begins to listen looks at the status first; the news of what he has seen there may still
    be on its way.
    """

    def __init__(self) -> None:
        self._told: set[tuple[str, int, str]] = set()

    def is_new(self, name: str, generation: int, state: str) -> bool:
        """Whether that was not told before. Only of the states that a generation enters once."""
        if state not in {"starting", "ready"}:
            return True
        key = (name, generation, state)
        new = key not in self._told
        self._told.add(key)
        return new


def entered_before(board: Board) -> list[tuple[str, int, str]]:
    """Name, generation and state for what the present generations have entered already."""
    found = []
    hosts = {
        plugin["host"]["name"]: plugin["host"]
        for plugin in board.status()["plugins"].values()
        if "host" in plugin
    }
    for name, host in hosts.items():
        if host["state"] in {"starting", "ready"}:
            found.append((name, host["generation"], "starting"))
            if host["state"] == "ready":
                found.append((name, host["generation"], "ready"))
    return found


class Arming:
    """See the module. It acts from the moment it is made until `close`.

    Args:
        board: on which the plugins are, their hosts started.
        plugins: the plugins.
        note: told the plugin's name and the fault that is about to come.
    """

    def __init__(
        self,
        board: Board,
        plugins: Iterable[EvilToolPlugin],
        note: Callable[[str, Fault], None] = lambda _host, _fault: None,
    ) -> None:
        self._plugins = {plugin.name: plugin for plugin in plugins}
        self._note = note
        self._closed = False
        self._lock = Lock()
        self._entered: Counter[tuple[str, str]] = Counter()
        self._states = Entered()
        self._subscription = board.subscribe(self._on_event, list(t.STATE_OF))
        for name, generation, state in entered_before(board):
            self._enter(name, generation, state)
        now = board.clock.now()
        for plugin in self._plugins.values():
            for number in plugin.outside():
                trigger = plugin.schedule.entries[number].trigger
                if isinstance(trigger, t.AtTime):
                    board.clock.call_at(now + trigger.seconds, partial(self._arm, plugin, number))

    def close(self) -> None:
        """Arm no more."""
        self._closed = True
        self._subscription.close()

    def _on_event(self, event: Event) -> None:
        self._enter(event.subject, event.facts["generation"], t.STATE_OF[event.kind])

    def _enter(self, name: str, generation: int, state: str) -> None:
        plugin = self._plugins.get(name)
        if plugin is None:
            return
        with self._lock:
            if not self._states.is_new(name, generation, state):
                return
            self._entered[plugin.name, state] += 1
            reached = t.StateEntered(state, self._entered[plugin.name, state])
        for number in plugin.outside():
            if plugin.schedule.entries[number].trigger == reached:
                self._arm(plugin, number)

    def _arm(self, plugin: EvilToolPlugin, number: int) -> None:
        if not self._closed:
            self._note(plugin.name, plugin.schedule.entries[number].fault)
            plugin.arm(number)
