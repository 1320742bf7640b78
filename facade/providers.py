"""Asking models, under the name that agents and authors of providers import it by.

The shipped providers need the extra ``agent``; importing this does not.
"""

from .agent.errors import PROVIDER_CODES, AttachmentError, ProviderError
from .agent.providers.anthropic_messages import AnthropicProvider
from .agent.providers.openai_chat import OpenAIChatProvider
from .agent.providers.openai_responses import OpenAIResponsesProvider, ResponsesExtension
from .agent.requests.provider_contract import Feature, Provider, ProviderExtension
from .agent.wires.attached import attachment_block

__all__ = [
    "PROVIDER_CODES",
    "AnthropicProvider",
    "AttachmentError",
    "Feature",
    "OpenAIChatProvider",
    "OpenAIResponsesProvider",
    "Provider",
    "ProviderError",
    "ProviderExtension",
    "ResponsesExtension",
    "attachment_block",
]
