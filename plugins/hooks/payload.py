"""What a hook is told of a call, and what it may change of that. Pure.

The fields are a superset of those that Amplifier's documents name and its loops send. What can be changed
stands under two names, Amplifier's and the specification's: ``tool_input`` and ``input`` before the call,
``tool_result`` and ``result`` after it. A hook may change either. All else are facts, which stay; a hook that
changes one has asked for something that it will not get, so its answer cannot be read. What it adds is handed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.json import copy_json
from ...base.validation import a_type
from ..results.codes import Code, Outcome
from ..results.normalise import claims_of, complete_result
from .answers import UnreadableAnswer
from .terms import PRE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..results.call_result import CallResult

Json = dict[str, Any]


class HookData:
    """The data of one event, as changed so far. What is handed in is never changed.

    Args:
        names: what ``value`` is called, all of them.
        value: what may be changed; JSON.
        facts: what may not.
    """

    def __init__(self, names: tuple[str, ...], value: Any, facts: Json) -> None:
        self.names = names
        self.value: Any = value
        self.facts = facts
        self.added: Json = {}

    def fresh(self) -> Json:
        """The data for one hook, a copy that is its own."""
        data: Json = copy_json(self.added) | copy_json(self.facts)
        for name in self.names:
            data[name] = self.shown()
        return data

    def shown(self) -> Any:
        """The value as hooks see it, a copy."""
        return copy_json(self.value)

    def take(self, given: Json) -> bool:
        """Take what a hook has made of its own copy of the data; False if it has not changed the value.

        Raises:
            UnreadableAnswer: it changed a fact, gave two values, or one that cannot be; nothing was taken.
        """
        for name, fact in self.facts.items():
            if name in given and not _same(given[name], fact):
                raise UnreadableAnswer(f"it changed {name!r}, which no hook can change")
        shown = self.shown()
        changed = [given[name] for name in self.names if name in given and not _same(given[name], shown)]
        if changed and not all(_same(changed[0], other) for other in changed[1:]):
            raise UnreadableAnswer(f"it gave {' and '.join(map(repr, self.names))} different values")
        value = self._checked(changed[0]) if changed else self.value
        known = {*self.names, *self.facts}
        self.added |= {name: each for name, each in given.items() if name not in known}
        self.value = value
        return bool(changed)

    def _checked(self, value: Any) -> Any:
        return value


class InputData(HookData):
    """Before a call: what its tool is to be given."""

    def __init__(self, value: Any, facts: Json) -> None:
        super().__init__(("tool_input", "input"), value, facts)

    def _checked(self, value: Any) -> Any:
        """Arguments stay arguments, and raw text stays text."""
        if type(value) is not type(self.value):
            raise UnreadableAnswer(f"it made the call's input {a_type(value)}; it was {a_type(self.value)}")
        return value


class ResultData(HookData):
    """After a call: the result that its caller is to have, with ``output`` beside ``result`` as Amplifier has it."""

    def __init__(self, value: CallResult, facts: Json) -> None:
        super().__init__(("tool_result", "result"), value, facts)

    def shown(self) -> Any:
        """The result, with an ``output``."""
        shown: Json = copy_json(self.value)
        if self._lends_output:
            shown["output"] = copy_json(shown["result"])
        return shown

    @property
    def _lends_output(self) -> bool:
        return "result" in self.value and "output" not in self.value

    def _checked(self, value: Any) -> Any:
        if not isinstance(value, dict):
            raise UnreadableAnswer(f"it made the result {a_type(value)}; a result is a mapping")
        if self._lends_output and "output" in value:
            output = value.pop("output")
            if "result" not in value or _same(value["result"], self.value["result"]):
                value["result"] = output
        read = complete_result(value)
        if not read.valid:
            raise UnreadableAnswer(f"what it made of the result is none: {read.result['error']}")
        for name in claims_of(value):
            if name not in self.value or not _same(value[name], self.value[name]):
                raise UnreadableAnswer(
                    f"it gave the result the {name!r} {value[name]!r:.60}, which only Callboard gives"
                )
        return value


_SPOKEN: Final = frozenset({Code.TOOL_RAISED, Code.INVALID_RESULT})


def is_spoken(result: Mapping[str, Any]) -> bool:
    """Whether the tool's own words stand in a failure of Callboard's: what it raised, refused, or answered that is no result."""
    code = result.get("code")
    return code in _SPOKEN or (code == Code.INVALID_CALL and result.get("outcome") == Outcome.OUTCOME_UNKNOWN)


class SpokenData(ResultData):
    """After a call that ended with the tool's words, see `is_spoken`: its text, which gates of results may change. What became of the call stays."""

    def _checked(self, value: Any) -> Any:
        """A new ``error`` takes the place of all that was said: what else tells of it is left out where it is as it was."""
        if not isinstance(value, dict) or not isinstance(value.get("error"), str):
            raise UnreadableAnswer(
                "it made the failure something else; a failure is a mapping with a text as 'error'"
            )
        for name in _VERDICT:
            if name in value and not _same(value[name], self.value[name]):
                raise UnreadableAnswer(f"it changed {name!r} of a failure, which no hook can change")
        if "result" in value:
            raise UnreadableAnswer("it gave a failure a 'result'")
        told = value | {name: self.value[name] for name in _VERDICT}
        if told["error"] != self.value["error"]:
            for name in _ITS_WORDS:
                if name in told and _same(told[name], self.value.get(name)):
                    del told[name]
        return told


_VERDICT: Final = ("success", "code", "outcome")
_ITS_WORDS: Final = ("message", "traceback", "path")


class FailureData(HookData):
    """After a call that came to no answer of its tool's. Nothing of it can be changed."""

    def __init__(self, facts: Json) -> None:
        super().__init__((), None, facts)


def hook_data(event: str, value: Any, facts: Json, *, failed: bool = False) -> HookData:
    """The data of an event whose hooks decide.

    Args:
        event: `PRE` or `POST`.
        value: the input, or the result.
        facts: what hooks may not change, beside what is taken from the result here.
        failed: the result is a failure of which `is_spoken` holds.
    """
    if event == PRE:
        return InputData(value, facts)
    if not failed:
        return ResultData(value, facts | {"success": value["success"]})
    return SpokenData(value, facts | {name: value[name] for name in _VERDICT})


def error_of(result: Mapping[str, Any]) -> Json:
    """A failure as Amplifier's loops tell it."""
    said = str(result.get("error") or "")
    return {"type": str(result.get("type") or result.get("code") or "error"), "message": said, "msg": said}


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same. For Python ``1``, ``1.0`` and ``True`` are; for a tool they are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(each, other[name]) for name, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)
