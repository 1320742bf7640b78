"""Which assembler reads the streams of a format.

calls = assembler("anthropic.messages")
for event in events:
for call in calls.feed(event):
...
for call in calls.finish():
...
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ..assembly.stream_errors import UnknownStreamError
from ..format_ids import family_of
from .ag_ui import AgUiAssembler
from .ai_sdk import AiSdkAssembler
from .anthropic import AnthropicAssembler
from .bedrock import BedrockAssembler
from .cohere import CohereAssembler
from .gemini import GeminiAssembler
from .ollama import OllamaAssembler
from .openai_chat import ChatAssembler
from .openai_responses import ResponsesAssembler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..assembly.assembler import Assembler, StreamLimits

ASSEMBLERS: Final[Mapping[str, type[Assembler]]] = MappingProxyType(
    {
        kind.format: kind
        for kind in (
            ChatAssembler,
            ResponsesAssembler,
            AnthropicAssembler,
            BedrockAssembler,
            GeminiAssembler,
            OllamaAssembler,
            CohereAssembler,
            AgUiAssembler,
            AiSdkAssembler,
        )
    }
)
"""Family of formats -> who reads its streams."""


def assembler(format_id: str, limits: StreamLimits | None = None) -> Assembler:
    """Return a new assembler, for one stream.

    Args:
        format_id: a family, such as ``openai.responses``, or any format that belongs to one; ``anthropic``, ``bedrock``
            and ``gemini`` are short for theirs.
        limits: how much the stream may hold.

    Raises:
        UnknownStreamError: no streams of that format are known.
    """
    family = family_of(format_id, ASSEMBLERS)
    if family is None:
        raise UnknownStreamError(format_id, ASSEMBLERS)
    return ASSEMBLERS[family](limits)
