"""Asking at the terminal about calls that have to be approved.

Only where there is a person: stdin and stderr are terminals. The question goes to stderr, since stdout is the
command's output. The reader of the terminal hands the lines in: a command that reads calls there too gives those
that come while a question is open to the person's answer, so no line is fought for.

What is shown, and which line is an answer, says the `Dialogue`. Where it does not fit the terminal it is shown page by
page, and a yes that comes before the last one is none.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import TYPE_CHECKING

from ...plugins.hooks.approval import Answer
from ..ui.streams import complain
from .question import Dialogue
from .risk import Risks

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...callboard import Callboard
    from ...plugins.hooks.approval import Question
    from ...supervision.runtime.events import Event
    from .question import Risk, Step

_USUAL = os.terminal_size((80, 24))


class TerminalApprover:
    """See the module. It is an `Approver`; the board asks it one question at a time.

    Args:
        risk: what there is to say beside a question, if anything.
    """

    def __init__(self, risk: Callable[[Question], Risk | None] = lambda _: None) -> None:
        self._risk = risk
        self._lock = threading.Lock()
        self._open: Question | None = None
        self._dialogue: Dialogue | None = None
        self._ended = False
        self._typed: queue.SimpleQueue[str | Step | None] = queue.SimpleQueue()

    def ask(self, question: Question) -> Answer | str:
        size = terminal_size()
        dialogue = Dialogue(question, self._risk(question), size.columns, size.lines)
        typed: queue.SimpleQueue[str | Step | None] = queue.SimpleQueue()
        with self._lock:  # across the showing: a line that was typed before it is no answer to it
            self._open, self._dialogue, self._typed = question, dialogue, typed
            if self._ended:
                typed.put(None)
            _show(dialogue.begin())
        while (come := typed.get()) is not None:
            if isinstance(come, str):
                return come
            _show(come)
        return Answer(allowed=False, reason="nothing was answered")

    def withdraw(self, question: Question) -> None:
        with self._lock:
            if self._open is not question:
                return
            self._open = None
            self._typed.put(None)
        _write("\n  (not waited for any more)\n")

    def put(self, line: str | None) -> bool:
        """Take a line that was typed, or the end of all (``None``); False if no question is open.

        The line that answers closes the question here and now: the next one may be in the same breath.
        """
        with self._lock:
            self._ended = self._ended or line is None
            if self._open is None or self._dialogue is None:
                return False
            come = None if line is None else self._dialogue.take(line)
            if come is None or isinstance(come, str):
                self._open = None
            self._typed.put(come)
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
    approver = TerminalApprover(Risks(board).of)
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


def terminal_size() -> os.terminal_size:
    """The size of the terminal that is asked on; a usual one if it does not tell."""
    try:
        size = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, AttributeError):
        return _USUAL
    return os.terminal_size((size.columns or _USUAL.columns, size.lines or _USUAL.lines))


def _show(step: Step) -> None:
    _write("".join(f"{line}\n" for line in step.lines) + f"{step.prompt}: ")


def _write(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
