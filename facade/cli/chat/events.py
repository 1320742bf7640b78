"""A turn in a thread of its own, and all that comes meanwhile in one queue.

So one thread, the one that has the terminal, shows everything and asks everything: nothing stands in the midst of
something else, and an interrupt is noted between two pieces and not within one.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from ...agent.loop.cancellation import Cancellation
from ...base.locks import Lock
from ...plugins.hooks.approval import Answer
from ...plugins.hooks.forms import CANCEL, Form, FormAnswer
from .render import HEARD

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ...plugins.hooks.approval import Question
    from ...supervision.runtime.events import Event

Json = dict[str, Any]


class Interrupted(NamedTuple):
    """The user wants the turn to end."""


class Ended(NamedTuple):
    """The turn is over.

    Attributes:
        error: what it raised, if it did.
    """

    error: BaseException | None


class PendingQuestion:
    """A question to the person, and its answer, which is given once. Thread-safe.

    Attributes:
        question: the question, or a form.
        withdrawn: the answer is not awaited any more.
    """

    def __init__(self, question: Question | Form) -> None:
        self.question = question
        self.withdrawn: bool = False
        self._lock = Lock()
        self._answered = threading.Event()
        self._answer = self._without("nobody waits for an answer")
        self._on_withdrawn: Callable[[], None] | None = None

    def _without(self, why: str) -> Answer | FormAnswer | str:
        if isinstance(self.question, Form):
            return FormAnswer(CANCEL, reason=why)
        return Answer(allowed=False, reason=why)

    def refuse(self, why: str) -> None:
        """Give the answer of one who gives none."""
        self.answer(self._without(why))

    def answer(self, answer: Answer | FormAnswer | str) -> None:
        """Give the answer; the first one counts."""
        with self._lock:
            if not self._answered.is_set():
                self._answer = answer
                self._answered.set()

    def withdraw(self) -> None:
        """The answer is not awaited any more."""
        with self._lock:
            self.withdrawn = True
            self._answered.set()
            told = self._on_withdrawn
        if told is not None:
            told()

    def when_withdrawn(self, tell: Callable[[], None]) -> None:
        """Have ``tell`` called when the question is withdrawn, from another thread; at once if it has been."""
        with self._lock:
            self._on_withdrawn = tell
            already = self.withdrawn
        if already:
            tell()

    def wait(self) -> Answer | FormAnswer | str:
        """Wait for the answer."""
        self._answered.wait()
        return self._answer


Item: TypeAlias = "Json | Event | PendingQuestion | Interrupted | Ended"


def _is_crash_of(plugin: str, event: Event) -> bool:
    return event.kind == "host_crashed" and event.subject == plugin


class News:
    """The queue. Anything may be put in by any thread; it is an `Approver`, and a subscriber of the board.

    Attributes:
        woken: called when something of the board's has come in, which may be between two turns.
    """

    def __init__(self) -> None:
        self.woken: Callable[[], None] = lambda: None
        self._queue: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._passed: deque[Item] = deque()
        self._asked: PendingQuestion | None = None

    def put(self, item: Json | Ended) -> None:
        """Put in what comes of a turn."""
        self._queue.put(item)

    def board(self, event: Event) -> None:
        """Hear an event of the board."""
        self._queue.put(event)
        self.woken()

    def interrupt(self) -> None:
        """Note an interrupt. Fit for a signal handler: the queue's `put` takes no lock that a handler could wait for."""
        self._queue.put(Interrupted())

    def ask(self, question: Question) -> Any:
        return self._answer_to(question)

    def ask_form(self, form: Form) -> Any:
        return self._answer_to(form)

    def _answer_to(self, question: Question | Form) -> Any:
        inquiry = self._asked = PendingQuestion(question)
        self._queue.put(inquiry)
        return inquiry.wait()

    def withdraw(self, question: Question | Form) -> None:
        inquiry = self._asked
        if inquiry is not None and inquiry.question is question:
            inquiry.withdraw()

    def take(self) -> Item:
        """Take the next item; wait until there is one."""
        return self._passed.popleft() if self._passed else self._queue.get()

    def here(self) -> list[Item]:
        """Take what is there now."""
        taken = [*self._passed]
        self._passed.clear()
        while not self._queue.empty():
            taken.append(self._queue.get())
        return taken

    def crash_of(self, plugin: str, patience: float) -> Event | None:
        """Take the news of a crash before what else has come, if it comes soon; a call's end is told a little earlier."""
        until = time.monotonic() + patience
        with suppress(queue.Empty):
            return self._crash_until(until, plugin)
        return None

    def _crash_until(self, until: float, plugin: str) -> Event | None:
        """As `crash_of`. Raises `queue.Empty`: it has not come."""
        while True:
            item = self._queue.get(timeout=max(until - time.monotonic(), 0.001))
            if not isinstance(item, dict | PendingQuestion | Interrupted | Ended) and _is_crash_of(
                plugin, item
            ):
                return item
            self._passed.append(item)
            if isinstance(item, Interrupted):
                return None


KINDS = tuple(HEARD)
"""Events of the board that are worth hearing of."""


class TurnThread:
    """Carries a turn on while it is entered; leaving cancels what is left of it, and waits for that.

    Args:
        run: makes the turn's generator, given what cancels it.
        news: where its events go, an `Ended` last.
    """

    def __init__(self, run: Callable[[Cancellation], Generator[Json, None, None]], news: News) -> None:
        self.cancellation: Cancellation = Cancellation()
        self._make = run
        self._news = news
        self._thread = threading.Thread(target=self._run, name="callboard-chat-turn", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cancellation.cancel()
        self._thread.join()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            with closing(self._make(self.cancellation)) as events:
                for event in events:
                    self._news.put(event)
        except Exception as raised:  # noqa: BLE001 - raised again where the events are read
            error = raised
        finally:
            self._news.put(Ended(error))
