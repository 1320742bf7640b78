"""One event's way through the hooks of a board: who is asked next, and what came of it. Pure.

::

            ┌──────────── next hook ◀───────────┐
    begin ──┴──▶ Consult ── answered, failed ───┴──▶ Ask ── decided ──▶ Passed
                    │  deny, or a gate that failed    │ no
                    └────────────▶ Refused ◀──────────┘

Gates decide, observers watch. A gate that fails, or whose answer cannot be read, refuses: what it was there to
keep out must not come in because it is broken. An observer that fails harms nothing. Deny ends the chain at once;
a hook that wants a person asked has that done when all gates have been asked, once, about what would really run.
So deny beats ask, which beats modify, which beats continue, and no answer undoes another hook's modification.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from .answers import UnreadableAnswer
from .approval import Question, joined
from .injections import LONGEST, read_injections
from .payload import ResultData
from .terms import PRE, Action, Listener

if TYPE_CHECKING:
    from .answers import HookAnswer, Wish
    from .approval import Answer
    from .payload import HookData

Json = dict[str, Any]


@frozen
class Consult:
    """Ask this hook, with these data, which are its own."""

    listener: Listener
    data: Json


@frozen
class Ask:
    """Ask a person."""

    question: Question


@frozen
class Passed:
    """It may go on, with this value."""

    value: Any


@frozen
class Refused:
    """It must not go on.

    Attributes:
        by: the hook's name.
        why: a sentence.
        reason: the hook's own words, or the person's.
    """

    by: str
    why: str
    reason: str | None = None


Step = Consult | Ask | Passed | Refused


@frozen
class News:
    """Something to tell: ``call_modified``, or ``hook_failed`` with what went wrong."""

    kind: str
    hook: str
    said: str = ""


class Chain:
    """See the module. Each step is answered before the next is asked for; `Passed` and `Refused` are the last.

    Args:
        listeners: the hooks to be asked, in order.
        data: what they are told.

    Attributes:
        notes: what hooks want said beside their answers, each with its ``hook`` and ``event``.
        changed: whether a hook has changed the value.
    """

    def __init__(self, event: str, listeners: tuple[Listener, ...], data: HookData) -> None:
        self.event = event
        self.data = data
        self.notes: list[Json] = []
        self.changed: bool = False
        self._listeners = listeners
        self._next = 0
        self._questions: list[Question] = []
        self._news: list[News] = []

    def news(self) -> list[News]:
        """What has come up since this was last called."""
        news, self._news = self._news, []
        return news

    def begin(self) -> Step:
        """The first step."""
        return self._go_on()

    def answered(self, answer: HookAnswer) -> Step:
        """The hook under way returned this."""
        listener = self._listeners[self._next]
        if listener.observes and answer.action not in {Action.CONTINUE, Action.INJECT}:
            return self.failed(f"it answered {answer.action}, but it observes, and decides nothing")
        if answer.data is not None:
            try:
                changed = self.data.take(answer.data)
            except UnreadableAnswer as error:
                return self.failed(str(error))
            if changed:
                self.changed = True
                self._news.append(News("call_modified", listener.name))
        if answer.notes:
            self._note(listener, answer.notes)
        if answer.action is Action.DENY:
            said = answer.reason or "it gave no reason"
            return Refused(listener.name, f"{listener.name!r} refused it: {said}", answer.reason)
        if answer.wish is not None:
            self._questions.append(self._question(listener, answer, answer.wish))
        self._next += 1
        return self._go_on()

    def failed(self, why: str) -> Step:
        """The hook under way raised, did not answer in its time, or answered with what is no answer."""
        listener = self._listeners[self._next]
        self._news.append(News("hook_failed", listener.name, why))
        if not listener.observes:
            return Refused(listener.name, f"{listener.name!r} failed, and what it guards stays shut: {why}")
        self._next += 1
        return self._go_on()

    def decided(self, answer: Answer) -> Step:
        """The person answered this, or it holds by default."""
        if answer.allowed:
            return Passed(self.data.value)
        asked_by = self._questions[0].asked_by[0]
        said = f": {answer.reason}" if answer.reason else ""
        return Refused(asked_by, f"it was not approved{said}", answer.reason)

    def _go_on(self) -> Step:
        if self._next < len(self._listeners):
            return Consult(self._listeners[self._next], self.data.fresh())
        if not self._questions:
            return Passed(self.data.value)
        return Ask(self._about_what_is(joined(self._questions)))

    def _note(self, listener: Listener, notes: Json) -> None:
        self.notes.append({"hook": listener.name, "event": self.event, **notes})
        for injection in read_injections(notes):
            if not injection.fits:
                said = (
                    f"its context injection has {len(injection.content):,} characters, and at most {LONGEST:,} are put "
                    "into a conversation: it is left out"
                )
                self._news.append(News("hook_failed", listener.name, said))

    def _question(self, listener: Listener, answer: HookAnswer, wish: Wish) -> Question:
        facts = self.data.facts
        name = facts.get("tool_name")
        prompt = wish.prompt or (f"Run {name}?" if self.event == PRE else f"Hand out what {name} answered?")
        return Question(
            prompt=prompt,
            tool_name=name,
            tool_call_id=facts.get("tool_call_id", ""),
            tool_input=facts.get("tool_input"),
            options=wish.options,
            timeout=wish.timeout,
            default=wish.default,
            reason=answer.reason,
            asked_by=(listener.name,),
            plugin=facts.get("plugin"),
            session=facts.get("parent_id") or facts.get("session_id"),
        )

    def _about_what_is(self, question: Question) -> Question:
        """The question about the value as it is now: a later hook may have changed it since it was asked for."""
        if isinstance(self.data, ResultData):
            return replace(question, result=self.data.value)
        return replace(question, tool_input=self.data.value)
