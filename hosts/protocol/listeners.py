"""Who hears of a host: of one request, and of a generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..process.process import ProcessExit
    from ..report.crash_report import CrashReport
    from .wire import RawAnswer


class RequestOwner(Protocol):
    """Who is told how one request goes: any number of parts, then exactly one of the others.

    All calls come from the host's pump thread and must not block. After the owner abandoned the
    request, only `on_released` or `on_lost` may come, and a part that was just being handed over.
    What raises in `on_answer` is told `on_breach` with the reason ``internal_error`` instead.

    Attributes:
        request_id: set by the host before the request is written, so that whatever comes of it finds it.
        raw: set before `on_answer` or `on_refused`, as of a `Response`.
    """

    request_id: str | None
    raw: RawAnswer | None

    def on_part(self, payload: Any, size: int) -> None:
        """A partial result, and about how many bytes it takes to keep it."""

    def on_begun(self) -> None:
        """The tool begins; before the first part, and only of a request that was sent to be acknowledged."""

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        """The answer."""

    def on_refused(self, error: dict[str, Any]) -> None:
        """The answer is an error: ``type``, ``detail``, ``stack``."""

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        """The host broke the protocol, so there will be no answer; the numbers in ``detail`` are among the facts."""

    def on_lost(self, report: CrashReport) -> None:
        """The host is gone, so there will be no answer."""

    def on_released(self) -> None:
        """The abandoned request has ended over there."""

    @property
    def call_id(self) -> str:
        """What the crash report is to call this request."""


class HostListener(Protocol):
    """Who is told of a host's generation. All calls come from its pump thread and must not block."""

    def on_stray(self, text: str, count: int) -> None:
        """A line of output that is no protocol message, and how many it stands for; of a flood a sample is told."""

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """A message that nobody waits for: ``late``, ``duplicate``, ``unknown`` or ``ignored``.

        Args:
            reason: why nobody does.
            request_id: what it answers.
            count: how many such have come.
            told: how many this is to be told for, those among them that were not when they came; 0 if it is not to be told.
        """

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """It has ended; the owners of its requests have been told.

        ``breach`` if we ended it for breaking the protocol: ``wrong_version``, ``wrong_shape``,
        ``line_too_long``, ``too_many_values``, ``too_many_strays``, ``stdout_closed`` or ``stdin_closed``.
        """

    def on_gone(self, leftovers: list[int]) -> None:
        """Its process tree has ended too, but for these pids. The last call."""
