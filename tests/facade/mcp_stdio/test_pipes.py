"""The pipes to a client: whoever reads slowly gets all of it in order, and what the descriptors share stays as it is."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING

import pytest
from callboard.mcp_stdio.pipes import Reading, Writing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ends = tuple[int, int, Callable[[], None]]

PATIENCE = 60.0


def pipe() -> Ends:
    read, write = os.pipe()
    return read, write, lambda: (os.close(read), os.close(write), None)[2]


def sockets() -> Ends:
    one, other = socket.socketpair()
    return one.fileno(), other.fileno(), lambda: (one.close(), other.close(), None)[2]


@pytest.mark.parametrize("make", [pipe, sockets])
def test_all_is_written_in_order_to_who_reads_slowly(make: Callable[[], Ends]) -> None:
    read, write, close = make()
    lines = [b"%d %s\n" % (number, b"x" * (number % 7) * 10_000) for number in range(500)]

    async def talk() -> bytes:
        writing = Writing(write, lambda: None)
        for line in lines:
            writing.write(line)
        assert writing.waiting == sum(map(len, lines))
        found = []
        while sum(map(len, found)) < sum(map(len, lines)):
            found.append(await asyncio.to_thread(os.read, read, 3000))
        await asyncio.wait_for(writing.room(0), PATIENCE)
        writing.close()
        return b"".join(found)

    assert asyncio.run(talk()) == b"".join(lines)
    assert os.get_blocking(write)
    close()


def test_what_waits_for_room_goes_on_when_there_is_some() -> None:
    read, write, close = pipe()

    async def talk() -> None:
        writing = Writing(write, lambda: None)
        writing.write(b"x" * 5_000_000)
        waiting = asyncio.ensure_future(writing.room())
        await asyncio.sleep(0)
        assert not waiting.done()
        left = 5_000_000
        while left:
            left -= len(await asyncio.to_thread(os.read, read, 1_000_000))
        await asyncio.wait_for(waiting, PATIENCE)
        writing.close()

    asyncio.run(talk())
    close()


def test_who_has_gone_is_told_of_once_and_keeps_nobody_waiting() -> None:
    read, write = os.pipe()
    told = []

    async def talk() -> None:
        writing = Writing(write, lambda: told.append("gone"))
        writing.write(b"x" * 5_000_000)
        writing.flush()
        os.close(read)
        await asyncio.wait_for(writing.room(), PATIENCE)
        writing.write(b"more")
        writing.flush()
        writing.close()

    asyncio.run(talk())
    os.close(write)

    assert told == ["gone"]


def test_a_file_is_read_to_its_end_and_written_like_a_pipe(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"x" * 3_000_000)

    async def talk() -> None:
        found: list[bytes] = []
        over = asyncio.Event()

        def hear(data: bytes) -> None:
            found.append(data)
            writing.write(data)
            if not data:
                over.set()

        with source.open("rb") as reading, target.open("wb") as written:
            writing = Writing(written.fileno(), lambda: None)
            Reading(reading.fileno(), hear).begin()
            await asyncio.wait_for(over.wait(), PATIENCE)
            writing.flush()
            writing.close()
        assert found[-1] == b""

    asyncio.run(talk())

    assert target.read_bytes() == source.read_bytes()
