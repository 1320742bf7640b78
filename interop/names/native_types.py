"""What providers call the tools that only they have: types of declarations, of calls and of results.

Those that are known by their types are told here; what is known by a key stands with its reader. Calls that the client has
to act on are a list, since each is answered in a form of its own. All else goes by rule.
"""

from __future__ import annotations

import re
from typing import Any, Final

ACTIONS: Final = frozenset(
    {
        "apply_patch_call",
        "computer_call",
        "local_shell_call",
        "mcp_approval_request",
        "shell_call",
        "tool_search_call",
    }
)
"""Items of the Responses API that the client has to act on; two of them may be the server's own."""

OUTPUTS: Final = frozenset(
    {
        "apply_patch_call_output",
        "computer_call_output",
        "local_shell_call_output",
        "mcp_approval_response",
        "shell_call_output",
        "tool_search_output",
    }
)
"""What actions are answered with."""

_TOOL = re.compile(r"[a-z][a-z0-9_:-]{0,63}")

_OF_OTHERS: Final = frozenset(
    {"function", "custom", "namespace", "array", "boolean", "integer", "null", "number", "object", "string"}
)
"""Types of declarations that have a schema, and of schemas."""

_NO_TOOLS: Final = ("_call", "_delta", "_output", "_request", "_response", "_result", "_use")
"""How types of items and of blocks end."""

_ELSEWHERE: Final = frozenset(
    {
        "call_id",
        "content",
        "custom",
        "function",
        "id",
        "input_schema",
        "inputSchema",
        "name",
        "properties",
        "role",
    }
)
"""Keys by which a value is said to be something else: a function with a type of its own, an item, a message, a schema."""

_OWN_CALLS: Final = frozenset({"function_call", "custom_tool_call", "tool_call"})
_OWN_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


def is_hosted_tool(value: dict[str, Any]) -> bool:
    """Say whether a declaration is of a tool that the Responses API, or a server that speaks it, knows by its type alone.

    It is so by its looks, not by a list: there is a new one every few months (``x_search``, a date behind an old name), and
    one that is not read fails the whole request.
    """
    stated = value.get("type")
    if not isinstance(stated, str) or not _TOOL.fullmatch(stated):
        return False
    # A part of a message has its content under its own type: {"type": "text", "text": …}.
    if stated in _OF_OTHERS or stated in value or stated.endswith(_NO_TOOLS):
        return False
    return not value.keys() & _ELSEWHERE


def is_hosted_call(item: dict[str, Any]) -> bool:
    """Say whether an item of the Responses API is a call that the server runs; most of them say what came of it too."""
    stated = item.get("type")
    if not isinstance(stated, str) or stated in _OWN_CALLS:
        return False
    if stated in ACTIONS:
        return not is_for_the_client(item)
    return stated in {"mcp_list_tools", "program"} or stated.endswith("_call")


def is_hosted_result(item: dict[str, Any]) -> bool:
    """Say whether an item of the Responses API tells what a call of the server's own came to."""
    stated = item.get("type")
    if not isinstance(stated, str) or stated in OUTPUTS or stated in _OWN_OUTPUTS:
        return False
    return stated == "program_output" or stated.endswith("_call_output")


def is_for_the_client(item: dict[str, Any]) -> bool:
    """Say whether an item of one of these types is for the client to act on, and not the server's own."""
    match item:
        case {"type": "tool_search_call", "execution": execution}:
            return bool(execution == "client")
        case {"type": "tool_search_call"}:
            return False
        case {"type": "shell_call", "environment": {"type": str(where)}}:
            return where == "local"
    return True
