"""`ProviderStack`: a provider, and the extensions and features in force, asked in their order.

It decides who speaks and nothing else: extensions come before the provider; where all may speak, all are
asked, and where one has to, the first that has something to say. Features come first on the way out and last on the
way back: what they add to the history is in the payload, and what came is settled when they see it. What a whole request is made of these is
told in `exchange.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ...base.validation import a_type
from ...interop.default_registry import Tier, TieredContribution, ToolInteropContribution
from .provider_adapter import ProviderAdapter

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]


class ProviderStack:
    """One provider with its extensions, and features.

    Args:
        provider: a `ProviderAdapter`, or a provider, an instance or a class.
        extensions: the same of extensions, in the order of their registration.
        features: the same of features.

    Attributes:
        provider: the provider.
        extensions: the extensions.
        features: the features.
        name: the provider's name.

    Raises:
        ContractError: one of them breaks its contract.
        PluginLoadError: one of them could not be made.
    """

    def __init__(self, provider: Any, extensions: Iterable[Any] = (), features: Iterable[Any] = ()) -> None:
        self.provider: ProviderAdapter = (
            provider if isinstance(provider, ProviderAdapter) else ProviderAdapter(provider)
        )
        self.extensions: tuple[ProviderAdapter, ...] = tuple(
            each if isinstance(each, ProviderAdapter) else ProviderAdapter(each, extension=True)
            for each in extensions
        )
        self.features: tuple[ProviderAdapter, ...] = tuple(
            each if isinstance(each, ProviderAdapter) else ProviderAdapter(each, feature=True)
            for each in features
        )
        self.name: str = self.provider.name
        self._in_order = (*self.extensions, self.provider)

    def init(self, config: Json, tools: Iterable[Json] = ()) -> Json:
        """Return the state of one request.

        Args:
            config: the request's configuration; it beats what a plugin was registered with.
            tools: source schemas of the request's tools, as the tools wrote them.
        """
        state = self.provider.init(config)
        for each in (*self.extensions, *self.features):
            state.update(each.init(config))
        state["_tools"] = list(tools)
        return state

    def accepted_tool_schema_formats(self, state: Json) -> list[str]:
        """Return all formats of declarations that can be sent, best first, each once."""
        named = (name for each in self._in_order for name in each.accepted_tool_schema_formats(state))
        return list(dict.fromkeys(named))

    def contributions(self, state: Json) -> tuple[TieredContribution, ...]:
        """Return what they add to the request's registry, each in its tier; features stand behind the extensions.

        Raises:
            ContractError: one answered with something else.
        """
        found = []
        for each in (self.provider, *self.extensions, *self.features):
            contribution = each.interop_contribution(state)
            if contribution is None:
                continue
            if not isinstance(contribution, ToolInteropContribution):
                raise ContractError(
                    f"provider {each.name!r}: get_tool_interop_contribution has to return a "
                    f"ToolInteropContribution; it returned {a_type(contribution)}",
                    plugin=each.name,
                )
            tier = Tier.PROVIDER if each is self.provider else Tier.EXTENSION
            found.append(TieredContribution(tier, each.name, contribution))
        return tuple(found)

    def to_native_messages(self, messages: list[Json], state: Json, context: Json | None) -> list[Any]:
        """Return the history as the provider writes it; as it is, if no part of the stack converts it."""
        for each in self._in_order:
            native = each.to_native_messages(messages, state, context)
            if native is not None:
                return native
        return list(messages)

    def initialize_request(
        self, native_messages: list[Any], state: Json, context: Json | None
    ) -> tuple[list[Any], Json]:
        """Have all of them make the payload; return the history as it is sent, and the state."""
        for each in (*self.features, *self._in_order):
            native_messages, state = each.initialize_request(native_messages, state, context)
        return native_messages, state

    def finalize(
        self, native_messages: list[Any], state: Json, context: Json | None
    ) -> tuple[list[Json], list[Any], Json]:
        """Have all of them settle what came; return core messages, the native history and the state."""
        final: list[Json] = []
        for each in (*self._in_order, *self.features):
            final, native_messages, state = each.finalize(final, native_messages, state, context)
        return final, native_messages, state

    def from_native_messages(
        self, native_messages: list[Any], state: Json, context: Json | None
    ) -> list[Json] | None:
        """Return core messages of native ones; ``None`` if no part of the stack converts it."""
        for each in self._in_order:
            messages = each.from_native_messages(native_messages, state, context)
            if messages is not None:
                return messages
        return None
