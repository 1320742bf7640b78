"""What the actor of a host may be told beside what concerns its handshakes, and who tells it of its process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen
from ...hosts.errors import THREAD_FAILED
from ...supervision.restart.exits import ExitKind
from ...supervision.runtime.telling import tell

if TYPE_CHECKING:
    import pykka

    from ...hosts.limits.limits import Exceeded
    from ...hosts.process.process import ProcessExit
    from ...hosts.report.crash_report import CrashReport
    from ...supervision.runtime.events import EventStream
    from .contracts import Reporter


class Begin:
    """To a host actor that waits: start the process."""


BEGIN: Final = Begin()


class LookAtStart:
    """To a host actor: others wait for its slot among those that are being started; see `Start`."""


LOOK_AT_START: Final = LookAtStart()


@frozen
class StartOverdue:
    """To a host actor: it should have been ready by now; ``extended`` if it was given time for a preparation."""

    extended: bool = False


@frozen
class EndGeneration:
    """To a host actor: end this generation; ``kind`` is not `REQUESTED` when a call outstayed its grace time."""

    reason: str
    kind: ExitKind = ExitKind.REQUESTED


@frozen
class TakeOver:
    """To a host actor that waits as a standby: be the generation that ``reporter`` reports on."""

    reporter: Reporter


@frozen
class Retire:
    """To a host actor: a successor has been started; end once what is under way has ended."""

    reason: str


@frozen
class LimitReached:
    """To a host actor: its generation has come to a limit."""

    exceeded: Exceeded


@frozen
class Drain:
    """To a host actor that retires: the successor takes the calls now, or none will come."""


@frozen
class Drained:
    """To a host actor that retires: nothing is under way any more, or may be.

    Attributes:
        late: calls were still under way when the time for that was over.
    """

    late: bool = False


@frozen
class ProcessEnded:
    """To a host actor, from its pump: the process has ended."""

    exit: ProcessExit
    report: CrashReport
    breach: str | None


@frozen
class TreeGone:
    """To a host actor, from its pump: the whole tree has ended but for these pids."""

    leftovers: tuple[int, ...]


class PumpListener:
    """Tells the actor of a generation what becomes of its process, in the thread of the pump. It is a `HostListener`.

    Args:
        actor: of the generation.
        name: the host's.
    """

    def __init__(self, actor: pykka.ActorRef[Any], name: str, events: EventStream) -> None:
        self._actor = actor
        self._name = name
        self._events = events

    def on_stray(self, text: str, count: int) -> None:
        """Publish what was printed to stdout."""
        if self._events.wants("output_stray"):
            self._events.publish("output_stray", self._name, text=text, count=count)

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """A dead letter, but for what a newer host says that this version does not know."""
        if reason != "ignored":
            self._events.dead_letters.drop(reason, self._name, request_id, count=count, told=told)

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """Tell the actor; first, if our own thread was the reason, everybody."""
        if exit_.fault == THREAD_FAILED:
            self._events.thread_failed(self._name, report.cause)
        tell(self._actor, ProcessEnded(exit_, report, breach))

    def on_gone(self, leftovers: list[int]) -> None:
        """Tell the actor."""
        tell(self._actor, TreeGone(tuple(leftovers)))
