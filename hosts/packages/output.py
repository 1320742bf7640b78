"""What a program says until it ends, as `CommandRunner` hears it; how it is read is a matter of the system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from ..process.process import RingBuffer

if TYPE_CHECKING:
    import subprocess
    from typing import IO

_HELD = 1024 * 1024
"""Bytes of a program's output that are kept."""


class Output(ABC):
    """The output of one program.

    Attributes:
        popen: the program.
        stdout: the last megabyte of what it wrote there.
        said: the last of all that it wrote, stdout and stderr as they came.
        pipes: each with the rings that it feeds.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        assert popen.stdout is not None
        assert popen.stderr is not None
        self.popen = popen
        self.stdout: RingBuffer = RingBuffer(_HELD)
        self.said: RingBuffer = RingBuffer()
        self.pipes: tuple[tuple[IO[bytes], tuple[RingBuffer, ...]], ...] = (
            (popen.stdout, (self.stdout, self.said)),
            (popen.stderr, (self.said,)),
        )

    @abstractmethod
    def follow(self, deadline: float) -> bool:
        """Read until the program ends, or until the deadline; whether it ended in time. Its status is not taken."""

    @abstractmethod
    def close(self) -> None:
        """Close the pipes, now that the program has ended with all that it has started."""
