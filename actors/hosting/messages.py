"""What the actor of a host may be told beside what concerns its handshakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from ...supervision.restart.exits import ExitKind

if TYPE_CHECKING:
    from ...hosts.limits.limits import Exceeded
    from ...hosts.process.process import ProcessExit
    from ...hosts.report.crash_report import CrashReport
    from .contracts import Reporter


class Begin:
    """To a host actor that waits: start the process."""


BEGIN: Final = Begin()


class LookAtStart:
    """To a host actor: other hosts wait for the start slot that it holds; see `Start`."""


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
