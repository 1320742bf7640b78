"""Anthropic, Bedrock, Gemini: the results of a message's calls stand first in the next message, all of them.

Messages are lists of blocks, and roles take turns. So a message of which nothing is left may go only where
its neighbour has the same role; elsewhere it keeps its place, and says what it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .transcript_chat import missing, settled
from .transcript_pairing import Answered, Seen, pair
from .transcript_repairs import LEFT_OUT, Repair, RepairCode, Repaired

if TYPE_CHECKING:
    from collections.abc import Callable

    from .transcript_dialects import Dialect, Known
    from .transcript_pairing import Pairing


def repair_blocks(messages: list[Any], dialect: Dialect, *, no_result: str, keep_pending: bool) -> Repaired:
    """See `transcript.repair_transcript`."""
    return _Repairing(messages, dialect, no_result, keep_pending=keep_pending).repaired()


class _Repairing:
    def __init__(self, messages: list[Any], dialect: Dialect, no_result: str, *, keep_pending: bool) -> None:
        self._messages = messages
        self._dialect = dialect
        self._no_result = no_result
        calls = self._seen(dialect.call, dialect.calling)
        self._pairing: Pairing = pair(calls, self._seen(dialect.result, None), dialect.rules)
        self._repairs = list(self._pairing.repairs)
        last = calls[-1].turn if calls else None
        self._pending = last if keep_pending and last is not None and self._is_open(last) else None
        self._out: list[Any] = []

    def repaired(self) -> Repaired:
        for turn, message in enumerate(self._messages):
            before = self._pairing.of_group(turn - 1)
            answers = self._answers(before, turn) if before and self._may_answer(turn) else []
            self._put(message, turn, answers)
            calls = self._pairing.of_group(turn)
            if calls and not self._may_answer(turn + 1):
                answers = self._answers(calls, None)
                if answers:
                    self._out.append({"role": self._dialect.answering[0], self._dialect.blocks: answers})
        return settled(self._messages, self._out, self._repairs)

    # Reading

    def _seen(self, read: Callable[[Any], Known | None], role: str | None) -> list[Seen]:
        return [
            Seen(turn, position, turn, known[0], known[1], block)
            for turn, message in enumerate(self._messages)
            if role is None or self._role(turn) == role
            for position, block in enumerate(self._blocks(message))
            if isinstance(block, dict) and (known := read(block)) is not None
        ]

    def _blocks(self, message: Any) -> list[Any]:
        blocks = message.get(self._dialect.blocks) if isinstance(message, dict) else None
        return blocks if isinstance(blocks, list) else []

    def _role(self, turn: int) -> Any:
        message = self._messages[turn] if turn < len(self._messages) else None
        return message.get("role") if isinstance(message, dict) else None

    def _may_answer(self, turn: int) -> bool:
        return self._role(turn) in self._dialect.answering

    def _is_result(self, block: Any) -> bool:
        return isinstance(block, dict) and self._dialect.result(block) is not None

    def _is_open(self, turn: int) -> bool:
        """Whether nothing follows but results."""
        return all(
            self._blocks(message) and all(map(self._is_result, self._blocks(message)))
            for message in self._messages[turn + 1 :]
        )

    # Writing

    def _answers(self, calls: list[Answered], turn: int | None) -> list[Any]:
        """The results of a turn's calls, as they stand at the head of the message with that number."""
        head = self._head(turn) if turn is not None else 0
        here = [each for each in calls if _stands(each, turn, head)]
        here.sort(key=lambda each: each.result.place if each.result is not None else (0, 0))
        if self._dialect.in_order:
            wanted = [each for each in calls if each in here]
            here = [each for each, other in zip(here, wanted, strict=True) if each is other]
        else:
            calls = [*here, *(each for each in calls if each not in here)]
        written = []
        for each in calls:
            if each.result is None:
                if each.call.turn != self._pending:
                    written.append(self._dialect.made_up(each.id, each.call.name, self._no_result))
                    self._repairs.append(missing(each.call))
                continue
            written.append(self._with_id(each, each.result))
            if each not in here:
                detail = (
                    f"the result of the call {each.call.id!r} of {each.call.name!r} was put where it belongs"
                )
                self._repairs.append(each.result.repair(RepairCode.MOVED_RESULT, detail))
        return written

    def _with_id(self, each: Answered, result: Seen) -> Any:
        written = self._dialect.result_with(result.value, each.id, each.call.name)
        if written is not result.value and each.id == each.call.id:  # else the call has told it already
            was, its = f"{result.name!r} and {result.id!r}", f"{each.call.name!r} and {each.id!r}"
            detail = f"the name and id of a result were {was}, and are those of its call now, {its}"
            self._repairs.append(result.repair(RepairCode.RENAMED_ID, detail))
        return written

    def _head(self, turn: int) -> int:
        """How many results stand at the head of a message."""
        count = 0
        for block in self._blocks(self._messages[turn]):
            if not self._is_result(block):
                break
            count += 1
        return count

    def _put(self, message: Any, turn: int, answers: list[Any]) -> None:
        blocks = self._blocks(message)
        ids = {each.call.position: each.id for each in self._pairing.of_group(turn)}
        rest = [
            self._dialect.call_with(block, ids[position]) if position in ids else block
            for position, block in enumerate(blocks)
            if (turn, position) not in self._pairing.gone and not self._is_result(block)
        ]
        if answers and isinstance(message.get(self._dialect.blocks), str):
            rest = (
                [self._dialect.text(message[self._dialect.blocks])] if message[self._dialect.blocks] else []
            )
        content = [*answers, *rest]
        if _same(content, blocks):
            self._out.append(message)
        elif content:
            self._out.append({**message, self._dialect.blocks: content})
        else:
            self._put_nothing(message, turn)

    def _put_nothing(self, message: Any, turn: int) -> None:
        role = message.get("role")
        before = self._out[-1].get("role") if self._out and isinstance(self._out[-1], dict) else None
        last = self._pending is not None and turn > self._pending  # there it would stand before the results
        stays = not last and (before is None or before != role)
        if stays:
            self._out.append({**message, self._dialect.blocks: [self._dialect.text(LEFT_OUT)]})
        detail = "nothing was left of this message" + (", which keeps its place" if stays else ", which went")
        self._repairs.append(Repair(RepairCode.EMPTIED_MESSAGE, turn, 0, None, detail, message))


def _stands(each: Answered, turn: int | None, head: int) -> bool:
    return each.result is not None and each.result.turn == turn and each.result.position < head


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
