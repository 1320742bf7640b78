"""Which result answers which call. Pure, and the same for all providers.

Calls and results are known by where they stand: their turn, and their position in it. An id may come
twice in a transcript, for some servers count from ``call_0`` in each turn; then a result answers the
call of that id in the latest turn before it that has one. It is never given to an earlier call because
that happens to be without an answer: a result at the wrong call is worse than none.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.frozen import frozen
from .repair_report import Repair, RepairCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_ID_CHARS: Final = 56


class Seen(NamedTuple):
    """A call, or a result, where it stands.

    Attributes:
        turn: number of its message or item.
        position: its place in that.
        group: calls of one group are made at the same time; of a result, nothing.
        id: the id of the call; ``None`` if it bears none.
        name: the tool's, if it is said.
        value: the call or result itself.
        type: the type of the result that answers the call, or of the result; ``None`` where there is only one.
    """

    turn: int
    position: int
    group: int
    id: str | None
    name: str | None
    value: Any
    type: str | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands."""
        return self.turn, self.position

    def repair(self, code: RepairCode, detail: str) -> Repair:
        """Say what was done about it."""
        return Repair(code, self.turn, self.position, self.id, detail, self.value)


@frozen
class Rules:
    """What a provider asks for.

    Attributes:
        unique: no two calls of the transcript bear the same id; else no two of one turn do.
        optional: a call may bear none.
        by_name: results without an id answer the calls to the tool of their name, in order.
    """

    unique: bool = False
    optional: bool = False
    by_name: bool = False


@dataclass(slots=True, eq=False)
class Answered:
    """A call that stays, and its result.

    Attributes:
        call: the call.
        result: what answers it; ``None`` if nothing does.
        id: the id that both are to bear.
    """

    call: Seen
    result: Seen | None
    id: str | None


@dataclass(slots=True)
class Pairing:
    """Who answers whom.

    Attributes:
        groups: the calls that stay, by their group, in order.
        gone: where calls and results stand that are to be left out.
        repairs: what that comes to.
    """

    groups: dict[int, list[Answered]] = field(default_factory=dict)
    gone: set[tuple[int, int]] = field(default_factory=set)
    repairs: list[Repair] = field(default_factory=list)
    _by_id: dict[str | None, list[Answered]] = field(default_factory=dict)
    _by_name: dict[str | None, list[Answered]] = field(default_factory=dict)
    _by_name_alone: dict[str | None, list[Answered]] = field(default_factory=dict)

    def of_group(self, group: int) -> list[Answered]:
        """The calls of one turn."""
        return self.groups.get(group, [])

    def answered(self) -> list[Answered]:
        """All calls that stay, in order."""
        return [each for group in self.groups.values() for each in group]

    def add(self, call: Seen) -> None:
        """Have a call stay."""
        each = Answered(call, None, call.id)
        self.groups.setdefault(call.group, []).append(each)
        self._by_id.setdefault(call.id, []).append(each)
        self._by_name.setdefault(call.name, []).append(each)
        if call.id is None:
            self._by_name_alone.setdefault(call.name, []).append(each)

    def latest(self, result: Seen, *, by_name: bool) -> list[Answered]:
        """The calls that a result may answer: of those that were added, the ones of its id in the latest turn."""
        found = self._by_id.get(result.id, [])
        if by_name and result.id is None:
            found = self._by_name.get(result.name, [])
        elif by_name and not found:
            found = self._by_name_alone.get(result.name, [])
        latest: list[Answered] = []
        for each in reversed(found):
            if each.call.group != found[-1].call.group:
                break
            latest.append(each)
        return latest[::-1]


def pair(calls: Sequence[Seen], results: Sequence[Seen], rules: Rules) -> Pairing:
    """Pair calls with results; both in order of the transcript."""
    pairing = Pairing()
    results_to_come = deque(results)
    for call in calls:
        while results_to_come and results_to_come[0].place < call.place:
            _take_result(pairing, results_to_come.popleft(), rules)
        _take_call(pairing, call)
    for result in results_to_come:
        _take_result(pairing, result, rules)
    _name_apart(pairing, rules, {each.id for each in (*calls, *results) if each.id is not None})
    return pairing


def said_by(value: Any, without: Iterable[str] = ()) -> str:
    """Return a text that is the same for calls that say the same."""
    kept = {key: item for key, item in value.items() if key not in set(without)}
    return json.dumps(kept, sort_keys=True, default=repr)


_OWN: Final = ("id", "status")
"""Keys of an item's own, if its call bears the id of the call under another key."""


def _take_call(pairing: Pairing, call: Seen) -> None:
    for other in pairing.of_group(call.group) if call.id is not None else ():
        if other.call.id == call.id and _alike(other.call.value, call.value):
            pairing.gone.add(call.place)
            detail = f"the call {call.id!r} of {call.name!r} stood twice in its turn, and was left out once"
            pairing.repairs.append(call.repair(RepairCode.DUPLICATE_CALL, detail))
            return
    pairing.add(call)


def _alike(one: Any, other: Any) -> bool:
    own = _OWN if "call_id" in one else ()
    return said_by(one, own) == said_by(other, own)


def _take_result(pairing: Pairing, result: Seen, rules: Rules) -> None:
    latest = pairing.latest(result, by_name=rules.by_name)
    free = [each for each in latest if each.result is None]
    if free:
        # Among calls with one id the result's type tells which it is of; if it is of none, they go in order.
        min(free, key=lambda each: each.call.type != result.type).result = result
        return
    pairing.gone.add(result.place)
    whose = f"{result.id!r}" if result.id is not None else f"no id, of {result.name!r},"
    if latest:
        detail = f"a further result of the call {whose} was left out"
        pairing.repairs.append(result.repair(RepairCode.DUPLICATE_RESULT, detail))
    else:
        detail = f"the result of the call {whose} was left out: no such call stands before it"
        pairing.repairs.append(result.repair(RepairCode.ORPHAN_RESULT, detail))


def _name_apart(pairing: Pairing, rules: Rules, known: set[str]) -> None:
    """Give ids to calls that have one that is taken, or none and need it."""
    taken: set[tuple[int, str]] = set()
    for each in pairing.answered():
        scope = 0 if rules.unique else each.call.group
        if each.id is None:
            if rules.optional:
                continue
            each.id = _fresh(f"call_{each.call.turn}_{each.call.position}", known)
            detail = f"the call of {each.call.name!r} had no id, and is {each.id!r} now"
            pairing.repairs.append(each.call.repair(RepairCode.MADE_UP_ID, detail))
        elif (scope, each.id) in taken:
            each.id = _fresh(each.id, known)
            detail = f"another call is {each.call.id!r} too; this one, and its result, is {each.id!r} now"
            pairing.repairs.append(each.call.repair(RepairCode.RENAMED_ID, detail))
        taken.add((scope, each.id))


def _fresh(base: str, known: set[str]) -> str:
    number = 2
    fresh = base[:_MOST_ID_CHARS]
    while fresh in known:
        fresh = f"{base[:_MOST_ID_CHARS]}_{number}"
        number += 1
    known.add(fresh)
    return fresh
