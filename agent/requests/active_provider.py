"""The providers of a core with their extensions, its features, and which of them a request is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import ContractError
from ..errors import ProviderError
from .provider_adapter import ProviderAdapter
from .provider_stack import ProviderStack
from .request import compose_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...actors.board import Board
    from .request import Request

Json = dict[str, Any]


class ModelRequest(NamedTuple):
    """A request that is ready to be sent.

    Attributes:
        stack: whom to ask.
        state: of this request alone.
        request: its tools, registry and context.
    """

    stack: ProviderStack
    state: Json
    request: Request

    def plugin_of(self, tool_name: str | None) -> str | None:
        """Return the plugin that offers a tool of that name, if one does."""
        if tool_name is None:
            return None
        return next((tool.plugin_name for tool in self.request.tools if tool.tool_name == tool_name), None)


class Providers:
    """Providers by name, and extensions and features in the order of their registration."""

    def __init__(self) -> None:
        self._providers: dict[str, ProviderAdapter] = {}
        self._extensions: list[ProviderAdapter] = []
        self._features: list[ProviderAdapter] = []
        self._own: list[ProviderAdapter] = []

    def add(self, provider: Any, config: Json | None, name: str | None) -> None:
        """Raises `PluginError`: it breaks the contract, or its name is taken."""
        adapter = ProviderAdapter(provider, name=name, config=config)
        self.take(adapter)
        self._own.append(adapter)

    def take(self, adapter: ProviderAdapter) -> None:
        """Add what is ready, a provider or an extension, and has another owner. Raises `ContractError`: its name is taken."""
        if adapter.extension:
            self._extensions.append(adapter)
            return
        if adapter.name in self._providers:
            raise ContractError(
                f"there is a provider {adapter.name!r} already; give this one another name",
                plugin=adapter.name,
            )
        self._providers[adapter.name] = adapter

    def add_extension(self, extension: Any, config: Json | None, name: str | None) -> None:
        """Raises `PluginError`: it breaks the contract."""
        adapter = ProviderAdapter(extension, name=name, config=config, extension=True)
        self.take(adapter)
        self._own.append(adapter)

    def add_feature(self, feature: Any, config: Json | None, name: str | None) -> None:
        """Raises `PluginError`: it breaks the contract."""
        adapter = ProviderAdapter(feature, name=name, config=config, feature=True)
        self._features.append(adapter)
        self._own.append(adapter)

    def all(self) -> list[ProviderAdapter]:
        """Providers, extensions and features, in this order."""
        return [*self._providers.values(), *self._extensions, *self._features]

    def close(self) -> None:
        """Close those that were made here from their classes, if they can be closed; others have an owner."""
        own, self._own = self._own, []
        for adapter in own:
            if (interrupt := adapter.close()) is not None:
                raise interrupt

    def request(self, board: Board, config: Json, context: Mapping[str, Any]) -> ModelRequest:
        """Settle all that a request is made of. Blocks for as long as plugins' hooks take.

        Raises:
            ProviderError: it is not known which provider is meant.
            HookError, ContractError: a hook of the provider, an extension or a feature failed.
        """
        stack = ProviderStack(self._chosen(config), self._extensions, self._features)
        state = stack.init(config)
        request = compose_request(
            board,
            stack.provider,
            stack.extensions,
            config,
            context=context,
            state=state,
            features=stack.features,
        )
        board.withheld.note((each.plugin, each.tool, each.reason) for each in request.refused)
        if (request.extensions, request.features) != (stack.extensions, stack.features):
            # Those that are left out must not have set anything.
            stack = ProviderStack(stack.provider, request.extensions, request.features)
            state = stack.init(config)
        state["_tools"] = request.schemas
        return ModelRequest(stack, state, request)

    def resolved(self, config: Json, defaults: Mapping[str, Any]) -> Json:
        """Return the configuration of a request with what it leaves out: whom to ask, and for which model.

        The model of the registration comes before that of the defaults, which is that of their provider.

        Args:
            config: as the caller gave it; what it says holds.
            defaults: ``provider``, ``model`` and ``models`` of who holds the board.

        Raises:
            ProviderError: it is not known which provider is meant.
        """
        meant = defaults.get("provider")
        chosen = self._chosen(config, meant)
        known = {
            key: value for key, value in defaults.items() if key != "model" or meant in {None, chosen.name}
        }
        if (model := chosen.config.get("model")) is not None:
            known["model"] = model
        given = {key: value for key, value in config.items() if value is not None or key not in known}
        return {**known, **given}

    def _chosen(self, config: Json, default: Any = None) -> ProviderAdapter:
        name = config.get("provider")
        where = "in the configuration of the request"
        if name is None and default is not None:
            name, where = default, "in the configuration of the board"
        if name is None and len(self._providers) == 1:
            return next(iter(self._providers.values()))
        found = self._providers.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        there = ", ".join(map(repr, self._providers)) or "none: register one with register_provider"
        wanted = "no provider is named" if name is None else f"there is no provider {name!r:.60}"
        raise ProviderError(
            f"{wanted} by 'provider' {where}; there are {there}",
            provider=name if isinstance(name, str) else "",
            code="bad_config",
        )
