"""The prompt of `callboard dev` and `chat`: lines with a history, names completed, and output above while one types."""

from __future__ import annotations

import os
import sys
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, get_app_session, run_in_terminal
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from ...base.locks import Lock
from ...plugins.hooks.visible_text import is_plain
from .console import SafeConsole
from .signals import takes_interrupts
from .text import clean

if sys.platform == "win32":
    from prompt_toolkit.input import create_input
    from prompt_toolkit.output import create_output
else:
    from prompt_toolkit.input.vt100 import Vt100Input
    from prompt_toolkit.output.vt100 import Vt100_Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from .streams import Streams


class Work(Protocol):
    """What lines are read for.

    Attributes:
        over: the user asked to leave.
    """

    over: bool

    @property
    def commands(self) -> tuple[str, ...]:
        """What a line may begin with behind a ``/``."""

    def names(self) -> tuple[str, ...]:
        """What else a line may begin with."""

    def carry_out(self, line: str) -> None:
        """Do what a line says; returns when that is done."""


class Prompt:
    """A prompt on a terminal, with a console whose output stays above it.

    Attributes:
        console: for whatever is to be shown; from one thread at a time.
    """

    def __init__(self, terminal: Output) -> None:
        self._above = _Above(terminal)
        self.console: SafeConsole = SafeConsole(self._above, force_terminal=True)

    def carry_out_all(
        self,
        work: Work,
        *,
        begin: Callable[[], None] | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> None:
        """Read lines and carry each out, until the user leaves.

        Args:
            work: carries them out.
            begin: called whenever a line is about to be typed; what it shows stands above.
            interrupted: whether what was carried out last was interrupted. If this is given, two interrupts in a row leave.
        """
        again = False
        session: PromptSession[str] = PromptSession(
            "> ",
            completer=_Names(work),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            style=Style.from_dict({"": "bold"}),  # one's own lines are found again
        )
        while not work.over:
            try:
                line = session.prompt(pre_run=begin, handle_sigint=takes_interrupts())
            except KeyboardInterrupt:  # the line is given up, if there is one
                empty = not session.default_buffer.text
                if empty and interrupted is not None and (again or interrupted()):
                    return
                again = True
                continue
            except EOFError:
                return
            finally:
                self._above.write_out()
            again = False
            work.carry_out(line)

    def ask(self, message: str, begin: Callable[[Callable[[], None]], None]) -> str:
        """Read one line that is no other's.

        Args:
            message: stands before it.
            begin: called with what gives the question up, from any thread.

        Raises:
            EOFError: it was given up, or there is no more to come.
            KeyboardInterrupt: the user has interrupted.
        """
        session: PromptSession[str] = PromptSession(clean(message), reserve_space_for_menu=0)
        try:
            return session.prompt(pre_run=lambda: begin(_leaving(session)), handle_sigint=takes_interrupts())
        finally:
            self._above.write_out()

    def wake(self, do: Callable[[], None]) -> None:
        """Have something done by the thread of the prompt while it waits for a line; otherwise not at all."""
        self._above.do(do)


def _leaving(session: PromptSession[str]) -> Callable[[], None]:
    """What ends a prompt from any thread, and does nothing when it has ended."""
    loop = session.app.loop

    def leave() -> None:
        if session.app.is_running and not session.app.is_done:
            session.app.exit(exception=EOFError)

    def leave_soon() -> None:
        if loop is not None:
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(leave)

    return leave_soon


class _Above:
    """A file whose text goes above the prompt, if there is one just now.

    Not prompt_toolkit's own: its thread knows nothing of the session that the prompt is in, and writes into the line.
    """

    def __init__(self, terminal: Output) -> None:
        self._terminal = terminal
        self._session = get_app_session()
        self._context = copy_context()
        self._waiting: deque[str] = deque()
        self._lock = Lock()

    def write(self, text: str) -> int:
        """Take text."""
        self._waiting.append(text)
        return len(text)

    def flush(self) -> None:
        """Have what was taken written, by the prompt's own thread if there is one."""
        if not self.do(lambda: run_in_terminal(self.write_out)):
            self.write_out()

    def do(self, do: Callable[[], object]) -> bool:
        """Have something done by the prompt's own thread; False if there is no prompt."""
        app = self._session.app
        loop = None if app is None else app.loop
        if loop is None:
            return False
        with suppress(RuntimeError):  # the prompt has just ended, and what waits is written after it
            loop.call_soon_threadsafe(do, context=self._context)
        return True

    def write_out(self) -> None:
        """Write what was taken."""
        with self._lock:  # across the writing: texts come out in the order in which they were taken
            text = "".join([self._waiting.popleft() for _ in range(len(self._waiting))])
            if text:
                self._terminal.write_raw(text)
                self._terminal.flush()


class _Names(Completer):
    """Completes the first word: a name, or a command. A name that cannot be shown as it is has to be typed."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        typed = document.text_before_cursor
        if " " in typed:
            return
        for name in (*self._work.names(), *(f"/{command}" for command in self._work.commands)):
            if name.startswith(typed) and is_plain(name):
                yield Completion(name, start_position=-len(typed))


@contextmanager
def at_a_prompt(streams: Streams) -> Iterator[Prompt]:
    """A prompt on the terminal of these streams."""
    with ExitStack() as stack:
        reads = stack.enter_context(os.fdopen(os.dup(streams.stdin), encoding="utf-8"))
        writes = stack.enter_context(os.fdopen(os.dup(streams.stdout), "w", encoding="utf-8"))
        keys, terminal = _terminal(reads, writes)
        stack.enter_context(create_app_session(input=keys, output=terminal))
        yield Prompt(terminal)


if sys.platform == "win32":

    def _terminal(reads: TextIO, writes: TextIO) -> tuple[Input, Output]:
        return create_input(reads), create_output(writes)

else:

    def _terminal(reads: TextIO, writes: TextIO) -> tuple[Input, Output]:
        return Vt100Input(reads), Vt100_Output.from_pty(writes, term=os.environ.get("TERM"))
