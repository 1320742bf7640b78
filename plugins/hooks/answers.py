"""What a hook answered, whatever its shape: nothing, a mapping, or an object with an ``action``. Pure.

| answer | is read as |
|---|---|
| ``None`` | continue |
| a mapping with ``action``, or an object that has one | that action, with the fields below |
| anything else | `UnreadableAnswer`: the hook is broken, and what that means is for the chain to say |

The actions and fields are Amplifier's: ``continue``, ``deny``, ``modify``, ``ask_user`` (or ``ask``) and
``inject_context``; ``reason``, ``data``, ``approval_prompt``, ``approval_options``, ``approval_timeout`` and
``approval_default``. What a hook has to say beside its action is kept whichever the action is.

A hook here is a callable that a board asks about calls; the hooks of `contract` are methods of a plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...base.errors import CallboardError, JsonValueError
from ...base.foreign import blames
from ...base.json import copy_json
from ...base.validation import a_type
from ..results.failures import describe
from .approval import ALLOW, ALWAYS, DEFAULT_TIMEOUT, DENY, Word
from .injections import read_injections
from .terms import Action

Json = dict[str, Any]


class UnreadableAnswer(CallboardError):
    """A hook answered with what is no answer."""


class Wish(NamedTuple):
    """A question that a hook wants a person asked; what it leaves out is ``None``."""

    prompt: str | None
    options: tuple[str, ...]
    timeout: float
    default: Word


class HookAnswer(NamedTuple):
    """What a hook answered.

    Attributes:
        action: what it wants.
        reason: why, in its words.
        data: the event's data as it wants them, of a `MODIFY`: JSON of their own.
        wish: the question, of an `ASK`.
        notes: what it says beside that, by the names of the fields; empty if nothing.
    """

    action: Action = Action.CONTINUE
    reason: str | None = None
    data: Json | None = None
    wish: Wish | None = None
    notes: Json = {}  # noqa: RUF012 - never changed


_ALIASES: Final = {"ask": Action.ASK, **{action.value: action for action in Action}}
_NOTES: Final = ("context_injections", "context_injection", "user_message")
_DETAILS: Final = {
    "context_injection": ("context_injection_role", "ephemeral", "append_to_last_tool_result"),
    "user_message": ("user_message_level", "user_message_source"),
}
_FIELDS: Final = (
    "action", "reason", "data", "approval_prompt", "approval_options", "approval_timeout", "approval_default",
    *_NOTES, *(name for names in _DETAILS.values() for name in names),
)  # fmt: skip


def read_answer(answer: Any) -> HookAnswer:
    """Read what a hook returned. It runs code of the hook's, if the answer is an object of its making.

    Raises:
        UnreadableAnswer: it is no answer, or a field of it has the wrong shape.
    """
    if answer is None:
        return HookAnswer()
    try:
        return _read(answer)
    except UnreadableAnswer:
        raise
    except BaseException as error:  # the answer is an object of the hook's, with methods of its own
        if not blames(error):
            raise
        raise UnreadableAnswer(f"reading its answer raised {describe(error)}") from error


def _read(answer: Any) -> HookAnswer:
    fields = _fields_of(answer)
    action = _action(fields.get("action"))
    return HookAnswer(
        action,
        _text(fields, "reason"),
        _data(fields.get("data")) if action is Action.MODIFY else None,
        _wish(fields) if action is Action.ASK else None,
        _notes(fields),
    )


def _fields_of(answer: Any) -> Mapping[str, Any]:
    if isinstance(answer, Mapping):
        if "action" not in answer:
            raise UnreadableAnswer("it answered with a mapping that has no 'action'")
        return answer
    if isinstance(answer, type) or not hasattr(answer, "action"):
        raise UnreadableAnswer(f"it answered with {_kind(answer)}, which has no 'action'")
    return {name: getattr(answer, name, None) for name in _FIELDS}


def _data(data: Any) -> Json:
    if not isinstance(data, Mapping):
        raise UnreadableAnswer(f"it answered modify with {_kind(data)} as data; data has to be a mapping")
    try:
        copy: Json = copy_json(dict(data))
    except JsonValueError as error:
        raise UnreadableAnswer(f"the data that it answered with are no JSON: {error}") from error
    return copy


def _action(value: Any) -> Action:
    word = getattr(value, "value", value)
    action = _ALIASES.get(word) if isinstance(word, str) else None
    if action is None:
        raise UnreadableAnswer(
            f"it answered with the action {word!r:.60}; there are: {', '.join(_ALIASES.keys() - {'ask'})}"
        )
    return action


def _wish(fields: Mapping[str, Any]) -> Wish:
    options = fields.get("approval_options")
    if options is None:
        options = (ALLOW, ALWAYS, DENY)
    elif not isinstance(options, list | tuple) or not options or not all(isinstance(o, str) for o in options):
        raise UnreadableAnswer(f"its approval_options are {options!r:.60}; they have to be a list of texts")
    timeout = fields.get("approval_timeout")
    if timeout is None:
        timeout = DEFAULT_TIMEOUT
    elif isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise UnreadableAnswer(f"its approval_timeout is {timeout!r:.60}; it has to be a number of seconds")
    default = fields.get("approval_default")
    if default not in (None, "allow", "deny"):
        raise UnreadableAnswer(f"its approval_default is {default!r:.60}; it has to be 'allow' or 'deny'")
    return Wish(
        _text(fields, "approval_prompt"),
        tuple(options),
        float(timeout),
        "allow" if default == "allow" else "deny",
    )


def _notes(fields: Mapping[str, Any]) -> Json:
    notes: Json = {}
    for name in _NOTES:
        value = fields.get(name)
        if value is None or value == []:
            continue
        if name == "context_injections":
            value = [each.model_dump() if hasattr(each, "model_dump") else each for each in value]
        notes[name] = value
        details = {detail: fields.get(detail) for detail in _DETAILS.get(name, ())}
        notes |= {detail: said for detail, said in details.items() if said is not None}
    try:
        notes = copy_json(notes) if notes else notes
        read_injections(notes)
    except JsonValueError as error:
        raise UnreadableAnswer(f"what it wants to have said is no JSON: {error}") from error
    except ValueError as error:
        raise UnreadableAnswer(f"its {error}") from error
    return notes


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise UnreadableAnswer(f"its {name} is {value!r:.60}; it has to be a text")


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"{a_type(value)}"
