"""What a program says until it ends, heard by one thread that waits for all of its pipes at once."""

from __future__ import annotations

import os
import selectors
import sys
import time
from contextlib import ExitStack

from .output import Output

assert sys.platform != "win32", "pipes cannot be polled on Windows: there it is a `ThreadedOutput`"

from ..process.exit_watch import exit_descriptor  # noqa: E402 - there are none on Windows

_CHUNK = 65536


class PolledOutput(Output):
    """See `Output`. A child of the program that holds a pipe is not waited for."""

    def follow(self, deadline: float) -> bool:
        with ExitStack() as ending, selectors.DefaultSelector() as selector:
            exit_ = exit_descriptor(self.popen.pid)
            ending.callback(os.close, exit_)
            selector.register(exit_, selectors.EVENT_READ)
            for stream, rings in self.pipes:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream.fileno(), selectors.EVENT_READ, rings)
            return _read_until_exit(selector, exit_, deadline)

    def close(self) -> None:
        for stream, _ in self.pipes:
            stream.close()


def _read_until_exit(selector: selectors.BaseSelector, exit_: int, deadline: float) -> bool:
    """Take what comes until the program has ended and all is read; False if the deadline comes first."""
    while (left := deadline - time.monotonic()) > 0:
        ready = selector.select(left)
        if not _read(selector, [key for key, _ in ready if key.data is not None]) and any(
            key.fd == exit_ for key, _ in ready
        ):
            return True
    return False


def _read(selector: selectors.BaseSelector, ready: list[selectors.SelectorKey]) -> bool:
    """Take what is there; whether there was anything."""
    found = False
    for key in ready:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            continue
        if not data:
            selector.unregister(key.fd)
            continue
        found = True
        for ring in key.data:
            ring.feed(data)
    return found
