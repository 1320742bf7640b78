"""What becomes of a board and its parts in a process that was forked off: there they do nothing, and harm nothing.

Only the thread that forks goes on in the child. A lock that another one held at that moment is held there for ever, and
what the threads were for is not done. Pipes and locks on files, though, are there twice: a host whose stdin the child
still holds does not see it end, and a watchdog does not see its program die.

So each part that has a lock, a thread or a process says what becomes of it (`disown_in_child`), and descriptors that
children must not hold are noted (`own`). None of it takes a lock in the child, and nothing is told or written there.
``os.fork`` and whatever calls it in Python come by here, and extensions that fork in C as Python asks them to. What is started
as a program of its own, by `subprocess`, is no child of this kind.
"""

from __future__ import annotations

import os
from typing import Any, Final, Protocol
from weakref import WeakSet

from .foreign import Log, contain

logger: Log = Log("callboard")


def take_standard_descriptors() -> None:
    """Open the null device as each of the descriptors 0, 1 and 2 that is closed, as a daemon's may be.

    Otherwise a host's pipe or a state's file is opened as one of them, and each program that is started is given it as a standard
    stream. From any thread, as often as one likes.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            _open_null_below(3)
            return


def _open_null_below(limit: int) -> None:
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < limit:  # the lowest that is free
        os.set_inheritable(descriptor, True)  # as the three are for each program that is started
    os.close(descriptor)


class Part(Protocol):
    """What has to be let go of in a child."""

    def forked(self, parent: int) -> None:
        """In the child, before anything else runs there: take no lock, and leave the parent's things alone.

        Args:
            parent: the process that all of it belongs to.
        """


class _Process:
    """This process, as one of those that were forked off each other.

    Attributes:
        number: goes up by one with each fork on the way to this one: a note of it tells later where that was.
        pids: those of all of them, by number.
    """

    def __init__(self) -> None:
        self.number = 0
        self.pids: list[int] = [os.getpid()]


process: Final = _Process()

_parts: WeakSet[Part] = WeakSet()
_descriptors: set[int] = set()
_kept: list[Any] = []


def disown_in_child(part: Part) -> None:
    """Have a part told in each child that is forked off while it is there."""
    _parts.add(part)


def keep(thing: object) -> None:
    """In a child: never let go of a thing of the parent's, for letting go could run code of its owner, or close it."""
    _kept.append(thing)


def own(descriptor: int) -> int:
    """Note a descriptor that no child must hold, and return it. Its owner gives it to `close_own`."""
    _descriptors.add(descriptor)
    return descriptor


def close_own(descriptor: int) -> None:
    """Close it, unless this is a child: there it is closed already, and its number may belong to another file."""
    if descriptor in _descriptors:
        _descriptors.discard(descriptor)
        os.close(descriptor)


def _in_child() -> None:
    parent = process.pids[process.number]
    process.pids.append(os.getpid())
    process.number += 1
    for descriptor in _descriptors:
        try:
            os.close(descriptor)
        except OSError as error:
            contain(error, logger, "a descriptor of process %d could not be closed in its child", parent)
    _descriptors.clear()
    for part in list(_parts):
        try:
            part.forked(parent)
        except BaseException as error:  # noqa: BLE001 - the child is the caller's: it must not end for a fault of ours
            contain(error, logger, "something of process %d could not be let go of in its child", parent)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
