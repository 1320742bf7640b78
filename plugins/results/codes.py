"""The codes of the failures that Callboard itself reports, and what each says about the call.

The outcome answers the one question a caller has after a failure: may the tool have run? With
``not_sent`` it has not, and the call may be sent again. With ``outcome_unknown`` it may have, in part
or in whole, and only its owner knows whether running it twice does harm.

A tool's own failure has neither code nor outcome: the tool ran, and says itself what happened.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal, get_args


class _Text(StrEnum):
    """Members that equal their texts, in the eyes of a type checker too."""

    if TYPE_CHECKING:
        # mypy takes a member and a literal text for two values that are never equal, unless the class compares them itself.
        def __eq__(self, other: object, /) -> bool: ...
        def __hash__(self) -> int: ...


class Outcome(_Text):
    """Whether the tool may have run."""

    NOT_SENT = "not_sent"
    OUTCOME_UNKNOWN = "outcome_unknown"


class Code(_Text):
    """Why a call failed, where the failure is not the tool's own."""

    UNKNOWN_TOOL = "unknown_tool"
    """No tool takes the call."""
    AMBIGUOUS_TOOL = "ambiguous_tool"
    """More than one tool takes the call with equal right."""
    INVALID_CALL = "invalid_call"
    """The call cannot be read, the tool cannot take its kind of payload, or its arguments break the schema.

    With ``outcome_unknown`` it is the tool's MCP server that says so, maybe after a part of its work.
    """
    OVERLOADED = "overloaded"
    """The mailbox is full."""
    HOST_UNAVAILABLE = "host_unavailable"
    """The host is parked, or not able to start."""
    HOST_CRASHED = "host_crashed"
    """The host ended while the call ran."""
    DEADLINE_EXCEEDED = "deadline_exceeded"
    """The deadline passed, before or after sending."""
    CANCELLED = "cancelled"
    """The caller cancelled, or the board stopped."""
    TOOL_RAISED = "tool_raised"
    """The tool raised instead of answering."""
    INVALID_RESULT = "invalid_result"
    """The tool answered with something that is no result, or is not JSON."""
    PROTOCOL_ERROR = "protocol_error"
    """The host broke the protocol."""
    DENIED = "denied"
    """A hook refused the call."""


NeverSent = Literal[
    Code.UNKNOWN_TOOL,
    Code.AMBIGUOUS_TOOL,
    Code.OVERLOADED,
    Code.HOST_UNAVAILABLE,
    Code.DENIED,
]
MayHaveRun = Literal[Code.HOST_CRASHED, Code.TOOL_RAISED, Code.INVALID_RESULT, Code.PROTOCOL_ERROR]
Either = Literal[Code.INVALID_CALL, Code.DEADLINE_EXCEEDED, Code.CANCELLED]

_POSSIBLE: tuple[tuple[object, tuple[Outcome, ...]], ...] = (
    (NeverSent, (Outcome.NOT_SENT,)),
    (MayHaveRun, (Outcome.OUTCOME_UNKNOWN,)),
    (Either, (Outcome.NOT_SENT, Outcome.OUTCOME_UNKNOWN)),
)

OUTCOMES: dict[Code, tuple[Outcome, ...]] = {
    code: outcomes for code in Code for codes, outcomes in _POSSIBLE if code in get_args(codes)
}
"""The outcomes that a failure with each code can have."""
