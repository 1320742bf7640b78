"""The type of a call's result: what every call ends with, as a mapping.

It is a plain dict at run time. A type checker knows these keys and no others, though a tool's own keys are kept: they are
read from a ``dict(result)``.
"""

# Annotations are not deferred here: `TypedDict` could not tell then which keys may be missing.
from typing import Any, Literal, NotRequired, TypedDict

CodeLiteral = Literal[
    "unknown_tool",
    "ambiguous_tool",
    "invalid_call",
    "overloaded",
    "host_unavailable",
    "host_crashed",
    "deadline_exceeded",
    "cancelled",
    "tool_raised",
    "invalid_result",
    "protocol_error",
    "denied",
]
"""The text of each `Code`. A test holds the two to each other."""

OutcomeLiteral = Literal["not_sent", "outcome_unknown"]
"""The text of each `Outcome`. A test holds the two to each other."""


class CallResult(TypedDict):
    """The result of a call: ``{"success": true, …}`` or ``{"success": false, "error": "…", …}``.

    A failure that Callboard reports has a ``code`` and an ``outcome``. Beside them stand its facts, which the table of
    codes names. Facts are `Any`, because a tool may have keys of its own by the same names.

    Attributes:
        success: whether the tool did what it was asked to.
        result: what a success brought, if the tool said it under this name or as its ``output``.
        error: a text in every failure.
        code: why Callboard reports a failure. A failure of the tool's own may have a code of any other value here.
        outcome: whether the tool may have run, beside a code of Callboard's.
        metadata: whatever the tool put beside its result.
        state_saved: false if the state that came with the result could not be saved.
        parts_dropped: how many parts were not read in time.
        said_by_tool: what the tool said under names that only Callboard uses.
        formatted_by_tool: true if the words are those of the tool's formatter.
        crash_report: of the host that ended, or that could not start.
    """

    success: bool
    result: NotRequired[Any]
    error: NotRequired[str]
    code: NotRequired[CodeLiteral | Any]
    outcome: NotRequired[OutcomeLiteral | Any]
    output: NotRequired[Any]
    metadata: NotRequired[Any]
    error_details: NotRequired[Any]
    state_saved: NotRequired[bool]
    parts_dropped: NotRequired[int]
    said_by_tool: NotRequired[dict[str, Any]]
    formatted_by_tool: NotRequired[bool]
    crash_report: NotRequired[Any]
    plugins: NotRequired[Any]
    raw: NotRequired[Any]
    payload_kind: NotRequired[Any]
    problems: NotRequired[Any]
    more_problems: NotRequired[Any]
    retry_in: NotRequired[Any]
    reason: NotRequired[Any]
    hook: NotRequired[Any]
    path: NotRequired[Any]
    type: NotRequired[Any]
    message: NotRequired[Any]
    traceback: NotRequired[Any]
    state_bytes: NotRequired[Any]
    max_state_bytes: NotRequired[Any]
    bytes: NotRequired[Any]
    values: NotRequired[Any]
    limit: NotRequired[Any]
