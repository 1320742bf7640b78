"""What the generations of a Node host with several plugins are started from: Node and its runner, and no plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..process.process import Command
    from ..process.transport import Carry

_HEAP = "--max-old-space-size"

_OPTIONS = ("--enable-source-maps",)
"""Whether a module has a map is not known before it comes; without one this costs nothing."""


class SharedNode:
    """See the module. It is a `Program`.

    Args:
        name: the host's.
        start: makes the command line of the runner, from options for Node and arguments.
        options: for Node itself.
        carry: starts a generation from a command line; a real process if ``None``.
    """

    kind = "node"
    dialect: None = None

    def __init__(
        self,
        name: str,
        start: Callable[[Sequence[str], Sequence[str]], Command],
        options: tuple[str, ...],
        carry: Carry | None,
    ) -> None:
        self.name = name
        self.carry = carry
        self._start = start
        self._options = options

    def command(self) -> Command:
        """The command line of the next generation."""
        return self._start((*self._options, *_OPTIONS), ["--several"])

    def limit_memory(self, resident: int) -> None:
        """Let the heap be no larger, from the next generation on."""
        self._options = with_heap(self._options, resident)


def with_heap(options: tuple[str, ...], resident: int) -> tuple[str, ...]:
    """Options for Node by which its heap keeps below so many bytes; a size that they say already stands."""
    if any(option.startswith(_HEAP) for option in options):
        return options
    return (*options, f"{_HEAP}={max(1, resident >> 20)}")
