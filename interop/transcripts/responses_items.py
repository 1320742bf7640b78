"""Responses: an output item for each call item, somewhere behind it, and of the type that answers it.

A request that goes on from ``previous_response_id``, or by references to items, sends outputs whose calls the server has.
Nothing in the input says that it does. It is taken to go on if there is nothing in it that the model said, or if it
refers to items: then an output whose call is not there is left alone, if it names one. A whole conversation has what the model said.

What else is called and answered in pairs, a shell's commands, patches, a computer's clicks, is left alone too.
"""

from __future__ import annotations

from typing import Any, Final

from ..formats.openai_content import as_of_custom_tool
from ..names.native_types import OUTPUTS
from .chat_messages import missing, settled, text_or_none
from .pairing import Answered, Rules, Seen, pair
from .repair_report import Repair, RepairCode, Repaired

_ANSWERS: Final = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
_OF_THE_CLIENT: Final = frozenset({*_ANSWERS.values(), *OUTPUTS})
_RULES: Final = Rules(unique=True)
_OF_ITS_TYPE: Final = frozenset({"id", "status", "name", "namespace"})
"""Keys of an output that an output of the other type has not, or has for itself."""


def repair_responses(
    items: list[Any], *, no_result: str, keep_pending: bool, continues: bool | None = None
) -> Repaired:
    """See `transcript.repair_transcript`."""
    calls, results = _calls(items), _results(items)
    if continues or (continues is None and _goes_on(items)):
        here = {call.id for call in calls}
        # The others answer calls that the server holds; one without an id answers none of those.
        results = [result for result in results if result.id in here or result.id is None]
    pairing = pair(calls, results, _RULES)
    repairs = list(pairing.repairs)
    pending = calls[-1].group if keep_pending and calls and _is_open(items, calls[-1].turn) else None
    by_call = {each.call.turn: each for each in pairing.answered()}
    by_result = {each.result.turn: each for each in pairing.answered() if each.result is not None}
    repaired: list[Any] = []
    waiting: list[Answered] = []
    for turn, item in enumerate(items):
        if _type(item) not in _ANSWERS:
            _answer(waiting, repaired, repairs, no_result)
        if (turn, 0) in pairing.gone:
            continue
        if turn in by_call:
            each = by_call[turn]
            repaired.append(_with_id(item, each.id))
            if each.result is None and each.call.group != pending:
                waiting.append(each)
        elif turn in by_result:
            repaired.append(_answering(by_result[turn], repairs))
        else:
            repaired.append(item)
    _answer(waiting, repaired, repairs, no_result)
    return settled(items, repaired, repairs)


def _answer(waiting: list[Answered], repaired: list[Any], repairs: list[Repair], no_result: str) -> None:
    """Give results to the calls of a run of calls that have none, behind the run."""
    for each in waiting:
        repaired.append({"type": _ANSWERS[each.call.value["type"]], "call_id": each.id, "output": no_result})
        repairs.append(missing(each.call))
    waiting.clear()


def _answering(each: Answered, repairs: list[Repair]) -> Any:
    assert each.result is not None
    result, wanted = each.result.value, _ANSWERS[each.call.value["type"]]
    if result["type"] != wanted:
        result = {key: item for key, item in result.items() if key not in _OF_ITS_TYPE} | {"type": wanted}
        if isinstance(result.get("output"), list):  # what a custom tool may say, a function may say too
            result["output"] = [as_of_custom_tool(part) for part in result["output"]]
        detail = f"the result of the call {each.call.id!r} was no {wanted}, and is one now"
        repairs.append(each.result.repair(RepairCode.RETYPED_RESULT, detail))
    return _with_id(result, each.id)


def _goes_on(items: list[Any]) -> bool:
    """Whether the server has calls that these items answer: see the module."""
    if any(_type(item) == "item_reference" for item in items):
        return True
    return all(_type(item) in _OF_THE_CLIENT or _is_said_to_the_model(item) for item in items)


def _is_said_to_the_model(item: Any) -> bool:
    role = item.get("role") if isinstance(item, dict) else None
    return role in {"user", "system", "developer"} and _type(item) in {None, "message"}


def _type(item: Any) -> Any:
    stated = item.get("type") if isinstance(item, dict) else None
    return stated if isinstance(stated, str) else None


def _calls(items: list[Any]) -> list[Seen]:
    calls: list[Seen] = []
    for turn, item in enumerate(items):
        if _type(item) in _ANSWERS:
            beside = calls and calls[-1].turn == turn - 1
            group = calls[-1].group if beside else turn
            its, name = text_or_none(item.get("call_id")), text_or_none(item.get("name"))
            calls.append(Seen(turn, 0, group, its, name, item, _ANSWERS[item["type"]]))
    return calls


def _results(items: list[Any]) -> list[Seen]:
    return [
        Seen(turn, 0, turn, text_or_none(item.get("call_id")), None, item, item["type"])
        for turn, item in enumerate(items)
        if _type(item) in _ANSWERS.values()
    ]


def _is_open(items: list[Any], turn: int) -> bool:
    return all(_type(item) in _ANSWERS.values() for item in items[turn + 1 :])


def _with_id(item: dict[str, Any], its: str | None) -> dict[str, Any]:
    return item if item.get("call_id") == its else {**item, "call_id": its}
