"""OpenAI Chat Completions before there were tools: ``message.function_call``, and messages of the role ``function``.

Old histories and servers that never moved on have them. They are only read: a call has no id, its answer
none either, so that two calls in one turn could not be told apart. It is no format of the family of Chat
Completions, for in there it would be copied to where only ``tool_calls`` belong.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers, parse_arguments, read_function_call
from ..calls.sanitizer import replayable_arguments
from ..format_ids import CHAT_LEGACY
from ..hub import InspectedCall, InspectedResult
from .openai_content import read_content


class LegacyChatCalls:
    """Reads the object under ``function_call``."""

    format: ClassVar[str] = CHAT_LEGACY
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A name and arguments as text, and nothing else; as an object they are a call of MCP's."""
        return value.keys() == {"name", "arguments"} and isinstance(value["arguments"], str)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for."""
        arguments = parse_arguments(value["arguments"])
        return read_function_call(CHAT_LEGACY, None, value["name"], arguments, metadata={})

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are a JSON object as text."""
        clean = replayable_arguments(value["arguments"])
        return value if clean is value["arguments"] else {"name": value["name"], "arguments": clean}


class LegacyChatMessages:
    """Reads messages of the role ``function``."""

    format: ClassVar[str] = CHAT_LEGACY
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The role says it all."""
        return value.get("role") == "function"

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told; the name of the tool stands in place of an id."""
        name = value.get("name")
        extras = leftovers(value, ("role", "name", "content"))
        return InspectedResult(
            format=CHAT_LEGACY,
            tool_name=name if isinstance(name, str) and name else None,
            parts=read_content(CHAT_LEGACY, value.get("content")),
            extras={CHAT_LEGACY: extras} if extras else {},
        )
