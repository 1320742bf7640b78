"""The formats that need no contribution. Where two could claim a value, the earlier one is asked first.

Two pairs look alike to the letter, and only a hint tells them apart: an Anthropic tool and one of
Amplifier's, and a failure of any tool that says nothing but its error.

Each stands here by the module and the class that it is, what it reads or writes and, if it reads, what ``value["type"]`` it
is shown; the module is imported when the first such value comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...base.threads import import_apart
from ..conversion import HUB
from ..format_ids import (
    AG_UI_TOOL,
    AI_SDK_TOOL,
    AMPLIFIER,
    ANTHROPIC_HOSTED,
    ANTHROPIC_TOOL,
    BEDROCK_HOSTED,
    BEDROCK_TOOL,
    CHAT_CUSTOM,
    CHAT_FUNCTION,
    CHAT_LEGACY,
    COHERE_TOOL,
    CORE_HOST_RESULT,
    CORE_PROVIDER_NATIVE,
    CORE_TOOL_RESULT,
    GEMINI_FUNCTION,
    GEMINI_HOSTED,
    GEMINI_OPENAPI,
    MCP_2025,
    MCP_2026,
    MCP_SAMPLING,
    OLLAMA_TOOL,
    RESPONSES_ACTION,
    RESPONSES_CUSTOM,
    RESPONSES_CUSTOM_SCHEMA,
    RESPONSES_FUNCTION,
    RESPONSES_HOSTED,
    RESPONSES_NAMESPACE,
)
from ..names.native_types import ACTIONS, OUTPUTS
from ..registry.contribution import ToolInteropContribution

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from ..conversion import ConversionContext, Converted


class _Late:
    """Stands in for a member of a format, whose module is imported when a value first comes to it.

    Most programs meet two of the formats, and all of them together take as long to import as a whole room. A stand-in
    has what the registry sorts by; the rest it fetches, once, and is then no longer on the way of a call.

    What a reader would get wrong: it repeats what its class says of itself. A test holds the two together.

    Args:
        place: the module beside this one and the class in it: ``mcp_tools:McpCalls``.
        given: what the class is made with.

    Attributes:
        stands_for: the name of the class.
    """

    def __init__(self, place: str, given: tuple[Any, ...]) -> None:
        self._module, _, name = place.partition(":")
        self.stands_for: str = name
        self._given = given

    def real(self) -> Any:
        """Fetch what this stands for, which from now on answers by itself."""
        made = getattr(import_apart(f".{self._module}", __package__), self.stands_for)(*self._given)
        for name in ("matches", "inspect", "sanitize", "convert"):
            if hasattr(made, name):
                vars(self)[name] = getattr(made, name)
        return made


class LateAccessor(_Late):
    """Stands for an accessor of any kind; see `protocols`.

    Args:
        place: see `_Late`.
        format_id: of the format that it reads.
        types: what ``value["type"]`` may be; ``None`` among them for no such key. ``None`` for anything.
        given: see `_Late`.
    """

    def __init__(
        self, place: str, format_id: str, types: AbstractSet[str | None] | None, *given: Any
    ) -> None:
        super().__init__(place, given)
        self.format = format_id
        self.discriminators: frozenset[str | None] | None = None if types is None else frozenset(types)

    def matches(self, value: Any, /) -> bool:
        return bool(self.real().matches(value))

    def inspect(self, value: Any, /) -> Any:
        return self.real().inspect(value)

    def sanitize(self, value: Any, /) -> Any:
        """See `protocols.CallAccessor`; nobody else is asked this."""
        return self.real().sanitize(value)


class LateAdapter(_Late):
    """Stands for an adapter of any kind, which writes whatever was inspected; see `protocols`.

    Args:
        place: see `_Late`.
        format_id: of the format that it writes.
        given: see `_Late`.
    """

    source: ClassVar[str] = HUB

    def __init__(self, place: str, format_id: str, *given: Any) -> None:
        super().__init__(place, given)
        self.target = format_id

    def convert(self, value: Any, context: ConversionContext, /) -> Converted | None:
        converted: Converted | None = self.real().convert(value, context)
        return converted


BUILT_IN: Final = ToolInteropContribution(
    schema_accessors=(
        LateAccessor("openai_chat_function:ChatFunctionSchemas", CHAT_FUNCTION, {"function", None}),
        LateAccessor("openai_chat_custom:ChatCustomSchemas", CHAT_CUSTOM, {"custom"}),
        LateAccessor("openai_responses_function:ResponsesFunctionSchemas", RESPONSES_FUNCTION, {"function"}),
        LateAccessor("openai_responses_custom:ResponsesCustomSchemas", RESPONSES_CUSTOM_SCHEMA, {"custom"}),
        LateAccessor("openai_responses_namespace:ResponsesNamespaces", RESPONSES_NAMESPACE, {"namespace"}),
        LateAccessor("anthropic_messages:AnthropicSchemas", ANTHROPIC_TOOL, {"custom", None}),
        LateAccessor("gemini_function:GeminiSchemas", GEMINI_FUNCTION, {None}),
        LateAccessor("gemini_openapi:GeminiOpenapiSchemas", GEMINI_OPENAPI, {None}),
        LateAccessor("bedrock_converse:BedrockSchemas", BEDROCK_TOOL, {None}),
        LateAccessor("mcp_tools:McpSchemas", MCP_2025, {None}, MCP_2025),
        LateAccessor("mcp_tools:McpSchemas", MCP_2026, {None}, MCP_2026),
        LateAccessor("amplifier_tool:AmplifierSchemas", AMPLIFIER, {None}),
        LateAccessor("hosted_tools:ResponsesHostedTools", RESPONSES_HOSTED, None),
        LateAccessor("hosted_tools:AnthropicHostedTools", ANTHROPIC_HOSTED, None),
        LateAccessor("hosted_tools:GeminiHostedTools", GEMINI_HOSTED, {None}),
        LateAccessor("hosted_tools:BedrockHostedTools", BEDROCK_HOSTED, {None}),
    ),
    call_accessors=(
        LateAccessor("openai_chat_function:ChatFunctionCalls", CHAT_FUNCTION, {"function", None}),
        LateAccessor("openai_chat_custom:ChatCustomCalls", CHAT_CUSTOM, {"custom"}),
        LateAccessor(
            "openai_responses_function:ResponsesFunctionCalls", RESPONSES_FUNCTION, {"function_call"}
        ),
        LateAccessor("openai_responses_custom:ResponsesCustomCalls", RESPONSES_CUSTOM, {"custom_tool_call"}),
        LateAccessor("anthropic_messages:AnthropicCalls", ANTHROPIC_TOOL, {"tool_use"}),
        LateAccessor("gemini_function:GeminiCalls", GEMINI_FUNCTION, {None}),
        LateAccessor("bedrock_converse:BedrockCalls", BEDROCK_TOOL, {None}),
        LateAccessor("mcp_tools:McpCalls", MCP_2025, {None}),
        LateAccessor("amplifier_tool:AmplifierCalls", AMPLIFIER, {"tool_call", None}),
        LateAccessor("openai_chat_legacy:LegacyChatCalls", CHAT_LEGACY, {None}),
        LateAccessor("ollama_chat:OllamaCalls", OLLAMA_TOOL, {"function", None}),
        LateAccessor("ai_sdk_parts:AiSdkCalls", AI_SDK_TOOL, None),
        LateAccessor("openai_responses_actions:ResponsesActions", RESPONSES_ACTION, ACTIONS),
        LateAccessor("hosted_calls:ResponsesHostedCalls", RESPONSES_HOSTED, None),
        LateAccessor("hosted_calls:AnthropicHostedCalls", ANTHROPIC_HOSTED, None),
        LateAccessor("hosted_calls:GeminiHostedCalls", GEMINI_HOSTED, {None}),
        LateAccessor("hosted_calls:BedrockHostedCalls", BEDROCK_HOSTED, {None}),
    ),
    result_accessors=(
        LateAccessor("openai_chat_function:ChatToolMessages", CHAT_FUNCTION, {None}),
        LateAccessor(
            "openai_responses_function:ResponsesFunctionOutputs", RESPONSES_FUNCTION, {"function_call_output"}
        ),
        LateAccessor(
            "openai_responses_custom:ResponsesCustomOutputs", RESPONSES_CUSTOM, {"custom_tool_call_output"}
        ),
        LateAccessor("anthropic_messages:AnthropicResults", ANTHROPIC_TOOL, {"tool_result"}),
        LateAccessor("gemini_function:GeminiResults", GEMINI_FUNCTION, {None}),
        LateAccessor("bedrock_converse:BedrockResults", BEDROCK_TOOL, {None}),
        LateAccessor("mcp_tools:McpResults", MCP_2025, {None}, MCP_2025),
        LateAccessor("mcp_tools:McpResults", MCP_2026, {None}, MCP_2026),
        LateAccessor("mcp_tools:McpResults", MCP_SAMPLING, {"tool_result"}, MCP_SAMPLING),
        LateAccessor("core_tool_result:CoreToolResults", CORE_TOOL_RESULT, {"tool_result"}),
        LateAccessor(
            "provider_native:ProviderNativeResults", CORE_PROVIDER_NATIVE, {"provider_native_tool_result"}
        ),
        LateAccessor("core_host_result:CoreHostResults", CORE_HOST_RESULT, {None}),
        LateAccessor("amplifier_tool:AmplifierResults", AMPLIFIER, {"tool_result", None}),
        LateAccessor("openai_chat_legacy:LegacyChatMessages", CHAT_LEGACY, {None}),
        LateAccessor("ollama_chat:OllamaToolMessages", OLLAMA_TOOL, {None}),
        LateAccessor("cohere_chat:CohereToolMessages", COHERE_TOOL, {None}),
        LateAccessor("ag_ui_messages:AgUiResults", AG_UI_TOOL, {None, "TOOL_CALL_RESULT"}),
        LateAccessor("ai_sdk_parts:AiSdkResults", AI_SDK_TOOL, None),
        LateAccessor("openai_responses_actions:ResponsesActionOutputs", RESPONSES_ACTION, OUTPUTS),
        LateAccessor("hosted_calls:ResponsesHostedResults", RESPONSES_HOSTED, None),
        LateAccessor("hosted_calls:AnthropicHostedResults", ANTHROPIC_HOSTED, None),
        LateAccessor("hosted_calls:GeminiHostedResults", GEMINI_HOSTED, {None}),
    ),
    schema_adapters=(
        LateAdapter("openai_chat_function:ToChatFunctionSchema", CHAT_FUNCTION),
        LateAdapter("openai_chat_custom:ToChatCustomSchema", CHAT_CUSTOM),
        LateAdapter("openai_responses_function:ToResponsesFunctionSchema", RESPONSES_FUNCTION),
        LateAdapter("openai_responses_custom:ToResponsesCustomSchema", RESPONSES_CUSTOM_SCHEMA),
        LateAdapter("anthropic_messages:ToAnthropicSchema", ANTHROPIC_TOOL),
        LateAdapter("gemini_function:ToGeminiSchema", GEMINI_FUNCTION),
        LateAdapter("gemini_openapi:ToGeminiOpenapiSchema", GEMINI_OPENAPI),
        LateAdapter("bedrock_converse:ToBedrockSchema", BEDROCK_TOOL),
        LateAdapter("mcp_tools:ToMcpSchema", MCP_2025, MCP_2025),
        LateAdapter("mcp_tools:ToMcpSchema", MCP_2026, MCP_2026),
        LateAdapter("amplifier_tool:ToAmplifierSchema", AMPLIFIER),
    ),
    call_adapters=(
        LateAdapter("openai_chat_function:ToChatFunctionCall", CHAT_FUNCTION),
        LateAdapter("openai_chat_custom:ToChatCustomCall", CHAT_CUSTOM),
        LateAdapter("openai_responses_function:ToResponsesFunctionCall", RESPONSES_FUNCTION),
        LateAdapter("openai_responses_custom:ToResponsesCustomCall", RESPONSES_CUSTOM),
        LateAdapter("anthropic_messages:ToAnthropicCall", ANTHROPIC_TOOL),
        LateAdapter("gemini_function:ToGeminiCall", GEMINI_FUNCTION),
        LateAdapter("bedrock_converse:ToBedrockCall", BEDROCK_TOOL),
        LateAdapter("mcp_tools:ToMcpCall", MCP_2025),
        LateAdapter("amplifier_tool:ToAmplifierCall", AMPLIFIER),
        LateAdapter("ollama_chat:ToOllamaCall", OLLAMA_TOOL),
        LateAdapter("ai_sdk_parts:ToAiSdkCall", AI_SDK_TOOL),
    ),
    result_adapters=(
        LateAdapter("openai_chat_function:ToChatToolMessage", CHAT_FUNCTION),
        LateAdapter("openai_responses_function:ToResponsesFunctionOutput", RESPONSES_FUNCTION),
        LateAdapter("openai_responses_custom:ToResponsesCustomOutput", RESPONSES_CUSTOM),
        LateAdapter("anthropic_messages:ToAnthropicResult", ANTHROPIC_TOOL),
        LateAdapter("gemini_function:ToGeminiResult", GEMINI_FUNCTION),
        LateAdapter("bedrock_converse:ToBedrockResult", BEDROCK_TOOL),
        LateAdapter("mcp_tools:ToMcpResult", MCP_2025, MCP_2025),
        LateAdapter("mcp_tools:ToMcpResult", MCP_2026, MCP_2026),
        LateAdapter("core_tool_result:ToCoreToolResult", CORE_TOOL_RESULT),
        LateAdapter("amplifier_tool:ToAmplifierResult", AMPLIFIER),
        LateAdapter("openai_responses_actions:ToResponsesActionOutput", RESPONSES_ACTION),
        LateAdapter("ollama_chat:ToOllamaToolMessage", OLLAMA_TOOL),
        LateAdapter("cohere_chat:ToCohereToolMessage", COHERE_TOOL),
        LateAdapter("ag_ui_messages:ToAgUiResult", AG_UI_TOOL),
        LateAdapter("ai_sdk_parts:ToAiSdkResult", AI_SDK_TOOL),
    ),
)
