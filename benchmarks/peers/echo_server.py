"""An MCP server in a few lines of the standard library: what is measured is who talks to it."""

import json
import os
import sys

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
HELLO = {"capabilities": {"tools": {}}, "serverInfo": {"name": "echo", "version": "1"}}

for line in sys.stdin.buffer:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], **HELLO}
        case "tools/list":
            result = {"tools": [ECHO, {**ECHO, "name": "pid"}]}
        case "tools/call":
            given = message["params"]
            for step in range(given["arguments"].get("steps", 0)):
                told = {"progressToken": given["_meta"]["progressToken"], "progress": step + 1}
                notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": told}
                sys.stdout.buffer.write(json.dumps(notice).encode() + b"\n")
            text = given["arguments"]["text"] if given["name"] == "echo" else str(os.getpid())
            result = {"content": [{"type": "text", "text": text}]}
        case _:
            result = None
    if "id" in message:
        answer = (
            {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown"}}
        )
        sys.stdout.buffer.write(
            json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode() + b"\n"
        )
        sys.stdout.buffer.flush()
