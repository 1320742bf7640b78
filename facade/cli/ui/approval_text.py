"""A question to a person at a terminal, in words, and how what is typed is read. Pure.

What is shown comes from a model, so nothing of it may move the cursor or look like the question itself: what is
no plain character is shown by its code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.json import dump_json
from ...plugins.hooks.approval import ALLOW, ALWAYS, DENY

if TYPE_CHECKING:
    from ...plugins.hooks.approval import Question

LONGEST = 4000
"""Characters of an input, or of a result, that are shown."""

_LETTERS = {ALLOW: "y", ALWAYS: "a", DENY: "n"}
_WORDS = {
    "y": ALLOW, "yes": ALLOW, "allow": ALLOW, "n": DENY, "no": DENY, "deny": DENY, "a": ALWAYS, "always": ALWAYS,
}  # fmt: skip


def question_text(question: Question) -> str:
    """What is shown: the question, why it is asked, what it is about, and what can be typed."""
    reason = f"  ({question.reason})" if question.reason else ""
    lines = [f"? {question.prompt}{reason}", f"  input: {_cut(question.tool_input)}"]
    if question.result is not None:
        lines.append(f"  result: {_cut(question.result)}")
    keys = "  ".join(f"[{key}] {option}" for key, option in keys_of(question.options).items())
    until = f"{question.timeout:g} s, else {question.default}"
    return "\n".join(visible(line) for line in lines) + f"\n  {visible(keys)}  ({until}): "


def keys_of(options: tuple[str, ...]) -> dict[str, str]:
    """What is typed for each option: letters where they say it, numbers for options of a hook's own."""
    if all(option in _LETTERS for option in options):
        return {_LETTERS[option]: option for option in options}
    return {str(number): option for number, option in enumerate(options, 1)}


def read_choice(typed: str, options: tuple[str, ...]) -> str | None:
    """The option that was typed, by its key or its words; ``None`` if it is none of them."""
    word = typed.strip()
    by_word = {option.casefold(): option for option in options}
    by_letter = _WORDS.get(word.casefold())
    known = keys_of(options).get(word.casefold()) or by_word.get(word.casefold())
    return known or (by_letter if by_letter in options else None)


def visible(text: str) -> str:
    """The text on one line, with whatever is no plain character shown by its code."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _cut(value: object) -> str:
    text = dump_json(value).decode()
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}… and {left:,} characters more"
