"""Death watch: who is told, once, that a child has ended for good.

A restart is no death, and neither is being parked: the child may come back, at the same address. A
child that is not there, or has stopped, is dead at the time of asking, and its watcher is told at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.frozen import frozen
from ..base.locks import RLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@frozen
class Down:
    """A child has ended for good.

    Attributes:
        child: its id.
        reason: a sentence for people; ``not found`` if there was no such child.
    """

    child: str
    reason: str


class Watch:
    """One watcher's eye on one child; `close` gives it up, from any thread.

    Args:
        child: whose end is of interest.
        deliver: told of it, in the supervisor's thread; must not block.
    """

    def __init__(self, child: str, deliver: Callable[[Down], object]) -> None:
        self.child = child
        self._deliver = deliver
        self._lock = RLock()
        self._open = True

    def close(self) -> None:
        """Hear nothing from now on, also of an end that has happened and was not told yet."""
        with self._lock:
            self._open = False

    def is_by(self, deliver: Callable[[Down], object]) -> bool:
        """Whether it is this watcher's, and still counts."""
        with self._lock:
            return self._open and self._deliver == deliver

    def tell(self, down: Down) -> None:
        """Tell it, unless it was given up or has been told."""
        with self._lock:
            if self._open:
                self._open = False
                self._deliver(down)


class Watches:
    """All watches of a supervisor. Not thread-safe; one actor owns it."""

    def __init__(self) -> None:
        self._by_child: dict[str, list[Watch]] = {}

    def __iter__(self) -> Iterator[str]:
        """The children that are watched."""
        return iter(tuple(self._by_child))

    def add(self, child: str, deliver: Callable[[Down], object]) -> Watch:
        """Watch a child that has not ended; the same watcher has one watch on it, however often it asks."""
        watches = self._by_child.setdefault(child, [])
        for watch in watches:
            if watch.is_by(deliver):
                return watch
        watches.append(Watch(child, deliver))
        return watches[-1]

    def ended(self, child: str) -> list[Watch]:
        """Who has to be told that a child has ended for good; they are forgotten."""
        return self._by_child.pop(child, [])
