"""What a program asks of us in the middle of a call, and how it is handed to those who can answer.

A dialect reads it, and waits for nobody: whoever answers does so later, from a thread of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from ...base.errors import JsonValueError
from ..errors import HostGone, RequestTooLarge

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

ANSWER: Final = "answer_input"
"""The request by which a dialect is given an answer; it goes no further than that."""


POLL: Final = "poll"
"""The request by which a dialect hears that the time has come for which it called `InputSource.poll_later`."""


class SpeaksThrough(Protocol):
    """The host that speaks a dialect, as far as the dialect knows it. Not from within the dialect: it holds a lock meanwhile."""

    def note(self, method: str, params: Json, hears: Callable[[Any], None]) -> None:
        """As `Host.note`."""

    def call_of(self, request_id: str) -> str | None:
        """As `Host.call_of`."""


class InputRequest(NamedTuple):
    """What is asked.

    Attributes:
        key: tells it from the others of this generation.
        asked: what for: a `Form`, or a `Sampling`.
        kind: ``elicitation`` or ``sampling``.
        request_ids: of the calls of which one has made the program ask.
        tool: the tool that is called, if it is one call.
        host: of the program.
    """

    key: str
    kind: str
    asked: Any
    request_ids: tuple[str, ...]
    tool: str | None
    host: SpeaksThrough

    @property
    def call_ids(self) -> tuple[str, ...]:
        """The ids of those calls whose end is still awaited. Not under the lock of the host."""
        found = map(self.host.call_of, self.request_ids)
        return tuple(call for call in found if call is not None)

    @property
    def call_id(self) -> str | None:
        """The id of the call, if it can be one only and its end is still awaited. Not under the lock of the host."""
        return self.host.call_of(self.request_ids[0]) if len(self.request_ids) == 1 else None

    def answer(self, value: Any, refusal: str = "") -> None:
        """Have the program told; ``None``: that there is no answer, and why. Not under the lock of the host.

        Args:
            value: to a form a `FormAnswer`; else what the program is told.
            refusal: for the program.
        """
        try:
            self.host.note(ANSWER, {"key": self.key, "value": value, "refusal": refusal}, _ignore)
        except HostGone:
            pass  # with which all that it asked is over
        except (RequestTooLarge, JsonValueError) as error:
            if value is not None:
                self.answer(None, f"the answer cannot be sent: {error}")


class InputSource(Protocol):
    """Who answers. All of it is called under the lock of a host, and must neither block nor speak to the host."""

    def offers(self) -> frozenset[str]:
        """What may be asked for at present: ``elicitation``, ``sampling``."""

    def of_handshake(self) -> bool:
        """Whether there is one client of MCP alone, and it speaks the handshake era."""

    def ask(self, request: InputRequest) -> None:
        """Have it answered, from another thread."""

    def withdraw(self, key: str, host: SpeaksThrough) -> None:
        """The answer is not awaited any more."""

    def poll_later(self, call: str, seconds: float, host: SpeaksThrough) -> None:
        """Ask the host `POLL` for a call after so many seconds, from another thread; not if the program has ended."""

    def log_level(self) -> str | None:
        """The least grave level of MCP of which anybody wants to be told; ``None`` if nobody does."""

    def log(self, plugin: str, said: tuple[tuple[str, ...], Any]) -> None:
        """A program logs something: the ids of the calls that are under way, and the params of the notification. Not under the lock."""


def _ignore(_: Any) -> None:
    """The dialect says nothing to an answer."""
