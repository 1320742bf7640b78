"""A mailbox to expect on: an actor that keeps what it is told until a test asks for it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..actors.threads.actor import BaseActor
from .virtual.waiting import waiter_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from pykka import ActorRef

    from ..actors.board import Board
    from .virtual.waiting import Waiter


class _Mailbox(BaseActor):
    """Keeps what it is told."""

    def __init__(self, board: Board, kept: deque[Any], waiter: Waiter) -> None:
        super().__init__("probe", board.events, board.clock)
        self._kept = kept
        self._waiter = waiter

    def receive(self, message: Any) -> None:
        """Keep it."""
        self._kept.append(message)
        self._waiter.nudge()


class Probe:
    """See the module.

    Args:
        board: in whose time it lives.

    Attributes:
        ref: the actor, to be handed to whoever tells something: a subscription, a watch, a tool.
    """

    def __init__(self, board: Board) -> None:
        self._kept: deque[Any] = deque()
        self._waiter = waiter_for(board)
        self.ref: ActorRef[_Mailbox] = _Mailbox.start(board, self._kept, self._waiter)

    def expect(self, what: Any = object, *, within: float = 10.0) -> Any:
        """Wait for the next message, which has to be this; return it.

        Args:
            what: a class, a predicate, or the message itself.
            within: seconds.

        Raises:
            AssertionError: nothing came, or something else did.
        """
        if not self._waiter.wait(lambda: bool(self._kept), within):
            raise AssertionError(f"{_named(what)} did not come within {within:g} s; nothing did")
        message = self._kept.popleft()
        if not _fits(what)(message):
            raise AssertionError(f"{_named(what)} was to come; there came {message!r:.500}")
        return message

    def fish(self, what: Any, *, within: float = 10.0) -> Any:
        """As `expect`, passing over what comes before it."""
        fits, passed = _fits(what), []

        def caught() -> bool:
            while self._kept and not fits(self._kept[0]):
                passed.append(self._kept.popleft())
            return bool(self._kept)

        if not self._waiter.wait(caught, within):
            there = "; ".join(f"{message!r:.200}" for message in passed) or "nothing"
            raise AssertionError(f"{_named(what)} did not come within {within:g} s; there came: {there}")
        return self._kept.popleft()

    def expect_none(self, *, within: float = 0.1) -> None:
        """Have nothing come for so many seconds. Raises `AssertionError`."""
        if self._waiter.wait(lambda: bool(self._kept), within):
            raise AssertionError(
                f"nothing was to come within {within:g} s; there came {self._kept[0]!r:.500}"
            )

    def stop(self) -> None:
        """End the actor."""
        self.ref.stop(block=False)


def _fits(what: Any) -> Callable[[Any], bool]:
    if isinstance(what, type):
        return lambda message: isinstance(message, what)
    return what if callable(what) else lambda message: bool(message == what)


def _named(what: Any) -> str:
    return what.__name__ if isinstance(what, type) or callable(what) else f"{what!r:.200}"
