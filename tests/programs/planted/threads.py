"""A tool for a thread of the board's process, whose mailbox has few places."""

from __future__ import annotations

import threading
from typing import Any

Json = dict[str, Any]


class InAThread:
    """Returns what it is given, after a moment."""

    name = "threads"

    def init(self, config: Json) -> Json:
        return {}

    def get_tool_schemas(self, state: Json) -> list[Json]:
        parameters = {
            "type": "object",
            "properties": {"label": {"type": "string", "minLength": 8, "maxLength": 8}},
            "required": ["label"],
        }
        return [{"type": "function", "function": {"name": "give_back", "parameters": parameters}}]

    def execute_tool(self, tool_name: str | None, payload: Json, state: Json) -> Json:
        threading.Event().wait(0.005)
        return {"success": True, "result": payload}
