"""What an answer of the model asks for: its messages made fit to be kept, and the calls to run. Pure.

A provider may be anybody's, and so may its answer be anything: calls without an id, two with the same id,
things that are no calls, results of tools that the provider ran itself. Here all of it is settled before it
is kept, once: a call that is kept has an id of its own in its message, and what can never be answered is
left out and told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interop.calls.ids import made_up_call_id
from ...interop.calls.marks import mark_of, unmarked
from ...interop.errors import InteropError
from ...interop.exact_json import exact_json
from ...interop.format_ids import canonical_format
from ...interop.names.wire_places import put
from ..sessions.session import BROKEN_CALLS, calls_of, tool_call_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...interop.hub import InspectedCall

Json = dict[str, Any]
Inspect = Callable[[Any], "InspectedCall"]


class AskedCall(NamedTuple):
    """One call that a message asks for.

    Attributes:
        id: by which it is answered.
        tool_name: the tool that it names, if it does.
        tool_call: the call as a board is given it: with a mark, if it could not be read.
        lane: calls of one lane start in their order, and those of two do not wait for each other.
    """

    id: str
    tool_name: str | None
    tool_call: Json
    lane: str | None = None


class Step(NamedTuple):
    """One message of an answer, and what has to be done before the next one is kept.

    Attributes:
        message: as it is kept.
        calls: the calls that it asks for, in order.
        answers: tool messages of calls that the provider has run itself, by their id.
    """

    message: Json
    calls: tuple[AskedCall, ...] = ()
    answers: dict[str, Json] = {}  # noqa: RUF012 - never changed


class LeftOut(NamedTuple):
    """What stood in an answer and could not be kept, and why."""

    value: Any
    why: str


def read_answer(
    messages: Iterable[Json],
    inspect: Inspect,
    *,
    turn: int,
    lane: Callable[[str | None], str | None] = lambda name: name,
) -> tuple[list[Step], list[LeftOut]]:
    """Return the steps of an answer, and what is left out of it.

    Args:
        messages: core messages of one model request.
        inspect: reads a call, as `ToolInteropRegistry.inspect_call`.
        turn: number of the first message in the history, from which ids are made up.
        lane: which lane a tool's name stands for.
    """
    steps: list[Step] = []
    left_out: list[LeftOut] = []
    for message in messages:
        if message.get("role") == "tool":
            _take_answer(message, steps, left_out)
            continue
        given = (message.get("metadata") or {}).get("tool_calls")
        if message.get("role") != "assistant" or not given:
            steps.append(Step(message))
            continue
        calls = _calls(
            given if isinstance(given, list) else [given], inspect, turn + len(steps), lane, left_out
        )
        steps.append(Step(_with_calls(message, calls), tuple(calls)))
    return steps, left_out


def _take_answer(message: Json, steps: list[Step], left_out: list[LeftOut]) -> None:
    answered = tool_call_id(message)
    for step in reversed(steps):
        if any(call.id == answered for call in step.calls) and answered not in step.answers:
            steps[steps.index(step)] = step._replace(answers={**step.answers, str(answered): message})
            return
    left_out.append(LeftOut(message, f"a tool message answers {answered!r}, which is no open call"))


def _calls(
    given: list[Any],
    inspect: Inspect,
    turn: int,
    lane: Callable[[str | None], str | None],
    left_out: list[LeftOut],
) -> list[AskedCall]:
    taken: set[str] = set()
    calls = []
    for index, value in enumerate(given):
        try:
            inspected = inspect(value)
            its_id, call = _with_own_id(value, inspected, turn, index, taken)
        except InteropError as error:
            left_out.append(LeftOut(value, str(error)))
            continue
        taken.add(its_id)
        calls.append(AskedCall(its_id, inspected.tool_name, call, lane(inspected.tool_name)))
    return calls


def _with_own_id(
    call: Any, inspected: InspectedCall, turn: int, index: int, taken: set[str]
) -> tuple[str, Json]:
    """Return an id that no other call of the message has, and the call that bears it."""
    if inspected.call_id and inspected.call_id not in taken:
        return inspected.call_id, call
    fresh = made_up_call_id(turn, index, inspected)
    while fresh in taken:  # another call has that id
        fresh += "x"
    written = exact_json(call)
    if inspected.call_id:
        put("call", canonical_format("call", inspected.format), written, call_id=fresh)
    else:
        written["call_id" if "call_id" in written else "id"] = fresh
    return fresh, written


def _with_calls(message: Json, calls: list[AskedCall]) -> Json:
    """The message with these calls. Their marks stand beside them, for what is replayed is what a provider takes."""
    written = [unmarked(call.tool_call) for call in calls]
    if written == calls_of(message) == message["metadata"]["tool_calls"]:
        return message
    metadata = {**message["metadata"], "tool_calls": written}
    if broken := {call.id: mark for call in calls if (mark := mark_of(call.tool_call)) is not None}:
        metadata[BROKEN_CALLS] = broken
    if not written:
        del metadata["tool_calls"]
    bare = {key: value for key, value in message.items() if key != "metadata"}
    return {**bare, "metadata": metadata} if metadata else bare
