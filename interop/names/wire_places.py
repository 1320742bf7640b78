"""Where the name of the tool and the id of the call stand, in each format."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import ConversionError
from ..format_ids import (
    AG_UI_TOOL,
    AI_SDK_TOOL,
    AMPLIFIER,
    ANTHROPIC_TOOL,
    BEDROCK_TOOL,
    CHAT_CUSTOM,
    CHAT_FUNCTION,
    COHERE_TOOL,
    CORE_HOST_RESULT,
    CORE_PROVIDER_NATIVE,
    CORE_TOOL_RESULT,
    GEMINI_FUNCTION,
    GEMINI_OPENAPI,
    HOSTED,
    MCP_2025,
    MCP_2026,
    MCP_SAMPLING,
    OLLAMA_TOOL,
    RESPONSES_ACTION,
    RESPONSES_CUSTOM,
    RESPONSES_CUSTOM_SCHEMA,
    RESPONSES_FUNCTION,
    RESPONSES_NAMESPACE,
)
from .gemini_spelling import spelt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import Kind

Path = tuple[str, ...]


class Places(NamedTuple):
    """The keys that lead to a name and to an id; none if the format has no room for it.

    Attributes:
        name: where the tool's name stands.
        call_id: where the id of the call stands.
        inside: where the value stands if it is packed into another.
    """

    name: Path | None = None
    call_id: Path | None = None
    inside: str | None = None


PLACES: Final[Mapping[Kind, Mapping[str, Places]]] = MappingProxyType(
    {
        "schema": MappingProxyType(
            {
                **dict.fromkeys(HOSTED, Places()),
                CHAT_FUNCTION: Places(("function", "name")),
                CHAT_CUSTOM: Places(("custom", "name")),
                RESPONSES_FUNCTION: Places(("name",)),
                RESPONSES_CUSTOM_SCHEMA: Places(("name",)),
                RESPONSES_NAMESPACE: Places(),
                ANTHROPIC_TOOL: Places(("name",)),
                GEMINI_FUNCTION: Places(("name",)),
                GEMINI_OPENAPI: Places(("name",)),
                BEDROCK_TOOL: Places(("toolSpec", "name")),
                MCP_2025: Places(("name",)),
                MCP_2026: Places(("name",)),
                AMPLIFIER: Places(("name",)),
            }
        ),
        "call": MappingProxyType(
            {
                **dict.fromkeys(HOSTED, Places()),
                RESPONSES_ACTION: Places(None, ("call_id",)),
                CHAT_FUNCTION: Places(("function", "name"), ("id",)),
                CHAT_CUSTOM: Places(("custom", "name"), ("id",)),
                RESPONSES_FUNCTION: Places(("name",), ("call_id",)),
                RESPONSES_CUSTOM: Places(("name",), ("call_id",)),
                ANTHROPIC_TOOL: Places(("name",), ("id",)),
                GEMINI_FUNCTION: Places(("functionCall", "name"), ("functionCall", "id")),
                BEDROCK_TOOL: Places(("toolUse", "name"), ("toolUse", "toolUseId")),
                MCP_2025: Places(("name",), inside="params"),
                AMPLIFIER: Places(("name",), ("id",)),
                OLLAMA_TOOL: Places(("function", "name"), ("id",)),
                AI_SDK_TOOL: Places(("toolName",), ("toolCallId",)),
            }
        ),
        "result": MappingProxyType(
            {
                **dict.fromkeys(HOSTED, Places()),
                RESPONSES_ACTION: Places(None, ("call_id",)),
                CHAT_FUNCTION: Places(None, ("tool_call_id",)),
                RESPONSES_FUNCTION: Places(("name",), ("call_id",)),
                RESPONSES_CUSTOM: Places(("name",), ("call_id",)),
                ANTHROPIC_TOOL: Places(None, ("tool_use_id",)),
                GEMINI_FUNCTION: Places(("functionResponse", "name"), ("functionResponse", "id")),
                BEDROCK_TOOL: Places(None, ("toolResult", "toolUseId")),
                MCP_2025: Places(),
                MCP_2026: Places(),
                MCP_SAMPLING: Places(None, ("toolUseId",)),
                AMPLIFIER: Places(None, ("tool_call_id",)),
                OLLAMA_TOOL: Places(("tool_name",), ("tool_call_id",)),
                COHERE_TOOL: Places(None, ("tool_call_id",)),
                AG_UI_TOOL: Places(None, ("toolCallId",)),
                AI_SDK_TOOL: Places(("toolName",), ("toolCallId",)),
                CORE_TOOL_RESULT: Places(),
                CORE_HOST_RESULT: Places(),
                CORE_PROVIDER_NATIVE: Places(),
            }
        ),
    }
)
"""Kind of value -> format -> where they stand."""


def put(
    kind: Kind, format_id: str, value: Any, *, name: str | None = None, call_id: str | None = None
) -> None:
    """Write a name and an id in the place of those that a value has; where it has none, it gets none.

    The value is changed, and must be the caller's own.

    Raises:
        ConversionError: a plugin's format, of which nobody knows where they stand.
    """
    places = PLACES[kind].get(format_id)
    if places is None:
        raise ConversionError(
            f"a {kind} of {format_id} has a name or an id that the provider refuses, and it is not known "
            "where they stand in this format: let its adapter write `context.names` and `context.ids`"
        )
    within = value.get(places.inside, value) if places.inside is not None else value
    for path, text in ((places.name, name), (places.call_id, call_id)):
        if path is not None and text is not None:
            _put(within, path, text)


def _put(value: Any, path: Path, text: str) -> None:
    *way, last = path
    for key in way:
        value = value[spelt(value, key)]
    if isinstance(value.get(last), str):
        value[last] = text
