"""The demonstration's tools that run in the board's own process; one of them behaves badly."""

from __future__ import annotations

import sys
import time
from typing import Any

Json = dict[str, Any]


class Sums:
    """Adds numbers."""

    name = "sums"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        return [_schema("add_numbers", "Add numbers.")]

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        """Take the time that a request to somewhere would, and add."""
        time.sleep(payload["work"] / 1000)
        return {"success": True, "result": {"n": payload["n"], "sum": sum(payload["numbers"])}}


class Moody:
    """Does as its mood is: answers, fails, raises, or tries to end the process."""

    name = "moody"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        return [_schema("try_luck", "Answer, fail, raise, or exit.")]

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        """As above."""
        time.sleep(payload["work"] / 1000)
        match payload["mood"]:
            case "raise":
                raise ValueError(f"call {payload['n']} was asked to raise")
            case "exit":
                sys.exit(3)
            case "fail":
                return {"success": False, "error": f"call {payload['n']} was asked to fail"}
        return {"success": True, "result": {"n": payload["n"], "luck": True}}


def _schema(name: str, description: str) -> Json:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": {"type": "object"}},
    }
