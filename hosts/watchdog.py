"""The watchdog, seen from the embedding process: a small process that outlives it, for a moment.

Hosts end by themselves when their stdin closes, but one that is in an endless loop, stopped, or
written by somebody else may not, and nothing in this process runs any more once it has been
killed with SIGKILL. So another process holds the end of a pipe, and ends what is left when the
pipe does. PR_SET_PDEATHSIG is no way out: it fires when the *thread* that spawned ends, and
actors are threads.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from .environment import host_environment

_SCRIPT = Path(__file__).with_name("sweep.py")


class Watchdog:
    """Ends the registered hosts when this process is gone. Starts with the first host; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hosts: dict[int, float] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def add(self, pid: int, birth: float) -> None:
        """From now on, end the session of ``pid`` (created at ``birth``) when this process is gone."""
        with self._lock:
            self._hosts[pid] = birth
            if not self._closed:
                self._say(f"+ {pid} {birth!r}\n")

    def remove(self, pid: int) -> None:
        """The host is gone; forget its pid before somebody else gets it."""
        with self._lock:
            if self._hosts.pop(pid, None) is not None and not self._closed:
                self._say(f"- {pid}\n")

    def close(self) -> None:
        """End the watchdog; hosts still registered are ended by it on its way out."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            _hang_up(process)
            process.wait()

    def _say(self, line: str) -> None:
        if self._process is None:
            self._start()
            return
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode("ascii"))
        except BrokenPipeError:  # somebody killed the watchdog: another takes over all it knew
            dead, self._process = self._process, None
            _hang_up(dead)
            dead.wait()
            self._start()

    def _start(self) -> None:
        if not sys.executable:  # an interpreter embedded in another program cannot start itself
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env=host_environment({}, {}),
            start_new_session=True,
        )
        assert self._process.stdin is not None
        for pid, birth in self._hosts.items():
            self._process.stdin.write(f"+ {pid} {birth!r}\n".encode("ascii"))


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
