"""The Anthropic provider: Messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ProviderError
from ..wires.anthropic_wire import ANTHROPIC
from .http import KeyHeader
from .over_http import OverHttp

if TYPE_CHECKING:
    from ..wires.wire import Wire

_VERSION = {"anthropic-version": "2023-06-01"}


class AnthropicProvider(OverHttp):
    """Asks by Messages."""

    name: ClassVar[str] = "anthropic_messages"
    wire: ClassVar[Wire] = ANTHROPIC
    wires: ClassVar[tuple[Wire, ...]] = (ANTHROPIC,)
    home: ClassVar[str] = "https://api.anthropic.com/v1"
    api_key_env: ClassVar[str] = "ANTHROPIC_API_KEY"
    key: ClassVar[KeyHeader] = KeyHeader("x-api-key")

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a request; the version of the API is a header that may be configured."""
        if config.get("temperature") is not None:
            raise ProviderError(
                f"provider {self.name!r} has no 'temperature': the API takes none any more. "
                "For a model that still does, say it in 'extra'",
                provider=self.name,
                code="bad_config",
            )
        state = super().init(config)
        headers = {**_VERSION, **(config.get("headers") or {})}
        return {**state, "config": {**state["config"], "headers": headers}}
