"""Asking at the terminal about calls that have to be approved.

Only where there is a person: stdin and stderr are terminals. The question goes to stderr, since stdout is the
command's output. The reader of the terminal hands the lines in: a command that reads calls there too gives those
that come while a question is open to the person's answer, so no line is fought for.

What is shown comes from a model, so nothing of it may move the cursor or look like the question itself: what is
no plain character is shown by its code.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import TYPE_CHECKING

from ...base.json import dump_json
from ...plugins.hooks.approval import ALLOW, ALWAYS, DENY, Answer
from .streams import complain

if TYPE_CHECKING:
    from ...callboard import Callboard
    from ...plugins.hooks.approval import Question
    from ...supervision.runtime.events import Event


LONGEST = 4000
"""Characters of an input, or of a result, that are shown."""

_LETTERS = {ALLOW: "y", ALWAYS: "a", DENY: "n"}
_WORDS = {
    "y": ALLOW, "yes": ALLOW, "allow": ALLOW, "n": DENY, "no": DENY, "deny": DENY, "a": ALWAYS, "always": ALWAYS,
}  # fmt: skip


class TerminalApprover:
    """See the module. It is an `Approver`; the board asks it one question at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Question | None = None
        self._ended = False
        self._typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def ask(self, question: Question) -> Answer | str:
        with self._lock:
            self._open = question
            typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
            self._typed = typed
            if self._ended:
                typed.put(None)
        _show(question_text(question))
        while (option := typed.get()) is not None:
            if option:
                return option
            _show("  that is none of them: ")
        return Answer(allowed=False, reason="nothing was answered")

    def withdraw(self, question: Question) -> None:
        with self._lock:
            if self._open is not question:
                return
            self._open = None
            self._typed.put(None)
        _show("\n  (not waited for any more)\n")

    def put(self, line: str | None) -> bool:
        """Take a line that was typed, or the end of all (``None``); False if no question is open.

        The line that answers closes the question here and now: the next one may be in the same breath.
        """
        with self._lock:
            self._ended = self._ended or line is None
            if self._open is None:
                return False
            option = None if line is None else read_choice(line, self._open.options)
            if option is not None or line is None:
                self._open = None
            self._typed.put(None if line is None else option or "")
            return True


def ask_on_terminal(board: Callboard, descriptor: int, *, reads: bool) -> TerminalApprover | None:
    """Have the board ask at the terminal, if there is one; else say on stderr what is decided without a person.

    Args:
        board: whose questions they are.
        descriptor: stdin.
        reads: read the terminal; without it other code does, and hands the lines in.
    """
    if not (os.isatty(descriptor) and sys.stderr is not None and sys.stderr.isatty()):
        board.subscribe(tell_nobody, ["approval_answered"])
        return None
    approver = TerminalApprover()
    board.approver = approver
    if reads:
        threading.Thread(
            target=_read, args=(descriptor, approver), name="callboard-typed", daemon=True
        ).start()
    return approver


def _read(descriptor: int, approver: TerminalApprover) -> None:
    with open(descriptor, encoding="utf-8", errors="replace", closefd=False) as typed:
        for line in typed:
            approver.put(line)
    approver.put(None)


def tell_nobody(event: Event) -> None:
    """Say on stderr what was decided because there is no person to ask; for events ``approval_answered``."""
    if event.facts["by"] == "nobody":
        word = "allowed" if event.facts["allowed"] else "denied"
        complain(
            f"{event.subject!r} wants {event.facts['tool']!r} approved; there is no terminal to ask on: {word}"
        )


def _show(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


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
