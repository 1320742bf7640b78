"""Calls that a provider runs itself, and what they came to, as they stand in its answers.

They are its own business: a call is read as one that must not be run, and goes home with its result as they are. A
history that is told to another provider is told without them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import fault
from ..format_ids import ANTHROPIC_HOSTED, BEDROCK_HOSTED, GEMINI_HOSTED, RESPONSES_HOSTED
from ..hub import InspectedCall, InspectedResult
from ..names.gemini_spelling import said
from ..names.native_types import is_hosted_call, is_hosted_result
from ..parts import UnreadPart


class ResponsesHostedCalls:
    """Reads items that the server runs."""

    format: ClassVar[str] = RESPONSES_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None  # there is a new one every few months

    def matches(self, value: Any) -> bool:
        """The type says it, unless the client is to act on it."""
        return isinstance(value, dict) and is_hosted_call(value)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return a call that must not be run."""
        return _hosted(RESPONSES_HOSTED, value.get("call_id") or value.get("id"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call: the server wrote it."""
        return value


class AnthropicHostedCalls:
    """Reads ``server_tool_use`` and ``mcp_tool_use`` blocks, and what else ends so."""

    format: ClassVar[str] = ANTHROPIC_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None

    def matches(self, value: Any) -> bool:
        """The type says it all."""
        return _ends(value, "_tool_use")

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return a call that must not be run."""
        return _hosted(ANTHROPIC_HOSTED, value.get("id"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call: the server wrote it."""
        return value


class GeminiHostedCalls:
    """Reads ``toolCall`` parts, and code that Gemini runs: ``executableCode``."""

    format: ClassVar[str] = GEMINI_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key, and what it holds: a call that names its tool is none of Gemini's own."""
        found = _under(value, ("toolCall", "executableCode"))
        return found is not None and not found[1].keys() & {"name", "function"}

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return a call that must not be run."""
        _, call = _under(value, ("toolCall", "executableCode")) or ("", {})
        return _hosted(GEMINI_HOSTED, call.get("id"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call: the server wrote it."""
        return value


class BedrockHostedCalls:
    """Reads ``toolUse`` blocks of tools that the model's host runs."""

    format: ClassVar[str] = BEDROCK_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key, and the type in it."""
        use = value.get("toolUse")
        return isinstance(use, dict) and use.get("type") == "server_tool_use"

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return a call that must not be run."""
        return _hosted(BEDROCK_HOSTED, value["toolUse"].get("toolUseId"))

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call: the server wrote it."""
        return value


class ResponsesHostedResults:
    """Reads items that say what the server's own call came to, where the call itself does not."""

    format: ClassVar[str] = RESPONSES_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None

    def matches(self, value: Any) -> bool:
        """The type says it all."""
        return isinstance(value, dict) and is_hosted_result(value)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return a result of which nothing is read."""
        return _unread(RESPONSES_HOSTED, value.get("call_id"), value["type"])


class AnthropicHostedResults:
    """Reads blocks that say what the server's own call came to."""

    format: ClassVar[str] = ANTHROPIC_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = None

    def matches(self, value: Any) -> bool:
        """The type says it, and the call that it belongs to."""
        return _ends(value, "_tool_result") and "tool_use_id" in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return a result of which nothing is read."""
        return _unread(ANTHROPIC_HOSTED, value.get("tool_use_id"), value["type"])


class GeminiHostedResults:
    """Reads ``toolResponse`` parts, and what code that Gemini ran came to: ``codeExecutionResult``."""

    format: ClassVar[str] = GEMINI_HOSTED
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it all."""
        return _under(value, ("toolResponse", "codeExecutionResult")) is not None

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return a result of which nothing is read."""
        key, result = _under(value, ("toolResponse", "codeExecutionResult")) or ("", {})
        return _unread(GEMINI_HOSTED, result.get("id"), key)


def _ends(value: Any, ending: str) -> bool:
    stated = value.get("type") if isinstance(value, dict) else None
    return isinstance(stated, str) and stated.endswith(ending)


def _under(value: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, dict[str, Any]] | None:
    """Return the first of Gemini's keys under which a part has an object, and that object."""
    return next(((key, it) for key in keys if isinstance(it := said(value, key), dict)), None)


def _hosted(format_id: str, call_id: Any) -> InspectedCall:
    problem = fault("hosted", "the provider runs this call itself")
    return InspectedCall(
        format_id, _text(call_id), None, None, None, "malformed", None, {"error": problem}, None
    )


def _unread(format_id: str, call_id: Any, kind: str) -> InspectedResult:
    return InspectedResult(format_id, call_id=_text(call_id), parts=(UnreadPart(kind),))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
