"""A relay between a client of MCP and its server, in as few steps as asyncio and orjson take: what no gateway in Python can undercut.

It parses each line, gives requests ids of its own, and gives answers theirs back. It checks nothing, bounds nothing and supervises nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable


def relay(argv: list[str]) -> None:
    """Stand between the client at stdin and stdout and the server that ``argv`` starts, until that ends."""
    loop = asyncio.new_event_loop()
    server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert server.stdin is not None
    assert server.stdout is not None
    ids, asked = itertools.count(1), dict[int, Any]()

    def renamed(own: Any) -> int:
        asked[number := next(ids)] = own
        return number

    _pass_on(loop, 0, server.stdin.fileno(), renamed, server.stdin.close)
    _pass_on(loop, server.stdout.fileno(), 1, asked.pop, loop.stop)
    loop.run_forever()


def _pass_on(
    loop: asyncio.AbstractEventLoop,
    reading: int,
    writing: int,
    rename: Callable[[Any], Any],
    end: Callable[[], object],
) -> None:
    """Have the lines of one descriptor written to another, each with another id."""
    parts: list[bytes] = []
    left = bytearray()

    def read() -> None:
        if not (data := os.read(reading, 1 << 20)):
            loop.remove_reader(reading)
            end()
            return
        parts.append(data)
        if b"\n" not in data:
            return
        *lines, rest = b"".join(parts).split(b"\n")
        parts[:] = [rest]
        for line in lines:
            message = orjson.loads(line)
            if "id" in message:
                message["id"] = rename(message["id"])
            left.extend(orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE))
        write()

    def write() -> None:
        with suppress(BlockingIOError):
            del left[: os.write(writing, left)]
        if left:
            loop.add_writer(writing, write)
        else:
            loop.remove_writer(writing)

    os.set_blocking(writing, False)
    loop.add_reader(reading, read)


if __name__ == "__main__":
    relay(sys.argv[1:])
