"""Anthropic, Bedrock, Gemini: the results of a turn's calls stand first in the next turn, all of them.

Messages are lists of blocks, and roles take turns. Where the provider joins messages of one role that follow each
other, they are one turn here as well, and stay the messages that they are. A message of which nothing is left may
go only where its neighbour has the same role; elsewhere it keeps its place, and says what it was.

What the provider runs itself is no business of ours: its calls and their results stand in the model's own messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .chat_messages import missing, settled
from .pairing import Answered, Seen, pair
from .repair_report import LEFT_OUT, Repair, RepairCode, Repaired

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .dialects import Dialect
    from .pairing import Pairing


def repair_blocks(messages: list[Any], dialect: Dialect, *, no_result: str, keep_pending: bool) -> Repaired:
    """See `transcript.repair_transcript`."""
    return _Repairing(messages, dialect, no_result, keep_pending=keep_pending).repaired()


class _Place(NamedTuple):
    """A block, or the text that stands for all of them, and where it is."""

    turn: int
    position: int
    block: Any


class _Repairing:
    def __init__(self, messages: list[Any], dialect: Dialect, no_result: str, *, keep_pending: bool) -> None:
        self._messages = messages
        self._dialect = dialect
        self._no_result = no_result
        self._runs = list(_runs(messages, joined=dialect.joins))
        calls, results = self._seen()
        self._results = {result.place for result in results}
        self._pairing: Pairing = pair(calls, results, dialect.rules)
        self._repairs = list(self._pairing.repairs)
        last = calls[-1].group if calls else None
        self._pending = last if keep_pending and last is not None and self._is_open(last) else None
        self._out: list[Any] = []

    def repaired(self) -> Repaired:
        for number, run in enumerate(self._runs):
            before = self._pairing.of_group(number - 1)
            answers = self._answers(before, number) if before and self._may_answer(number) else []
            self._put_run(run, number, answers)
            calls = self._pairing.of_group(number)
            if calls and not self._may_answer(number + 1):
                answers = self._answers(calls, None)
                if answers:
                    self._out.append({"role": self._dialect.answering[0], self._dialect.blocks: answers})
        return settled(self._messages, self._out, self._repairs)

    # Reading

    def _seen(self) -> tuple[list[Seen], list[Seen]]:
        """The calls and the results of the client, each in order."""
        calls, found, theirs = [], [], set()
        for number, run in enumerate(self._runs):
            for turn, position, block in self._places(run):
                if not isinstance(block, dict):
                    continue
                hosted = self._dialect.hosted(block)
                called = self._dialect.call(block) if self._role(number) == self._dialect.calling else None
                said = self._dialect.result(block)
                if hosted is not None:
                    theirs.add(hosted)
                elif called is not None:
                    calls.append(Seen(turn, position, number, called[0], called[1], block))
                elif said is not None:
                    found.append(Seen(turn, position, number, said[0], said[1], block))
        ours = {call.id for call in calls}
        return calls, [
            result
            for result in found
            if result.id not in theirs
            or (result.id in ours and self._role(result.group) != self._dialect.calling)
        ]

    def _places(self, run: list[int]) -> Iterator[_Place]:
        for turn in run:
            content = self._content(turn)
            if isinstance(content, list):
                yield from (_Place(turn, position, block) for position, block in enumerate(content))
            elif isinstance(content, str) and content:
                yield _Place(turn, 0, content)

    def _content(self, turn: int) -> Any:
        message = self._messages[turn]
        return message.get(self._dialect.blocks) if isinstance(message, dict) else None

    def _blocks(self, turn: int) -> list[Any]:
        blocks = self._content(turn)
        return blocks if isinstance(blocks, list) else []

    def _role(self, number: int) -> Any:
        message = self._messages[self._runs[number][0]] if number < len(self._runs) else None
        return message.get("role") if isinstance(message, dict) else None

    def _may_answer(self, number: int) -> bool:
        return self._role(number) in self._dialect.answering

    def _is_open(self, number: int) -> bool:
        """Whether nothing follows but results."""
        following = [list(self._places(run)) for run in self._runs[number + 1 :]]
        return all(places and all(place[:2] in self._results for place in places) for places in following)

    # Writing

    def _answers(self, calls: list[Answered], number: int | None) -> list[Any]:
        """The results of a turn's calls, as they stand at the head of the turn with that number."""
        head = self._head(number) if number is not None else set()
        here = [each for each in calls if each.result is not None and each.result.place in head]
        here.sort(key=lambda each: each.result.place if each.result is not None else (0, 0))
        if self._dialect.in_order:
            wanted = [each for each in calls if each in here]
            here = [each for each, other in zip(here, wanted, strict=True) if each is other]
        else:
            calls = [*here, *(each for each in calls if each not in here)]
        written = []
        for each in calls:
            if each.result is None:
                if each.call.group != self._pending:
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

    def _head(self, number: int) -> set[tuple[int, int]]:
        """The results that stand at the head of a turn."""
        head = set()
        for turn, position, _ in self._places(self._runs[number]):
            if (turn, position) not in self._results:
                break
            head.add((turn, position))
        return head

    def _put_run(self, run: list[int], number: int, answers: list[Any]) -> None:
        ids = {each.call.place: each.id for each in self._pairing.of_group(number)}
        rest = {turn: self._rest(turn, ids) for turn in run}
        content = [*answers, *(block for turn in run for block in rest[turn])]
        if _same(content, [block for turn in run for block in self._blocks(turn)]):
            self._out += [self._messages[turn] for turn in run]
            return
        for turn in run:
            self._put(turn, answers, rest[turn])
            answers = []

    def _rest(self, turn: int, ids: dict[tuple[int, int], str | None]) -> list[Any]:
        """What stands in a message beside results, with the ids that calls are to bear."""
        return [
            self._dialect.call_with(block, ids[turn, position]) if (turn, position) in ids else block
            for position, block in enumerate(self._blocks(turn))
            if (turn, position) not in self._pairing.gone and (turn, position) not in self._results
        ]

    def _put(self, turn: int, answers: list[Any], rest: list[Any]) -> None:
        message, text = self._messages[turn], self._content(turn)
        if answers and isinstance(text, str):
            rest = [self._dialect.text(text)] if text else []
        content = [*answers, *rest]
        if _same(content, self._blocks(turn)):
            self._out.append(message)
        elif content:
            self._out.append({**message, self._dialect.blocks: content})
        else:
            self._put_nothing(message, turn)

    def _put_nothing(self, message: Any, turn: int) -> None:
        role = message.get("role")
        before = self._out[-1].get("role") if self._out and isinstance(self._out[-1], dict) else None
        # Behind calls that are about to run it would stand before the results.
        last = self._pending is not None and turn > self._runs[self._pending][-1]
        stays = not last and (before is None or before != role)
        if stays:
            self._out.append({**message, self._dialect.blocks: [self._dialect.text(LEFT_OUT)]})
        detail = "nothing was left of this message" + (", which keeps its place" if stays else ", which went")
        self._repairs.append(Repair(RepairCode.EMPTIED_MESSAGE, turn, 0, None, detail, message))


def _runs(messages: list[Any], *, joined: bool) -> Iterator[list[int]]:
    """Yield the numbers of the messages that are one turn: those of one role side by side, if they are joined."""
    run: list[int] = []
    for turn, message in enumerate(messages):
        role = _role(message)
        if run and not (joined and isinstance(role, str) and _role(messages[run[0]]) == role):
            yield run
            run = []
        run.append(turn)
    if run:
        yield run


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
