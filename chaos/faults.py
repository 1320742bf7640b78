"""What can go wrong with a host, as data.

Each fault says what it ``touches``:

* ``generation``: it happens at once, in the middle of whatever is under way;
* ``answer``: it spoils the answer to the call that brought the trigger, or the next answer if
  none did;
* ``start``: it spoils the start that brought the trigger, or the next one if none did.

Who carries a fault out decides how (a signal to a process, a state of a scripted host); what the
other side sees is the same.
"""

from __future__ import annotations

from typing import ClassVar

from ..base.frozen import frozen
from .record import Datum, flag, span, whole

GENERATION, ANSWER, START = "generation", "answer", "start"


class Fault(Datum):
    """The root of all faults.

    Attributes:
        touches: see the module.
        needs_process: it says nothing to a host that is no process.
    """

    __slots__ = ()
    touches: ClassVar[str] = GENERATION
    needs_process: ClassVar[bool] = False


@frozen
class Exit(Fault):
    """The host ends with this status."""

    kind: ClassVar[str] = "exit"
    code: int = whole(1, least=0, most=255)


@frozen
class Signal(Fault):
    """A signal ends the host, by its number."""

    kind: ClassVar[str] = "signal"
    number: int = whole(9, least=1, most=64)


@frozen
class Pause(Fault):
    """The host is stopped (SIGSTOP), and goes on after so many seconds; never without."""

    kind: ClassVar[str] = "pause"
    seconds: float | None = span(None)


@frozen
class Hang(Fault):
    """The host lives and says nothing more; a ``deaf`` one ignores the end of stdin and SIGTERM too."""

    kind: ClassVar[str] = "hang"
    deaf: bool = flag(default=False)


@frozen
class Slow(Fault):
    """The answer comes so many seconds later."""

    kind: ClassVar[str] = "slow"
    touches: ClassVar[str] = ANSWER
    seconds: float = span()


@frozen
class PartialLine(Fault):
    """The host writes the first bytes of the answer's line, and ends with this status."""

    kind: ClassVar[str] = "partial_line"
    touches: ClassVar[str] = ANSWER
    bytes: int = whole(10)
    code: int = whole(0, least=0, most=255)


@frozen
class Truncate(Fault):
    """The answer's line ends after its first bytes, with a newline; the host goes on."""

    kind: ClassVar[str] = "truncate"
    touches: ClassVar[str] = ANSWER
    bytes: int = whole(10)


@frozen
class Garbage(Fault):
    """Bytes that are no message come before the answer; without ``newline`` they run into it."""

    kind: ClassVar[str] = "garbage"
    touches: ClassVar[str] = ANSWER
    bytes: int = whole(40)
    newline: bool = flag(default=True)


@frozen
class DuplicateReply(Fault):
    """The answer comes again, so many times."""

    kind: ClassVar[str] = "duplicate_reply"
    touches: ClassVar[str] = ANSWER
    times: int = whole(1, most=1000)


@frozen
class WrongId(Fault):
    """The answer bears an id of no request; the right answer never comes."""

    kind: ClassVar[str] = "wrong_id"
    touches: ClassVar[str] = ANSWER


@frozen
class WrongVersion(Fault):
    """The answer is of another version of the protocol."""

    kind: ClassVar[str] = "wrong_version"
    touches: ClassVar[str] = ANSWER
    version: int = whole(2, least=2, most=1000)


@frozen
class StderrFlood(Fault):
    """So many bytes come on stderr."""

    kind: ClassVar[str] = "stderr_flood"
    bytes: int = whole(200_000)


@frozen
class StdoutFlood(Fault):
    """So many bytes come on stdout before the answer, in lines that are no messages."""

    kind: ClassVar[str] = "stdout_flood"
    touches: ClassVar[str] = ANSWER
    bytes: int = whole(1_000_000, most=1 << 30)


@frozen
class PartFlood(Fault):
    """So many parts that no tool has sent come before the answer, all at once."""

    kind: ClassVar[str] = "part_flood"
    touches: ClassVar[str] = ANSWER
    parts: int = whole(10_000, most=10_000_000)


@frozen
class ReplyFlood(Fault):
    """The answer comes again so many times, all at once."""

    kind: ClassVar[str] = "reply_flood"
    touches: ClassVar[str] = ANSWER
    times: int = whole(10_000, most=10_000_000)


@frozen
class RefuseStart(Fault):
    """So many starts fail before anything is read."""

    kind: ClassVar[str] = "refuse_start"
    touches: ClassVar[str] = START
    times: int = whole(1, most=1000)


@frozen
class SlowStart(Fault):
    """``init`` is answered so many seconds later."""

    kind: ClassVar[str] = "slow_start"
    touches: ClassVar[str] = START
    seconds: float = span()


@frozen
class DieInInit(Fault):
    """The host ends with this status when it has read ``init``."""

    kind: ClassVar[str] = "die_in_init"
    touches: ClassVar[str] = START
    code: int = whole(1, least=0, most=255)


@frozen
class Orphan(Fault):
    """The host starts a process that holds its stdout and lives on when the host has ended."""

    kind: ClassVar[str] = "orphan"


@frozen
class GrowMemory(Fault):
    """The host takes so many mebibytes and keeps them."""

    kind: ClassVar[str] = "grow_memory"
    mebibytes: int = whole(256, most=1 << 20)


@frozen
class CloseStdin(Fault):
    """The host closes its stdin and lives on."""

    kind: ClassVar[str] = "close_stdin"


@frozen
class CloseStdout(Fault):
    """The host closes its stdout and lives on."""

    kind: ClassVar[str] = "close_stdout"


@frozen
class KillParent(Fault):
    """SIGKILL ends the process that runs the board; its hosts must not outlive it."""

    kind: ClassVar[str] = "kill_parent"
    needs_process: ClassVar[bool] = True


FAULTS: dict[str, type[Fault]] = {
    kind.kind: kind
    for kind in (
        Exit, Signal, Pause, Hang, Slow, PartialLine, Truncate, Garbage, DuplicateReply, WrongId,
        WrongVersion, StderrFlood, RefuseStart, SlowStart, DieInInit, Orphan, GrowMemory, CloseStdin,
        CloseStdout, KillParent, StdoutFlood, PartFlood, ReplyFlood,
    )
}  # fmt: skip
"""Every kind of fault by its name in JSON."""
