"""Starts a program that runs another in a sandbox: without what the kernel hands on from whoever starts it.

It is started from a thread of its own, which gives up for itself, and so for the program, what the threads of this process have.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


@frozen
class Containment:
    """How a program is started that runs another in a sandbox.

    Attributes:
        seccomp: the filter of system calls that bubblewrap is handed as a descriptor; empty for none.
        bwrap: the place of bubblewrap among the words.
        scoped: abstract sockets of others are out of reach, where the kernel can keep them so.
    """

    seccomp: bytes = b""
    bwrap: int = 0
    scoped: bool = False


def machine() -> str:
    """Return the processor by whose numbers this program makes system calls; empty if its words are of half the width."""
    if sys.platform == "win32" or sys.maxsize <= _HALF:
        return ""
    else:  # noqa: RET505 - so that the type checker follows
        return os.uname().machine


_HALF = 1 << 32


def are_abstract_sockets_kept_out() -> bool:
    """Return whether this kernel can keep a sandbox with the network from abstract sockets of others."""
    from .credentials import can_leave_abstract_sockets  # noqa: PLC0415 - it needs ctypes, which takes its time

    return can_leave_abstract_sockets()


def start_contained(
    words: Sequence[str],
    containment: Containment,
    begin: Callable[[Sequence[str], tuple[int, ...]], T],
) -> T:
    """Return what ``begin`` does, called in a thread that has given up what a sandbox is not to have.

    Args:
        words: the program and its arguments.
        containment: how it is started.
        begin: starts the words that it is given, with the descriptors that it is given.

    Raises:
        OSError: this user has too many keyrings, or this program too many domains of Landlock around it.
    """
    # Only what makes a sandbox needs ctypes, which takes its time.
    from .credentials import can_leave_abstract_sockets, join_new_keyring, leave_abstract_sockets  # noqa: PLC0415 - as above

    def apart() -> T:
        join_new_keyring(machine())
        if containment.scoped and can_leave_abstract_sockets():
            leave_abstract_sockets()
        with handed(containment.seccomp) as descriptors:
            place = containment.bwrap + 1
            more = [word for each in descriptors for word in ("--seccomp", str(each))]
            return begin([*words[:place], *more, *words[place:]], descriptors)

    return _in_own_thread(apart)


@contextmanager
def handed(data: bytes) -> Iterator[tuple[int, ...]]:
    """A descriptor from which the data can be read once. It fits into a pipe."""
    if not data:
        yield ()
        return
    reading, writing = os.pipe()
    try:
        try:
            os.write(writing, data)
        finally:
            os.close(writing)
        yield (reading,)
    finally:
        os.close(reading)


def _in_own_thread(function: Callable[[], T]) -> T:
    """What a function returns or raises, called in a thread that ends with it."""
    returned: list[T] = []
    raised: list[BaseException] = []

    def call() -> None:
        try:
            returned.append(function())
        except BaseException as error:  # noqa: BLE001 - it is raised by whoever waits
            raised.append(error)

    thread = threading.Thread(target=call, name="callboard-sandbox", daemon=True)
    thread.start()
    thread.join()
    for error in raised:
        raise error
    return returned[0]
