"""A process with what it starts, as the system keeps them together: set apart at the start, and ended as one.

On POSIX that is a session with its process group. Windows has neither: there it is a job, which ends with whoever
holds it, so that nothing outlives us even when we are killed; what a process starts before it is in the job is found
by descent.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .contained_start import start_contained
from .fingerprint import draw, launching, put_on
from .tree_kill import MARK, created, descendants

if sys.platform == "win32":
    import signal

    from .tree_kill import kill
    from .windows_job import Job
else:
    import signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .contained_start import Containment


def is_batch_file(program: str) -> bool:
    """Whether Windows would run this by a shell of its own accord.

    That shell reads the arguments once more, by rules that no quoting withstands.
    """
    return PureWindowsPath(program.rstrip(" .")).suffix.lower() in {".bat", ".cmd"}


@frozen
class Leader:
    """A process that leads a process group, and by what those who belong to it are known; see `sweep`.

    Attributes:
        popen: the process. It has to be waited for.
        birth: its time of creation.
        mark: what it carries in its environment.
        number: what it carries as a limit, or 0.
        contained: it waits for a program in a sandbox, and tells how that has ended.
    """

    popen: subprocess.Popen[bytes]
    birth: float
    mark: str
    number: int
    contained: bool = False

    def told(self, status: int) -> int:
        """How its program has ended, by its own status: negative for a signal, as `subprocess` has it.

        Bubblewrap tells of signal N as a shell does, by the status 128 + N, and has no other way to tell. A program that
        ends by itself with such a status means the same, as shells and many daemons do; it is taken by its word.
        """
        by_signal = self.contained and _BY_SIGNAL < status <= _BY_SIGNAL + _SIGNALS
        return _BY_SIGNAL - status if by_signal else status


_BY_SIGNAL = 128
_SIGNALS = 64


def start(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    *,
    stdin: int,
    contained: Containment | None = None,
) -> Leader:
    """Start a program at the head of a process group of its own, with pipes for stdout and stderr.

    Args:
        argv: the program and its arguments.
        env: the whole environment, but for the mark.
        cwd: the folder.
        stdin: as `subprocess.Popen` takes it.
        contained: how, if the program is one that runs another in a sandbox.

    Raises:
        OSError: it cannot be started.
        ValueError: what is to be started holds a NUL, or is a batch file on Windows.
    """
    if contained is None:
        return _start(argv, env, cwd, stdin, ())
    leader = start_contained(argv, contained, lambda words, handed: _start(words, env, cwd, stdin, handed))
    return replace(leader, contained=True)


def _start(
    argv: Sequence[str], env: Mapping[str, str], cwd: str | None, stdin: int, handed: tuple[int, ...]
) -> Leader:
    flags = 0
    if sys.platform == "win32":
        if is_batch_file(argv[0]):
            raise ValueError(f"{argv[0]} is a batch file; name the program that it runs instead")
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
    mark, number = os.urandom(16).hex(), draw()
    words = launching(argv, env, number) if number else None
    popen = subprocess.Popen(
        words or argv,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=cwd,
        env={**env, MARK: mark},
        creationflags=flags,
        start_new_session=True,  # which Windows passes over
        pass_fds=handed,
    )
    if words is None and not (number and put_on(popen.pid, number)):
        number = 0
    return Leader(popen, created(popen.pid) or 0.0, mark, number)


class ProcessGroup:
    """What a process that `start` has started leads. It has to be ended before its leader's status is taken.

    Until then nobody else can get the leader's pid, so that what is ended is no stranger's.
    """

    if sys.platform == "win32":

        def __init__(self, leader: subprocess.Popen[bytes], *, contained: bool = False) -> None:
            del contained  # there are no such sandboxes
            self._leader = leader
            self._job = Job.of(leader.pid)

        def ask_to_end(self) -> None:
            """Send what a program can hear and refuse: Ctrl-Break. In vain where we have no console."""
            with suppress(OSError):
                self._leader.send_signal(signal.CTRL_BREAK_EVENT)

        def end(self) -> None:
            """Kill all of it."""
            below = descendants(self._leader.pid)
            if self._job is not None:
                self._job.end()
            for pid in (self._leader.pid, *(pid for pid, _ in below)):
                kill(pid)

        def close(self) -> None:
            """Give back what it takes to know the group; ends what is left of it."""
            if self._job is not None:
                self._job.close()
                self._job = None

    else:

        def __init__(self, leader: subprocess.Popen[bytes], *, contained: bool = False) -> None:
            self._leader = leader
            self._contained = contained

        def ask_to_end(self) -> None:
            """Send what a program can hear and refuse: SIGTERM.

            In a sandbox three processes do not get it: the leader, the sandbox's first process, and the one that connects its network. The leader
            would end at once, with everything in the sandbox.
            """
            if not self._contained:
                self._signal(signal.SIGTERM)
                return
            group = self._leader.pid
            for pid, _ in descendants(group, direct=False):
                with suppress(ProcessLookupError, PermissionError):
                    if os.getpgid(pid) == group:
                        os.kill(pid, signal.SIGTERM)

        def end(self) -> None:
            """Kill all of it."""
            self._signal(signal.SIGKILL)

        def close(self) -> None:
            """Give back what it takes to know the group."""

        def _signal(self, number: signal.Signals) -> None:
            with suppress(ProcessLookupError, PermissionError):  # ended in between, which is as well
                os.killpg(self._leader.pid, number)
