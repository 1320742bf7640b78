"""Provider-native result envelopes, under the name that plugins import them by."""

from .plugins.results.provider_native import (
    FORMAT_OPENAI_CHAT_COMPLETIONS,
    FORMAT_OPENAI_RESPONSES,
    is_provider_native_tool_result,
    make_provider_native_tool_result,
)

__all__ = [
    "FORMAT_OPENAI_CHAT_COMPLETIONS",
    "FORMAT_OPENAI_RESPONSES",
    "is_provider_native_tool_result",
    "make_provider_native_tool_result",
]
