"""An MCP server on the standard library with two tools that take long: `tick` tells of its progress, `mute` does not.

Words: ``modern`` (the stateless era).
"""

import json
import sys
import threading
import time

modern = "modern" in sys.argv
complete = {"resultType": "complete"} if modern else {}
cached = {"ttlMs": 0, "cacheScope": "private", **complete} if modern else {}
writing = threading.Lock()


def say(**message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def run(request_id, params):
    given, token = params.get("arguments", {}), params.get("_meta", {}).get("progressToken")
    for step in range(given["times"]):
        time.sleep(given["pause"])
        if params["name"] == "tick" and token is not None:
            say(method="notifications/progress", params={"progressToken": token, "progress": step})
    said = [{"type": "text", "text": "no token" if token is None else "done"}]
    say(id=request_id, result={"content": said, **complete})


for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params", {})
    if "id" not in asked:
        continue
    if method == "initialize" and not modern:
        server = {"name": "ticking", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}
    elif method == "server/discover" and modern:
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **cached}
    elif method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("tick", "mute")]
        result = {"tools": tools, **cached}
    elif method == "tools/call":
        threading.Thread(target=run, args=(asked["id"], params), daemon=True).start()
        continue
    elif method == "ping":
        result = {}
    else:
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
        continue
    say(id=asked["id"], result=result)
