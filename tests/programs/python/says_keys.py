"""A host, or with ``mcp`` an MCP server, whose tool ``say`` answers with the keys of its argument ``keys`` and the id of its call, and no others.

The id stands first, or last if the key ``last`` is among them; the text ``DEEP`` becomes a list that is nested 100,000 deep.
"""

import json
import sys

mcp = "mcp" in sys.argv
COMMON = {"jsonrpc": "2.0"} if mcp else {"v": 1}
TOOL = {"name": "say", "description": "Say these keys.", "parameters": {"type": "object"}}
SERVER = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}
RESULTS = {
    "init": {"value": {}, "state": {}},
    "get_tool_schemas": {"value": [TOOL], "state": {}},
    "initialize": SERVER,
    "tools/list": {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]},
}


def keys_of(method, params):
    if method in {"execute_tool", "tools/call"}:
        return params["arguments"]["keys"]
    if method not in RESULTS:
        return {
            **COMMON,
            "error": {"code": -32601, "message": "no"}
            if mcp
            else {"type": "Error", "detail": "what?", "stack": ""},
        }
    return {**COMMON, "result": RESULTS[method]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        keys = keys_of(request["method"], request.get("params", {}))
        if not mcp and request["method"] != "execute_tool":
            keys["ok"] = "result" in keys
        own = {"id": request["id"]}
        said = json.dumps({**keys, **own} if keys.pop("last", False) else {**own, **keys})
        print(said.replace('"DEEP"', "[" * 100_000 + "]" * 100_000), flush=True)
