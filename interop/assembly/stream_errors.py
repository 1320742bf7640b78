"""What can go wrong with a stream of calls.

    InteropError
    ├── StreamError            an event contradicts what came before, or is none
    │   └── EventStreamError   the bytes are no events, and nothing behind them is read
    └── UnknownStreamError     nobody assembles the calls of this format

A stream that just breaks off is no error: its calls come out, and say that they were cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InteropError

if TYPE_CHECKING:
    from collections.abc import Iterable


class StreamError(InteropError):
    """An event contradicts what came before it, is none of its format, or goes beyond a bound.

    The call that it concerns, if that is known, is malformed from then on, and says why when it comes
    out; all others go on as if nothing had been, so that whoever reads the stream may go on too.

    Attributes:
        format: the stream's format.
        problem: what is wrong.
        call_id: the call that is spoiled by it, if one is and its id is known.
    """

    def __init__(self, format_id: str, problem: str, *, call_id: str | None = None) -> None:
        call = "" if call_id is None else f"call {call_id!r}: "
        super().__init__(f"in a stream of {format_id}, {call}{problem}")
        self.format = format_id
        self.problem = problem
        self.call_id = call_id


class UnknownStreamError(InteropError):
    """No assembler is known for a format.

    Attributes:
        format: what was asked for.
        known: the formats whose streams are known.
    """

    def __init__(self, format_id: str, known: Iterable[str]) -> None:
        self.format = format_id
        self.known: tuple[str, ...] = tuple(known)
        super().__init__(
            f"no streams of {format_id!r} are known, only those of {', '.join(self.known)}: name one of "
            "these, or a format that belongs to one"
        )
