"""The watchdog, seen from the embedding process: a small process that outlives it, for a moment.

Hosts end by themselves when their stdin closes, but one that is in an endless loop, stopped, or
written by somebody else may not, and nothing in this process runs any more once it has been
killed with SIGKILL. So another process holds the end of a pipe, and ends what is left when the
pipe does. PR_SET_PDEATHSIG is no way out: it fires when the *thread* that spawned ends, and
actors are threads.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ...base.forking import disown_in_child
from ...base.locks import Lock

_LINKING = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""All that the watchdog is given of the environment: some interpreters do not start without."""

if sys.platform == "win32":
    _FLAGS = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    # A pipe that nobody reads is an invalid argument there.
    _NOT_HEARD: tuple[type[OSError], ...] = (OSError,)
else:
    _FLAGS = 0
    _NOT_HEARD = (BrokenPipeError, BlockingIOError)

_SCRIPT = Path(__file__).with_name("tree_kill.py")


class Watchdog:
    """Ends the registered hosts when this process is gone. Starts with the first host; thread-safe.

    One that was killed is replaced when the next host is added or removed, and told all that the
    old one knew.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._hosts: dict[int, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        disown_in_child(self)

    @property
    def pid(self) -> int | None:
        """The watchdog's process id, or ``None`` when it does not run."""
        process = self._process
        return None if process is None else process.pid

    def add(self, pid: int, birth: float, mark: str = "", number: int = 0) -> None:
        """From now on, end the tree of ``pid`` when this process is gone.

        Args:
            pid: the host's, which leads a session.
            birth: its time of creation, as `created` tells it.
            mark: what it carries in its environment.
            number: what it carries as a limit.

        Raises:
            OSError: the machine is too short of something to start the watchdog.
        """
        with self._lock:
            self._hosts[pid] = line = f"+ {pid} {birth!r} {mark} {number}\n"
            if not self._closed:
                self._say(line)

    def remove(self, pid: int) -> None:
        """The host is gone; forget its pid before somebody else gets it."""
        with self._lock:
            if self._hosts.pop(pid, None) is not None and not self._closed:
                with suppress(OSError):  # no watchdog to be had just now: the next `add` tries again
                    self._say(f"- {pid}\n")

    def close(self) -> None:
        """End the watchdog; hosts still registered are ended by it on its way out."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            if sys.platform != "win32":
                process.send_signal(signal.SIGCONT)  # it may be stopped, and could not hear the end then
            process.wait()
            self._process = None  # last: a close that was interrupted is done again

    def forked(self, parent: int) -> None:
        """In a child that was forked off: do not hold the pipe, whose end has to come when the parent's does."""
        self._lock = Lock()
        self._hosts = {}
        self._closed = True
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            process.returncode = 0
            process.stdin.close()

    def _say(self, line: str) -> None:
        if self._process is None:
            self._start()
        elif not _write(self._process, line):
            dead, self._process = self._process, None
            # It may be stopped, and then it would end all the hosts when somebody continues it.
            dead.kill()
            assert dead.stdin is not None
            dead.stdin.close()
            dead.wait()
            self._start()

    def _start(self) -> None:
        if not sys.executable:  # an interpreter embedded in another program cannot start itself
            return
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SCRIPT), str(os.getpid()), _packages()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={name: os.environ[name] for name in _LINKING if name in os.environ},
            start_new_session=sys.platform != "win32",
            creationflags=_FLAGS,
        )
        self._process = process
        for line in self._hosts.values():
            if not _write(process, line):  # it ended at once; the next host starts another
                return
        assert process.stdin is not None
        if sys.platform != "win32":
            os.set_blocking(process.stdin.fileno(), False)


def _write(process: subprocess.Popen[bytes], line: str) -> bool:
    """False when it is gone, or when it does not read: a watchdog that sleeps is none."""
    assert process.stdin is not None
    try:
        # A line is shorter than PIPE_BUF, so it is written as a whole or not at all.
        os.write(process.stdin.fileno(), line.encode("ascii"))
    except _NOT_HEARD:
        return False
    return True


def _packages() -> str:
    """Where psutil is: in isolated mode the script may not look at all the places that we do."""
    spec = importlib.util.find_spec("psutil")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent.parent)
