"""Results for the failures that Callboard itself reports.

The only place where such a result is written, so that a code never goes with an outcome that it cannot
have: a type checker refuses the pair, and so does `failure` at run time.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any, Literal, overload

from ...base.foreign import told
from .codes import OUTCOMES, Code, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .call_result import CallResult
    from .codes import Either, MayHaveRun, NeverSent

_MOST_FRAMES = 20
"""Frames of a tool's traceback that are kept: the innermost ones, on both sides of a chain."""

_CODES = {code.value: code for code in Code}

_RESERVED = frozenset({"success", "result"})


@overload
def failure(
    code: NeverSent, error: str, *, outcome: Literal[Outcome.NOT_SENT] = ..., **facts: Any
) -> CallResult: ...
@overload
def failure(
    code: MayHaveRun, error: str, *, outcome: Literal[Outcome.OUTCOME_UNKNOWN] = ..., **facts: Any
) -> CallResult: ...
@overload
def failure(code: Either, error: str, *, outcome: Outcome, **facts: Any) -> CallResult: ...


def failure(code: Code, error: str, *, outcome: Outcome | None = None, **facts: Any) -> CallResult:
    """Return ``{"success": false, "error", "code", "outcome", **facts}``.

    Args:
        code: why.
        error: a sentence for people and for the model.
        outcome: needed only where the code leaves it open.
        facts: further JSON values, such as ``crash_report``.

    Raises:
        ValueError: the code cannot have this outcome, or leaves it open and none is given, or a fact
            would replace ``success`` or ``result``.
    """
    possible = OUTCOMES[code]
    if outcome is None and len(possible) == 1:
        outcome = possible[0]
    if outcome not in possible:
        raise ValueError(f"a failure with code {code} says {' or '.join(possible)}, not {outcome}")
    if not _RESERVED.isdisjoint(facts):
        raise ValueError(f"a failure's facts cannot include {sorted(_RESERVED & facts.keys())}")
    result: Any = {"success": False, "error": error, "code": code.value, "outcome": outcome.value, **facts}
    told: CallResult = result
    return told


def reported(result: Mapping[str, Any]) -> Code | None:
    """Return why a call failed, if it is Callboard that says so; ``None`` for a success, and for a tool's own failure.

    A tool may say a ``code``, too, but none of ours: see `results`.
    """
    if result.get("success"):
        return None
    code = result.get("code")
    return _CODES.get(code) if isinstance(code, str) else None


def ending_of(result: Mapping[str, Any]) -> str:
    """Return how a call ended, in one word: ``success``, ``failure`` (the tool's own) or the code of a failure of ours."""
    if result.get("success"):
        return "success"
    code = reported(result)
    return "failure" if code is None else code.value


def tool_raised(error: BaseException) -> CallResult:
    """Return the failure of a call whose tool raised: ``type``, ``message`` and ``traceback`` are facts.

    It raises nothing, even for an exception that cannot be turned into text.
    """
    return failure(
        Code.TOOL_RAISED,
        describe(error),
        type=type(error).__name__,
        message=told(error),
        traceback=_traceback(error),
    )


def describe(error: BaseException) -> str:
    """Return ``ValueError: the message`` for an exception of a plugin's; raises nothing."""
    return titled(type(error).__name__, told(error))


def titled(kind: str, message: str) -> str:
    """Return ``KIND: MESSAGE``, and a message that begins with its kind as it is; the kind alone if there is no message."""
    if not message or message.startswith(f"{kind}:"):
        return message or kind
    return f"{kind}: {message}"


def _traceback(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error, limit=-_MOST_FRAMES))
    except BaseException:  # noqa: BLE001 - it has the exception's own text in it
        return "".join(traceback.format_tb(error.__traceback__, limit=-_MOST_FRAMES))
