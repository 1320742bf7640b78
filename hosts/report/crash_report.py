"""What is known about the end of a host: the crash report, and the guess at its cause."""

from __future__ import annotations

import re
from binascii import crc32
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from ...base.foreign import Log, contain
from ...base.frozen import frozen
from ..environment import secrets_of
from .oom import killed_for_memory, oom_kills
from .python_crash import python_crash
from .redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..process.process import Command, ProcessExit
    from .flight_recorder import FlightRecorder

logger: Log = Log("callboard.hosts")


@frozen
class CrashReport:
    """Everything that is known of how one generation of a host ended; carried by every call that it cost.

    Attributes:
        host: the host's name.
        generation: which of its generations this was.
        exit: ``exit code 1``, ``signal SIGKILL``, or why it never started.
        code: exit status, or ``None``.
        signal: signal number, or ``None``.
        uptime: seconds.
        cause: the probable cause, in a sentence.
        in_flight: ids of the calls that were under way.
        stderr: the last lines it wrote, without the secrets that it was given.
        counts: stray lines, late and duplicate answers and the like, by name.
        leftovers: pids of its tree that would not end.
        frames: the last messages to and from it, the oldest first; see `FlightRecorder.dump`.
        wanted: names of variables that are set here, were not given to it, and are missed by its last words.
    """

    host: str
    generation: int
    exit: str
    code: int | None
    signal: int | None
    uptime: float
    cause: str
    in_flight: tuple[str, ...]
    stderr: str
    counts: dict[str, int]
    leftovers: tuple[int, ...] = ()
    frames: tuple[dict[str, Any], ...] = ()
    wanted: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """One line for an error text."""
        return f"host {self.host!r} (generation {self.generation}) ended: {self.exit}; {self.why}"

    @property
    def why(self) -> str:
        """The cause, and what to do about it where that is known."""
        return f"{self.cause}; {self.remedy}" if self.wanted else self.cause

    @property
    def remedy(self) -> str:
        """What to do about variables that it missed; nothing if it missed none."""
        if not self.wanted:
            return ""
        from .wanted_variables import remedy  # noqa: PLC0415 - only a crash needs it

        return remedy(self.wanted)

    @property
    def id(self) -> str:
        """By which it is found again: letters and digits, made of what is known, so that a report has one for ever."""
        known = repr((self.host, self.generation, self.exit, self.uptime, self.cause, self.stderr))
        data = known.encode(errors="replace")
        return f"{crc32(data):08x}{crc32(data[::-1]):08x}"  # hashlib would bring OpenSSL into every board

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON, the reader's own."""
        report: dict[str, Any] = {"id": self.id, **dict(zip(_FIELDS, _VALUES(self), strict=True))}
        report["uptime"] = round(self.uptime, 3)
        report["in_flight"] = list(self.in_flight)
        report["counts"] = dict(self.counts)
        report["leftovers"] = list(self.leftovers)
        report["frames"] = list(map(dict, self.frames))
        report["wanted"] = list(self.wanted)
        return report


_SHORT: Final = ("id", "host", "generation", "exit", "code", "signal", "uptime", "cause", "in_flight")
_LINES: Final = 8
_CHARACTERS: Final = 1500
_FRAME: Final = re.compile(r"\s*\d+: |\s+at |-----|\s*$")
"""A line that is the inside of a runtime: a frame of a stack, its heading, or nothing."""

_CALLS: Final = 16


def shortened(report: Mapping[str, Any]) -> dict[str, Any]:
    """What a result has of a report: how it ended and why, and of `in_flight` and `stderr` the last, without frames of stacks.

    The whole is found by its ``id``.
    """
    short = {key: report[key] for key in _SHORT}
    short["in_flight"] = report["in_flight"][-_CALLS:]
    words = [line for line in report["stderr"].split("\n") if not _FRAME.match(line)]
    short["stderr"] = "\n".join(words[-_LINES:])[-_CHARACTERS:]
    return short


_FIELDS = tuple(field.name for field in fields(CrashReport))
_VALUES = attrgetter(*_FIELDS)


def report_of_end(
    exit_: ProcessExit,
    command: Command,
    stderr: str,
    *,
    host: str,
    generation: int,
    in_flight: tuple[str, ...],
    unfinished: bytes,
    counts: Mapping[str, int],
    oom_kills_before: int | None,
    recorder: FlightRecorder | None,
    here: Collection[str] = (),
) -> CrashReport:
    """The report of a generation's end; arguments as `_describe_end`, and the names of the variables of this program. Raises nothing: those who wait have to hear of the end."""
    wanted: tuple[str, ...] = ()
    try:
        if exit_.stop_reason is None and exit_.cause is None and exit_.code not in {None, 0}:
            from .wanted_variables import wanted_variables  # noqa: PLC0415 - only a crash needs it

            wanted = wanted_variables(stderr, command.env.keys(), here)
        cause, last, frames = _describe_end(
            exit_,
            command,
            stderr,
            in_flight=len(in_flight),
            unfinished=unfinished,
            oom_kills_before=oom_kills_before,
            recorder=recorder,
        )
    except BaseException as error:  # noqa: BLE001 - a fault of ours
        contain(error, logger, "host %r: describing its end failed", host)
        cause, last, frames = "it could not be described; the log says why", "", ()
    return CrashReport(
        host=host,
        generation=generation,
        exit=exit_.text,
        code=exit_.code,
        signal=exit_.signal,
        uptime=exit_.uptime,
        cause=cause,
        in_flight=in_flight,
        stderr=last,
        counts=dict(counts),
        frames=frames,
        wanted=wanted,
    )


def _describe_end(
    exit_: ProcessExit,
    command: Command,
    stderr: str,
    *,
    in_flight: int,
    unfinished: bytes,
    oom_kills_before: int | None,
    recorder: FlightRecorder | None,
) -> tuple[str, str, tuple[dict[str, Any], ...]]:
    """The probable cause, the last words and the last frames, without what the host was given in confidence.

    ``in_flight`` requests waited for an answer, ``unfinished`` is the beginning of a line that it did not end, and
    ``oom_kills_before`` what `oom_kills` said when it was started.
    """
    redactor = redactor_of(command)
    killed = killed_for_memory(oom_kills_before, oom_kills()) if exit_.signal_name == "SIGKILL" else None
    cause = probable_cause(exit_, stderr, in_flight=in_flight, unfinished=unfinished, oom_kill=killed)
    return (
        redactor.text(cause),
        last_words(stderr, unfinished, redactor),
        () if recorder is None else recorder.dump(redactor),
    )


def redactor_of(command: Command) -> Redactor:
    """What hides all that a host was given in confidence."""
    return Redactor((*secrets_of(command.env), *command.secrets))


def last_words(stderr: str, unfinished: bytes, redactor: Redactor) -> str:
    """What a host wrote last to stderr, and what it began to say on stdout, without its secrets."""
    stderr = redactor.text(stderr)
    if not unfinished:
        return stderr
    begun = redactor.frame(unfinished[:200].decode("utf-8", "replace"), cut=True)
    line = f"[unfinished stdout line: {begun}]"
    return f"{stderr}\n{line}" if stderr else line


UNEXPLAINED = "it exited by itself with an error"
"""The cause of an exit with a status, if nothing that it said is known to be a reason."""

_NO_PACKAGE = "the package that it was to run is in no registry that it knows"
"""Of `npx` and `uvx`, given a name that is misspelt."""

_CLUES = (
    (r"heap out of memory|Reached heap limit", "it ran out of its JavaScript heap memory"),
    (r"ERR_MODULE_NOT_FOUND|Cannot find (module|package)", "a module that it imports is missing"),
    (r"npm error code E404|was not found in the package registry", _NO_PACKAGE),
    (r"SyntaxError", "a file that it loads has a syntax error"),
    (r"EADDRINUSE", "an address that it wants to listen on is in use"),
    (r"bad option", "Node does not know an option that it was started with"),
    (r"MemoryError", "it ran out of memory"),
)  # fmt: skip

PERMANENT_CAUSES = frozenset({
    _NO_PACKAGE,
    "a module that it imports is missing",
    "a file that it loads has a syntax error",
    "Node does not know an option that it was started with",
})  # fmt: skip
"""Causes that end the next generation in the same way, if it has come no further. Others may quote what a tool
said, so that looking for words in them would be looking in the tool's words."""

_ABORT = 6
"""How Node ends when its heap is full, and how many runtimes end on a fatal error."""

_OF_ITS_OWN = frozenset({4, _ABORT, 7, 8, 11})
"""Signals that a program brings upon itself, as a rule."""

_KILL = 9

FROM_OUTSIDE = frozenset({_KILL, 15})
"""Signals that come from outside: no tool, argument or state can have sent them."""

_BY_OOM = {
    True: "it ran out of memory: the system's out-of-memory killer ended it",
    False: "somebody killed it; the system has counted no kill for want of memory",
}
"""Of one that was killed, by whether the system says that it has killed for want of memory."""

_BY_SIGNAL = {
    4: "illegal instruction, in native code",
    _ABORT: "it aborted itself",
    7: "bus error, in native code",
    8: "arithmetic error, in native code",
    _KILL: "somebody killed it: an operator, or perhaps the system when memory ran out",
    11: "segmentation fault, in native code",
    15: "somebody asked it to end (SIGTERM)",
}


_BY_CODE = {
    0xC0000005: "access violation, in native code",
    0xC00000FD: "its stack overflowed, in native code",
    0xC000013A: "somebody asked it to end (Ctrl-C or Ctrl-Break)",
    0xC0000135: "a library that it needs is missing",
    0xC0000374: "its heap was damaged, in native code",
    0xC0000409: "it aborted itself",
}
"""What Windows has in place of signals."""


def probable_cause(
    exit_: ProcessExit,
    stderr: str,
    *,
    in_flight: int = 0,
    unfinished: bytes = b"",
    oom_kill: bool | None = None,
) -> str:
    """Guess why a host ended, from its exit and its last words; the guess is for people.

    Last words count only where they can be the reason: one that was killed from outside, or that
    ended with status 0, may have complained of something long before.

    Args:
        exit_: how it ended.
        stderr: the last that it said there.
        in_flight: how many calls were under way.
        unfinished: the beginning of a message.
        oom_kill: whether the system killed for want of memory while it lived; ``None`` if not known.
    """
    if (known := exit_.stop_reason or exit_.cause) is not None:
        return known
    if exit_.signal in _OF_ITS_OWN and (crash := python_crash(stderr)) is not None:
        return crash
    if exit_.signal == _ABORT or exit_.code not in {None, 0}:
        for pattern, cause in _CLUES:
            if re.search(pattern, stderr):
                return cause
        from .uncaught_error import thrown  # noqa: PLC0415 - only a crash needs it

        if (error := thrown(stderr)) is not None:
            return f"an error that nothing caught: {error}"
    if (told := _by_system(exit_, oom_kill)) is not None:
        return told
    if unfinished.lstrip().startswith(b"{"):
        return "it exited in the middle of a message, without waiting for its output to be written"
    if exit_.code == 0:
        return "it exited by itself" + (" while it owed answers" if in_flight else "")
    return UNEXPLAINED


def _by_system(exit_: ProcessExit, oom_kill: bool | None) -> str | None:
    if exit_.signal is None:
        return _BY_CODE.get(exit_.code or 0) or _by_shell(exit_)
    if exit_.signal == _KILL and oom_kill is not None:
        return _BY_OOM[oom_kill]
    return _BY_SIGNAL.get(exit_.signal, "a signal ended it")


def _by_shell(exit_: ProcessExit) -> str | None:
    """Of a status by which a shell, and so ``npx``, tells the signal that ended what it ran."""
    name = replace(exit_, code=None, signal=(exit_.code or 0) - 128).signal_name or ""
    return (
        f"a program that it ran was ended by {name}, and it ended with that"
        if name.startswith("SIG")
        else None
    )
