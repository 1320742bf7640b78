"""Tools that a provider knows by their type or key: web search, shells, editors, caches. They have no schema.

Some the provider runs itself, and some its client does, by what the provider's documents say of them. Their
declarations go home as they are; elsewhere nobody would know what they mean.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from ..format_ids import ANTHROPIC_HOSTED, BEDROCK_HOSTED, GEMINI_HOSTED, RESPONSES_HOSTED
from ..hub import InspectedSchema
from ..names.native_types import is_hosted_tool

_DATED = re.compile(r"[a-z][a-z0-9_]{0,63}_20[0-9]{6}")
"""What Anthropic calls them: ``bash_20250124``."""

_COMPOUND = re.compile(r"[a-z]+(?:_[a-z0-9]+|[A-Z][a-zA-Z0-9]*)+")
_OF_ONE_WORD: Final = frozenset({"retrieval"})
_OF_OTHERS = re.compile(
    r"function_?declarations|tool_?spec|system_?tool|cache_?point|(?:in|out)put_?schema|parameters_?json_?schema"
    r"|(?:function|tool)_?(?:calls?|responses?|use|results?)|(?:additional|pattern|unevaluated)_?properties",
    re.IGNORECASE,
)
"""Keys with several words that are no tool of Gemini's: declarations and calls of functions, other formats, schemas."""


class ResponsesHostedTools:
    """Reads hosted tools of the Responses API; the type is the name."""

    format: ClassVar[str] = RESPONSES_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None  # see `is_hosted_tool`

    def matches(self, value: Any) -> bool:
        """A type that is nobody else's, and no schema."""
        return isinstance(value, dict) and is_hosted_tool(value) and not _is_anthropic(value["type"])

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return the name; all else is the provider's."""
        return InspectedSchema(RESPONSES_HOSTED, value["type"], kind="hosted")


class AnthropicHostedTools:
    """Reads tools of Anthropic's own, which bear a date, and its toolsets."""

    format: ClassVar[str] = ANTHROPIC_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None  # there is a new date every few months

    def matches(self, value: Any) -> bool:
        """A dated type, and no schema."""
        stated = value.get("type") if isinstance(value, dict) else None
        if not isinstance(stated, str) or "input_schema" in value:
            return False
        return _is_anthropic(stated)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return the name; a toolset has none, and is called by its type."""
        name = value.get("name")
        return InspectedSchema(
            ANTHROPIC_HOSTED, name if isinstance(name, str) and name else value["type"], kind="hosted"
        )


class GeminiHostedTools:
    """Reads tools of Gemini's own, each a key of its own in a tool; they are known by its looks, as new ones come."""

    format: ClassVar[str] = GEMINI_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """Nothing but such keys, each with its settings; what is null is unsaid."""
        keys = self._keys(value)
        return bool(keys) and all(_is_gemini(key, value[key]) for key in keys)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return the first key as the name."""
        return InspectedSchema(GEMINI_HOSTED, self._keys(value)[0], kind="hosted")

    def _keys(self, value: dict[str, Any]) -> list[str]:
        return [key for key, item in value.items() if item is not None]


def _is_anthropic(stated: str) -> bool:
    return stated == "mcp_toolset" or _DATED.fullmatch(stated) is not None


def _is_gemini(key: Any, said: Any) -> bool:
    if not isinstance(key, str) or not (isinstance(said, dict) or key in {"mcpServers", "mcp_servers"}):
        return False
    return key in _OF_ONE_WORD or bool(_COMPOUND.fullmatch(key) and not _OF_OTHERS.fullmatch(key))


class BedrockHostedTools:
    """Reads system tools, and the points in a list of tools up to which it is cached."""

    format: ClassVar[str] = BEDROCK_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The one key says it."""
        return len(value) == 1 and any(
            isinstance(value.get(key), dict) for key in ("systemTool", "cachePoint")
        )

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return the name of a system tool; a point has none, and is called by its key."""
        ((key, said),) = value.items()
        name = said.get("name")
        return InspectedSchema(BEDROCK_HOSTED, name if isinstance(name, str) and name else key, kind="hosted")
