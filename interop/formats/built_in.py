"""The formats that need no contribution. Where two could claim a value, the earlier one is asked first."""

from __future__ import annotations

from typing import Final

from ..contribution import ToolInteropContribution
from . import anthropic_messages as anthropic
from . import core_tool_result as core
from . import openai_chat_function as chat
from . import openai_responses_custom as custom
from . import openai_responses_function as responses
from . import provider_native as native

BUILT_IN: Final = ToolInteropContribution(
    schema_accessors=(
        chat.ChatFunctionSchemas(),
        responses.ResponsesFunctionSchemas(),
        custom.ResponsesCustomSchemas(),
        anthropic.AnthropicSchemas(),
    ),
    call_accessors=(
        chat.ChatFunctionCalls(),
        responses.ResponsesFunctionCalls(),
        custom.ResponsesCustomCalls(),
        anthropic.AnthropicCalls(),
    ),
    result_accessors=(
        chat.ChatToolMessages(),
        responses.ResponsesFunctionOutputs(),
        custom.ResponsesCustomOutputs(),
        anthropic.AnthropicResults(),
        core.CoreToolResults(),
        native.ProviderNativeResults(),
    ),
    schema_adapters=(
        chat.ToChatFunctionSchema(),
        responses.ToResponsesFunctionSchema(),
        custom.ToResponsesCustomSchema(),
        anthropic.ToAnthropicSchema(),
    ),
    call_adapters=(
        chat.ToChatFunctionCall(),
        responses.ToResponsesFunctionCall(),
        custom.ToResponsesCustomCall(),
        anthropic.ToAnthropicCall(),
    ),
    result_adapters=(
        chat.ToChatToolMessage(),
        responses.ToResponsesFunctionOutput(),
        custom.ToResponsesCustomOutput(),
        anthropic.ToAnthropicResult(),
        core.ToCoreToolResult(),
    ),
)
