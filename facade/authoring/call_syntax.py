"""What is typed to call a tool, as a value. Pure.

``echo value=hello``, ``echo {"value": "hello"}``, ``note any text`` for a tool that takes raw text, or ``/help`` and its
like. Whether there is such a tool, and what its arguments have to be, is for others to say.
"""

from __future__ import annotations

import shlex

from ..base.errors import CallboardError
from ..base.frozen import frozen


class NotUnderstood(CallboardError):
    """A line that is neither a call nor a command."""


@frozen
class Asked:
    """A call.

    Attributes:
        tool: its name.
        text: all that stands behind the name.
    """

    tool: str
    text: str

    @property
    def words(self) -> tuple[str, ...]:
        """The text as a shell would cut it; an object in one piece, so that its quotes stay.

        Raises:
            NotUnderstood: a quote has no end.
        """
        if not self.text or self.text.startswith("{"):
            return (self.text,) if self.text else ()
        try:
            return tuple(shlex.split(self.text))
        except ValueError as error:
            raise NotUnderstood(
                f"{str(error).lower()}; close the quote, or write the arguments as a JSON object"
            ) from error


@frozen
class Order:
    """A command, without its ``/``.

    Attributes:
        name: its first word.
        about: what it is about; empty if nothing was said.
    """

    name: str
    about: str


def read_typed(line: str) -> Asked | Order | None:
    """What a line says; ``None`` for a blank one."""
    first, _, rest = line.strip().partition(" ")
    if not first:
        return None
    return Order(first[1:], rest.strip()) if first.startswith("/") else Asked(first, rest.strip())
