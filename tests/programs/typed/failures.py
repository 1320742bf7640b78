"""What a failed call says, compared with the texts of the codes and with the members of `Code`, by a program that handles every code."""

from __future__ import annotations

from typing import assert_never

from callboard import Callboard, Code, CodeLiteral, Outcome, OutcomeLiteral, ToolFailed


def advice(code: CodeLiteral | None) -> str:
    """A new code makes this function incomplete."""
    match code:
        case None:
            return "read what the tool says"
        case "unknown_tool" | "ambiguous_tool" | "invalid_call":
            return "mend the call"
        case "overloaded" | "host_unavailable":
            return "call again later"
        case "host_crashed" | "protocol_error" | "tool_raised" | "invalid_result":
            return "mend the tool"
        case "deadline_exceeded" | "cancelled":
            return "give it more time"
        case "denied":
            return "ask for permission"


def repeatable(outcome: OutcomeLiteral | None) -> bool:
    if outcome == "not_sent":
        return True
    if outcome == "outcome_unknown" or outcome is None:
        return False
    assert_never(outcome)


def by_member(code: Code) -> str:
    """A member that is left out is missed, as a text is."""
    match code:
        case Code.UNKNOWN_TOOL | Code.AMBIGUOUS_TOOL | Code.INVALID_CALL:
            return "mend the call"
        case Code.OVERLOADED | Code.HOST_UNAVAILABLE:
            return "call again later"
        case Code.HOST_CRASHED | Code.PROTOCOL_ERROR | Code.TOOL_RAISED | Code.INVALID_RESULT:
            return "mend the tool"
        case Code.DEADLINE_EXCEEDED | Code.CANCELLED:
            return "give it more time"
        case Code.DENIED:
            return "ask for permission"


def divide(a: float, b: float) -> float:
    """Divide two numbers."""
    return a / b


if __name__ == "__main__":
    with Callboard() as board:
        board.tool(divide)
        for arguments in ({"a": 1, "b": "x"}, {"a": 1, "b": 0}):
            try:
                board.call("divide", arguments)
            except ToolFailed as failed:
                print(repr(failed.code), failed.outcome, advice(failed.code), repeatable(failed.outcome))
                print(failed.code == "invalid_call", failed.outcome != Outcome.OUTCOME_UNKNOWN)
                print(
                    failed.code in (Code.TOOL_RAISED, Code.DENIED), failed.code in {"tool_raised", "denied"}
                )
                if failed.code is not None:
                    print(by_member(Code(failed.code)), len({failed.code, Code(failed.code)}))
                print(failed.code == "invalid_cal")  # type: ignore[comparison-overlap]
        result = board.execute({"id": "1", "name": "divide", "arguments": {"a": 1, "b": 0}})
        print(result.get("code") == Code.TOOL_RAISED, result.get("code") == "tool_raised")
