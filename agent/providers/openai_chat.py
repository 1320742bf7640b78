"""The OpenAI provider: Chat Completions, of OpenAI and of every server that is compatible with it."""

from __future__ import annotations

from typing import ClassVar, Final

from ..wires.openai_chat_wire import CHAT
from ..wires.openai_responses_wire import RESPONSES
from .http import KeyHeader
from .over_http import OverHttp

OPENAI_HOME: Final = "https://api.openai.com/v1"
OPENAI_KEY: Final = "OPENAI_API_KEY"


class OpenAIChatProvider(OverHttp):
    """Asks by Chat Completions; with `ResponsesExtension` by Responses."""

    name: ClassVar = "openai_chat"
    wire: ClassVar = CHAT
    wires: ClassVar = (CHAT, RESPONSES)
    home: ClassVar = OPENAI_HOME
    api_key_env: ClassVar = OPENAI_KEY
    key: ClassVar = KeyHeader("authorization", "Bearer ")
