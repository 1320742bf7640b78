"""Events to be expected, in their order: each is looked for after the one that was found last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..supervision.runtime.events import KINDS, Event
from .virtual.waiting import waiter_for
from .virtual_board import VirtualBoard

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..actors.board import Board

_SHOWN = 60
_LESS = frozenset({"call_submitted", "call_started"})


class ExpectedEvents:
    """The events of a board from now on; of a virtual board from its beginning.

    Args:
        board: whose.

    Attributes:
        seen: all so far, in order.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._waiter = waiter_for(board)
        self._virtual = board if isinstance(board, VirtualBoard) else None
        self._seen: list[Event] = []
        self._began = time.time()
        self._next = 0
        self._subscription = board.subscribe(self._on_event)

    @property
    def seen(self) -> list[Event]:
        """See the class. In virtual time each is known at the moment at which it happens."""
        if self._virtual is None:
            return self._seen[:]
        told = [happening for happening in self._virtual.happenings if happening.kind in KINDS]
        return [Event(n, one.kind, one.subject, one.at, one.facts) for n, one in enumerate(told, 1)]

    def expect(self, kind: str, subject: str | None = None, *, within: float = 10.0, **facts: Any) -> Event:
        """Wait for an event; return it. The next one that is expected has to come after it.

        Args:
            kind: of the event.
            subject: the plugin or host; anyone's when ``None``.
            within: seconds.
            facts: that it has to have, among others; a callable is asked.

        Raises:
            AssertionError: it did not come; tells what did.
            ValueError: there is no such kind.
        """
        self._require_kind(kind)
        if not self._waiter.wait(lambda: self._find(kind, subject, facts) is not None, within):
            wanted = _described(kind, subject, facts)
            raise AssertionError(
                f"{wanted} did not come within {within:g} s. There came:\n{self.text(self._next)}"
            )
        place = self._find(kind, subject, facts)
        assert place is not None
        self._next = place + 1
        return self.seen[place]

    def expect_none(
        self, kind: str, subject: str | None = None, *, within: float = 0.0, **facts: Any
    ) -> None:
        """Have none of these come, for so many seconds.

        Raises:
            AssertionError: one came.
            ValueError: there is no such kind.
        """
        self._require_kind(kind)
        self._board.events.settle(10.0)
        if self._waiter.wait(lambda: self._find(kind, subject, facts) is not None, within):
            wanted = _described(kind, subject, facts)
            raise AssertionError(f"{wanted} was not to come. There came:\n{self.text(self._next)}")

    def wait(self, condition: Callable[[], bool], within: float) -> bool:
        """Wait until it holds, looking again at each event; False if it does not in so many seconds."""
        return self._waiter.wait(condition, within)

    def settle(self, within: float = 2.0) -> None:
        """Wait for what is about to be told: a crash is told some time after the calls that it cost."""
        self._board.events.settle(within)
        self._waiter.wait(lambda: not self._crash_is_coming(), within)

    def _crash_is_coming(self) -> bool:
        owed: set[str] = set()
        for event in self.seen:
            if event.kind == "call_ended" and event.facts["code"] == "host_crashed":
                owed.add(event.subject)
            elif event.kind in {"host_crashed", "plugin_removed"}:
                owed.discard(event.subject)
        return bool(owed)

    def text(self, after: int = 0) -> str:
        """The timeline for people: the last events, one a line."""
        lines = [self._line(event) for event in self.seen[after:] if event.kind not in _LESS]
        return "\n".join(lines[-_SHOWN:]) or "(nothing)"

    def _line(self, event: Event) -> str:
        at = event.time - (self._began if self._virtual is None else 0.0)
        facts = {key: value for key, value in event.facts.items() if key not in {"report", "in_flight"}}
        said = ", ".join(f"{key} {value!s:.80}" for key, value in facts.items())
        return f"{at:9.3f} s  {event.subject:<14} {event.kind:<18} {said}"

    def _on_event(self, event: Event) -> None:
        self._seen.append(event)
        self._waiter.nudge()

    def _find(self, kind: str, subject: str | None, facts: dict[str, Any]) -> int | None:
        for place, event in enumerate(self.seen[self._next :], self._next):
            if event.kind == kind and subject in {None, event.subject} and _has(event.facts, facts):
                return place
        return None

    @staticmethod
    def _require_kind(kind: str) -> None:
        if kind not in KINDS:
            raise ValueError(f"there is no kind of event {kind!r}; there are: {', '.join(sorted(KINDS))}")


def _has(facts: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(
        key in facts and (value(facts[key]) if callable(value) else facts[key] == value)
        for key, value in wanted.items()
    )


def _described(kind: str, subject: str | None, facts: dict[str, Any]) -> str:
    said = "".join(f", {key}={value!r}" for key, value in facts.items())
    return f"{kind}{'' if subject is None else f' of {subject!r}'}{said}"
