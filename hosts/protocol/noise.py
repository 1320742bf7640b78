"""What a host says that nobody waits for: logged and passed on, a sample of it if it is a flood."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from ...base.foreign import Log
from .peer_events import Stray

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..report.redaction import Redactor
    from .listeners import HostListener
    from .peer_events import Dropped


MOST: Final = 100
"""What is told in each interval."""

MOST_OF_A_LINE: Final = 500
"""Bytes of a line that are told."""

INTERVAL: Final = 1.0
"""Seconds."""


class Sample:
    """Thins one kind of news. The numbers that it gives add up to all that there was, once `rest` was asked."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._left = 0
        self._held = 0

    def takes(self, now: float) -> bool:
        """Whether news of this moment is told."""
        if self._began is None or now - self._began >= INTERVAL:
            self._began, self._left = now, MOST
        return self._left > 0

    def take(self, count: int, now: float) -> int:
        """Say how many the news stands for that has just come, ``count`` times; 0 if it is not to be told."""
        told = self.takes(now)
        self._held += count
        if not told:
            return 0
        self._left -= 1
        return self.rest()

    def rest(self) -> int:
        """How many were held back; none are from now on."""
        held, self._held = self._held, 0
        return held


logger: Log = Log("callboard.hosts")


class Noise:
    """See the module. All in the thread of the host's pump.

    Args:
        host: its name.
        listener: who is told of it.
        now: the time, in seconds.
        redactor: makes what hides the secrets of the host; asked for once it has printed something.
    """

    def __init__(
        self,
        host: str,
        listener: HostListener,
        now: Callable[[], float],
        redactor: Callable[[], Redactor],
    ) -> None:
        self._host = host
        self._listener = listener
        self._now = now
        self._make_redactor = redactor
        self._redactor: Redactor | None = None
        self._last = b""
        self._strays = Sample()
        self._dropped: defaultdict[str, Sample] = defaultdict(Sample)
        self._last_ids: dict[str, str] = {}

    def hear(self, noise: Stray | Dropped) -> None:
        """It has printed something, or a message of it was dropped."""
        if isinstance(noise, Stray):
            self._hear_print(noise)
        else:
            self._hear_dropped(noise)

    def _hear_print(self, stray: Stray) -> None:
        now = self._now()
        self._printed(stray.text, 1, now)
        for number, line in enumerate(stray.more):
            if not self._strays.takes(now):
                self._printed(stray.more[-1], len(stray.more) - number, now)
                return
            self._printed(line, 1, now)

    def _printed(self, line: bytes, count: int, now: float) -> None:
        self._last = line
        if told := self._strays.take(count, now):
            self._tell_stray(told)

    def _tell_stray(self, told: int) -> None:
        self._redactor = self._redactor or self._make_redactor()
        said = self._last[:MOST_OF_A_LINE].decode("utf-8", "replace")
        text = self._redactor.text(said, cut=len(self._last) > MOST_OF_A_LINE)
        logger.info(
            "host %r printed: %s%s", self._host, text, "" if told == 1 else f" (one of {told:,} lines)"
        )
        self._listener.on_stray(text, told)

    def _hear_dropped(self, dropped: Dropped) -> None:
        reason, request_id, count = dropped
        told = self._dropped[reason].take(count, self._now())
        self._last_ids[reason] = request_id
        if told:
            logger.debug("host %r: dropped %d messages: %s, %s", self._host, told, reason, request_id)
        self._listener.on_dropped(reason, request_id, count, told)

    def end(self) -> None:
        """It has ended: tell how much was held back."""
        if told := self._strays.rest():
            self._tell_stray(told)
        for reason, sample in self._dropped.items():
            if told := sample.rest():
                self._listener.on_dropped(reason, self._last_ids[reason], 0, told)
