"""Forms that only one provider has: tools that it knows or runs itself, and what is said of them. By format and kind."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

HOSTED_TOOLS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "web_search"},
        {"type": "web_search_2025_08_26", "search_context_size": "low"},
        {"type": "web_search_preview"},
        {"type": "file_search", "vector_store_ids": ["vs_1"]},
        {
            "type": "mcp",
            "server_label": "docs",
            "server_url": "https://example.com",
            "require_approval": "never",
        },
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "image_generation"},
        {"type": "programmatic_tool_calling"},
        {"type": "computer"},
        {"type": "computer_use_preview", "display_height": 1, "display_width": 1, "environment": "browser"},
        {"type": "local_shell"},
        {"type": "shell"},
        {"type": "apply_patch"},
        {"type": "tool_search", "execution": "client", "parameters": {"type": "object"}},
    ],
    "anthropic.messages.hosted": [
        {"type": "bash_20250124", "name": "bash"},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9},
        {"type": "memory_20250818", "name": "memory"},
        {"type": "computer_toolset_20260801", "configs": None},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 1},
        {"type": "code_execution_20250825", "name": "code_execution"},
        {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
    ],
    "gemini.generate_content.hosted": [
        {"googleSearch": {}},
        {"google_search": {}, "url_context": None},
        {"codeExecution": {}},
        {"urlContext": {}, "googleSearch": {}},
        {"retrieval": {"vertexRagStore": {"ragCorpora": ["c"]}}},
    ],
    "bedrock.converse.hosted": [
        {"systemTool": {"name": "nova_grounding"}},
        {"cachePoint": {"type": "default"}},
    ],
}
"""Declarations."""

HOSTED_CALLS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "program", "id": "prog_1", "call_id": "c1", "code": "1", "fingerprint": "f"},
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "x", "queries": ["x"]},
        },
        {"type": "file_search_call", "id": "fs_1", "queries": ["x"], "status": "completed"},
        {
            "type": "mcp_call",
            "id": "mcp_1",
            "server_label": "docs",
            "name": "find",
            "arguments": "{}",
            "output": "x",
        },
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "docs", "tools": []},
        {
            "type": "code_interpreter_call",
            "id": "ci_1",
            "code": "1",
            "container_id": "cn",
            "outputs": [],
            "status": "completed",
        },
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "AAAA"},
        {
            "type": "tool_search_call",
            "id": "ts_1",
            "execution": "server",
            "arguments": {},
            "status": "completed",
        },
        {
            "type": "shell_call",
            "call_id": "c1",
            "action": {"commands": ["ls"]},
            "environment": {"type": "container_reference", "container_id": "cn"},
        },
    ],
    "anthropic.messages.hosted": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "find", "server_name": "docs", "input": {}},
    ],
    "gemini.generate_content.hosted": [
        {
            "toolCall": {"id": "c1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": "x"}},
            "thoughtSignature": "c2ln",
        },
        {"tool_call": {"id": "c1", "tool_type": "URL_CONTEXT", "args": None}},
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "c2ln"},
        {"executable_code": {"language": "PYTHON", "code": "print(1)", "id": "c1"}},
    ],
    "bedrock.converse.hosted": [
        {"toolUse": {"toolUseId": "c1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
    ],
}
"""Calls that the provider runs itself."""

HOSTED_RESULTS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "program_output", "id": "po_1", "call_id": "c1", "result": "x", "status": "completed"},
    ],
    "anthropic.messages.hosted": [
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": {
                "type": "code_execution_result",
                "content": [],
                "return_code": 0,
                "stderr": "",
                "stdout": "",
            },
        },
    ],
    "gemini.generate_content.hosted": [
        {"toolResponse": {"id": "c1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"a": 1}}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "no", "id": "c1"}},
        {"tool_response": {"id": "c1", "tool_type": "URL_CONTEXT", "response": None}},
    ],
}
"""What the provider's own calls came to."""

NEW_TOOLS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "web_search_2031_01_01"},
        {"type": "x_search", "allowed_x_handles": ["callboard"], "from_date": "2026-01-01"},
        {"type": "openrouter:web_search", "parameters": {"max_results": 3}},
    ],
    "anthropic.messages.hosted": [{"type": "web_search_20310101", "name": "web_search"}],
    "gemini.generate_content.hosted": [{"google_trends": {"region": "NO"}, "function_declarations": None}],
}
"""Declarations that the pinned SDKs do not know: of other servers, and of years to come."""

NEW_CALLS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "x_search_call", "id": "xs_1", "action": {"query": "x"}, "status": "completed"}
    ],
    "anthropic.messages.hosted": [{"type": "web_tool_use", "id": "wtoolu_1", "name": "find", "input": {}}],
}

NEW_RESULTS: dict[str, list[Json]] = {
    "openai.responses.hosted": [
        {"type": "x_search_call_output", "id": "xso_1", "call_id": "c1", "output": "x"}
    ],
    "anthropic.messages.hosted": [
        {"type": "web_browse_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    ],
}

ACTIONS: dict[str, Json] = {
    "shell": {
        "type": "shell_call",
        "id": "sh_1",
        "call_id": "c1",
        "action": {"commands": ["ls"], "timeout_ms": 9},
        "environment": {"type": "local"},
        "status": "completed",
    },
    "apply_patch": {
        "type": "apply_patch_call",
        "id": "apc_1",
        "call_id": "c1",
        "operation": {"type": "delete_file", "path": "a"},
        "status": "completed",
    },
    "computer": {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "c1",
        "actions": [{"type": "screenshot"}],
        "pending_safety_checks": [],
        "status": "completed",
    },
    "local_shell": {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "c1",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
        "status": "completed",
    },
    "tool_search": {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": "c1",
        "execution": "client",
        "arguments": {"goal": "x"},
        "status": "completed",
    },
    "mcp_approval": {
        "type": "mcp_approval_request",
        "id": "c1",
        "server_label": "docs",
        "name": "find",
        "arguments": '{"a": 1}',
    },
}
"""Calls of Responses that whoever asked has to act on, by the tool that they are to."""

ACTION_OUTPUTS: dict[str, Json] = {
    "shell": {
        "type": "shell_call_output",
        "call_id": "c1",
        "output": [{"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 1}}],
    },
    "apply_patch": {"type": "apply_patch_call_output", "call_id": "c1", "status": "failed", "output": "no"},
    "computer": {
        "type": "computer_call_output",
        "call_id": "c1",
        "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"},
    },
    "local_shell": {"type": "local_shell_call_output", "id": "c1", "output": "a"},
    "tool_search": {
        "type": "tool_search_output",
        "call_id": "c1",
        "execution": "client",
        "tools": [],
        "status": "completed",
    },
    "mcp_approval": {"type": "mcp_approval_response", "approval_request_id": "c1", "approve": True},
}
"""What they are answered with."""

PENDING: list[Json] = [
    {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}, "requestState": "s"},
    {
        "task": {
            "taskId": "t",
            "status": "working",
            "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "ttl": None,
        }
    },
]
"""What a server of MCP says while there is no result yet."""
