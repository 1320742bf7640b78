"""How a generation ended, in the words that a restart decision needs."""

from __future__ import annotations

import errno
import re
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExitKind(StrEnum):
    """Why a generation ended."""

    REQUESTED = "requested"
    """We stopped it."""
    CLEAN = "clean"
    """It ended by itself with status 0, owing nothing."""
    CODE = "code"
    """It ended by itself with another status, or with 0 while it owed answers."""
    SIGNAL = "signal"
    """A signal ended it that was not ours."""
    PROTOCOL = "protocol"
    """It broke the protocol, so we ended it."""
    OOM = "oom"
    """It ran out of memory."""
    LIMIT = "limit"
    """It used more than it may, so we ended it."""
    HANG = "hang"
    """It kept a call beyond its deadline and its grace time, so we ended it."""
    CANCEL = "cancel"
    """It kept a call that was cancelled beyond its grace time, so we ended it: the caller's doing, not its fault."""
    START_FAILED = "start_failed"
    """It never became ready: it could not be started, or refused, or ended on the way."""
    START_TIMEOUT = "start_timeout"
    """It did not become ready in time, so we ended it."""


@frozen
class Exit:
    """The end of one generation of a child.

    Attributes:
        kind: why it ended.
        cause: the same in a sentence for people.
        ready_for: seconds from ready to the end, or ``None`` if it never became ready.
        code: the exit status, if it ended by itself and not by a signal.
        signal: the name of the signal, such as ``SIGSEGV``, if one ended it that was not ours.
        permanent: the next generation would end the same way (a missing file, a syntax error), so
            trying again does not help.
        lasting: the next generation would end the same way for some time: trying again at once does not help, and
            later it may.
        starved: this program had no descriptor left to start it with: no fault of the child's.
        report: everything known, as JSON; handed on, never looked into.
    """

    kind: ExitKind
    cause: str
    ready_for: float | None = None
    code: int | None = None
    signal: str | None = None
    permanent: bool = False
    lasting: bool = False
    starved: bool = False
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_crash(self) -> bool:
        """Whether anything went wrong."""
        return self.kind not in {ExitKind.REQUESTED, ExitKind.CLEAN}

    def matches(self, names: tuple[str, ...]) -> bool:
        """Whether it is one of the ends that are named as in `check_exits`."""
        own = {self.kind.value, f"code:{self.code}", f"signal:{self.signal}"}
        return not own.isdisjoint(names)


def is_out_of_descriptors(error: BaseException) -> bool:
    """Whether an error, or its cause, is that this program or the machine has no descriptor left."""
    found = [each.errno for each in (error, error.__cause__) if isinstance(each, OSError)]
    return not {errno.EMFILE, errno.ENFILE}.isdisjoint(found)


_KINDS = tuple(sorted(kind.value for kind in ExitKind if kind is not ExitKind.REQUESTED))
_EXACT = re.compile(r"code:\d{1,3}|signal:(SIG[A-Z0-9+]+|\d+)")


def check_exits(names: tuple[str, ...], option: str) -> None:
    """Refuse names of ends that no end can have.

    Names are those of `ExitKind`, ``code:78`` for an exit status and ``signal:SIGSEGV`` for a signal.

    Raises:
        ValueError: there is no such end; says which there are.
    """
    for name in names:
        if name not in _KINDS and not _EXACT.fullmatch(name):
            raise ValueError(
                f"{option!r} names {name!r}; an end is one of: {', '.join(_KINDS)}, code:NUMBER, signal:NAME"
            )
