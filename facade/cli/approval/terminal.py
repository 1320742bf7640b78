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
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock
from ...plugins.hooks.approval import Answer
from ...plugins.hooks.forms import CANCEL, FormAnswer
from ..ui.streams import complain
from .form_dialogue import FormDialogue
from .question import Dialogue, Step
from .risk import Risks

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ...callboard import Callboard
    from ...plugins.hooks.approval import Question
    from ...plugins.hooks.forms import Form
    from ...supervision.runtime.events import Event
    from .question import Risk

    T = TypeVar("T")

_USUAL = os.terminal_size((80, 24))


class TerminalApprover:
    """See the module. It is an `Approver`, which has forms filled in too; the board asks it one thing at a time.

    Args:
        risk: what there is to say beside a question, if anything.
    """

    def __init__(self, risk: Callable[[Question], Risk | None] = lambda _: None) -> None:
        self._risk = risk
        self._lock = Lock()
        self._open: Question | Form | None = None
        self._dialogue: Dialogue | FormDialogue | None = None
        self._ended = False
        self._typed: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask(self, question: Question) -> Answer | str:
        size = terminal_size()
        dialogue = Dialogue(question, self._risk(question), size.columns, size.lines)
        return self._answer(question, dialogue, Answer(allowed=False, reason="nothing was answered"))

    def ask_form(self, form: Form) -> FormAnswer:
        dialogue = FormDialogue(form, terminal_size().columns)
        return self._answer(form, dialogue, FormAnswer(CANCEL, reason="nothing was answered"))

    def _answer(self, asked: Question | Form, dialogue: Dialogue | FormDialogue, without: T) -> T | Any:
        """What is typed in the end; ``without`` if nothing is."""
        typed: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:  # across the showing: a line that was typed before it is no answer to it
            self._open, self._dialogue, self._typed = asked, dialogue, typed
            if self._ended:
                typed.put(None)
            _show(dialogue.begin())
        while (come := typed.get()) is not None:
            if not isinstance(come, Step):
                return come
            _show(come)
        return without

    def withdraw(self, question: Question | Form) -> None:
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
            if not isinstance(come, Step):
                self._open = None
            self._typed.put(come)
            return True


def ask_on_terminal(board: Callboard, descriptor: int, *, reads: bool) -> TerminalApprover | None:
    """Have the board ask at the terminal, if there is one.

    Args:
        board: whose questions they are; not started yet, so that servers can be told that there is somebody to ask.
        descriptor: stdin.
        reads: read the terminal; without it other code does, and hands the lines in.
    """
    if not (os.isatty(descriptor) and sys.stderr is not None and sys.stderr.isatty()):
        return None
    approver = TerminalApprover(Risks(board).of)
    board.approver = approver
    if reads:
        threading.Thread(
            target=_read, args=(descriptor, approver), name="callboard-typed", daemon=True
        ).start()
    return approver


def say_what_nobody_decides(board: Callboard) -> None:
    """Say on stderr what is decided without a person, of a running board that has nobody to ask."""
    if board.approver is None:
        board.subscribe(tell_nobody, ["approval_answered"])


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
