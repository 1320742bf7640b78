"""An MCP server of the handshake era on the standard library that runs each call in a thread of its own, as most servers run theirs.

Tools: ``meet`` (answers once ``n`` calls of it are under way), ``most`` (how many calls have been under way at once), ``hang`` (is never answered, or once there is a file ``until``),
``stall`` (the server reads nothing any more), ``ask`` (asks for a name, and says what is answered), ``pid``, ``crash``. With the word ``polite`` a call of ``hang`` is answered once it is cancelled.
"""

import json
import os
import sys
import threading
from pathlib import Path

POLITE = "polite" in sys.argv
TOOLS = ("meet", "most", "hang", "stall", "ask", "pid", "crash")
changed = threading.Condition()
tick = threading.Event()
counts = {"met": 0, "under way": 0, "most": 0}
hanging = {}
answers = {}
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}


def say(**message):
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with changed:
        sys.stdout.write(line)
        sys.stdout.flush()


def begun(params):
    meta = params.get("_meta", {})
    if "progressToken" in meta:
        say(method="notifications/progress", params={"progressToken": meta["progressToken"], "progress": 1})


def ask(request_id, params):
    say(id=request_id, method="elicitation/create", params={"message": "a name?", "requestedSchema": FORM})
    begun(params)  # only now: whoever hears it knows that the question is on its way
    with changed:
        changed.wait_for(lambda: request_id in answers)
        return answers[request_id].get("content", {}).get("name")


def text(value):
    return {"content": [{"type": "text", "text": str(value)}]}


def run(request_id, name, arguments, params):
    with changed:
        counts["under way"] += 1
        counts["most"] = max(counts["most"], counts["under way"])
        if name == "meet":
            counts["met"] += 1
            changed.notify_all()
            changed.wait_for(lambda: counts["met"] >= arguments["n"])
        if name == "hang":
            cancelled = hanging.setdefault(request_id, threading.Event())
    while "until" in arguments and not Path(arguments["until"]).exists():
        tick.wait(0.01)
    if name == "hang" and "until" not in arguments:
        cancelled.wait()
        if POLITE:
            say(id=request_id, error={"code": 0, "message": "cancelled"})
        return
    if name == "ask":
        asked = ask(f"ask-{request_id}", params)
    with changed:
        counts["under way"] -= 1
        value = asked if name == "ask" else {"most": counts["most"], "pid": os.getpid()}.get(name, "well")
    say(id=request_id, result=text(value))


def call(request_id, params):
    name, arguments = params["name"], params.get("arguments", {})
    if name != "ask":
        begun(params)
    match name:
        case "crash":
            os.kill(os.getpid(), 9)
        case "stall":
            threading.Event().wait()
        case _:
            threading.Thread(target=run, args=(request_id, name, arguments, params), daemon=True).start()


for line in sys.stdin:
    message = json.loads(line)
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    match method:
        case "initialize":
            result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            say(id=request_id, result=result | {"serverInfo": {"name": "threads", "version": "1"}})
        case "tools/list":
            say(
                id=request_id,
                result={"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]},
            )
        case "tools/call":
            call(request_id, params)
        case "notifications/cancelled":
            with changed:
                hanging.setdefault(params["requestId"], threading.Event()).set()
        case None if "result" in message:
            with changed:
                answers[request_id] = message["result"]
                changed.notify_all()
        case "ping":
            say(id=request_id, result={})
        case str() if request_id is not None:
            say(id=request_id, error={"code": -32601, "message": "no such method"})
