"""The end of a process in the words of a restart decision."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from ...hosts.report.crash_report import PERMANENT_CAUSES, UNEXPLAINED
from ...supervision.restart.exits import Exit, ExitKind

if TYPE_CHECKING:
    from ...hosts.process.process import ProcessExit
    from ...hosts.report.crash_report import CrashReport

_OUT_OF_MEMORY: Final = "it ran out of"


def verdict_on(exit_: ProcessExit, report: CrashReport, breach: str | None, *, ready: bool) -> Exit:
    """Put the end of a process that nobody asked to end into the words of a restart decision."""
    how = functools.partial(Exit, code=exit_.code, signal=exit_.signal_name)
    if breach is not None:
        return how(ExitKind.PROTOCOL, report.cause, permanent=breach == "wrong_version")
    if not ready:
        cause = f"{report.exit} before it was ready; {report.cause}"
        if report.cause == UNEXPLAINED:
            from ...hosts.report.telling_line import telling_line  # noqa: PLC0415 - only a crash needs it

            if said := telling_line(report.stderr):
                cause += f"; it said: {said}"
        if report.wanted:
            cause += f"; {report.remedy}"
        return how(ExitKind.START_FAILED, cause, permanent=report.cause in PERMANENT_CAUSES)
    cause = f"{report.exit}; {report.cause}"
    if report.cause.startswith(_OUT_OF_MEMORY):
        return how(ExitKind.OOM, cause)
    if exit_.signal is not None:
        return how(ExitKind.SIGNAL, cause)
    clean = exit_.code == 0 and not report.in_flight
    return how(ExitKind.CLEAN if clean else ExitKind.CODE, cause)
