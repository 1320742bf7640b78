"""The ids of the wire formats, and every other name they go by.

An id is an opaque string: the specification's own are irregular (``…custom.tool_schema`` for a
schema, ``…custom`` for the call to it), so nothing is derived from their spelling but one rule:
a *family* such as ``openai.responses`` is the prefix, up to a dot, of the formats that belong to it.

Ids of schemas, calls and results are three name spaces. Where the id of a call and of a result are
the same, the result is the one that answers that call.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .errors import Kind

OPENAI_CHAT: Final = "openai.chat_completions"
OPENAI_RESPONSES: Final = "openai.responses"

CHAT_FUNCTION: Final = "openai.chat_completions.function"
CHAT_CUSTOM: Final = "openai.chat_completions.custom"
CHAT_LEGACY: Final = "openai.chat_legacy.function"
RESPONSES_FUNCTION: Final = "openai.responses.function"
RESPONSES_NAMESPACE: Final = "openai.responses.namespace"
RESPONSES_CUSTOM: Final = "openai.responses.custom"
RESPONSES_CUSTOM_SCHEMA: Final = "openai.responses.custom.tool_schema"

ANTHROPIC_MESSAGES: Final = "anthropic.messages"
ANTHROPIC_TOOL: Final = "anthropic.messages.tool"

GEMINI: Final = "gemini.generate_content"
GEMINI_FUNCTION: Final = "gemini.generate_content.function"
GEMINI_OPENAPI: Final = "gemini.generate_content.function_openapi"

BEDROCK_CONVERSE: Final = "bedrock.converse"
BEDROCK_TOOL: Final = "bedrock.converse.tool"

RESPONSES_HOSTED: Final = "openai.responses.hosted"
RESPONSES_ACTION: Final = "openai.responses.action"
ANTHROPIC_HOSTED: Final = "anthropic.messages.hosted"
GEMINI_HOSTED: Final = "gemini.generate_content.hosted"
BEDROCK_HOSTED: Final = "bedrock.converse.hosted"

MCP: Final = "mcp"
MCP_2025: Final = "mcp.2025_11_25.tool"
MCP_2026: Final = "mcp.2026_07_28.tool"
MCP_SAMPLING: Final = "mcp.sampling.tool_result"

AMPLIFIER: Final = "amplifier.tool"

OLLAMA: Final = "ollama.chat"
OLLAMA_TOOL: Final = "ollama.chat.tool"

COHERE: Final = "cohere.chat"
COHERE_TOOL: Final = "cohere.chat.tool"

AG_UI: Final = "ag_ui"
AG_UI_TOOL: Final = "ag_ui.tool"

AI_SDK: Final = "ai_sdk.ui"
AI_SDK_TOOL: Final = "ai_sdk.ui.tool"

CORE_HOST_RESULT: Final = "core.host_result"
CORE_TOOL_RESULT: Final = "core.tool_result"
CORE_PROVIDER_NATIVE: Final = "core.provider_native_tool_result"

HOSTED: Final = MappingProxyType(
    {
        RESPONSES_HOSTED: OPENAI_RESPONSES,
        ANTHROPIC_HOSTED: ANTHROPIC_MESSAGES,
        GEMINI_HOSTED: GEMINI,
        BEDROCK_HOSTED: BEDROCK_CONVERSE,
    }
)
"""Tools that only one provider has, and what is said of them -> its family. Elsewhere they cannot be said."""

NATIVE: Final = MappingProxyType({**HOSTED, RESPONSES_ACTION: OPENAI_RESPONSES})
"""Formats of which values are copied wherever any format of their family is accepted."""

OPT_IN: Final = frozenset({CHAT_CUSTOM, GEMINI_OPENAPI, MCP_2026, MCP_SAMPLING, *NATIVE})
"""Formats that their family does not stand for: they are written only where they are named.

A value that is in one already is still copied for its family.
"""

READ_AS_WELL: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        MCP_2026: frozenset({MCP_2025}),
        GEMINI_OPENAPI: frozenset({GEMINI_FUNCTION}),
        COHERE: frozenset({CHAT_FUNCTION}),
        COHERE_TOOL: frozenset({CHAT_FUNCTION}),
    }
)
"""For a format that is hinted at: what else a value of it may look like, for lack of anything to tell by."""

ALIASES: Final[Mapping[Kind, Mapping[str, str]]] = MappingProxyType(
    {
        "schema": MappingProxyType(
            {
                "openai.chat_completions.function.tool_schema": CHAT_FUNCTION,
                "openai.chat.function": CHAT_FUNCTION,
                "openai.responses.function.tool_schema": RESPONSES_FUNCTION,
                "openai.responses.custom": RESPONSES_CUSTOM_SCHEMA,
                "anthropic.tool": ANTHROPIC_TOOL,
                "gemini.function_declaration": GEMINI_FUNCTION,
                "mcp.tool": MCP_2025,
                OLLAMA: CHAT_FUNCTION,
                OLLAMA_TOOL: CHAT_FUNCTION,
                COHERE: CHAT_FUNCTION,
                COHERE_TOOL: CHAT_FUNCTION,
                AG_UI: AMPLIFIER,
                AG_UI_TOOL: AMPLIFIER,
            }
        ),
        "call": MappingProxyType(
            {
                "openai.chat_completions.function.tool_call": CHAT_FUNCTION,
                "openai.chat.function": CHAT_FUNCTION,
                "openai.responses.function_call": RESPONSES_FUNCTION,
                "openai.responses.function.tool_call": RESPONSES_FUNCTION,
                "openai.responses.custom_tool_call": RESPONSES_CUSTOM,
                "openai.responses.custom.tool_call": RESPONSES_CUSTOM,
                "openai.responses.custom.tool_schema": RESPONSES_CUSTOM,
                "anthropic.tool": ANTHROPIC_TOOL,
                "anthropic.tool_use": ANTHROPIC_TOOL,
                "gemini.function_call": GEMINI_FUNCTION,
                GEMINI_OPENAPI: GEMINI_FUNCTION,
                "mcp.tool": MCP_2025,
                "mcp.tools_call": MCP_2025,
                MCP_2026: MCP_2025,
                "mcp.2026_07_28": MCP_2025,
                COHERE: CHAT_FUNCTION,
                COHERE_TOOL: CHAT_FUNCTION,
                AG_UI: CHAT_FUNCTION,
                AG_UI_TOOL: CHAT_FUNCTION,
            }
        ),
        "result": MappingProxyType(
            {
                "openai.chat_completions.function.tool_result": CHAT_FUNCTION,
                "openai.chat.function": CHAT_FUNCTION,
                "openai.responses.function_call_output": RESPONSES_FUNCTION,
                "openai.responses.function.tool_result": RESPONSES_FUNCTION,
                "openai.responses.custom_tool_call_output": RESPONSES_CUSTOM,
                "openai.responses.custom.tool_result": RESPONSES_CUSTOM,
                "openai.responses.custom.tool_schema": RESPONSES_CUSTOM,
                "anthropic.tool": ANTHROPIC_TOOL,
                "anthropic.tool_result": ANTHROPIC_TOOL,
                CHAT_CUSTOM: CHAT_FUNCTION,
                "gemini.function_response": GEMINI_FUNCTION,
                GEMINI_OPENAPI: GEMINI_FUNCTION,
                "mcp.tool": MCP_2025,
                "mcp.call_tool_result": MCP_2025,
                "host_result": CORE_HOST_RESULT,
                "tool_result": CORE_TOOL_RESULT,
                "provider_native_tool_result": CORE_PROVIDER_NATIVE,
            }
        ),
    }
)
"""For each kind of value: other name -> id. Some APIs have another's form to the letter, and their family stands for it."""


_SHORT: Final = MappingProxyType(
    {"anthropic": ANTHROPIC_MESSAGES, "bedrock": BEDROCK_CONVERSE, "gemini": GEMINI}
)
"""What families are called for short, with all that begins so -> their ids."""


def canonical_format(kind: Kind, format_id: str) -> str:
    """Return the one id of a format; an id that is in no table stands for itself."""
    return ALIASES[kind].get(format_id, format_id)


def belongs_to(format_id: str, family: str) -> bool:
    """Say whether a format is a family's, or is itself what is called the family."""
    return format_id == family or format_id.startswith(family + ".")


def family_of(format_id: str, families: Iterable[str]) -> str | None:
    """Return the one of some families that a format belongs to, or that is called so for short; ``None`` if none."""
    known = tuple(families)
    for family in known:
        if belongs_to(format_id, family):
            return family
    return next(
        (family for short, family in _SHORT.items() if belongs_to(format_id, short) and family in known), None
    )


def formats_of(family: str, known: Iterable[str], kind: Kind) -> tuple[str, ...]:
    """Return the known formats of a family, in the order in which they are known; aliases count."""
    wanted = canonical_format(kind, family)
    return tuple(format_id for format_id in known if belongs_to(format_id, wanted))
