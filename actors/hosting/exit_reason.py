"""How a life of a host comes to its first answers, and how its end is put into words.

`HandshakeRequest` turns the end of ``init``, of ``get_tool_schemas`` and the like into messages to the life's actor;
`verdict_on` turns the end of a process that nobody asked to end into the `Exit` that is decided upon.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...hosts.report.crash_report import PERMANENT_CAUSES, UNEXPLAINED
from ...supervision.restart.exits import Exit, ExitKind
from .. import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.process.process import ProcessExit
    from ...hosts.report.crash_report import CrashReport
    from ..handshake.loaded_plugin import LoadedPlugin

_OUT_OF_MEMORY = "it ran out of"


def verdict_on(exit_: ProcessExit, report: CrashReport, breach: str | None, *, ready: bool) -> Exit:
    """Put the end of a process that nobody asked to end into the words of a restart decision."""
    how = functools.partial(Exit, code=exit_.code, signal=exit_.signal_name)
    if breach is not None:
        return how(ExitKind.PROTOCOL, report.cause, permanent=breach == "wrong_version")
    if not ready:
        cause = f"{report.exit} before it was ready; {report.cause}"
        if report.cause == UNEXPLAINED and (said := report.stderr.split("\n")[-1].strip()):
            cause += f"; the last that it said: {said:.300}"
        return how(ExitKind.START_FAILED, cause, permanent=report.cause in PERMANENT_CAUSES)
    cause = f"{report.exit}; {report.cause}"
    if report.cause.startswith(_OUT_OF_MEMORY):
        return how(ExitKind.OOM, cause)
    if exit_.signal is not None:
        return how(ExitKind.SIGNAL, cause)
    clean = exit_.code == 0 and not report.in_flight
    return how(ExitKind.CLEAN if clean else ExitKind.CODE, cause)


class HandshakeRequest:
    """The owner of a request of the handshake with one plugin: turns its end into a message."""

    def __init__(self, loaded_plugin: LoadedPlugin, method: str, tell_actor: Callable[[Any], bool]) -> None:
        self.call_id = method
        self._loaded_plugin = loaded_plugin
        self._tell = tell_actor

    def on_part(self, payload: Any, size: int) -> None:
        """No part of a handshake is of interest."""

    def on_begun(self) -> None:
        """Not asked for."""

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        """It was answered."""
        self._tell(m.HandshakeAnswered(self._loaded_plugin, self.call_id, value, state))

    def on_refused(self, error: dict[str, Any]) -> None:
        """It was refused."""
        cause = f"{error.get('type', 'Error')}: {error.get('detail', '')}"
        loading = error.get("phase") == "load"
        method = "load" if loading else self.call_id
        self._tell(m.HandshakeFailed(self._loaded_plugin, method, cause, permanent=loading))

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:  # noqa: ARG002 - the detail has them in words
        """The host broke the protocol instead."""
        permanent = reason == "wrong_version"
        self._tell(m.HandshakeFailed(self._loaded_plugin, self.call_id, detail, permanent=permanent))

    def on_lost(self, report: CrashReport) -> None:
        """The end of the process is told by the pump."""

    def on_released(self) -> None:
        """Never abandoned."""
