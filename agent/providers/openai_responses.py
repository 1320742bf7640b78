"""The Responses API of OpenAI, twice: as an extension of the OpenAI provider, and as a provider of its own.

The extension spells the request, and the provider sends it; with it in force the provider's own spelling does
not come into play. The provider of its own is the same with nothing to put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..wires.openai_responses_wire import RESPONSES
from .http import KeyHeader
from .openai_chat import OPENAI_HOME, OPENAI_KEY
from .over_http import OverHttp, Spelled

if TYPE_CHECKING:
    from ..wires.wire import Wire


class ResponsesExtension(Spelled):
    """Has the OpenAI provider ask by Responses. It is configured by that provider's configuration.

    With a provider that cannot send to Responses it holds back. One of your own that can says so in its
    state: ``"wires": ["openai.responses"]``; its configuration is to stand there under ``config``.
    """

    name: ClassVar[str] = "openai_responses_extension"
    wire: ClassVar[Wire] = RESPONSES
    home: ClassVar[str] = OPENAI_HOME
    api_key_env: ClassVar[str] = OPENAI_KEY


class OpenAIResponsesProvider(OverHttp):
    """Asks by Responses."""

    name: ClassVar[str] = "openai_responses"
    wire: ClassVar[Wire] = RESPONSES
    wires: ClassVar[tuple[Wire, ...]] = (RESPONSES,)
    home: ClassVar[str] = OPENAI_HOME
    api_key_env: ClassVar[str] = OPENAI_KEY
    key: ClassVar[KeyHeader] = KeyHeader("authorization", "Bearer ")
