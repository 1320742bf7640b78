"""What faults make of an answer: bytes, each with its delay, and perhaps the host's end. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .. import faults as f

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@frozen
class Reply:
    """What a host writes in answer to one request.

    Attributes:
        data: the bytes.
        delay: seconds by which it writes them later.
        code: the status with which it ends after that, or ``None`` if it lives on.
    """

    data: bytes
    delay: float = 0.0
    code: int | None = None


PRINT = b"a flood of words \n"
PART = b'{"v":1,"id":"%s","event":{"type":"part","payload":"a flood"}}\n'
STRANGER = b'"id":"nobody-asked-this"'


def spoil(line: bytes, request_id: str, faults: Iterable[f.Fault], garbage: Callable[[int], bytes]) -> Reply:
    """The answer as the faults leave it, one after the other.

    Args:
        line: the answer, as the protocol wants it, newline included.
        request_id: whose answer it is, a text or a number.
        faults: those that touch answers.
        garbage: makes so many bytes that are no message and hold no newline.
    """
    reply = Reply(line)
    for fault in faults:
        reply = _spoil(reply, request_id, fault, garbage)
    return reply


def _spoil(reply: Reply, request_id: str, fault: f.Fault, garbage: Callable[[int], bytes]) -> Reply:
    data = reply.data
    match fault:
        case f.Slow():
            return replace(reply, delay=reply.delay + fault.seconds)
        case f.PartialLine():
            return replace(reply, data=data[: min(fault.bytes, len(data) - 1)], code=fault.code)
        case f.Truncate():
            return replace(reply, data=data[: min(fault.bytes, len(data) - 1)] + b"\n")
        case f.Garbage():
            return replace(reply, data=garbage(fault.bytes) + b"\n" * fault.newline + data)
        case f.DuplicateReply() | f.ReplyFlood():
            return replace(reply, data=data * (1 + fault.times))
        case f.StdoutFlood():
            return replace(reply, data=PRINT * (fault.bytes // len(PRINT) + 1) + data)
        case f.PartFlood():
            return replace(reply, data=PART % request_id.encode() * fault.parts + data)
        case f.WrongId():
            spelled = re.compile(rb'"id":\s*("?)%s\1(?=[,}])' % re.escape(request_id.encode()))
            return replace(reply, data=spelled.sub(STRANGER, data))
        case f.WrongVersion():
            return replace(reply, data=data.replace(b'"v":1', b'"v":%d' % fault.version, 1))
        case _:
            raise ValueError(f"{fault.kind!r} is no fault of an answer")


def noise(draw: Callable[[int], int]) -> Callable[[int], bytes]:
    """Garbage by chance; ``draw(n)`` gives whole numbers below ``n``."""
    return lambda size: bytes(_NOISE[draw(len(_NOISE))] for _ in range(size))


_NOISE = bytes(byte for byte in range(256) if byte not in b'\r\n{}[]"0123456789')
"""What no JSON value begins with, but for letters; and no end of a line."""
