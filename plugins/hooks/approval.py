"""What a person is asked before a call goes on, and how the answer is read. Values, and no asking.

The tools' side of this is `chain`; who asks a person is an `Approver`, of which a board has one or none.
An answer that cannot be read is a no, and so is silence, unless the one who had it asked said otherwise.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

Json = dict[str, Any]
Word = Literal["allow", "deny"]

ALLOW, DENY, ALWAYS = "Allow", "Deny", "Allow always"

DEFAULT_TIMEOUT = 300.0
"""Seconds that a person has, unless the hook says otherwise; the call's own deadline holds all the same."""

_YES = (["allow"], ["approve"], ["ok"], ["yes"])
"""The first words of options that are a yes."""


@frozen
class Question:
    """What a person is asked about one call.

    Attributes:
        prompt: the question, in words.
        tool_name: the tool that the call names, if it names one.
        tool_call_id: the call's id.
        tool_input: what the tool would be given, after all changes; JSON. Of a result that is held back, the call's.
        result: the result that is held back, if the question is whether to hand it out.
        options: what there is to choose from. One whose first word is Allow, Approve, OK or Yes lets the call go on.
        timeout: seconds that the answer may take.
        default: what holds if there is no answer.
        reason: why the hook asks, if it says so.
        asked_by: names of the hooks that want it asked.
        plugin: the one that takes the call, if that is known.
        session: that of the call, or the one that began it; an answer for good is for it alone.
        changed: at which places the tool is declared otherwise than when it was allowed for good, a sentence each.
    """

    prompt: str
    tool_name: str | None
    tool_call_id: str
    tool_input: Any
    result: dict[str, Any] | None = None
    options: tuple[str, ...] = (ALLOW, ALWAYS, DENY)
    timeout: float = DEFAULT_TIMEOUT
    default: Word = "deny"
    reason: str | None = None
    asked_by: tuple[str, ...] = ()
    plugin: str | None = None
    session: str | None = None
    changed: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[tuple[str, ...], str | None, str | None, bool, str | None]:
        """What an answer for good is remembered by: who asks, about which tool of which plugin, before it runs or after, in which session."""
        return self.asked_by, self.tool_name, self.plugin, self.result is None, self.session


@frozen
class Answer:
    """What the person said.

    Attributes:
        allowed: the call goes on.
        reason: why, for the model and the events.
        remember: do not ask again for this tool while the board runs; only a yes is remembered.
    """

    allowed: bool
    reason: str | None = None
    remember: bool = False


class Approver(Protocol):
    """Asks a person. A board asks one question at a time, and waits for no answer that comes too late.

    It may also have a method ``withdraw(question)``, which is called when the answer is not awaited any more.
    """

    def ask(self, question: Question) -> Answer | bool | str | Awaitable[Answer | bool | str]:
        """Ask, and return what was answered: an `Answer`, yes or no, or one of the question's options. A text that is none of these is a no.

        It is called on a thread of its own, may take its time, and may be asynchronous. One that raises has not
        answered, and the question's default holds.
        """


def read_decision(answer: Any, options: Sequence[str]) -> Answer | None:
    """Read what an approver returned; ``None`` if it cannot be read.

    A text is one of the options, whatever its capitals and spaces; any other text is a no. An option is a yes by its first word.
    """
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, bool):
        return Answer(answer)
    if not isinstance(answer, str):
        return None
    words = _words(answer)
    if words not in map(_words, options):
        return Answer(
            allowed=False,
            reason=f"{answer!r:.60} is none of the options: {', '.join(f'{each!r:.60}' for each in options)}",
        )
    allowed = words[:1] in _YES
    return Answer(allowed, remember=allowed and words[1:2] == ["always"])


def _words(text: str) -> list[str]:
    return text.casefold().split()


def by_default(question: Question, why: str) -> Answer:
    """What holds without an answer."""
    return Answer(question.default == "allow", reason=why)


_MOST_CHANGES = 20
_LONGEST = 200
_BEFORE = 40
"""Characters of a text that are said before the place at which it differs."""


_SETS = frozenset({"required", "enum"})
"""Keywords of JSON Schema whose list is a set: its order has no meaning."""

_VALUES = frozenset({"const", "default", "examples"})
"""Keywords of JSON Schema whose values are data and no schemas."""

_NAMED = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
"""Keywords of JSON Schema that hold schemas by names, which are no keywords."""


def declared_as(schema: Json) -> str:
    """Return a declaration as one text, equal for equal declarations. `_meta` is ignored, and so is the order of keys, of `required` and of `enum`."""
    said = {key: each for key, each in schema.items() if key != "_meta"}
    return json.dumps(_in_order(said), sort_keys=True)


def _in_order(schema: Any) -> Any:
    """Return a schema, or a declaration that holds some, with its sets sorted."""
    if isinstance(schema, list):
        return [_in_order(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _keyword_in_order(key, each) for key, each in schema.items()}


def _keyword_in_order(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _SETS and isinstance(value, list):
        return sorted(value, key=lambda each: json.dumps(each, sort_keys=True))
    if key in _NAMED and isinstance(value, dict):
        return {name: _in_order(each) for name, each in value.items()}
    return _in_order(value)


def changes_between(before: Sequence[Json], after: Sequence[Json]) -> tuple[str, ...]:
    """At which places declarations differ, a sentence each; of many those that come first, and how many more there are."""
    was, now = _places(before), _places(after)
    places = [place for place in {**was, **now} if was.get(place) != now.get(place)]
    said = [_change(place, was.get(place), now.get(place)) for place in places[:_MOST_CHANGES]]
    further = len(places) - len(said)
    return (*said, *([f"and at {further:,} places more"] if further else []))


def _places(declarations: Sequence[Json]) -> dict[str, str]:
    """Each value in declarations that holds no other, as JSON, by its place."""
    several = len(declarations) > 1
    found: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [
        (str(number) if several else "", json.loads(declared_as(each)))
        for number, each in enumerate(declarations, 1)
    ]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += [(f"{place}.{key}" if place else key, each) for key, each in value.items()][::-1]
        elif isinstance(value, list) and value:
            waiting += [(f"{place}[{number}]", each) for number, each in enumerate(value)][::-1]
        else:
            found[place] = json.dumps(value, ensure_ascii=False)
    return found


def _change(place: str, was: str | None, now: str | None) -> str:
    if was is None or now is None:
        return (
            f"{place} is gone, was {_cut(was or '', 0)}" if now is None else f"{place} is new: {_cut(now, 0)}"
        )
    same = next(
        (at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other),
        min(len(was), len(now)),
    )
    start = max(same - _BEFORE, 0)
    return f"{place} was {_cut(was, start)}, is {_cut(now, start)}"


def _cut(text: str, start: int) -> str:
    end = start + _LONGEST
    return f"{'…' if start else ''}{text[start:end]}{'…' if len(text) > end else ''}"


def joined(questions: Sequence[Question]) -> Question:
    """Several hooks' questions about one call as one: the most careful default and the shortest time of all."""
    first = questions[0]
    if len(questions) == 1:
        return first
    options = first.options if all(each.options == first.options for each in questions) else (ALLOW, DENY)
    reasons = [each.reason for each in questions if each.reason]
    return replace(
        first,
        prompt="\n".join(dict.fromkeys(each.prompt for each in questions)),
        options=options,
        timeout=min(each.timeout for each in questions),
        default="deny" if any(each.default == "deny" for each in questions) else "allow",
        reason="; ".join(dict.fromkeys(reasons)) or None,
        asked_by=tuple(name for each in questions for name in each.asked_by),
    )
