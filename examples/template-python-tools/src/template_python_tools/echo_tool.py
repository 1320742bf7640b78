"""The tool `echo`: gives a text back, and counts its calls in the state."""

from __future__ import annotations

import asyncio
from typing import Any

from callboard.types import ToolPlugin


class EchoTool(ToolPlugin):
    """State is JSON, made by `init` of the plugin's configuration; an instance may be made anew at any time."""

    name = "echo_tool"
    version = "0.1.0"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"greeting": config.get("greeting", ""), "calls": 0}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": "function",
                "function": {
                    "name": "echo",
                    "description": "Echo back the provided value.",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "value": {"type": "string", "description": "What to say."},
                            "seconds": {"type": "number", "description": "How long to wait before."},
                        },
                        "required": ["value"],
                        "additionalProperties": False,
                    },
                },
            }
        ]

    async def execute_tool_async(
        self, tool_name: str | None, payload: Any, state: dict[str, Any]
    ) -> dict[str, Any]:
        """What takes time is awaited: when the answer is not awaited any more, this is cancelled there, as any task is.

        A tool that waits by `execute_tool`, and so cannot be, costs its thread, or its process if it has one.
        """
        if tool_name != "echo":
            return {"success": False, "error": f"Unknown tool: {tool_name}"}
        match payload:
            case {"value": str(value)}:
                await asyncio.sleep(payload.get("seconds", 0))
            case _:
                return {"success": False, "error": "value must be a string"}
        state["calls"] += 1
        return {"success": True, "result": {"value": state["greeting"] + value, "calls": state["calls"]}}

    def format_tool_call_preview(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> str:
        """What a person sees before the call."""
        match payload:
            case {"value": str(value)}:
                return f"echo {value!r}"
            case _:
                return ""

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        """What the model reads."""
        return str(result["result"]["value"]) if result["success"] else f"Error: {result['error']}"
