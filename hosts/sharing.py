"""How a plugin can live in one host with others.

A host that is shared is started from no plugin's own command line: it is started empty, and told to ``load``
each of them. So it has to be agreed on what it is started with; `Sharing.terms` says what that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .process.process import Command
    from .process.transport import Carry
    from .protocol.dialect import Dialect


class Program(Protocol):
    """What lives of a host are started from; a `HostedToolPlugin` is one.

    Attributes:
        name: the host's.
    """

    name: str

    @property
    def carry(self) -> Carry | None:
        """Starts a generation from a command line; a real process if ``None``."""

    @property
    def dialect(self) -> Callable[[], Dialect] | None:
        """Makes what it speaks in a generation, if that is another protocol than ours."""

    @property
    def command(self) -> Callable[[], Command]:
        """Makes the command line of the next generation."""

    def limit_memory(self, resident: int) -> None:
        """Have it keep below so many bytes by itself, as far as its runtime can; from its next generation on."""


@frozen
class Sharing:
    """What a shared host needs to take a plugin in.

    Attributes:
        terms: what its process is made of, by the name of the option; all who live in it agree on that.
        load: what the host is told to load, beside the plugin's name.
        program: makes what a shared host of that name is started from.
    """

    terms: Mapping[str, Any]
    load: dict[str, Any]
    program: Callable[[str], Program]
