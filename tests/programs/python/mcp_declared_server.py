"""An MCP server of the handshake era on the standard library: what it declares stands in a file, which may change while it runs.

The file is JSON: ``instructions``, ``tools``, ``resources``, ``resourceTemplates`` and ``prompts`` as they are listed, and ``meta``, which stands as
``_meta`` in all that it says; methods that are named under ``mute`` are not answered, and tools under
``given`` are declared to clients that have the capability beside which they stand. It answers any call, resource and prompt with what it was asked for, and writes each request into the file beside
it that ends with ``.asked``. While there is one beside it that ends with ``.waits`` it says nothing at its start. A call with ``changed`` makes that what it declares from then on, and it says that its tools have changed.
"""

import json
import sys
import time
from pathlib import Path

file = Path(sys.argv[1])
KINDS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def marked(*items):
    meta = json.loads(file.read_text()).get("meta")
    return [each if meta is None else {**each, "_meta": meta} for each in items]


def call(request_id, params):
    arguments = params.get("arguments", {})
    if (changed := arguments.get("changed")) is not None:
        file.write_text(json.dumps(changed))
        say(method="notifications/tools/list_changed")
    if "progressToken" in params.get("_meta", {}):
        progress = {"progressToken": params["_meta"]["progressToken"], "progress": 1, "message": "half"}
        say(method="notifications/progress", params=marked(progress)[0])
    blocks = marked(
        {"type": "text", "text": params["name"]}, {"type": "image", "data": "AA==", "mimeType": "image/png"}
    )
    say(id=request_id, result=marked({"content": blocks, "isError": bool(arguments.get("fails"))})[0])


able = {}
while file.with_suffix(".waits").exists():
    time.sleep(0.02)
for line in sys.stdin:
    message = json.loads(line)
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    with file.with_suffix(".asked").open("a") as asked:
        asked.write(json.dumps([method, params]) + "\n")
    match method:
        case "initialize":
            able = params["capabilities"]
            capabilities = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
            result = {"protocolVersion": params["protocolVersion"], "capabilities": capabilities}
            info = {"name": "declared", "version": "1"}
            instructions = json.loads(file.read_text()).get("instructions", "")
            say(id=request_id, result={**result, "serverInfo": info, "instructions": instructions})
        case str() if method in json.loads(file.read_text()).get("mute", []):
            pass
        case str() if (kind := KINDS.get(method)) is not None:
            told = json.loads(file.read_text())
            items = told.get(kind, [])
            if kind == "tools":
                items += [
                    each for one, tools in told.get("given", {}).items() if one in able for each in tools
                ]
            say(id=request_id, result=marked({kind: marked(*items)})[0])
        case "resources/read":
            contents = marked({"uri": params["uri"], "text": f"{file.stem} answers"})
            say(id=request_id, result=marked({"contents": contents})[0])
        case "prompts/get":
            (content,) = marked({"type": "text", "text": f"{file.stem} answers"})
            say(id=request_id, result=marked({"messages": [{"role": "user", "content": content}]})[0])
        case "tools/call":
            call(request_id, params)
        case str() if request_id is not None:
            say(id=request_id, error={"code": -32601, "message": "no such method"})
