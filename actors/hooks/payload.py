"""What hooks are told of a call beside what they may change, and what its caller is told of what they refuse.

The time is looked up here; all else is handed in.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure

if TYPE_CHECKING:
    from ...plugins.hooks.chain import Refused
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..routing.decision import CallTarget
    from .handles import ToolRun

Json = dict[str, Any]

_SESSION = ("session_id", "parent_id")


def facts_before(call: Call, plugin: str | None, target: CallTarget | None) -> Json:
    """The facts of ``tool:pre``.

    Args:
        call: the caller's handle.
        plugin: the one that would take it, if that is known.
        target: all that it may run, if that is known.
    """
    names, known_as = ((), ()) if target is None else (target.names, target.known_as)
    return _facts(call, plugin) | {"tool_names": list(names), "tool_known_as": list(known_as)}


def facts_after(
    call: Call, plugin: str | None, payload: Any, tool: ToolRun | None, seconds: float | None
) -> Json:
    """The facts of ``tool:post`` and ``tool:error``.

    Args:
        call: the caller's handle.
        plugin: the one that would have taken it, should none have.
        payload: what the tool was given, or would have been.
        tool: the handle that it was given; ``None`` if it never came to that.
        seconds: for how long it has run.
    """
    host = getattr(getattr(tool, "run", None), "host", None)
    answered_by = None if tool is None else tool.generation
    return _facts(call, plugin) | {
        "tool_input": payload,
        "input": payload,
        "attempt": call.attempt,
        "generation": getattr(host, "generation", answered_by),
        "duration": seconds,
        "duration_ms": None if seconds is None else round(seconds * 1000),
    }


def _facts(call: Call, plugin: str | None) -> Json:
    context = call.invocation.context or {}
    facts: Json = {
        "tool_name": call.tool_name,
        "tool_call_id": call.id,
        "plugin": call.plugin_name or plugin,
        "timestamp": datetime.now(UTC).isoformat(),
    }
    return facts | {name: context[name] for name in _SESSION if isinstance(context.get(name), str)}


def withheld(code: Code | None, step: Refused) -> Result:
    """What the caller is told instead of a result, or of a failure with ``code``, that a gate has refused."""
    facts: Json = {"hook": step.by, "reason": step.reason}
    if code is Code.TOOL_RAISED:
        return failure(code, f"the tool raised, and what it said was withheld: {step.why}", **facts)
    if code is Code.INVALID_CALL:
        told = f"the tool's server refused the call, and what it said was withheld: {step.why}"
        return failure(code, told, outcome=Outcome.OUTCOME_UNKNOWN, **facts)
    return failure(Code.INVALID_RESULT, f"the tool has run, but its result was withheld: {step.why}", **facts)
