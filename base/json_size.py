"""How much a JSON text holds, told before it is read. Pure.

Reading a text takes the interpreter lock from its beginning to its end, and memory by the value and not by the byte: 63
MiB of ``{},`` are 22 million objects, 1.6 GB, and ten seconds in which no thread of the program does anything. So what a
stranger sends is counted first, at the speed of a search.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES: Final = 10_000_000
"""Values that one text may hold. Any list of numbers or texts of 16 MiB has fewer, and records of that size have three
million. As many are read in 0.3 to 1 s of processor time, and take 0.2 to 1 GB."""

CONTAINER: Final = 4
"""What an array or an object counts for: it takes that much more time and memory than a number."""

UNCOUNTED: Final = MAX_VALUES // CONTAINER
"""Bytes that cannot hold too much, whatever they are."""

_SPARSE = 64
_SHORT = 256
_CONTAINER_BYTES = 64


def weight_of(text: bytes) -> int:
    """Bytes that it takes to keep what a text says, about: in a long one arrays and objects count for more than they say."""
    size = len(text)
    return size if size < _SHORT else size + _CONTAINER_BYTES * (_count(text, b"{") + _count(text, b"["))


def excess(text: bytes, limit: int = MAX_VALUES) -> int | None:
    """Say how many values a text holds if these are more than the limit, as far as they were counted; else ``None``.

    A value is what stands behind a comma, and an array or an object is `CONTAINER` more. A text that is no JSON is
    counted like one that is.
    """
    if len(text) * CONTAINER <= limit or _weight(text) <= limit:
        return None
    # Commas and brackets in strings are text, and a page of CSV is one string. To tell them apart takes ten times as long.
    values = 0
    for outside in _outside_of_strings(text):
        values += _weight(outside)
        if values > limit:
            return values
    return None


def _weight(text: bytes) -> int:
    return _count(text, b",") + CONTAINER * (_count(text, b"[") + _count(text, b"{"))


def _count(text: bytes, byte: bytes) -> int:
    """As `bytes.count`, which looks at each byte; in one long string a search is twenty times as quick."""
    at = -1
    for found in range(_SPARSE):
        at = text.find(byte, at + 1)
        if at < 0:
            return found
    return _SPARSE + text.count(byte, at + 1)


_STRETCH = re.compile(rb'(?:[^"]*+"[^"]*+"){1,1000}+')
"""A stretch with so many strings: other threads get their turn between two of them."""


def _outside_of_strings(text: bytes) -> Iterator[bytes]:
    if b"\\" in text:  # which only strings have, and without which a quote is the end of one
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    end = 0
    while (
        stretch := _STRETCH.match(text, end)
    ) is not None:  # to search for one would begin anew at each byte of the rest
        yield b"".join(stretch[0].split(b'"')[::2])
        end = stretch.end()
    yield text[end:]
