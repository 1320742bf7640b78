"""The OpenAI provider: Chat Completions, of OpenAI and of every server that is compatible with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from ..wires.openai_chat_wire import CHAT
from ..wires.openai_responses_wire import RESPONSES
from .http import KeyHeader
from .over_http import OverHttp

if TYPE_CHECKING:
    from ..wires.wire import Wire

OPENAI_HOME: Final = "https://api.openai.com/v1"
OPENAI_KEY: Final = "OPENAI_API_KEY"


class OpenAIChatProvider(OverHttp):
    """Asks by Chat Completions; with `ResponsesExtension` by Responses."""

    name: ClassVar[str] = "openai_chat"
    wire: ClassVar[Wire] = CHAT
    wires: ClassVar[tuple[Wire, ...]] = (CHAT, RESPONSES)
    home: ClassVar[str] = OPENAI_HOME
    api_key_env: ClassVar[str] = OPENAI_KEY
    key: ClassVar[KeyHeader] = KeyHeader("authorization", "Bearer ")
