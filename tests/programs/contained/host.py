"""A host of version 1, for any interpreter: runs whatever it is told, and ends by whatever signal."""

import json
import os
import signal
import subprocess
import sys


def named(name, key):
    parameters = {"type": "object", "properties": {key: {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def answer(method, params):
    if method == "init":
        return {}
    if method == "get_tool_schemas":
        return [named("shell", "line"), named("die", "signal")]
    arguments = params["arguments"]
    if params["tool_name"] == "die":
        os.kill(os.getpid(), getattr(signal, arguments["signal"]))
        signal.pause()
    line = f"{{ {arguments['line']}\n}} 2>&1"
    ended = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True)
    return {"success": True, "result": ended.stdout.decode()}


for text in sys.stdin:
    request = json.loads(text)
    reply = {"v": 1, "id": request["id"]}
    if request["method"] in {"init", "get_tool_schemas", "execute_tool"}:
        reply |= {"ok": True, "result": {"value": answer(request["method"], request["params"])}}
    else:
        reply |= {"ok": False, "error": {"type": "MethodNotFound", "detail": ""}}
    print(json.dumps(reply), flush=True)
