"""Chat Completions: each tool message stands directly behind the assistant message whose call it answers.

Every call of an assistant message is answered before any other message comes. Ids are unique in their
message; across messages servers repeat them, and it does no harm.
"""

from __future__ import annotations

from typing import Any, Final

from .pairing import Answered, Pairing, Rules, Seen, pair
from .repair_report import Repair, RepairCode, Repaired

_RULES: Final = Rules()


def repair_chat(messages: list[Any], *, no_result: str, keep_pending: bool) -> Repaired:
    """See `transcript.repair_transcript`."""
    calls, results = _calls(messages), _results(messages)
    pairing = pair(calls, results, _RULES)
    repairs = list(pairing.repairs)
    pending = calls[-1].turn if keep_pending and calls and _is_open(messages, calls[-1].turn) else None
    repaired: list[Any] = []
    for turn, message in enumerate(messages):
        if _is_result(message):
            continue
        group = pairing.of_group(turn)
        repaired.append(_with_calls(message, turn, pairing, group) if group else message)
        behind = _run_behind(messages, turn)
        for each in sorted(group, key=lambda each: _order(each, behind)):
            if each.result is not None:
                repaired.append(_with_id(each.result.value, "tool_call_id", each.id))
                if each.result.turn > behind:
                    detail = f"the result of the call {each.call.id!r} was put behind it"
                    repairs.append(each.result.repair(RepairCode.MOVED_RESULT, detail))
            elif turn != pending:
                repaired.append({"role": "tool", "tool_call_id": each.id, "content": no_result})
                repairs.append(missing(each.call))
    return settled(messages, repaired, repairs)


def missing(call: Seen) -> Repair:
    """Say that a call was given a result."""
    detail = f"the call {call.id!r} of {call.name!r} had no result, and was given one that says so"
    return call.repair(RepairCode.MISSING_RESULT, detail)


def settled(given: list[Any], repaired: list[Any], repairs: list[Repair]) -> Repaired:
    """Return what was given, if nothing was done."""
    if not repairs:
        return Repaired(given, ())
    return Repaired(repaired, tuple(sorted(repairs, key=lambda each: (each.turn, each.position))))


def text_or_none(value: Any) -> str | None:
    """Return an id or a name; ``None`` for what is none."""
    return value if isinstance(value, str) and value else None


def _calls(messages: list[Any]) -> list[Seen]:
    return [
        Seen(turn, position, turn, text_or_none(call.get("id")), _name(call), call)
        for turn, message in enumerate(messages)
        for position, call in enumerate(_tool_calls(message))
        if isinstance(call, dict)
    ]


def _tool_calls(message: Any) -> list[Any]:
    calls = (
        message.get("tool_calls") if isinstance(message, dict) and message.get("role") == "assistant" else ()
    )
    return calls if isinstance(calls, list) else []


def _name(call: dict[str, Any]) -> str | None:
    said = call.get("function", call.get("custom"))
    return text_or_none(said.get("name")) if isinstance(said, dict) else None


def _results(messages: list[Any]) -> list[Seen]:
    return [
        Seen(turn, 0, turn, text_or_none(message.get("tool_call_id")), None, message)
        for turn, message in enumerate(messages)
        if _is_result(message)
    ]


def _is_result(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "tool"


def _is_open(messages: list[Any], turn: int) -> bool:
    return all(_is_result(message) for message in messages[turn + 1 :])


def _run_behind(messages: list[Any], turn: int) -> int:
    """The number of the last of the tool messages that stand directly behind a message."""
    last = turn
    while last + 1 < len(messages) and _is_result(messages[last + 1]):
        last += 1
    return last


def _order(each: Answered, behind: int) -> tuple[int, int]:
    """Results that stand where they belong stay in their order; all others come behind them, in that of the calls."""
    if each.result is not None and each.result.turn <= behind:
        return 0, each.result.turn
    return 1, each.call.position


def _with_calls(
    message: dict[str, Any], turn: int, pairing: Pairing, group: list[Answered]
) -> dict[str, Any]:
    ids = {each.call.position: each.id for each in group}
    calls = [
        _with_id(call, "id", ids[position]) if position in ids else call
        for position, call in enumerate(message["tool_calls"])
        if (turn, position) not in pairing.gone
    ]
    same = len(calls) == len(message["tool_calls"]) and all(
        one is other for one, other in zip(calls, message["tool_calls"], strict=True)
    )
    return message if same else {**message, "tool_calls": calls}


def _with_id(value: dict[str, Any], key: str, its: str | None) -> dict[str, Any]:
    return value if value.get(key) == its else {**value, key: its}
