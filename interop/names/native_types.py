"""What providers call the tools that only they have: types of declarations, of calls and of results.

Those that are known by their types are told here; what is known by a key stands with its reader.
"""

from __future__ import annotations

from typing import Any, Final

RESPONSES_TOOLS: Final = frozenset(
    {
        "apply_patch",
        "code_interpreter",
        "computer",
        "computer_use_preview",
        "file_search",
        "image_generation",
        "local_shell",
        "mcp",
        "programmatic_tool_calling",
        "shell",
        "tool_search",
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
        "web_search_preview_2025_03_11",
    }
)
"""Declarations of the Responses API."""

RESPONSES_CALLS: Final = frozenset(
    {
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "program",
        "web_search_call",
    }
)
"""Items of the Responses API that the server runs, most of which say what came of it too."""

RESPONSES_RESULTS: Final = frozenset({"program_output"})

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

ANTHROPIC_RESULTS: Final = frozenset(
    {
        "advisor_tool_result",
        "bash_code_execution_tool_result",
        "code_execution_tool_result",
        "mcp_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "web_fetch_tool_result",
        "web_search_tool_result",
    }
)
"""Blocks of Anthropic's that say what a tool of its own came to."""


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
