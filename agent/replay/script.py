"""What a model that is not there says: a script, and which step of it answers a request. Pure.

A script is data: a list of rules. The first whose pattern is found in what the user said last applies; its
steps are the assistant's messages, one after the other, until the user speaks again::

    [{"when": "weather", "steps": [
        {"text": "Let me look.", "calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]},
        {"text": "It is {result} there."}]},
     {"steps": [{"text": "You said: {user}"}]}]

Which step it is follows from the request alone, which has the whole conversation in it. So a request that is
sent again gets the same answer again, and one server has any number of conversations.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json = dict[str, Any]

_NOTHING_LEFT: Final = "(The script says nothing more.)"


@frozen
class Heard:
    """What a request tells, in whichever API.

    Attributes:
        user: what the user said last.
        turn: assistant's messages in the whole history.
        step: those since the user spoke.
        results: texts of the tools' results since the user spoke, in order.
        tools: names of the tools that are offered -> whether they take raw input.
        model: the model that is asked for.
        stream: the answer is wanted as a stream.
    """

    user: str = ""
    turn: int = 0
    step: int = 0
    results: tuple[str, ...] = ()
    tools: Mapping[str, bool] = field(default_factory=dict)
    model: str = "replay"
    stream: bool = True


@frozen
class ScriptedCall:
    """A call that the model makes.

    Attributes:
        name: the tool.
        payload: arguments, or raw input as a text.
    """

    name: str
    payload: Json | str


@frozen
class Step:
    """One message of the model.

    Attributes:
        text: what it says; ``{user}`` and ``{result}`` stand for what was said and found last.
        calls: the calls it makes, at the same time.
        reasoning: what it thinks before.
    """

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    reasoning: str = ""


@frozen
class Rule:
    """Steps, and what the user has to say to get them; without a pattern anything will do."""

    steps: tuple[Step, ...]
    when: re.Pattern[str] | None = None


class Script:
    """What a model says.

    Args:
        rules: as data; see above.

    Raises:
        ValueError: a rule is of another shape; names it.
    """

    def __init__(self, rules: Iterable[Json]) -> None:
        self._rules = tuple(_rule(rule, f"rules[{number}]") for number, rule in enumerate(rules))

    def answer(self, heard: Heard) -> Step:
        """Return the step that answers a request, with its placeholders filled in."""
        for rule in self._rules:
            if rule.when is None or rule.when.search(heard.user):
                step = rule.steps[heard.step] if heard.step < len(rule.steps) else Step(_NOTHING_LEFT)
                return Step(_filled(step.text, heard), step.calls, step.reasoning)
        return Step(_NOTHING_LEFT)


def _filled(text: str, heard: Heard) -> str:
    result = heard.results[-1] if heard.results else ""
    return text.replace("{user}", heard.user).replace("{result}", result)


def _rule(rule: Any, where: str) -> Rule:
    match rule:
        case {"steps": list(steps), **rest} if not rest.keys() - {"when"}:
            when = rest.get("when")
            if when is not None and not isinstance(when, str):
                raise ValueError(f"{where}.when has to be a regular expression")
            pattern = None if when is None else re.compile(when, re.IGNORECASE)
            return Rule(tuple(_step(each, f"{where}.steps[{n}]") for n, each in enumerate(steps)), pattern)
    raise ValueError(f"{where} has to be an object of 'steps', and 'when' if it is not for anything")


def _step(step: Any, where: str) -> Step:
    if not isinstance(step, dict) or step.keys() - {"text", "calls", "reasoning"}:
        raise ValueError(f"{where} has to be an object of 'text', 'calls' and 'reasoning'")
    calls = tuple(_call(each, f"{where}.calls[{n}]") for n, each in enumerate(step.get("calls", ())))
    return Step(str(step.get("text", "")), calls, str(step.get("reasoning", "")))


def _call(call: Any, where: str) -> ScriptedCall:
    match call:
        case {"name": str(name), "arguments": dict(payload)} | {"name": str(name), "input": str(payload)}:
            return ScriptedCall(name, payload)
    raise ValueError(f"{where} has to be an object of 'name', and of 'arguments' or 'input'")
