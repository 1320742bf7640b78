"""What a turn wants done, and why it ends: the values between `Turn` and its shell. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .answer_steps import AskedCall

Json = dict[str, Any]


class Reason:
    """Why a turn has ended: the ``reason`` of its ``done`` event."""

    ANSWERED = "answered"
    REFUSED = "refused"
    EMPTY = "empty"
    LENGTH = "length"
    MAX_ROUNDS = "max_rounds"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    ERROR = "error"


class Ask(NamedTuple):
    """Send the session to the model; tell what comes by `heard`, and the end by `answered` or `broke`."""

    round: int


class StopAsking(NamedTuple):
    """Give up the model request; nothing it says counts any more."""


class Append(NamedTuple):
    """Add the message to the session."""

    message: Json


class Preview(NamedTuple):
    """Have a call previewed; say that it is done by `previewed`."""

    call: AskedCall


class Submit(NamedTuple):
    """Run a call; tell its end by `ended`."""

    call: AskedCall


class Cancel(NamedTuple):
    """End a call that was submitted; its end is still told by `ended`."""

    call: AskedCall


class Finish(NamedTuple):
    """The turn is over."""

    reason: str


Do = Ask | StopAsking | Append | Preview | Submit | Cancel | Finish
