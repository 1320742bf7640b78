"""Boards with a real Node host for the tests of the actors."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.services import Services
from callboard.actors.threads.hook_pool import HookPool
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.process_tree.watchdog import Watchdog
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.runtime.event_order import check_order
from callboard.supervision.runtime.events import EventStream
from callboard.supervision.runtime.start_slots import StartSlots
from leaks import TEST_MARK
from programs import NODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from callboard.supervision.runtime.clock import Clock
    from callboard.supervision.runtime.events import Event

MOODY = NODE / "moody.mjs"

QUICK = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.05), intensity=1000)
"""Restarts at once and nearly without end, for tests that are about something else."""


def services(clock: Clock, events: EventStream | None = None, **others: Any) -> Services:
    """What the parts of a board share, for a part that is made by itself."""
    parts = {
        "threads": HookPool(),
        "watchdog": Watchdog(),
        "random": lambda: 0.0,
        "start_slots": StartSlots(clock),
        **others,
    }
    return Services(clock=clock, events=events or EventStream(), **parts)


def add_node(
    board: Board,
    file: Path = MOODY,
    *,
    name: str = "moody",
    config: dict[str, Any] | None = None,
    policy: RestartPolicy = QUICK,
    required: bool = True,
    start_deadline: float = 30.0,
    host: dict[str, Any] | None = None,
    carry: Any = None,
    **settings: Any,
) -> NodeToolPlugin:
    """Put a JavaScript tool on the board and wait for its host."""
    plugin = NodeToolPlugin(name, file, env=TEST_MARK)
    plugin.carry = carry or plugin.carry
    board.begin_hosted(
        PluginAdapter(plugin),
        plugin,
        host=HostSettings(config or {}, start_deadline=start_deadline, **(host or {})),
        policy=policy,
        settings=ToolSettings(**settings),
    )
    board.settle_hosted(name, required=required)
    return plugin


class Recorder:
    """Events as they come, to be waited for."""

    def __init__(self, board: Board) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()
        board.subscribe(self._on_event)

    def _on_event(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, kind: str, count: int = 1, timeout: float = 30.0) -> list[Event]:
        """Wait until there are ``count`` events of a kind; return them."""
        with self._changed:
            there = self._changed.wait_for(lambda: len(self.of(kind)) >= count, timeout)
            seen = [event.kind for event in self.events]
            assert there, f"{count} {kind} were expected; there are {seen}"
            return self.of(kind)

    def wait_for(self, kind: str, which: Callable[[Event], bool], timeout: float = 30.0) -> None:
        """Wait until there is such an event of a kind."""
        with self._changed:
            there = self._changed.wait_for(lambda: any(which(event) for event in self.of(kind)), timeout)
            assert there, f"no such {kind} among {[(event.kind, event.facts) for event in self.events]}"

    def of(self, kind: str) -> list[Event]:
        """The events of a kind so far."""
        return [event for event in self.events if event.kind == kind]


@contextmanager
def node_board(**options: Any) -> Iterator[tuple[Board, NodeToolPlugin, Recorder]]:
    """A board with one JavaScript tool, whose events have to be in order; ``options`` as `add_node`."""
    with Board() as board:
        recorder = Recorder(board)
        yield board, add_node(board, **options), recorder
    violations = check_order(recorder.events)
    assert violations == [], violations
