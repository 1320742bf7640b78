"""Provider-native tool results: the explicit envelope by which a formatter sends structure to the model.

Only what bears this envelope reaches a provider as structured content. Any other value that a formatter
returns is made into text, so that no dictionary becomes a provider's payload by accident. Whether the
provider at hand knows the envelope's format is for the one who builds its messages to find out.
"""

from __future__ import annotations

from typing import Any, Final

from ...base.json import copy_json

TYPE: Final = "provider_native_tool_result"

FORMAT_OPENAI_CHAT_COMPLETIONS: Final = "openai.chat_completions"
"""The content is a list of Chat Completions content parts."""

FORMAT_OPENAI_RESPONSES: Final = "openai.responses"
"""The content is what a Responses ``function_call_output`` has as its ``output``."""


def make_provider_native_tool_result(*, format: str, content: Any) -> dict[str, Any]:  # noqa: A002 - the specification's name
    """Return the envelope around a copy of ``content``, which is JSON in the provider's own shape.

    Raises:
        JsonValueError: ``content`` is not JSON.
        ValueError: ``format`` is empty.
    """
    if not format:
        raise ValueError("a provider-native tool result needs the id of its format")
    return {"type": TYPE, "format": format, "content": copy_json(content, what="content")}


def is_provider_native_tool_result(value: Any) -> bool:
    """Say whether a formatter's answer is an explicit envelope: the type, a format id, and content."""
    return (
        isinstance(value, dict)
        and value.get("type") == TYPE
        and isinstance(value.get("format"), str)
        and "content" in value
    )
