"""Who answers questions in a conversation: a person at the prompt, or a script that does as if."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ..approval.question import Dialogue, Step
from ..ui.signals import interrupt
from ..ui.text import Text

if TYPE_CHECKING:
    from ..ui.prompt import Prompt
    from .events import PendingQuestion
    from .view import ForPeople

_LETTER = 0.035
_THOUGHT = 0.8
"""Seconds for a letter, and before the first one."""


class AtPrompt:
    """A person at a prompt."""

    def __init__(self, prompt: Prompt, view: ForPeople) -> None:
        self._prompt = prompt
        self._view = view

    def decide(self, inquiry: PendingQuestion) -> None:
        """Ask, and give the answer. An interrupt is a no, and ends the turn as it does elsewhere."""
        dialogue, step = self._view.question(inquiry.question)
        try:
            while isinstance(step, Step):
                self._view.asked(step)
                step = dialogue.take(self._prompt.ask(f"{step.prompt} > ", inquiry.when_withdrawn))
        except EOFError:
            self._view.answered("not waited for any more" if inquiry.withdrawn else "not answered")
            inquiry.refuse("nothing was answered")
        except KeyboardInterrupt:
            inquiry.refuse("the turn was interrupted")
            interrupt()
        else:
            inquiry.answer(step)


class Scripted:
    """A script, which types as a person would, and says yes.

    Args:
        view: where it is seen.
        fast: it takes no time.
    """

    def __init__(self, view: ForPeople, *, fast: bool) -> None:
        self._view = view
        self._fast = fast
        self._never = threading.Event()

    def say(self, line: str) -> None:
        """Type a line."""
        self._view.console.print(Text("> ", "dim"), end="", soft_wrap=True)
        self._type(line)

    def decide(self, inquiry: PendingQuestion) -> None:
        """Answer a question. There are no forms where it speaks."""
        dialogue, step = self._view.question(inquiry.question)
        if not isinstance(dialogue, Dialogue):
            inquiry.refuse("a script fills in no forms")
            return
        while isinstance(step, Step):
            self._view.asked(step)
            self._view.console.print(f"{step.prompt} > ", end="", soft_wrap=True)
            line = "" if dialogue.more else "y"
            self._type(line)
            step = dialogue.take(line)
        inquiry.answer(step)

    def _type(self, line: str) -> None:
        self._pause(_THOUGHT)
        for letter in line:
            self._view.console.print(Text(letter, "bold"), end="", soft_wrap=True)
            self._view.console.file.flush()
            self._pause(_LETTER)
        self._pause(_THOUGHT / 2)
        self._view.console.print()

    def _pause(self, seconds: float) -> None:
        if not self._fast:
            self._never.wait(seconds)
