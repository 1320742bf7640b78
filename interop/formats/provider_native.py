"""Results that a tool wrote for one provider: ``{"type": "provider_native_tool_result", ...}``.

To that provider the content goes untouched. To any other it goes by what can be read of it; the rest
is named in a note. The specification's own example puts images into a Chat tool message, which
OpenAI's server refuses and tolerant servers take: the tool that writes an envelope answers for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..calls.arguments import leftovers
from ..errors import InvalidShapeError
from ..exact_json import exact_json
from ..format_ids import (
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    CORE_PROVIDER_NATIVE,
    GEMINI,
    MCP,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    belongs_to,
)
from ..hub import InspectedResult, NativeContent
from ..names.native_types import OUTPUTS
from ..parts import ResultPart, UnreadPart
from .anthropic_content import read_blocks as read_anthropic
from .bedrock_content import read_blocks as read_bedrock
from .gemini_content import read_response
from .mcp_content import read_blocks as read_mcp
from .openai_content import read_content
from .openai_responses_actions import read_output

if TYPE_CHECKING:
    from collections.abc import Callable


class ProviderNativeResults:
    """Reads envelopes."""

    format: ClassVar[str] = CORE_PROVIDER_NATIVE
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({"provider_native_tool_result"})

    def matches(self, value: dict[str, Any]) -> bool:
        """The type says it all."""
        return True

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return the content, both as it is and as far as it can be read."""
        family = value.get("format")
        if not isinstance(family, str) or not family or "content" not in value:
            raise InvalidShapeError(CORE_PROVIDER_NATIVE, "it must have a string 'format' and a 'content'")
        content = exact_json(value["content"], what="$.content")
        extras = leftovers(value, ("type", "format", "content"))
        return InspectedResult(
            format=CORE_PROVIDER_NATIVE,
            parts=_parts(family, content),
            native=NativeContent(family, content),
            extras={CORE_PROVIDER_NATIVE: extras} if extras else {},
        )


def _read_gemini(format_id: str, content: Any) -> tuple[ResultPart, ...]:
    return read_response(format_id, {"response": content})[0]


_READERS: Final[dict[str, Callable[[str, Any], tuple[ResultPart, ...]]]] = {
    OPENAI_CHAT: read_content,
    OPENAI_RESPONSES: read_content,
    ANTHROPIC_MESSAGES: read_anthropic,
    BEDROCK_CONVERSE: read_bedrock,
    GEMINI: _read_gemini,
    MCP: read_mcp,
}


def _parts(family: str, content: Any) -> tuple[ResultPart, ...]:
    if belongs_to(family, OPENAI_RESPONSES) and isinstance(content, dict) and content.get("type") in OUTPUTS:
        return read_output(content)[0]
    for known, read in _READERS.items():
        if belongs_to(family, known):
            return read(CORE_PROVIDER_NATIVE, content)
    try:
        return read_content(CORE_PROVIDER_NATIVE, content)
    except InvalidShapeError:
        return (UnreadPart(f"content of {family}"),)
