"""The tool `count_words`: one that tells parts before its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.types import ToolPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator


def count_words(text: str) -> int:
    """The plain function behind the tool: what is worth testing needs no agent."""
    return len(text.split())


class CountWordsTool(ToolPlugin):
    """Counts line by line."""

    name = "count_words_tool"
    version = "0.1.0"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": "function",
                "function": {
                    "name": "count_words",
                    "description": "Count the words of a text.",
                    "parameters": {
                        "type": "object",
                        "properties": {"text": {"type": "string"}},
                        "required": ["text"],
                        "additionalProperties": False,
                    },
                },
            }
        ]

    def stream_tool(
        self, tool_name: str | None, payload: Any, state: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Each `part` is told at once; what has `success` is the answer."""
        match payload:
            case {"text": str(text)}:
                words = 0
                for number, line in enumerate(text.splitlines(), 1):
                    words += count_words(line)
                    yield {"part": {"line": number, "words": words}}
                yield {"success": True, "result": {"words": words}}
            case _:
                yield {"success": False, "error": "text must be a string"}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        """What the model reads."""
        return f"{result['result']['words']} words" if result["success"] else f"Error: {result['error']}"
