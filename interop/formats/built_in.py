"""The formats that need no contribution. Where two could claim a value, the earlier one is asked first.

Two pairs look alike to the letter, and only a hint tells them apart: an Anthropic tool and one of
Amplifier's, and a failure of any tool that says nothing but its error.
"""

from __future__ import annotations

from typing import Final

from ..contribution import ToolInteropContribution
from ..format_ids import MCP_2025, MCP_2026, MCP_SAMPLING
from . import amplifier_tool as amplifier
from . import anthropic_messages as anthropic
from . import bedrock_converse as bedrock
from . import core_host_result as host
from . import core_tool_result as core
from . import gemini_function as gemini
from . import gemini_openapi as openapi
from . import mcp_tools as mcp
from . import openai_chat_custom as chat_custom
from . import openai_chat_function as chat
from . import openai_chat_legacy as legacy
from . import openai_responses_custom as custom
from . import openai_responses_function as responses
from . import openai_responses_namespace as namespace
from . import provider_native as native

BUILT_IN: Final = ToolInteropContribution(
    schema_accessors=(
        chat.ChatFunctionSchemas(),
        chat_custom.ChatCustomSchemas(),
        responses.ResponsesFunctionSchemas(),
        custom.ResponsesCustomSchemas(),
        namespace.ResponsesNamespaces(),
        anthropic.AnthropicSchemas(),
        gemini.GeminiSchemas(),
        openapi.GeminiOpenapiSchemas(),
        bedrock.BedrockSchemas(),
        mcp.McpSchemas(MCP_2025),
        mcp.McpSchemas(MCP_2026),
        amplifier.AmplifierSchemas(),
    ),
    call_accessors=(
        chat.ChatFunctionCalls(),
        chat_custom.ChatCustomCalls(),
        responses.ResponsesFunctionCalls(),
        custom.ResponsesCustomCalls(),
        anthropic.AnthropicCalls(),
        gemini.GeminiCalls(),
        bedrock.BedrockCalls(),
        mcp.McpCalls(),
        amplifier.AmplifierCalls(),
        legacy.LegacyChatCalls(),
    ),
    result_accessors=(
        chat.ChatToolMessages(),
        responses.ResponsesFunctionOutputs(),
        custom.ResponsesCustomOutputs(),
        anthropic.AnthropicResults(),
        gemini.GeminiResults(),
        bedrock.BedrockResults(),
        mcp.McpResults(MCP_2025),
        mcp.McpResults(MCP_2026),
        mcp.McpResults(MCP_SAMPLING),
        core.CoreToolResults(),
        native.ProviderNativeResults(),
        host.CoreHostResults(),
        amplifier.AmplifierResults(),
        legacy.LegacyChatMessages(),
    ),
    schema_adapters=(
        chat.ToChatFunctionSchema(),
        chat_custom.ToChatCustomSchema(),
        responses.ToResponsesFunctionSchema(),
        custom.ToResponsesCustomSchema(),
        anthropic.ToAnthropicSchema(),
        gemini.ToGeminiSchema(),
        openapi.ToGeminiOpenapiSchema(),
        bedrock.ToBedrockSchema(),
        mcp.ToMcpSchema(MCP_2025),
        mcp.ToMcpSchema(MCP_2026),
        amplifier.ToAmplifierSchema(),
    ),
    call_adapters=(
        chat.ToChatFunctionCall(),
        chat_custom.ToChatCustomCall(),
        responses.ToResponsesFunctionCall(),
        custom.ToResponsesCustomCall(),
        anthropic.ToAnthropicCall(),
        gemini.ToGeminiCall(),
        bedrock.ToBedrockCall(),
        mcp.ToMcpCall(),
        amplifier.ToAmplifierCall(),
    ),
    result_adapters=(
        chat.ToChatToolMessage(),
        responses.ToResponsesFunctionOutput(),
        custom.ToResponsesCustomOutput(),
        anthropic.ToAnthropicResult(),
        gemini.ToGeminiResult(),
        bedrock.ToBedrockResult(),
        mcp.ToMcpResult(MCP_2025),
        mcp.ToMcpResult(MCP_2026),
        core.ToCoreToolResult(),
        amplifier.ToAmplifierResult(),
    ),
)
