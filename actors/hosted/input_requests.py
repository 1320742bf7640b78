"""What programs ask in the middle of a call, and who answers: those who made the call where they can be asked, else the board's people and models.

A program's line is read under a lock and by a thread that must wait for nobody. So it is only handed over there, as a message to the
actor of the plugin, which has them asked; they answer from a thread of their own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...hosts.errors import HostGone
from ...hosts.protocol.input_request import POLL
from ...supervision.runtime.telling import tell
from .messages import InputAsked, InputWithdrawn, PollDue

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.protocol.input_request import InputRequest, SpeaksThrough
    from ...plugins.hooks.forms import FormAnswer
    from ..services import AsksCallers, Services


_NOTHING: frozenset[str] = frozenset()
_OFFERS = {
    (False, False): _NOTHING,
    (True, False): frozenset({"elicitation"}),
    (False, True): frozenset({"sampling"}),
    (True, True): frozenset({"elicitation", "sampling"}),
}


class ActorInputSource:
    """Hands over to an actor what is asked. It is an `InputSource`.

    Args:
        actor: of the plugin.
        services: the board's.
    """

    def __init__(self, actor: pykka.ActorRef[Any], services: Services) -> None:
        self._actor = actor
        self._people = services.people
        self._clock = services.clock

    def offers(self) -> frozenset[str]:
        if self._people is None:
            return _NOTHING
        people = self._people()
        offered = _OFFERS[people.takes_forms, people.has_model]
        return offered if people.callers is None else offered | people.callers.offers()

    def of_handshake(self) -> bool:
        callers = None if self._people is None else self._people().callers
        return callers is not None and callers.of_handshake()

    def ask(self, request: InputRequest) -> None:
        tell(self._actor, InputAsked(request))  # if that has stopped its host is about to

    def withdraw(self, key: str, host: SpeaksThrough) -> None:
        tell(self._actor, InputWithdrawn(key, host))

    def poll_later(self, call: str, seconds: float, host: SpeaksThrough) -> None:
        due = PollDue(call, host)
        self._clock.call_at(self._clock.now() + seconds, lambda: tell(self._actor, due))

    def log_level(self) -> str | None:
        callers = None if self._people is None else self._people().callers
        return None if callers is None else callers.log_level()

    def log(self, plugin: str, said: tuple[tuple[str, ...], Any]) -> None:
        callers = None if self._people is None else self._people().callers
        if callers is not None:
            callers.log(plugin, *said)


def poll(host: SpeaksThrough, call: str) -> None:
    """Have the session of a host look at the task of a call, unless the host has ended."""
    with suppress(HostGone):
        host.note(POLL, {"call": call}, _ignore)


def _ignore(_: Any) -> None:
    """A look has no answer of its own."""


class InputRequests:
    """What one plugin's programs ask. In the thread of its actor.

    Args:
        actor: that actor.
        services: the board's.
    """

    def __init__(self, actor: pykka.ActorRef[Any], services: Services) -> None:
        self._actor = actor
        self._people = services.people
        self._events = services.events
        self._open: dict[tuple[SpeaksThrough, str], Callable[[], None]] = {}

    def ask(self, request: InputRequest) -> None:
        """Have it answered."""
        assert self._people is not None  # else nothing was offered
        call, people = request.call_id, self._people()
        if people.callers is not None and self._ask_caller(request, people.callers):
            return
        if request.kind == "sampling":
            take_back = people.ask_model(request.asked, call or "", partial(self._sampled, request))
        else:
            form = replace(request.asked, tool_call_id=call)
            take_back = people.ask_form(form, call or "", partial(self._answered, request))
        self._open[request.host, request.key] = take_back

    def _ask_caller(self, request: InputRequest, callers: AsksCallers) -> bool:
        calls = request.call_ids
        form, call = request.asked, calls[0] if len(calls) == 1 else ""

        def done(answer: Any, why: str) -> None:
            if request.kind == "elicitation":
                facts = {"call": call, "tool": request.tool, "action": answer.action}
                self._events.publish("form_answered", form.plugin, by="client", **facts)
            self._sampled(request, answer, why)

        if (ask := callers.asker(request.asked, calls)) is None:
            return False
        if request.kind == "elicitation":
            facts = {"call": call, "tool": request.tool, "timeout": form.timeout}
            self._events.publish("form_asked", form.plugin, prompt=form.message, **facts)
        self._open[request.host, request.key] = ask(done)
        return True

    def withdraw(self, host: SpeaksThrough, key: str) -> None:
        """The answer is not awaited any more."""
        take_back = self._open.pop((host, key), None)
        if take_back is not None:
            take_back()

    def close(self) -> None:
        """No answer is."""
        for host, key in tuple(self._open):
            self.withdraw(host, key)

    def _answered(self, request: InputRequest, answer: FormAnswer) -> None:
        self._sampled(request, answer, "")

    def _sampled(self, request: InputRequest, answer: Any, why: str) -> None:
        """In any thread."""
        request.answer(answer, why)
        tell(self._actor, InputWithdrawn(request.key, request.host))  # it is kept no longer
