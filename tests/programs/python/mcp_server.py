"""An MCP server of the handshake era on the standard library, which does what its arguments say.

Words: ``modern`` (the stateless era), ``silent`` (never answers what it does not know), ``ends`` (ends when it is asked what it does not
know), ``holds`` (starts a child that holds its stdout), ``lingers`` (goes on after the end of its input).
"""

import itertools
import json
import os
import subprocess
import sys
import time

words = set(sys.argv[1:])
modern = "modern" in words
TOOLS = ["echo", "crash", "hang", "steps", "fail", "refuse", "image", "count", "pid", "environment", "argv"]
counter = itertools.count(1)


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(*texts, **more):
    complete = {"resultType": "complete"} if modern else {}
    return {"content": [{"type": "text", "text": each} for each in texts], **complete, **more}


def result_of(name, arguments, meta):
    match name:
        case "crash":
            os.kill(os.getpid(), 9)
        case "steps":
            for step in range(3):
                told = {"progressToken": meta["progressToken"], "progress": step, "total": 3}
                say(method="notifications/progress", params=told)
        case "fail":
            return text("it failed", isError=True)
        case "image":
            image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
            return text("look") | {"content": [{"type": "text", "text": "look"}, image]}
        case "count":
            return text("", structuredContent={"count": next(counter)})
        case "environment":
            return text(json.dumps({each: os.environ.get(each) for each in arguments["names"]}))
        case "argv":
            return text(json.dumps(sys.argv[1:]))
        case "pid":
            return text(str(os.getpid()))
    return text(json.dumps(arguments))


def call(request_id, name, arguments, meta):
    if name == "refuse":
        say(id=request_id, error={"code": -32602, "message": "no"})
    elif name != "hang":
        say(id=request_id, result=result_of(name, arguments, meta))


if "holds" in words:
    subprocess.Popen(["sleep", "600"])
print("the server runs on stdio", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    match method:
        case "initialize" if not modern:
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
            }
            say(id=request_id, result=result | {"serverInfo": {"name": "test", "version": "7"}})
        case "server/discover" if modern:
            result = {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "resultType": "complete",
            }
            say(id=request_id, result=result | {"ttlMs": 0, "cacheScope": "private"})
        case "tools/list":
            say(method="notifications/tools/list_changed")  # as real servers do before they answer
            say(id=0, method="roots/list")
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}
            say(id=request_id, result={"tools": tools, **cached})
        case "tools/call":
            call(request_id, params["name"], params.get("arguments", {}), params.get("_meta", {}))
        case "ping":
            say(id=request_id, result={})
        case str() if request_id is not None:
            if "ends" in words:
                sys.exit(3)
            if "silent" not in words:
                say(id=request_id, error={"code": -32602 if modern else -32601, "message": "no such method"})
if "lingers" in words:
    time.sleep(600)
