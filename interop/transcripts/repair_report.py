"""What a repair of a transcript did, and what it gives back."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple


class RepairCode(StrEnum):
    """One kind of repair."""

    ORPHAN_RESULT = "orphan_result"
    """A result that answers no call before it was left out."""
    DUPLICATE_RESULT = "duplicate_result"
    """A further result of a call that has one was left out."""
    DUPLICATE_CALL = "duplicate_call"
    """A call that stands twice in one turn, with the same id and the same arguments, was left out once."""
    MISSING_RESULT = "missing_result"
    """A call without a result was given one, which says that no result is known."""
    MOVED_RESULT = "moved_result"
    """A result was put where its call wants it."""
    RENAMED_ID = "renamed_id"
    """A call, and its result, were given another id, or a result the id and name of its call."""
    MADE_UP_ID = "made_up_id"
    """A call without an id, and its result, were given one."""
    RETYPED_RESULT = "retyped_result"
    """A result was given the type that answers its call."""
    EMPTIED_MESSAGE = "emptied_message"
    """A message of which nothing was left went, or says so where its place has to be kept."""


class Repair(NamedTuple):
    """One thing that was done.

    Attributes:
        code: what.
        turn: number of the message, or item, in the transcript as it was given.
        position: number of the call or result in that message.
        call_id: the id that it bore then, if it had one.
        detail: a sentence without an end.
        value: what was left out or changed, as it was; nothing is lost that a caller wants to keep.
    """

    code: RepairCode
    turn: int
    position: int
    call_id: str | None
    detail: str
    value: Any


class Repaired(NamedTuple):
    """A transcript that its provider takes, as far as calls and results go.

    Attributes:
        transcript: the very list that was given if nothing was to be done, else a new one. Messages that
            stay as they were are the same objects.
        repairs: what was done, in order of the transcript; nothing if all was well.
    """

    transcript: list[Any]
    repairs: tuple[Repair, ...]


NO_RESULT: Final = (
    "No result of this call is known: the conversation went on without it. "
    "The tool may have run, in part or in whole, or not at all."
)
"""What a result says that was made up; true of every call whose result is not there."""

LEFT_OUT: Final = "[The result of a tool call that is no longer in this conversation was left out here.]"
"""What a message says of which nothing else was left."""
