"""A form as a person fills it in at a terminal, line by line: what is shown, and what a typed line says. Pure.

What is asked comes from a server, so that it is shown as in `question`. A line that is no answer to its field is not taken, and
nothing is sent before all of it has been shown once more and agreed to. An address is shown, with its host beside it; nobody opens it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.json import dump_json
from ...plugins.hooks.forms import ACCEPT, CANCEL, DECLINE, FormAnswer
from .question import Step, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plugins.hooks.forms import Action, Field, Form

_LONGEST: Final = 4_000
"""Characters of what a server says in one place."""

_WARNING: Final = "it seems to ask for a password or key ({}), which a server may not in a form; what you type goes to the server"

_NARROWEST: Final = 20
_ENDS: Final[dict[str, Action]] = {"/decline": DECLINE, "/cancel": CANCEL}
_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")


class FormDialogue:
    """One form, from its first field to the answer.

    Args:
        form: the form.
        width: cells of a line.
    """

    def __init__(self, form: Form, width: int) -> None:
        self._form = form
        self._width = max(width, _NARROWEST)
        self._content: dict[str, Any] = {}
        self._at = 0

    def begin(self) -> Step:
        """Return what is shown first."""
        form = self._form
        lines = [*self._told("? ", form.message), *self._told("  server    ", _quoted(form.plugin))]
        if form.tool_name is not None:
            lines += self._told("  tool      ", _quoted(form.tool_name))
        if form.url is not None:
            lines += self._told("  address   ", form.url)
            lines += self._told("  of        ", form.host or "")
            return Step(lines, self._page_prompt())
        if form.secrets:
            lines += self._told("  warning   ", _WARNING.format(_quoted(list(form.secrets))))
        lines.append(f"  (/decline or /cancel at any place; {form.timeout:g} s, else cancel)")
        step = self._next()
        return Step([*lines, *step.lines], step.prompt)

    def take(self, typed: str) -> FormAnswer | Step:
        """Take a line that was typed: return the answer, or what is shown next."""
        line = typed.rstrip("\r\n")
        word = line.strip().casefold()
        if (action := _ENDS.get(word)) is not None:
            return FormAnswer(action)
        if self._form.url is not None:
            return self._decided(word) or Step(["  that is none of them"], self._page_prompt())
        if self._at >= len(self._form.fields):
            return self._reviewed(word)
        return self._filled(self._form.fields[self._at], line)

    def _page_prompt(self) -> str:
        return f"  [y] I open it  [n] decline  [/cancel]  ({self._form.timeout:g} s, else cancel)"

    def _decided(self, word: str) -> FormAnswer | None:
        if word in _YES:
            return FormAnswer(ACCEPT, None if self._form.url is not None else dict(self._content))
        return FormAnswer(DECLINE) if word in _NO else None

    def _reviewed(self, word: str) -> FormAnswer | Step:
        if word == "e":
            self._at = 0
            return self._next()
        return self._decided(word) or Step(["  that is none of them"], self._review().prompt)

    def _filled(self, field: Field, line: str) -> Step:
        default = self._content.get(field.name, field.default)
        if not line.strip():
            if default is None and field.required:
                return self._again("it has to be answered")
            self._take(field, default)
            return self._next()
        if line.strip() == "-" and not field.required:
            self._take(field, None)
            return self._next()
        value = _read(field, line)
        problem = field.misfit(value)
        if problem is not None:
            return self._again(f"it {problem}")
        self._take(field, value)
        return self._next()

    def _take(self, field: Field, value: Any) -> None:
        self._at += 1
        if value is None:
            self._content.pop(field.name, None)
        else:
            self._content[field.name] = value

    def _again(self, problem: str) -> Step:
        return Step([f"  {problem}"], self._prompt(self._form.fields[self._at]))

    def _next(self) -> Step:
        fields = self._form.fields
        if self._at >= len(fields):
            return self._review()
        field = fields[self._at]
        lines = list(self._told(f"  {self._at + 1} of {len(fields)}: ", field.title or field.name))
        if field.description:
            lines += self._told("      ", field.description)
        for number, (value, title) in enumerate(field.choices, 1):
            more = "" if title == value else f"  ({_quoted(value)})"
            lines += self._told(f"    {number:>3}  ", f"{title}{more}")
        return Step(lines, self._prompt(field))

    def _prompt(self, field: Field) -> str:
        default = self._content.get(field.name, field.default)
        kept = "" if default is None else f" [{_quoted(default)}]"
        hint = _HINTS[field.kind] + (f", {field.format}" if field.format else "")
        needed = "" if field.required else "; Enter for none" if default is None else "; - for none"
        return "".join(folded("  ", f"({hint}{needed}){kept}", 1_000))

    def _review(self) -> Step:
        lines = ["  to be sent:"]
        for name, value in self._content.items():
            lines += self._told("  │ ", f"{_quoted(name)}: {_quoted(value)}")
        return Step(
            lines if self._content else ["  nothing is to be sent"],
            "  [y] send  [n] decline  [e] once more  [/cancel]",
        )

    def _told(self, label: str, text: str) -> Iterator[str]:
        left = len(text) - _LONGEST
        yield from folded(
            label, text if left <= 0 else f"{text[:_LONGEST]}… and {left:,} characters more", self._width
        )


_HINTS: Final[dict[str, str]] = {
    "text": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "y or n",
    "choice": "a number of the list",
    "choices": "numbers of the list, with commas",
}


def _quoted(value: Any) -> str:
    return dump_json(value).decode()


def _read(field: Field, line: str) -> Any:
    """What a line says as an answer to a field; what cannot be read is left as it is, and fits none."""
    word = line.strip()
    match field.kind:
        case "text":
            return line
        case "boolean":
            return True if word.casefold() in _YES else False if word.casefold() in _NO else word
        case "choice":
            return _chosen(field, word)
        case "choices":
            return [_chosen(field, each.strip()) for each in word.split(",") if each.strip()]
    try:
        return int(word) if field.kind == "integer" else float(word)
    except ValueError:
        return word


def _chosen(field: Field, word: str) -> str:
    """One of the choices: by its number in the list, its title, or itself."""
    if word.isdecimal() and 1 <= int(word[:9]) <= len(field.choices):
        return field.choices[int(word[:9]) - 1][0]
    return next((value for value, title in field.choices if word in {value, title}), word)
