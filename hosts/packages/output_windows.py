"""What a program says until it ends, for systems where pipes cannot be polled: each has a thread that reads it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ...base.locks import Lock
from ..process.exit_watch import await_end
from ..process.read import read_on
from .output import Output

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from ..process.process import RingBuffer

_QUIET = 0.3
"""Seconds that the rest of the output is given, once the program has ended with all that it has started."""


class ThreadedOutput(Output):
    """See `Output`."""

    _readers: tuple[threading.Thread, ...] = ()

    def follow(self, deadline: float) -> bool:
        taking = Lock()

        def read(stream: IO[bytes], rings: tuple[RingBuffer, ...]) -> None:
            def hear(data: bytes) -> bool:
                with taking:
                    for ring in rings:
                        ring.feed(data)
                return True

            read_on(stream, hear)

        self._readers = tuple(_started(read, stream, rings) for stream, rings in self.pipes)
        ending = _started(await_end, self.popen)
        ending.join(max(0.0, deadline - time.monotonic()))
        return not ending.is_alive()

    def close(self) -> None:
        """See `Output`. What somebody holds all the same is closed by its thread, once he lets it go."""
        # A read on a pipe cannot be called away: a descendant that holds the other end keeps its reader, a daemon.
        for reader in self._readers:
            reader.join(_QUIET)
        for stream, _ in self.pipes[len(self._readers) :]:
            stream.close()


def _started(wait: Callable[..., object], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=wait, args=arguments, name="callboard-command_runner", daemon=True)
    thread.start()
    return thread
