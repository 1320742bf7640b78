"""An MCP server of the handshake era on the standard library whose answers are large, or come when that is asked for.

Its argument is a file that gets one byte for each call. The tool ``big`` answers with a megabyte; ``release`` has all reads of the resource
``held://one`` and subscriptions to it answered, which wait until then.
"""

import json
import sys
from pathlib import Path

COUNTED = Path(sys.argv[1])
TEXT = "x" * 1_000_000
held = []
released = []


def say(request_id, result):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}) + "\n")
    sys.stdout.flush()


def count():
    with COUNTED.open("a") as file:
        file.write("x")


def share(request_id, method):
    say(request_id, {"contents": [{"uri": "held://one", "text": "one"}]} if method.endswith("read") else {})


def called(request_id, tool):
    if tool == "release":
        released.append(request_id)
        for each in held:
            share(*each)
    else:
        count()
    say(request_id, {"content": [{"type": "text", "text": TEXT if tool == "big" else ""}]})


for line in sys.stdin:
    asked = json.loads(line)
    match asked.get("method"):
        case "initialize":
            able = {"tools": {}, "resources": {"subscribe": True}}
            info = {"name": "big", "version": "1"}
            revision = asked["params"]["protocolVersion"]
            say(asked["id"], {"protocolVersion": revision, "capabilities": able, "serverInfo": info})
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("big", "release")]
            say(asked["id"], {"tools": tools})
        case "resources/list":
            say(asked["id"], {"resources": [{"uri": "held://one", "name": "one"}]})
        case "resources/templates/list":
            say(asked["id"], {"resourceTemplates": []})
        case "ping":
            say(asked["id"], {})
        case "tools/call":
            called(asked["id"], asked["params"]["name"])
        case "resources/read" | "resources/subscribe":
            if released:
                share(asked["id"], asked["method"])
            else:
                held.append((asked["id"], asked["method"]))
        case _ if "id" in asked:
            refused = {"code": -32601, "message": "Method not found"}
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": refused}), flush=True)
