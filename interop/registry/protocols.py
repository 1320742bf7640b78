"""What an accessor and an adapter must be able to do; any object that can is one.

An accessor reads one wire format; it is asked ``matches`` first, then ``inspect``. ``False`` from the
one and ``None`` from the other both mean "not mine", and the next is asked. An exception never means
that: it is reported as the contributor's fault. ``matches`` must look at keys only, and must say no
to every other format's shapes: ``type: "custom"`` alone, for one, is claimed by three formats.

An accessor may have an attribute ``discriminators``, a set of what ``value["type"]`` may be (``None``
for no such key). It is then asked about dicts of those types alone, which keeps inspection as fast
with twenty formats as with two. An accessor without it is asked about every value, dict or not.

An adapter writes one format: from one other format (``source`` is its id), or from whatever was
inspected (``source`` is `HUB`, and the value handed in is an inspected schema, call or result). The
first is for exceptions and short cuts, and is tried first.

Neither may change the value it is given, or keep or return any mutable piece of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..conversion import ConversionContext, Converted
    from ..hub import InspectedCall, InspectedResult, InspectedSchema


class SchemaAccessor(Protocol):
    """Reads the tool declarations of one format."""

    @property
    def format(self) -> str:
        """Id of the format."""

    def matches(self, value: Any, /) -> bool:
        """Say, by the keys alone, whether the value is a declaration in this format."""

    def inspect(self, value: Any, /) -> InspectedSchema | None:
        """Return what is declared; ``None`` if the value is not this format's after all.

        Raises:
            InvalidShapeError: it is this format's, and broken.
        """


class CallAccessor(Protocol):
    """Reads the tool calls of one format."""

    @property
    def format(self) -> str:
        """Id of the format."""

    def matches(self, value: Any, /) -> bool:
        """Say, by the keys alone, whether the value is a call in this format."""

    def inspect(self, value: Any, /) -> InspectedCall | None:
        """Return what is asked for; a call that cannot be read is ``malformed`` and no exception.

        ``None`` if the value is not this format's after all.
        """

    def sanitize(self, value: Any, /) -> Any:
        """Return the call itself if it can be replayed to the provider, else a copy that can.

        Only the arguments may differ; raw text input is never touched.
        """


class ResultAccessor(Protocol):
    """Reads the tool results of one format."""

    @property
    def format(self) -> str:
        """Id of the format."""

    def matches(self, value: Any, /) -> bool:
        """Say, by the keys alone, whether the value is a result in this format."""

    def inspect(self, value: Any, /) -> InspectedResult | None:
        """Return what the model is told; ``None`` if the value is not this format's after all.

        Raises:
            InvalidShapeError: it is this format's, and broken.
        """


class SchemaAdapter(Protocol):
    """Writes tool declarations in one format."""

    @property
    def source(self) -> str:
        """Id of the format it reads, or `HUB`."""

    @property
    def target(self) -> str:
        """Id of the format it writes."""

    def convert(self, value: Any, context: ConversionContext, /) -> Converted | None:
        """Return the declaration in the target format; ``None`` if the value is none of its business.

        Raises:
            ConversionError: the target format cannot say this.
        """


class CallAdapter(Protocol):
    """Writes tool calls in one format."""

    @property
    def source(self) -> str:
        """Id of the format it reads, or `HUB`."""

    @property
    def target(self) -> str:
        """Id of the format it writes."""

    def convert(self, value: Any, context: ConversionContext, /) -> Converted | None:
        """Return the call in the target format; ``None`` if the value is none of its business.

        Raises:
            ConversionError: the target format cannot say this.
        """


class ResultAdapter(Protocol):
    """Writes tool results in one format."""

    @property
    def source(self) -> str:
        """Id of the format it reads, or `HUB`."""

    @property
    def target(self) -> str:
        """Id of the format it writes."""

    def convert(self, value: Any, context: ConversionContext, /) -> Converted | None:
        """Return the result in the target format; ``None`` if the value is none of its business.

        Raises:
            ConversionError: the target format cannot say this.
        """
