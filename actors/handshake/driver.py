"""Who lives in one life of a host: sees that they move in, and that their actors hear of it.

The host actor has one and is the only one to use it. What comes after what is for `MovingIn` to say.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...hosts.errors import RequestTooLarge
from ...hosts.protocol.description import PLAIN
from ...supervision.runtime.telling import tell
from .. import messages as m
from ..hosting.exit_reason import Handshake
from ..state.cell import largest_state
from .handshake import MovingIn

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host
    from ...hosts.protocol.description import Description
    from ...hosts.report.crash_report import CrashReport
    from .handshake import Ask, Refusal
    from .loaded_plugin import Lodger, Residents


class Tenancy:
    """See the module.

    Args:
        life: the host actor.
    """

    def __init__(self, life: pykka.ActorRef[Any]) -> None:
        self._life = life
        self._host: Host | None = None
        self._lodgers: dict[str, Lodger] = {}
        self._left_out: tuple[tuple[Lodger, str], ...] = ()
        self._moving = MovingIn()
        self._loaded: dict[str, Description] = {}
        self._on_sent: Callable[[], None] | None = None
        self._ready: Countdown | None = None

    @property
    def settled(self) -> bool:
        """Whether everybody is in or out."""
        return not self._moving.open

    @property
    def failure(self) -> Refusal | None:
        """Why nobody is in; ``None`` if somebody is."""
        return None if self._moving.arrivals else self._moving.failure()

    @property
    def moving(self) -> MovingIn:
        """Who is in, and who is out."""
        return self._moving

    @property
    def one_by_one(self) -> bool:
        """See `MovingIn`."""
        return self._moving.one_by_one

    @property
    def unanswered(self) -> list[str]:
        """See `MovingIn.unanswered`."""
        return self._moving.unanswered

    @property
    def is_loading(self) -> bool:
        """Whether the host is still loading what it runs, as far as that can be told."""
        return self._moving.is_loading or (self._host is not None and self._host.is_loading)

    def open(self, host: Host, residents: Residents) -> None:
        """The process has been started. Raises `HostGone` when it takes no more requests."""
        self._host = host
        self._left_out = residents.left_out
        self._moving = MovingIn(one_by_one=residents.one_by_one, max_state=largest_state(host.max_line))
        self._lodgers = {lodger.name: lodger for lodger in residents.wanted}
        self._ask([ask for lodger in residents.wanted for ask in self._moving.add(lodger.newcomer())])

    def take_in(self, lodger: Lodger) -> bool:
        """One more lives here; False if it is known already. Raises as `open`."""
        known = self._lodgers.get(lodger.name)
        if known is lodger:
            return False
        if known is not None:
            self.let_go(known)
        self._lodgers[lodger.name] = lodger
        self._ask(self._moving.add(lodger.newcomer()))
        return True

    def let_go(self, gone: Lodger) -> None:
        """One lives here no more. Raises as `open`."""
        name, lodger = gone.name, self._lodgers.get(gone.name)
        if lodger is None or lodger.tool is not gone.tool:  # another of its name has come
            return
        del self._lodgers[name]
        if self._host is None:
            return
        if lodger.plugin.host is self._host:
            lodger.plugin.attach(None)
        asks = self._moving.leave(name)
        self._loaded.pop(name, None)
        self._host.say_farewell(name)
        self._host.send("unload", {"plugin": name}, Handshake(lodger, "unload", lambda _: True))
        self._ask(asks)

    def hear(self, message: m.HandshakeAnswered | m.HandshakeFailed) -> bool:
        """A request has come to its end; True if its plugin is in or out now. Raises as `open`."""
        lodger = message.lodger
        if self._lodgers.get(lodger.name) is not lodger:
            return False  # it has gone, and perhaps another of its name has come
        match message:
            case m.HandshakeAnswered(_, method, value, state):
                prepares = self._description(lodger, method, value).offers("prepare")
                asks = self._moving.answered(lodger.name, method, value, state, prepares=prepares)
            case m.HandshakeFailed(_, method, cause, permanent):
                asks = self._moving.refused(lodger.name, method, cause, permanent=permanent)
        self._ask(asks)
        return self._after(lodger)

    def _description(self, lodger: Lodger, method: str = "", value: Any = None) -> Description:
        """What is known of one by now: the host tells of the one it was started for, and of others as it loads them."""
        assert self._host is not None
        if lodger.load is None:
            return self._host.description
        if method == "load":
            self._loaded[lodger.name] = self._host.description.of_loaded(value)
        return self._loaded.get(lodger.name, PLAIN)

    def preparing(self, lodger: Lodger | None = None) -> bool:
        """Whether one is at its preparation, or anybody is."""
        lodgers = self._lodgers.values() if lodger is None else (lodger,)
        return any(self._moving.prepares(each.name) for each in lodgers)

    def awaits(self, lodger: Lodger) -> bool:
        """Whether one is neither in nor out yet."""
        return self._lodgers.get(lodger.name) is lodger and lodger.name in self._moving.open

    def give_up(self, lodger: Lodger, seconds: float) -> bool:
        """One has had its time, and is out for that. Raises as `open`."""
        self._ask(self._moving.overdue(lodger.name, seconds))
        return self._after(lodger)

    def serve(self, on_sent: Callable[[], None] | None, ready: Callable[[], None]) -> None:
        """Have calls sent here from now on.

        Args:
            on_sent: called after each call that is sent, if they are counted.
            ready: called once all actors know whose plugins are in.
        """
        self._on_sent = on_sent
        self._ready = Countdown(len(self._moving.arrivals), ready)
        for lodger, cause in self._left_out:
            lodger.shut_out(cause)
        for lodger in tuple(self._lodgers.values()):
            self._show(lodger)

    def down(self, generation: int, report: CrashReport | None = None) -> None:
        """Have no calls sent here any more; ``report`` of a crash that nobody had a hand in."""
        for lodger in self._lodgers.values():
            tell(lodger.tool, m.HostDown(generation, report))

    def ended(self) -> None:
        """The process has ended."""
        for lodger in self._lodgers.values():
            if lodger.plugin.host is self._host:
                lodger.plugin.attach(None)

    def _after(self, lodger: Lodger) -> bool:
        out = lodger.name not in self._moving.open
        if out and self._ready is not None:
            self._show(lodger)
        return out

    def _show(self, lodger: Lodger) -> None:
        """Tell of one what has become of its moving in."""
        if (refusal := self._moving.refusals.get(lodger.name)) is not None:
            lodger.shut_out(refusal.cause)
        arrival = self._moving.arrivals.get(lodger.name)
        if arrival is None or lodger.plugin.host is self._host:
            return
        assert self._host is not None
        assert self._ready is not None
        description = self._description(lodger)
        lodger.plugin.attach(self._host, description)
        ready = functools.partial(_offered_by, lodger, self._ready)
        up = m.HostUp(
            self._host,
            self._life,
            arrival.schemas,
            arrival.state,
            ready,
            self._on_sent,
            arrival.prepared,
            description,
        )
        if not tell(lodger.tool, up):
            self._ready.without()

    def _ask(self, asks: list[Ask]) -> None:
        """Send requests. What cannot be sent is as good as refused."""
        assert self._host is not None
        while asks:
            ask, *asks = asks
            lodger = self._lodgers[ask.plugin]
            answer = Handshake(lodger, ask.method, functools.partial(tell, self._life))
            try:
                self._host.send(ask.method, lodger.address(ask.params), answer)
            except JsonValueError as error:
                cause = f"it cannot be sent to a host: {error}"
                asks += self._moving.refused(ask.plugin, ask.method, cause, permanent=True)
            except RequestTooLarge as error:
                asks += self._moving.refused(ask.plugin, ask.method, str(error), permanent=False)


class Countdown:
    """Calls ``then`` when so many have counted, or have said that they will not; not if all have.

    From any thread.
    """

    def __init__(self, count: int, then: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._left = count
        self._counted = False
        self._then = then

    def one(self) -> None:
        """One has counted."""
        self._less(counted=True)

    def without(self) -> None:
        """One will not."""
        self._less(counted=False)

    def _less(self, *, counted: bool) -> None:
        with self._lock:
            self._left -= 1
            self._counted = self._counted or counted
            over = self._left == 0 and self._counted
        if over:
            self._then()


def _offered_by(lodger: Lodger, ready: Countdown) -> None:
    """In the thread of its actor, which sends its calls here once the host is told to be ready."""
    lodger.came_in()
    ready.one()
