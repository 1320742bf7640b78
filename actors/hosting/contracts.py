"""What a generation of a host has around it: to whom it reports, and what it knows of its plugins and of other generations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import ref

from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pykka

    from ...hosts.host import Host
    from ...hosts.limits.limits import Exceeded
    from ...supervision.restart.exits import Exit
    from ...supervision.runtime.clock import Timer
    from ..handshake.handshake import LoadedPlugin, PluginsToLoad


class Reporter(Protocol):
    """A `GenerationReporter` is one. From any thread, never blocking."""

    @property
    def generation(self) -> int:
        """Its number; 0 of a standby."""

    def ready(self) -> None:
        """It answers calls."""

    def ended(self, exit_: Exit) -> None:
        """It has ended. Once."""


class Armed(NamedTuple):
    """What holds one generation to its limits.

    Attributes:
        on_sent: to be called after each call that is sent to it, if they are counted.
        age: the timer of its age, if that is limited.
    """

    on_sent: Callable[[], None] | None = None
    age: Timer | None = None

    def disarm(self) -> None:
        """The generation has ended."""
        if self.age is not None:
            self.age.cancel()


class CallGate:
    """Keeps calls from a generation that is to end. From any thread.

    An order that ends a generation is a message to its actor, which reads it when it comes to it; who has given the
    order may submit a call before that. So the gate is shut in the thread that carries the order out, and a call
    that comes after waits for the next generation.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # Weakly: gates are kept by their actors in a `WeakKeyDictionary`, and a host holds its actor, which is the key.
        self._host: ref[Host] | None = None
        self._shut = False

    def lead_to(self, host: Host) -> None:
        """The generation has its process."""
        with self._lock:
            self._host = ref(host)
            shut = self._shut
        if shut:
            host.take_no_more()

    def shut(self) -> None:
        """Send it nothing more, now or once it has its process."""
        with self._lock:
            self._shut = True
            host = None if self._host is None else self._host()
        if host is not None:
            host.take_no_more()


class HostContext(Protocol):
    """What a generation knows of the plugins that run in its host; see `SupervisedHost`."""

    def plugins(self) -> PluginsToLoad:
        """The plugins that a generation which starts now is to load."""

    @property
    def been_up(self) -> bool:
        """Whether any generation has served."""

    def came_up(self) -> None:
        """It serves those who are in."""

    def ruined(self, coming: Sequence[str], cause: str, *, alone: bool) -> bool:
        """A generation came to a bad end; see `Suspects.ruined`."""


class LifecycleContext(HostContext, Protocol):
    """What the generations of a host, taken together, know of it; see `SupervisedHost`."""

    def has_process(self) -> None:
        """A generation has its process; it may have waited long for that."""

    def use(self, loaded_plugins: Mapping[str, LoadedPlugin]) -> None:
        """Tell the generations to come of these, by name, instead of those that were told of so far."""


class GenerationContext(HostContext, Protocol):
    """What a generation knows of the plugins that run in it, and of the generations beside it; see `Lifecycle`."""

    def covered(self) -> bool:
        """Whether a standby takes over as soon as the end of this generation is reported."""

    def recycle(self, exceeded: Exceeded, generation: int) -> None:
        """Have this generation replaced, for it has come to a limit."""

    def arm(self, actor: pykka.ActorRef[Any], host: Host) -> Armed:
        """Hold a generation to its limits, from now on; it is told when it comes to one."""

    def gone(self) -> None:
        """Nothing of this generation is left. Once, when all else has been told."""
