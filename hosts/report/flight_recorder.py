"""The last messages to and from a host, for its crash report."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from ..limits.limits import MAX_FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from .redaction import Redactor

FRAME_BYTES: Final = 512
"""Bytes kept of each."""

SENT, RECEIVED = "sent", "received"

_Frame = tuple[float, str, int, bytes]
"""When it passed, in which direction, how many bytes it had, and what is kept of them."""


class FlightRecorder:
    """Keeps the last frames of one generation, for the crash report. Each may be noted by a thread of its own.

    Noting a frame is on the way of every call: it keeps a reference, and the time. Whatever costs more
    (text, redaction, JSON) waits until it is read, which is after a crash. Of a long
    frame only the beginning is kept, so that the recorder stays small whatever is sent.

    Args:
        frames: how many, at most `MAX_FRAMES`.
        now: the time, in seconds.
    """

    def __init__(self, frames: int, now: Callable[[], float]) -> None:
        self._now = now
        self._began = now()
        self._frames: deque[_Frame] = deque(maxlen=min(frames, MAX_FRAMES))
        self._keep = self._frames.append

    def sent(self, line: bytes) -> None:
        """Note a frame to the host."""
        size = len(line)
        self._keep((self._now(), SENT, size, line if size <= FRAME_BYTES else line[:FRAME_BYTES]))

    def received(self, line: bytes) -> None:
        """Note a frame from the host."""
        size = len(line)
        self._keep((self._now(), RECEIVED, size, line if size <= FRAME_BYTES else line[:FRAME_BYTES]))

    def dump(self, redactor: Redactor) -> tuple[dict[str, Any], ...]:
        """The frames as JSON, the oldest first, without secrets.

        Each has ``direction``, ``at`` (seconds since the generation began), ``size`` (bytes, whole) and
        ``text``, of which at most `FRAME_BYTES` characters are told; ``…`` stands for the rest.
        """
        # Callers of a crashed host wait for this, and most frames have nothing to hide: whether they do is asked of all at once.
        kept = self._frames.copy()
        texts = [
            line.decode("utf-8", "ignore" if len(line) < size else "replace").rstrip("\n")
            for _, _, size, line in kept
        ]
        hide = redactor.text if (clean := redactor.is_clean("".join(texts))) else redactor.frame
        return tuple([
            {
                "direction": direction,
                "at": round(at - self._began, 6),
                "size": size,
                # What is clean and whole is told as it is; what is cut may end with the beginning of a secret.
                "text": text
                if clean and len(line) == size
                else _cut(hide(text, cut=len(line) < size), cut=len(line) < size),
            }
            for (at, direction, size, line), text in zip(kept, texts, strict=True)
        ])  # fmt: skip


def _cut(text: str, *, cut: bool) -> str:
    if len(text) > FRAME_BYTES:
        text, cut = text[:FRAME_BYTES], True
    return text + "…" if cut else text
