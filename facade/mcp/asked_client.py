"""The client of a call, and what it is asked: each question in the words of its revision, and its answer read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from ..base.foreign import Log
from ..hosts.mcp import elicitation, sampling
from ..hosts.mcp.jsonrpc import without_forged_meta
from ..hosts.mcp.revision import HANDSHAKES
from ..mcp_protocol.served_client import is_handshake
from ..mcp_protocol.shapes import ELICITED, SAMPLED, WISHES
from ..mcp_protocol.unread import Unread
from ..plugins.hooks.forms import CANCEL, Form, FormAnswer, read_form_answer
from ..plugins.results.codes import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..actors.calls.call import Call
    from ..hosts.mcp.sampling import Sampling
    from ..mcp_protocol.served_client import Client
    from .client_news import ServerLog

    Done = Callable[[Any, str], None]

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

FORMS: Final = "forms"
PAGES: Final = "pages"
MODEL: Final = "model"

MODEL_PATIENCE: Final = 300.0
"""Seconds for the client's model to answer."""


def abilities(client: Client) -> frozenset[str]:
    """What the client of a request can be asked for: `FORMS`, `PAGES`, `MODEL`."""
    said = client.capabilities
    if not said or (is_handshake(client) and not client.can_be_asked()):
        return frozenset()
    asks, samples = said.get("elicitation"), said.get("sampling")
    found = {
        FORMS: isinstance(asks, dict)
        and (asks.get("form") is not None or asks.get("url") is None),  # without either it is of forms
        PAGES: isinstance(asks, dict) and asks.get("url") is not None,
        MODEL: isinstance(samples, dict),
    }
    return frozenset(name for name, can in found.items() if can)


class Question:
    """One that is open. In the event loop.

    Args:
        asked: what the server wants to know.
        calls: the ids of the calls of which one has made it ask.
        done: hears the answer, once.

    Attributes:
        asked, calls: as given.
        over: it is answered, or withdrawn.
        given_up: who made those of the calls that have ended without an answer of the server. It may ask for them still.
    """

    def __init__(self, asked: Form | Sampling, calls: tuple[str, ...], done: Done) -> None:
        self.asked = asked
        self.calls = calls
        self.given_up: list[AskedClient] = []
        self.over: asyncio.Event = asyncio.Event()
        self._done = done

    @property
    def patience(self) -> float:
        """Seconds that the answer may take."""
        return self.asked.timeout if isinstance(self.asked, Form) else MODEL_PATIENCE

    def request(self, revision: str, name: str) -> tuple[str, Json]:
        """Its method and params in a client's revision. Raises `ValueError`: it cannot be said so."""
        if not isinstance(self.asked, Form):
            said = sampling.params_of(self.asked, revision)
            if (problem := WISHES(said)) is not None:
                raise ValueError(problem)
            return "sampling/createMessage", said
        said = elicitation.params_of(self.asked, revision)
        if self.asked.url is not None and revision in HANDSHAKES:
            said["elicitationId"] = name
        return "elicitation/create", said

    def hear(self, answer: Any) -> None:
        """The client's answer, which is only handed on if it is one."""
        if (problem := (ELICITED if isinstance(self.asked, Form) else SAMPLED)(answer)) is not None:
            self.fail(f"the client answers something else: {problem}")
        elif not isinstance(self.asked, Form):
            said = {key: each for key, each in answer.items() if key != "_meta" and each is not None}
            self._tell(without_forged_meta(said), "")
        elif (
            read := read_form_answer(FormAnswer(answer["action"], answer.get("content")), self.asked)
        ) is None:
            self.fail("the client's answer does not fit the form")
        else:
            self._tell(read, "")

    def fail(self, why: str) -> None:
        """There is no answer."""
        logger.warning("a client has not answered what %.100s asks: %.300s", self.asked.plugin, why)
        self._tell(FormAnswer(CANCEL, reason=why) if isinstance(self.asked, Form) else None, why)

    def _tell(self, answer: Any, why: str) -> None:
        if not self.over.is_set():
            self.over.set()
            self._done(answer, why)


class AskedClient:
    """The client of one call, and what it is asked. In the event loop, but for `can_answer`.

    Args:
        client: the same for all calls of one client, as far as that is known.
        can: what it can be asked for.

    Attributes:
        client: as given.
        call: its call, once that has begun.
        logs: what was logged in the call, and the client was not told yet.
        parts: how many the call has had.
    """

    def __init__(self, client: object, can: frozenset[str]) -> None:
        self.client = client
        self.call: Call | None = None
        self.logs: Unread[ServerLog] = Unread()
        self.parts: int = 0
        self._can = can
        self._open: list[Question] = []

    def can_answer(self, asked: Form | Sampling) -> bool:
        """Whether it can be asked this; from any thread."""
        if not isinstance(asked, Form):
            return MODEL in self._can
        return (FORMS if asked.url is None else PAGES) in self._can

    @property
    def was_answered(self) -> bool:
        """Whether the server has answered its call, and asks nothing for it any more."""
        call, ended_here = self.call, (Code.DEADLINE_EXCEEDED, Code.CANCELLED)
        return call is not None and call.done() and call.result().get("code") not in ended_here

    def add(self, question: Question) -> None:
        """Have it asked."""
        self._open.append(question)
        self._have_it_look()

    def add_log(self, log: ServerLog, most: int) -> None:
        """Have it told, unless more than so many bytes would wait."""
        self.logs.add(log, log.size, most)
        self._have_it_look()

    def lose_logs(self, count: int) -> None:
        """Have it told that so many are lost."""
        self.logs.lose(count)
        self._have_it_look()

    def _have_it_look(self) -> None:
        if self.call is not None:
            self.call.nudge()

    @property
    def has_questions(self) -> bool:
        """Whether one is open."""
        return bool(self._open) and any(not each.over.is_set() for each in self._open)

    def questions(self) -> Iterator[Question]:
        """Those that are open."""
        self._open = [each for each in self._open if not each.over.is_set()]
        return iter(tuple(self._open))
