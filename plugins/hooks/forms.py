"""What a server asks a person for in the middle of a call, and how the answer is read. Values, and no asking.

An `Approver` that has a method ``ask_form`` is asked; without one no server is told that it may ask. What a person does
not answer is ``cancel``, and so is an answer that does not fit the form: nothing is sent that was not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from ...base.frozen import frozen
from .approval import DEFAULT_TIMEOUT
from .form_safety import host_of, names_a_secret

if TYPE_CHECKING:
    from collections.abc import Awaitable

Kind = Literal["text", "integer", "number", "boolean", "choice", "choices"]
Action = Literal["accept", "decline", "cancel"]

ACCEPT: Final = "accept"
DECLINE: Final = "decline"
CANCEL: Final = "cancel"


@frozen
class Field:
    """One thing that a form asks for.

    Attributes:
        name: under which the answer stands.
        kind: what the answer is: ``text``, ``integer``, ``number``, ``boolean``, ``choice`` for one of several texts, ``choices`` for any
            number of them.
        title: for people; empty if it has none.
        description: for people; empty if it has none.
        required: there is no form without it.
        default: what holds if the person says nothing; ``None`` for nothing.
        choices: of ``choice`` and ``choices``: each text, and what people are shown for it.
        least, most: of a number, of the length of a text, or of how many are chosen.
        format: of a text: ``email``, ``uri``, ``date`` or ``date-time``; ``None`` for any.
    """

    name: str
    kind: Kind
    title: str = ""
    description: str = ""
    required: bool = False
    default: Any = None
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    format: str | None = None

    def misfit(self, value: Any) -> str | None:
        """Why a value is no answer to it, as the rest of a sentence; ``None`` if it is one."""
        problem, size = _KINDS[self.kind](self, value)
        if problem is not None:
            return problem
        if self.least is not None and size < self.least:
            return f"has to be at least {self.least:g}{_UNITS.get(self.kind, '')}"
        if self.most is not None and size > self.most:
            return f"has to be at most {self.most:g}{_UNITS.get(self.kind, '')}"
        return None


@frozen
class Form:
    """What a server asks a person in the middle of a call.

    Attributes:
        message: why it asks, in its words.
        plugin: the server's plugin, by its name on the board.
        fields: what it asks for; none if there is a ``url``.
        url: the address of a page on which the person is to do it instead. Nobody opens it but the person, and ``accept`` says no more
            than that they agree to do so.
        tool_name: the tool that was called, if only one call can be meant.
        tool_call_id: that call's id.
        timeout: seconds that the answer may take. The call's own deadline goes on meanwhile.
        schema: what the server says of the form as a whole, such as a ``title``, as JSON; its ``properties`` are the ``fields``.
    """

    message: str
    plugin: str
    fields: tuple[Field, ...] = ()
    url: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def host(self) -> str | None:
        """The host of its page, in ASCII, to be shown beside the address; ``None`` if it has none. Raises as `host_of`."""
        return None if self.url is None else host_of(self.url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of fields that seem to ask for a password, a key or the like, which a server may not in a form."""
        return tuple(
            field.name
            for field in self.fields
            if any(map(names_a_secret, (field.name, field.title, field.description)))
        )

    def misfit(self, content: Any) -> str | None:
        """Why these are no answers to its fields; ``None`` if they are."""
        if not isinstance(content, Mapping):
            return "the answers are no mapping"
        known = {field.name: field for field in self.fields}
        for name, value in content.items():
            if name not in known:
                return f"there is no field {name!r:.100}"
            if (problem := known[name].misfit(value)) is not None:
                return f"{name!r:.100} {problem}"
        missing = [field.name for field in self.fields if field.required and field.name not in content]
        return f"{missing[0]!r:.100} is not answered" if missing else None


@frozen
class FormAnswer:
    """What the person said to a form.

    Attributes:
        action: ``accept``; ``decline`` for a no; ``cancel`` if they have not decided.
        content: the answers by the names of the fields; of ``accept`` alone, and not of a form with a ``url``.
        reason: why, for the log.
    """

    action: Action
    content: Mapping[str, Any] | None = None
    reason: str | None = None


class FormApprover(Protocol):
    """An `Approver` that can have forms filled in, too."""

    def ask_form(self, form: Form) -> FormAnswer | Mapping[str, Any] | Awaitable[Any] | None:
        """Ask, and return what was answered: a `FormAnswer`; or the answers, which is ``accept``; ``None`` is ``cancel``.

        Called as ``ask``, and in turn with it: a board asks one thing at a time. ``withdraw(form)`` is called when the answer is
        not awaited any more. One that raises has not answered.
        """


def read_form_answer(answer: Any, form: Form) -> FormAnswer | None:
    """Read what an approver returned; ``None`` if it is no answer to this form."""
    if answer is None:
        return FormAnswer(CANCEL)
    if isinstance(answer, Mapping):
        answer = FormAnswer(ACCEPT, answer)
    if not isinstance(answer, FormAnswer) or answer.action not in {ACCEPT, DECLINE, CANCEL}:
        return None
    if answer.action != ACCEPT or form.url is not None:
        return FormAnswer(answer.action, reason=answer.reason)
    content = {} if answer.content is None else answer.content
    return None if form.misfit(content) else FormAnswer(ACCEPT, dict(content), answer.reason)


_LARGEST = 2.0**63
_DAY = len("2026-01-31")
_UNITS = {"text": " characters", "choices": " of them"}


def _text(field: Field, value: Any) -> tuple[str | None, float]:
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        return "has to be a text", 0
    check = _FORMATS.get(field.format or "")
    return (f"has to be {check[0]}" if check and not check[1](value) else None), len(value)


def _number(field: Field, value: Any) -> tuple[str | None, float]:
    whole = field.kind == "integer"
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return f"has to be {'a whole number' if whole else 'a number'}", 0
    return (None, value) if abs(value) < _LARGEST else ("has to be a number of 64 bits", 0)


def _boolean(_: Field, value: Any) -> tuple[str | None, float]:
    return None if isinstance(value, bool) else "has to be yes or no", 0


def _choice(field: Field, value: Any) -> tuple[str | None, float]:
    known = [each for each, _ in field.choices]
    return None if isinstance(value, str) and value in known else "has to be one of the choices", 0


def _several(field: Field, value: Any) -> tuple[str | None, float]:
    known = [each for each, _ in field.choices]
    if not isinstance(value, list | tuple) or not all(each in known for each in value):
        return "has to be some of the choices", 0
    return (None if len(set(value)) == len(value) else "has one of the choices twice"), len(value)


_KINDS = {
    "text": _text,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
    "choice": _choice,
    "choices": _several,
}


def _is_email(text: str) -> bool:
    user, at, host = text.rpartition("@")
    return bool(user and at and host) and not any(map(str.isspace, text))


def _is_uri(text: str) -> bool:
    try:
        return bool(urlsplit(text).scheme) and not any(map(str.isspace, text))
    except ValueError:
        return False


def _is_read_by(read: Any, text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


_FORMATS: dict[str, tuple[str, Any]] = {
    "email": ("an address such as name@example.org", _is_email),
    "uri": ("an address such as https://example.org/", _is_uri),
    "date": (
        "a date such as 2026-01-31",
        lambda text: len(text) == _DAY and _is_read_by(date.fromisoformat, text),
    ),
    "date-time": (
        "a date and time such as 2026-01-31T12:00:00Z",
        lambda text: len(text) > _DAY and _is_read_by(datetime.fromisoformat, text),
    ),
}
