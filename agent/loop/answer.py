"""One answer of the model while it comes: what is passed on at once, and what is settled in the end. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..requests.stop_reasons import Stop, why_empty, why_refused
from ..sessions.session import calls_to_run
from .answer_steps import read_answer
from .turn import end_of
from .turn_effects import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .answer_steps import Inspect, Step

Json = dict[str, Any]

_NO_ANSWER = {Reason.REFUSED: why_refused, Reason.EMPTY: why_empty}


class Answer:
    """Takes the events of an exchange. Calls and messages are told in the end, as they are kept.

    Attributes:
        broke: whether an error was among the events: then the calls must not be run.
        stop: why the model stopped; without a reason until it has, and if the provider does not say.
    """

    def __init__(self) -> None:
        self._messages: list[Json] = []
        self.broke: bool = False
        self.stop: Stop = Stop()

    def take(self, event: Json) -> bool:
        """Take an event; say whether it is to be passed on now."""
        match event:
            case {"type": "message", "message": dict(message)}:
                self._messages.append(message)
                return False
            case {"type": "tool_call"}:  # the provider's own spelling of it, and half of the story
                return False
            case {"type": "answer_ended", "stop": Stop() as stop}:
                self.stop = stop
                return False
            case {"type": "error"}:
                self.broke = True
        return True

    def steps(
        self, inspect: Inspect, *, turn: int, lane: Callable[[str | None], str | None]
    ) -> tuple[list[Step], list[Json]]:
        """Return the message to keep, with events for dropped parts and for a missing answer. See `read_answer`."""
        steps, left_out = read_answer(self._messages, inspect, turn=turn, lane=lane)
        told = [
            {"type": "error", "error": each.why, "code": "invalid_call", "value": each.value}
            for each in left_out
        ]
        reason = None if self.broke else end_of(steps, self.stop.reason)
        if reason in _NO_ANSWER:
            why = _NO_ANSWER[reason](self.stop)
            told.append(
                {"type": "no_answer", "reason": reason, "error": why, "stop_reason": self.stop.reason}
            )
        return steps, told


def events_of(message: Json) -> Iterator[Json]:
    """Yield the events by which a message that is kept is told: its calls, and itself."""
    for call in calls_to_run(message):
        yield {"type": "tool_call", "tool_call": call}
    yield {"type": "message", "message": message}
