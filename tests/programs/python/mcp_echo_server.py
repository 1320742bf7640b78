"""An MCP server of one tool, which gives back its text."""

import json
import sys

TOOLS = [{"name": "echo", "inputSchema": {"type": "object"}}]


def answer(method, params):
    match method:
        case "initialize":
            server = {"name": "echo", "version": "1"}
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": server,
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": [{"type": "text", "text": str(params["arguments"].get("text"))}]}
        case "ping":
            return {}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params"))
        told = (
            {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
        )
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}), flush=True)
