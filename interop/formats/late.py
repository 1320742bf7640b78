"""Stand-ins for the members of a format, whose module is imported when a value first comes to them.

Most programs meet two of the formats, and all of them together take as long to import as a whole room. A stand-in
has what the registry sorts by; the rest it fetches, once, and is then no longer on the way of a call.

What a reader would get wrong: a stand-in repeats what its class says of itself. A test holds the two together.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from ..conversion import HUB

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from ..conversion import ConversionContext, Converted


class _Late:
    """What both have in common.

    Args:
        place: the module beside this one and the class in it: ``mcp_tools:McpCalls``.
        given: what the class is made with.

    Attributes:
        stands_for: the name of the class.
    """

    def __init__(self, place: str, given: tuple[Any, ...]) -> None:
        self._module, _, self.stands_for = place.partition(":")
        self._given = given

    def real(self) -> Any:
        """Fetch what this stands for, which from now on answers by itself."""
        made = getattr(import_module(f".{self._module}", __package__), self.stands_for)(*self._given)
        for name in ("matches", "inspect", "sanitize", "convert"):
            if hasattr(made, name):
                vars(self)[name] = getattr(made, name)
        return made


class LateAccessor(_Late):
    """Stands for an accessor of any kind; see `protocols`.

    Args:
        place: see `_Late`.
        format_id: of the format that it reads.
        types: what ``value["type"]`` may be; ``None`` among them for no such key. ``None`` for anything.
        given: see `_Late`.
    """

    def __init__(
        self, place: str, format_id: str, types: AbstractSet[str | None] | None, *given: Any
    ) -> None:
        super().__init__(place, given)
        self.format = format_id
        self.discriminators = None if types is None else frozenset(types)

    def matches(self, value: Any, /) -> bool:
        return bool(self.real().matches(value))

    def inspect(self, value: Any, /) -> Any:
        return self.real().inspect(value)

    def sanitize(self, value: Any, /) -> Any:
        """See `protocols.CallAccessor`; nobody else is asked this."""
        return self.real().sanitize(value)


class LateAdapter(_Late):
    """Stands for an adapter of any kind, which writes whatever was inspected; see `protocols`.

    Args:
        place: see `_Late`.
        format_id: of the format that it writes.
        given: see `_Late`.
    """

    source: ClassVar = HUB

    def __init__(self, place: str, format_id: str, *given: Any) -> None:
        super().__init__(place, given)
        self.target = format_id

    def convert(self, value: Any, context: ConversionContext, /) -> Converted | None:
        converted: Converted | None = self.real().convert(value, context)
        return converted
