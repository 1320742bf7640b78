"""The two spellings of Gemini's keys: the wire's own, and the snake case in which its Python SDK dumps values.

The server takes both, and a null for whatever is unsaid: the SDK dumps one for each field that is not set. So a
value is read in either, and keeps its own. What the SDK has as bytes is base64 text here, as on the wire.
"""

from __future__ import annotations

import base64
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")

_KEYS: Final = (
    "functionCall",
    "functionResponse",
    "toolCall",
    "toolResponse",
    "toolType",
    "executableCode",
    "codeExecutionResult",
    "thoughtSignature",
    "partialArgs",
    "willContinue",
    "jsonPath",
    "stringValue",
    "numberValue",
    "boolValue",
    "nullValue",
    "finishReason",
    "responseId",
    "inlineData",
    "mimeType",
    "fileData",
    "fileUri",
    "displayName",
)

SNAKE: Final[Mapping[str, str]] = MappingProxyType({key: _CAPITAL.sub("_", key).lower() for key in _KEYS})
"""The wire's key -> the SDK's."""

_CAMEL: Final = MappingProxyType({snake: key for key, snake in SNAKE.items()})


def spelt(value: Mapping[str, Any], key: str) -> str:
    """Return a key as a value spells it; the wire's spelling if it has neither."""
    snake = SNAKE.get(key)
    return key if snake is None or value.get(key) is not None or value.get(snake) is None else snake


def said(value: Mapping[str, Any], key: str) -> Any:
    """Return what a value says under a key, in either spelling; ``None`` if nothing."""
    return value.get(spelt(value, key))


def wire_key(key: str) -> str:
    """Return the wire's spelling of a key."""
    return _CAMEL.get(key, key)


def wire_keys(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a value says, in the wire's spelling; what is null is unsaid."""
    return {wire_key(key): item for key, item in value.items() if item is not None}


def beside(value: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Return what a value says beside the keys that are known, which are given in the wire's spelling."""
    return {key: item for key, item in value.items() if item is not None and wire_key(key) not in known}


def as_base64(value: Any) -> Any:
    """Return bytes as base64 text, and all else as it is."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
