"""The board's questions to a person: one at a time, each with its time, and none whose answer is not awaited any more.

A question is about a call, or is a form that a server wants filled in for one.
"""

from __future__ import annotations

import inspect
import sys
from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...base.locks import Lock
from ...plugins.adapter.async_bridge import wait_here
from ...plugins.hooks.approval import (
    Answer,
    Approver,
    Question,
    by_default,
    changes_between,
    declared_as,
    read_decision,
)
from ...plugins.hooks.forms import CANCEL, Form, FormAnswer, read_form_answer
from ...plugins.results.failures import describe
from ..threads.hook_pool import HookFailed
from .caller_approval import ask_of_caller

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from ...supervision.runtime.clock import Timer
    from ..catalog.catalog import ToolDescriptor
    from ..services import Services

Json = dict[str, Any]

logger: Log = Log("callboard.actors")

APPROVER = "the approver"
_PLUGIN = 2
"""Where the plugin stands in the key of a question."""


class ApprovalRequest:
    """One question on its way: waits, is asked, and is answered once."""

    __slots__ = (
        "approver", "call", "client", "declared", "done", "lasting", "over", "question", "take_back", "timer",
    )  # fmt: skip

    def __init__(self, question: Question | Form, call: str, done: Callable[[Any], None]) -> None:
        self.question: Question | Form = question
        self.call: str = call
        self.done: Callable[[Any], None] = done
        self.over: bool = False
        self.lasting: bool = (
            isinstance(question, Question) and question.tool_name is not None and question.plugin is not None
        )
        self.approver: Approver | None = None
        self.take_back: Callable[[], None] | None = None
        self.client: Hashable = None
        self.declared: tuple[Json, ...] = ()
        self.timer: Timer | None = None


class Approvals:
    """See the module. Thread-safe; nothing here blocks.

    Args:
        services: the board's.
        offers: returns the tools that are offered now, by plugin.

    Attributes:
        approver: who asks; ``None`` for none, which is no answer.
    """

    def __init__(
        self, services: Services, offers: Callable[[], Mapping[str, tuple[ToolDescriptor, ...]]]
    ) -> None:
        self.approver: Approver | None = None
        self._clock = services.clock
        self._events = services.events
        self._threads = services.threads
        self._lock = Lock()
        self._waiting: deque[ApprovalRequest] = deque()
        self._asked: ApprovalRequest | None = None
        self._offers = offers
        self._people = services.people
        self._remembered: dict[tuple[Hashable, Hashable], tuple[Json, ...]] = {}

    def ask(self, question: Question, call: str, done: Callable[[Answer], None]) -> ApprovalRequest:
        """Have ``done`` called with the answer, at once or from another thread; not if it is withdrawn."""
        return self._enter(ApprovalRequest(question, call, done))

    def ask_about_call(
        self, question: Question, call: str, done: Callable[[Answer], None], aside: Callable[[], None]
    ) -> ApprovalRequest:
        """As `ask`, of whoever made the call where they can be asked, which ``aside`` is told before; their questions wait for nobody else's."""
        inquiry = ApprovalRequest(question, call, done)
        with self._lock:
            remembered = self._is_remembered(inquiry, question)
        if remembered:
            self._settle(inquiry, Answer(allowed=True), "remembered")
            return inquiry
        people = None if self._people is None else self._people()
        assert isinstance(inquiry.question, Question)
        ask = ask_of_caller(inquiry.question, call, None if people is None else people.callers)
        if ask is None:
            return self._enter(inquiry)
        aside()
        self._tell_asked(inquiry)
        inquiry.timer = self._clock.call_at(
            self._clock.now() + question.timeout, partial(self._late, inquiry)
        )
        inquiry.take_back = ask(lambda answer: self._answered_by_caller(inquiry, answer))
        if inquiry.over:  # just now
            inquiry.timer.cancel()
            inquiry.take_back()
        return inquiry

    def _answered_by_caller(self, inquiry: ApprovalRequest, answer: Answer) -> None:
        self._settle(inquiry, answer, "client")

    def ask_form(self, form: Form, call: str, done: Callable[[FormAnswer], None]) -> ApprovalRequest:
        """As `ask`, of a form; without an approver that can have it filled in it is ``cancel``."""
        return self._enter(ApprovalRequest(form, call, done))

    def _enter(self, inquiry: ApprovalRequest) -> ApprovalRequest:
        if not _can_ask(self.approver, inquiry.question):
            self._tell_asked(inquiry)
            self._settle(inquiry, _unasked(inquiry.question), "nobody")
            return inquiry
        with self._lock:
            self._waiting.append(inquiry)
        self._ask_next()
        return inquiry

    def withdraw(self, inquiry: ApprovalRequest) -> None:
        """The answer is not awaited any more."""
        if self._close(inquiry):
            if inquiry.approver is not None or inquiry.take_back is not None:
                self._tell_answered(inquiry, "withdrawn", _without_answer(inquiry.question, "", deny=True))
                self._take_back(inquiry)
            self._ask_next()

    def forget(self, plugin: str) -> None:
        """A plugin has left the board: what was allowed for good is not allowed for another one of its name."""
        with self._lock:
            others = (
                (key, client)
                for key, client in self._remembered
                if not isinstance(key, tuple) or key[_PLUGIN] != plugin
            )
            self._remembered = {other: self._remembered[other] for other in others}
            for inquiry in (*self._waiting, *([] if self._asked is None else [self._asked])):
                inquiry.lasting = inquiry.lasting and inquiry.question.plugin != plugin

    def _ask_next(self) -> None:
        while True:
            with self._lock:
                if self._asked is not None or not self._waiting:
                    return
                inquiry = self._waiting.popleft()
                if inquiry.over:
                    continue
                remembered = isinstance(inquiry.question, Question) and self._is_remembered(
                    inquiry, inquiry.question
                )
                if not remembered:
                    self._asked = inquiry
            if remembered:
                self._settle(inquiry, Answer(allowed=True), "remembered")
                continue
            self._put(inquiry)

    def _is_remembered(self, inquiry: ApprovalRequest, question: Question) -> bool:
        """Whether it was answered for good, by the same client and about the tool as it is declared now; else the question says what has changed."""
        people = None if self._people is None else self._people()
        callers = None if people is None else people.callers
        inquiry.client = None if callers is None else callers.client_of(inquiry.call)
        offered = self._offers().get(question.plugin or "", ())
        named = [each for each in offered if each.tool_name == question.tool_name]
        # A plugin may claim the call under another name; then any of its tools may run.
        inquiry.declared = tuple(each.schema for each in named or offered)
        before = self._remembered.get((question.key, inquiry.client))
        if before is None:
            return False
        if list(map(declared_as, before)) == list(map(declared_as, inquiry.declared)):
            return True
        inquiry.question = replace(question, changed=changes_between(before, inquiry.declared))
        return False

    def _put(self, inquiry: ApprovalRequest) -> None:
        approver, question = self.approver, inquiry.question
        self._tell_asked(inquiry)
        if approver is None or not _can_ask(approver, question):  # taken away since
            self._settle(inquiry, _unasked(question), "nobody")
            return
        inquiry.approver = approver
        late = partial(self._late, inquiry)
        inquiry.timer = self._clock.call_at(self._clock.now() + question.timeout, late)
        if inquiry.over:  # withdrawn just now
            inquiry.timer.cancel()
            return
        self._threads.ask(
            APPROVER, partial(_ask, approver, question), partial(self._heard, inquiry), most=sys.maxsize
        )

    def _heard(self, inquiry: ApprovalRequest, answer: Answer | FormAnswer | HookFailed | None) -> None:
        if isinstance(answer, HookFailed):
            if not inquiry.over:
                logger.error("asking about call %s failed: %s", inquiry.call, answer)
            why = f"asking failed: {answer}"
            self._settle(inquiry, _without_answer(inquiry.question, why), "error")
        elif answer is None:
            self._settle(inquiry, _unread(inquiry.question), "error")
        else:
            self._settle(inquiry, answer, "person")

    def _late(self, inquiry: ApprovalRequest) -> None:
        why = f"nobody answered within {inquiry.question.timeout:g} s"
        if self._settle(inquiry, _without_answer(inquiry.question, why), "timeout"):
            self._take_back(inquiry)

    def _settle(self, inquiry: ApprovalRequest, answer: Answer | FormAnswer, by: str) -> bool:
        """The question has its answer. False if it had one already."""
        if not self._close(inquiry, answer):
            return False
        self._tell_answered(inquiry, by, answer)
        inquiry.done(answer)
        self._ask_next()
        return True

    def _close(self, inquiry: ApprovalRequest, answer: Answer | FormAnswer | None = None) -> bool:
        with self._lock:
            if inquiry.over:
                return False
            inquiry.over = True
            if self._asked is inquiry:
                self._asked = None
            question = inquiry.question
            remember = isinstance(answer, Answer) and answer.allowed and answer.remember
            if remember and inquiry.lasting and isinstance(question, Question):
                self._remembered[question.key, inquiry.client] = inquiry.declared
        if inquiry.timer is not None:
            inquiry.timer.cancel()
        return True

    def _take_back(self, inquiry: ApprovalRequest) -> None:
        """Tell an approver that wants to know, and a caller, that the answer is not waited for."""
        if inquiry.take_back is not None:
            inquiry.take_back()
        withdraw = getattr(inquiry.approver, "withdraw", None)
        if withdraw is not None:
            withdrawing = partial(withdraw, inquiry.question)
            self._threads.ask(APPROVER, withdrawing, _ignore, most=sys.maxsize)

    def _tell_asked(self, inquiry: ApprovalRequest) -> None:
        question = inquiry.question
        facts = {"call": inquiry.call, "tool": question.tool_name, "timeout": question.timeout}
        if isinstance(question, Form):
            self._events.publish("form_asked", question.plugin, prompt=question.message, **facts)
        else:
            self._events.publish("approval_asked", question.asked_by[0], prompt=question.prompt, **facts)

    def _tell_answered(self, inquiry: ApprovalRequest, by: str, answer: Answer | FormAnswer) -> None:
        question = inquiry.question
        facts = {"call": inquiry.call, "tool": question.tool_name, "by": by}
        if isinstance(answer, FormAnswer):
            self._events.publish("form_answered", question.plugin or "", action=answer.action, **facts)
        elif isinstance(question, Question):
            self._events.publish("approval_answered", question.asked_by[0], allowed=answer.allowed, **facts)


_NOBODY = "there is nobody to ask"
_TO_BE_ASKED = (
    "leave the tool out of the rule that asks, such as 'approval.ask', or run it where a person is asked"
)


def _can_ask(approver: Approver | None, question: Question | Form) -> bool:
    return approver is not None and (
        isinstance(question, Question) or callable(getattr(approver, "ask_form", None))
    )


def _without_answer(question: Question | Form, why: str, *, deny: bool = False) -> Answer | FormAnswer:
    """What holds without an answer; ``deny``: whatever was said of that."""
    if isinstance(question, Form):
        return FormAnswer(CANCEL, reason=why)
    return Answer(allowed=False, reason=why) if deny else by_default(question, why)


def _unasked(question: Question | Form) -> Answer | FormAnswer:
    why = _NOBODY if isinstance(question, Form) else f"{_NOBODY}; {_TO_BE_ASKED}"
    return _without_answer(question, why)


def _unread(question: Question | Form) -> Answer | FormAnswer:
    return _without_answer(question, "the answer cannot be read", deny=True)


def _ask(approver: Any, question: Question | Form) -> Answer | FormAnswer | HookFailed | None:
    is_form = isinstance(question, Form)
    try:
        answer: Any = approver.ask_form(question) if is_form else approver.ask(question)
        if inspect.isawaitable(answer):
            answer = wait_here(answer)
    except BaseException as error:  # noqa: BLE001 - the embedder's code: SystemExit too ends in here
        return HookFailed(f"it raised {describe(error)}", plugin=APPROVER)
    if isinstance(question, Form):
        return read_form_answer(answer, question)
    return read_decision(answer, question.options)


def _ignore(answer: object) -> None:
    if isinstance(answer, HookFailed):
        logger.error("taking a question back failed: %s", answer)
