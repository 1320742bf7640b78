"""A server's wish to have a model asked: a person is asked first, where there is one, and then the model is, in a thread that may wait."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...plugins.hooks.approval import ALLOW, ALWAYS, DENY, Answer, Question
from ..threads.hook_pool import HookFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.mcp.sampling import Sampling
    from ..services import AnswersByModel, Services
    from .approval import ApprovalRequest, Approvals

logger: Log = Log("callboard.actors")

MODEL = "the model"

Json = dict[str, Any]


class ModelInquiry:
    """See the module. Thread-safe; nothing here blocks.

    Args:
        asked: what the model is to answer.
        call: the id of the call that it is for.
        done: called with the answer, or with ``None`` and why there is none; not if it is withdrawn.
    """

    def __init__(
        self,
        asked: Sampling,
        call: str,
        done: Callable[[Json | None, str], None],
        *,
        model: AnswersByModel,
        people: Approvals,
        services: Services,
    ) -> None:
        self._asked = asked
        self._call = call
        self._done = done
        self._model = model
        self._people = people
        self._threads = services.threads
        self._over = threading.Event()
        self._inquiry: ApprovalRequest | None = None

    def begin(self) -> None:
        """Ask the person, or the model if there is none."""
        if self._people.approver is None:
            self._ask_model()
            return
        asked = self._asked
        question = Question(
            f"Let the server {asked.plugin!r} ask the model?",
            asked.tool,
            self._call,
            asked.shown,
            options=(ALLOW, ALWAYS, DENY),
            asked_by=(asked.plugin,),
            plugin=asked.plugin,
        )
        self._inquiry = self._people.ask(question, self._call, self._decided)
        if self._over.is_set():  # withdrawn just now
            self._people.withdraw(self._inquiry)

    def withdraw(self) -> None:
        """The answer is not awaited any more."""
        self._over.set()
        if self._inquiry is not None:
            self._people.withdraw(self._inquiry)

    def _decided(self, answer: Answer) -> None:
        if answer.allowed:
            self._ask_model()
        else:
            self._tell(None, f"it was not allowed{f': {answer.reason}' if answer.reason else ''}")

    def _ask_model(self) -> None:
        if not self._over.is_set():
            ask = partial(self._model.sample, self._asked, self._over.is_set)
            self._threads.ask(MODEL, ask, self._heard, most=sys.maxsize)

    def _heard(self, answer: Json | HookFailed) -> None:
        if isinstance(answer, HookFailed):
            if not self._over.is_set():
                logger.warning("asking a model for call %s failed: %s", self._call, answer)
            self._tell(None, "the model has not answered")
        else:
            self._tell(answer, "")

    def _tell(self, answer: Json | None, why: str) -> None:
        if not self._over.is_set():
            self._over.set()
            self._done(answer, why)
