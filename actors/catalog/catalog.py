"""What a board offers: the plugins' schemas and names, and the registry that reads their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ...base.errors import ContractError
from ...base.frozen import frozen
from ...base.locks import Lock
from ...interop.default_registry import compose_registry
from ...interop.errors import InteropError
from ...interop.limits import MAX_NAME_CHARS
from ...interop.registry.contribution import Tier, TieredContribution, ToolInteropContribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ...interop.registry.tool_registry import ToolInteropRegistry

Schemas = tuple[dict[str, Any], ...]

_Given = TypeVar("_Given")

MAX_TOOLS = 10_000
"""Tools of one plugin: each is looked at in every request."""


@frozen
class ToolDescriptor:
    """One tool, as a board offers it.

    Attributes:
        plugin_name: whose tool it is.
        tool_name: what it is called by.
        schema: its source schema, in the wire format that the plugin wrote it in.
        available: a call would be taken now; a tool whose host is parked stays listed.
        known_as: its other names, such as a server's own for it.
        remembered: its plugin has not said so yet: it offered the tool when it was last up.
    """

    plugin_name: str
    tool_name: str
    schema: dict[str, Any]
    available: bool = True
    known_as: tuple[str, ...] = ()
    remembered: bool = False

    @property
    def all_names(self) -> tuple[str, ...]:
        """All by which a rule may name it: those it has, and each behind its plugin's, as ``plugin:tool``."""
        names = (self.tool_name, *self.known_as)
        return (*names, *(f"{self.plugin_name}:{name}" for name in names))


class Catalog:
    """See the module. Writes are serialised; what is read is replaced as a whole.

    Attributes:
        registry: reads and converts all formats that the board knows.
        offers: the tools by plugin, in order of registration.
    """

    def __init__(self, contributions: Iterable[ToolInteropContribution] = ()) -> None:
        self._lock = Lock()
        self._explicit = [TieredContribution(Tier.EXPLICIT, "configuration", c) for c in contributions]
        self._by_plugin: dict[str, TieredContribution] = {}
        self._below: tuple[TieredContribution, ...] = ()
        self._freeform = False
        self.registry: ToolInteropRegistry = compose_registry(self._explicit)
        self.offers: dict[str, tuple[ToolDescriptor, ...]] = {}

    def contribute(self, plugin: str, contribution: object) -> None:
        """Add a plugin's formats.

        Raises:
            ContractError: it is no contribution.
            ContributionError: an accessor or adapter lacks what its protocol asks for.
        """
        if not isinstance(contribution, ToolInteropContribution):
            raise ContractError(
                f"plugin {plugin!r}: get_tool_interop_contribution answered with a "
                f"{type(contribution).__name__}, not with a ToolInteropContribution",
                plugin=plugin,
            )
        with self._lock:  # across the contributions' own code: a registry is composed of what is there when it takes its place
            by_plugin = {**self._by_plugin, plugin: TieredContribution(Tier.TOOL, plugin, contribution)}
            self.registry = self._composed(by_plugin)
            self._by_plugin = by_plugin

    def contribute_below(self, contributor: str, contribution: ToolInteropContribution) -> None:
        """Add formats below the built-in ones, for good: a plugin may have been read by them.

        Raises:
            ContributionError: an accessor or adapter lacks what its protocol asks for.
        """
        below = TieredContribution(Tier.ELSEWHERE, contributor, contribution)
        with self._lock:  # as in `contribute`
            before, self._below = self._below, (*self._below, below)
            try:
                self.registry = self._composed(self._by_plugin)
            except BaseException:  # whatever an accessor raises when it is looked at: it is not taken
                self._below = before
                raise

    def describe(
        self,
        plugin: str,
        schemas: Iterable[dict[str, Any]],
        known_as: Callable[[str], tuple[str, ...]] = lambda _: (),
    ) -> tuple[ToolDescriptor, ...]:
        """The tools that ``schemas`` declare.

        Args:
            plugin: whose they are.
            schemas: in any format that the registry reads.
            known_as: returns the other names of a tool.

        Raises:
            ContractError: a schema is in no format that the registry reads, or they are too many, or a name is too long.
        """
        described: list[ToolDescriptor] = []
        for index, schema in enumerate(schemas):
            if index == MAX_TOOLS:
                raise ContractError(
                    f"plugin {plugin!r} declares more than {MAX_TOOLS:,} tools; offer fewer, or make it several plugins",
                    plugin=plugin,
                )
            try:
                name = self.registry.inspect_schema(schema).name
            except InteropError as error:
                raise ContractError(f"plugin {plugin!r}: schema {index}: {error}", plugin=plugin) from error
            if len(name) > MAX_NAME_CHARS:
                raise ContractError(
                    f"plugin {plugin!r}: schema {index}: its name {name[:40]!r}… has {len(name):,} characters; {MAX_NAME_CHARS:,} "
                    "is the most",
                    plugin=plugin,
                )
            described.append(ToolDescriptor(plugin, name, schema, known_as=known_as(name)))
        return tuple(described)

    def offer(self, plugin: str, tools: tuple[ToolDescriptor, ...], *, freeform: bool) -> None:
        """List a plugin's tools, or replace them; ``freeform`` if any of them takes text instead of arguments."""
        with self._lock:  # as in `contribute`
            self.offers = {**self.offers, plugin: tools}
            self._freeform = self._freeform or freeform
            if self._freeform:
                self.registry = self._composed(self._by_plugin)

    def remove(self, plugin: str) -> None:
        """List a plugin no more, and forget its formats."""
        with self._lock:  # as in `contribute`
            self.offers = _without(plugin, self.offers)
            by_plugin = _without(plugin, self._by_plugin)
            if self._freeform or len(by_plugin) < len(self._by_plugin):
                self.registry = self._composed(by_plugin)
            self._by_plugin = by_plugin

    def for_request(
        self, contributions: Iterable[TieredContribution], tools: Iterable[ToolDescriptor]
    ) -> ToolInteropRegistry:
        """The registry of one request: all formats there are and those of its provider, and its freeform tools.

        Args:
            contributions: of the provider and its extensions.
            tools: those that are offered. Formats of others are known too: the history may have calls in them.

        Raises:
            ContributionError: an accessor or adapter lacks what its protocol asks for.
        """
        with self._lock:
            by_plugin = tuple(self._by_plugin.values())
            below = self._below
        composed = compose_registry((*self._explicit, *contributions, *by_plugin, *below))
        return composed.for_request(tool.schema for tool in tools)

    def _composed(self, by_plugin: dict[str, TieredContribution]) -> ToolInteropRegistry:
        """The registry of all contributions. It knows the freeform tools, if there are any.

        A provider without freeform tools is sent one as a function with a wrapped text, and its
        model calls that function; knowing the tool, the registry reads such a call as the raw text.
        """
        registry = compose_registry((*self._explicit, *by_plugin.values(), *self._below))
        if not self._freeform:
            return registry
        return registry.for_request(tool.schema for tools in self.offers.values() for tool in tools)


def _without(plugin: str, by_plugin: Mapping[str, _Given]) -> dict[str, _Given]:
    return {name: given for name, given in by_plugin.items() if name != plugin}
