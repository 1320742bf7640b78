"""End every process of a host's session, and make sure; also, run as a script, the watchdog.

Each host is the leader of a session of its own, so its session id is its pid, and whatever it
starts stays in that session unless it asks for another. Killing by session reaches children
behind shells, launchers and job control, which killing by process group does not.

A pid alone is a claim, not an identity: it may belong to a stranger by now. A session is only
touched while its leader is gone or is still the very process that was recorded, by create time.

As a script (``python -I sweep.py``) it holds the read end of a pipe from the embedding process
and is told which hosts live: ``+PID CREATE_TIME`` and ``-PID``, one a line. At end of file the
embedding process is gone, however it died, and what it left behind is ended. This file imports
nothing of the house, so that the script starts fast and stays small.
"""

from __future__ import annotations

import os
import signal
import sys
import time

_PAUSE = 0.005
"""Seconds between two looks at processes that have been sent SIGKILL. The kernel tells nobody but
the parent of their end, and we are not their parent."""


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not collected by its parent does not."""
    import psutil  # noqa: PLC0415 - as a script it must be up at once, and needs this at the end only

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def created(pid: int) -> float | None:
    """When the process was created, in seconds since the epoch; ``None`` when there is none."""
    import psutil  # noqa: PLC0415 - see `alive`

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None


def descendants(pid: int) -> list[tuple[int, float]]:
    """Children and their children as (pid, create time): also those that left the session."""
    import psutil  # noqa: PLC0415 - see `alive`

    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    found = []
    for child in children:
        birth = created(child.pid)
        if birth is not None:
            found.append((child.pid, birth))
    return found


def session_members(session: int) -> list[int]:
    """The pids of the living processes of a session."""
    import psutil  # noqa: PLC0415 - see `alive`

    members = []
    for pid in psutil.pids():
        try:
            if os.getsid(pid) == session and alive(pid):
                members.append(pid)
        except (ProcessLookupError, PermissionError):
            continue
    return members


def kill(pid: int) -> None:
    """Send SIGKILL; a process that ended in between is what was wanted."""
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def end_session(
    leader: int, birth: float, others: list[tuple[int, float]], *, within: float = 2.0
) -> list[int]:
    """Kill what lives of a session and of ``others``, and wait until it is gone.

    Args:
        leader: the host's pid, which is the session's id.
        birth: its create time; a session led by another process is left alone.
        others: (pid, create time) of known descendants that may have left the session.
        within: seconds to wait for the end of what was killed.

    Returns:
        The pids that are alive all the same, such as one stuck in the kernel.
    """
    deadline = time.monotonic() + within
    while True:
        now_led_by = created(leader)
        left = session_members(leader) if now_led_by in (None, birth) else []
        left += [pid for pid, born in others if created(pid) == born and alive(pid) and pid not in left]
        if not left or time.monotonic() > deadline:
            return left
        for pid in left:
            kill(pid)
        time.sleep(_PAUSE)


def watch(lines: object) -> None:
    """Keep the list of living hosts until the pipe ends, then end them all."""
    hosts: dict[int, float] = {}
    for line in lines:  # type: ignore[attr-defined] # an iterable of bytes: stdin's buffer
        verb, _, rest = line.decode("ascii").strip().partition(" ")
        if verb == "+":
            pid, _, birth = rest.partition(" ")
            hosts[int(pid)] = float(birth)
        elif verb == "-":
            hosts.pop(int(rest), None)
    known = {pid: descendants(pid) for pid, birth in hosts.items() if created(pid) == birth}
    for pid, birth in hosts.items():
        if created(pid) == birth:
            kill(pid)
    for pid, birth in hosts.items():
        end_session(pid, birth, known.get(pid, []))


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watch(sys.stdin.buffer)
