"""A number that a host and all that it starts carry as a limit: by it they are known when nothing else tells.

Session, parents and environment can be shaken off, and daemons do that as a matter of course. A limit is inherited by
every child, through ``setsid``, an empty environment and a double fork; who has not the right to raise it cannot be rid
of it, and everybody may read it. The limit of file locks is the one for this: Linux has enforced none since 2.4.25, all
are unlimited by default, and its number is the same on all of Linux's architectures.

It is no prison. A process may lower its own limit, or raise it where it has ``CAP_SYS_RESOURCE``; and what it has done
by others, such as ``docker`` or ``systemd-run``, was never its child.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .tree_kill import FILE_LOCKS, WITHIN, limit_of

if sys.platform == "linux":
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_OURS = 1 << 62
"""From here on a limit is a number of ours: nobody asks for so many locks, or just that many are no limit."""

_UNLIMITED = (1 << 63) - 1
"""What can be said as a limit and is one in name only."""


def number_for(limit: int, chance: Callable[[int], int]) -> int:
    """The number for a host that is started by a process with this limit, or 0 if there can be none. Pure.

    A limit can only be lowered. So a number has room below it: in a host that has a board itself, the hosts of that
    board are given numbers in there, by which both boards know them. In those there is no room any more.

    Args:
        limit: negative for none.
        chance: a random number from 0, and below its argument.
    """
    if limit < 0 or limit >= _UNLIMITED:
        return _OURS + chance(_OURS // (WITHIN + 1) - 1) * (WITHIN + 1) + WITHIN
    if limit >= _OURS and limit & WITHIN == WITHIN:
        return limit - WITHIN + chance(WITHIN)
    return 0


if sys.platform == "linux":

    def draw() -> int:
        """A number for what is started next, or 0 if there can be none."""
        return number_for(resource.getrlimit(FILE_LOCKS)[1], secrets.randbelow)

    def put_on(pid: int, number: int) -> bool:
        """Have a process that runs already carry a number, with those that it has started; False if that cannot be.

        A child of its that has lost its parents by now is not found.
        """
        if not _put_on(pid, number):
            return False
        without = _children(pid)
        while without:
            child = without.pop()
            # One that carries it by now was started after its parent did, and so is all that it starts.
            if limit_of(child) != number and _put_on(child, number):
                without += _children(child)
        return True

    def _put_on(pid: int, number: int) -> bool:
        try:
            resource.prlimit(pid, FILE_LOCKS, (number, number))
        except OSError:  # forbidden, or it has ended
            return False
        return True

    def launching(argv: Sequence[str], env: Mapping[str, str], number: int) -> tuple[str, ...] | None:
        """The words that start a program which carries the number from its first instruction on.

        Between the start of a program and whatever we do to it lies the time in which this thread waits for the
        interpreter: long enough for a shell to start a daemon. So ``prlimit`` sets the limit and becomes the program.

        ``None`` where that is not to be had; and where the program may fail to start, which the system tells us exactly,
        but not through another program.
        """
        # Variables of the loader are for the program's own libraries, and another program might not start with them.
        for name in env:
            if name.startswith("LD_"):
                return None
        if not argv[0].startswith("/") or not _can_be_run(argv[0]):
            return None
        launcher = None
        with suppress(OSError, subprocess.TimeoutExpired):  # no descriptor left: asked again next time
            launcher = _launcher()
        return None if launcher is None else (launcher, *_locks(number), "--", *argv)

    @lru_cache(maxsize=1)
    def _launcher() -> str | None:
        """The program ``prlimit``, if it is there and may do what it is for: some systems forbid it."""
        for place in ("/usr/bin/prlimit", "/bin/prlimit"):
            if os.access(place, os.X_OK):
                ended = subprocess.run(
                    (place, *_locks(draw())),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={},
                    timeout=10,
                    check=False,
                )
                return place if ended.returncode == 0 else None
        return None

    def _locks(number: int) -> tuple[str]:
        return (f"--locks={number}:{number}",)

    def _can_be_run(program: str) -> bool:
        """Whether the system itself runs it for certain: of this machine's own kind, or a script whose interpreter is there."""
        try:
            head = _head(program)
            if head.startswith(b"#!"):
                words = head[2:].split(b"\n", 1)[0].split()
                return bool(words) and words[0].startswith(b"/") and bool(_head(os.fsdecode(words[0])))
            return head[:5] + head[18:20] == _own_kind()
        except OSError:
            return False

    @lru_cache(maxsize=1)
    def _own_kind() -> bytes:
        head = _head("/proc/self/exe")
        return head[:5] + head[18:20]  # the format, its word size, and the processor

    def _head(program: str) -> bytes:
        if not os.access(program, os.X_OK) or not Path(program).is_file():
            return b""
        with open(program, "rb", buffering=0) as file:  # noqa: PTH123 - unbuffered
            return file.read(256)

    def _children(pid: int) -> list[int]:
        found: list[int] = []
        with suppress(OSError):  # it has ended; or a system that does not tell
            for thread in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (thread / "children").read_text("ascii").split())
        return found

else:

    def draw() -> int:
        """There is none here."""
        return 0

    def put_on(pid: int, number: int) -> bool:  # noqa: ARG001 - as above
        """Nothing is to be had here."""
        return False

    def launching(argv: Sequence[str], env: Mapping[str, str], number: int) -> tuple[str, ...] | None:  # noqa: ARG001 - as above
        """Nothing is to be had here."""
        return None
