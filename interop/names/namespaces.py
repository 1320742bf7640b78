"""Tools in namespaces, for providers that have none: taken out one by one, under their bare names.

A namespace is one declaration of several tools. Two tools of the same bare name are two tools only as
long as their namespaces are told; without them a call would run whichever is found first, so that the
second is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ConversionError

if TYPE_CHECKING:
    from ..hub import InspectedSchema


class BareNames:
    """The names that the tools of one request bear once they are out of their namespaces."""

    __slots__ = ("_bared", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._bared: set[str] = set()

    def take(self, schema: InspectedSchema) -> None:
        """Note the name of a tool.

        Raises:
            ConversionError: another tool bears it, and one of the two came out of a namespace.
        """
        bared = schema.namespace is not None
        if schema.name in (self._taken if bared else self._bared):
            raise ConversionError(
                f"two tools would be called {schema.name!r} without their namespaces: rename one of them"
            )
        self._taken.add(schema.name)
        if bared:
            self._bared.add(schema.name)
