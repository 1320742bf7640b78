"""A question about a call as a person is shown it, page by page, and which of the typed lines is an answer. Pure.

What is asked about comes from a model, and what describes it from a plugin, so nothing of it may look like anything that
it is not. Values are JSON, an argument a line; whatever is not seen, or looks like a quotation mark, is shown by its code;
a line that goes on below is marked. So two values never look alike. And a yes is one only when all has been shown.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import chop_cells

from ...base.json import dump_json
from ...plugins.hooks.approval import ALLOW, ALWAYS, DENY, read_decision
from ...plugins.hooks.visible_text import LONGEST, json_lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...plugins.hooks.approval import Question

_NARROWEST: Final = 20
_LEAST_LINES: Final = 3
_VALUE, _GOES_ON = "  │ ", "  ↳ "
_LETTERS = {ALLOW: "y", ALWAYS: "a", DENY: "n"}
_WORDS = {
    "y": ALLOW, "yes": ALLOW, "allow": ALLOW, "n": DENY, "no": DENY, "deny": DENY, "a": ALWAYS, "always": ALWAYS,
}  # fmt: skip


class Risk(NamedTuple):
    """What there is to know of a call beside what it says itself, a sentence each.

    Attributes:
        origin: where its plugin is from.
        asked: whether there was a question about this tool before.
        effects: what the tool says that it does to the world; nobody has checked it.
        arguments: whether they fit the tool's schema.
    """

    origin: str
    asked: str
    effects: str
    arguments: str


class Step(NamedTuple):
    """What is shown next.

    Attributes:
        lines: none is wider than the terminal.
        prompt: stands before what is typed.
    """

    lines: list[str]
    prompt: str


class Dialogue:
    """One question to a person, from its first page to the answer.

    Args:
        question: the question.
        risk: what is said beside it; ``None`` if nothing is known.
        width: cells of a line.
        height: lines of the terminal.
    """

    def __init__(self, question: Question, risk: Risk | None, width: int, height: int) -> None:
        self._question = question
        self._size = _size(question)
        lines = question_lines(question, risk, max(width, _NARROWEST))
        most = max(height - 2, _LEAST_LINES)  # the prompt, and the line of an answer that is none
        self._pages = [list(islice(lines, most))]
        while self._size <= LONGEST and (page := list(islice(lines, most))):
            self._pages.append(page)
        self._shown = 0

    @property
    def _whole(self) -> bool:
        """Whether all has been shown."""
        return not self.more and self._size <= LONGEST

    @property
    def more(self) -> bool:
        """Whether there is a page that was not shown."""
        return self._shown < len(self._pages)

    def begin(self) -> Step:
        """Return the first page."""
        return self._turn()

    def take(self, typed: str) -> str | Step:
        """Take a line that was typed: return the option that it is, or what is shown since it is none."""
        option = read_choice(typed, self._question.options)
        if option is None:
            if not typed.strip() and self.more:
                return self._turn()
            return self._say("that is none of them")
        decision = read_decision(option, (option,))
        if self._whole or decision is None or not decision.allowed:
            return option
        if self._size > LONGEST:
            return self._say(f"no yes to {self._size:,} characters: at most {LONGEST:,} are shown")
        return self._say(f"no yes before all is shown; this was page {self._shown} of {len(self._pages)}")

    def _turn(self) -> Step:
        self._shown += 1
        return Step(self._pages[self._shown - 1], self._prompt())

    def _say(self, what: str) -> Step:
        return Step([f"  {what}"], self._prompt())

    def _prompt(self) -> str:
        question = self._question
        keys = keys_of(question.options)
        if not self._whole:
            keys = {key: option for key, option in keys.items() if not _allows(option)}
        shown = [f"[{visible(key)}] {visible(option)}" for key, option in keys.items()]
        if self.more:
            shown = [f"[Enter] more, page {self._shown} of {len(self._pages)}", *shown]
        return f"  {'  '.join(shown)}  ({question.timeout:g} s, else {question.default})"


def _allows(option: str) -> bool:
    decision = read_decision(option, (option,))
    return decision is not None and decision.allowed


def question_lines(question: Question, risk: Risk | None, width: int) -> Iterator[str]:
    """Yield all that is shown of a question, but for what can be typed."""
    for line in question.prompt.split("\n"):
        yield from folded("? ", line, width)
    if question.reason:
        yield from folded("  because   ", question.reason, width)
    name = "none" if question.tool_name is None else dump_json(question.tool_name).decode()
    yield from folded("  tool      ", name, width)
    plugin = "more than one" if question.plugin is None else dump_json(question.plugin).decode()
    yield from folded("  plugin    ", f"{plugin}{f', {risk.origin}' if risk else ''}", width)
    if risk is not None:
        yield from folded("  risk      ", f"{risk.asked}; {risk.effects}", width)
        yield from folded("  check     ", risk.arguments, width)
    for change in question.changed:
        yield from folded("  changed   ", f"since it was always allowed: {change}", width)
    yield "  input:"
    yield from value_lines(question.tool_input, width)
    if question.result is not None:
        yield "  result:"
        yield from value_lines(question.result, width)


def folded(label: str, text: str, width: int) -> Iterator[str]:
    """Yield a text behind a label; where it goes on in the next line, that is marked."""
    head = label
    for piece in chop_cells(visible(text), max(width - len(label), 1)) or [""]:
        yield head + piece
        head = _GOES_ON if len(label) <= len(_GOES_ON) else f"{_GOES_ON:<{len(label)}}"


def value_lines(value: Any, width: int) -> Iterator[str]:
    """Yield a JSON value as JSON, of which a person can tell every character; a member of an object a line."""
    for line in json_lines(value):
        head = _VALUE
        for piece in chop_cells(visible(line), width - len(head)):
            yield head + piece
            head = _GOES_ON


def _size(question: Question) -> int:
    return sum(
        len(dump_json(value))
        for value in (question.tool_input, question.result, question.prompt, question.changed)
    )


def keys_of(options: tuple[str, ...]) -> dict[str, str]:
    """Return what is typed for each option: letters where they say it, numbers for options of a hook's own."""
    if all(option in _LETTERS for option in options):
        return {_LETTERS[option]: option for option in options}
    return {str(number): option for number, option in enumerate(options, 1)}


def read_choice(typed: str, options: tuple[str, ...]) -> str | None:
    """Return the option that was typed, by its key or its words; ``None`` if it is none of them."""
    word = typed.strip()
    by_word = {option.casefold(): option for option in options}
    by_letter = _WORDS.get(word.casefold())
    known = keys_of(options).get(word.casefold()) or by_word.get(word.casefold())
    return known or (by_letter if by_letter in options else None)
