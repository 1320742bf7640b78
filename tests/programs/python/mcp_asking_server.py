"""An MCP server on the standard library whose tools ask their client for input.

The word ``modern`` has it speak the stateless era. Its tools:

``ask``: asks for what is under ``method`` and ``params``, ``times`` over (1), and answers with the answers; with ``dies`` it is killed once it has
asked, with ``leaves`` it takes the question back and answers, with ``together`` it asks once so many calls wait to ask, with ``late`` a little after a call is cancelled. ``can``: what its client says that it can be asked for. ``pid``: its process. ``silent``: nothing,
ever, but progress once others have asked; it waits with them. ``heard``: how many calls were cancelled, and the answers to what was asked.
"""

import itertools
import json
import os
import signal
import sys
import threading

modern = "modern" in sys.argv[1:]
TOOLS = ["ask", "can", "pid", "silent", "heard"]
numbers = itertools.count(100)
announced = {}
waiting = {}
together = []
late = []
heard_so_far = {"cancelled": 0, "answers": []}
DONE = {"resultType": "complete"} if modern else {}


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def end(call, value):
    say(id=call, result={"content": [{"type": "text", "text": json.dumps(value)}], **DONE})


def ask_together(call, arguments):
    together.append((call, arguments))
    if len(together) >= max(said.get("together", 1) for _, said in together):
        for each, said in together:
            if "method" in said:
                ask(each, said)
        for _, said in together:
            if "progressToken" in said:
                say(
                    method="notifications/progress",
                    params={"progress": 1, "progressToken": said["progressToken"]},
                )
        together.clear()


def ask(call, arguments):
    number = next(numbers)
    heard = waiting.get(call, {"answers": []})["answers"]
    waiting[number] = {"call": call, "arguments": arguments, "answers": heard}
    say(id=number, method=arguments["method"], params=arguments["params"])
    if arguments.get("dies"):
        os.kill(os.getpid(), signal.SIGKILL)
    if arguments.get("leaves"):
        say(method="notifications/cancelled", params={"requestId": number})
        end(call, "left")


def hear(message):
    asked = waiting.pop(message["id"])
    heard_so_far["answers"].append(message.get("result", message.get("error")))
    asked["answers"].append(message.get("result", message.get("error")))
    if len(asked["answers"]) < asked["arguments"].get("times", 1):
        waiting[asked["call"]] = asked
        ask(asked["call"], asked["arguments"])
    else:
        end(asked["call"], asked["answers"])


def ask_by_result(call, params):
    arguments = params["arguments"]
    heard = json.loads(params.get("requestState", "[]"))
    if "inputResponses" in params:
        heard.append(params["inputResponses"]["it"])
    if len(heard) < arguments.get("times", 1):
        asked = {"it": {"method": arguments["method"], "params": arguments.get("params", {})}}
        say(
            id=call,
            result={
                "resultType": "input_required",
                "inputRequests": asked,
                "requestState": json.dumps(heard),
            },
        )
        if arguments.get("dies"):
            os.kill(os.getpid(), signal.SIGKILL)
    else:
        end(call, heard)


def run(call, name, params):
    if name == "pid":
        end(call, os.getpid())
    elif name == "can":
        here = params["_meta"]["io.modelcontextprotocol/clientCapabilities"] if modern else announced
        end(call, {kind: each for kind, each in here.items() if kind != "extensions"})
    elif modern:
        ask_by_result(call, params)
    elif name == "silent":
        ask_together(call, {"together": 2, **params.get("_meta", {})})
    elif name == "heard":
        end(call, heard_so_far)
    elif params["arguments"].get("late"):
        late.append((call, params["arguments"]))
        say(
            method="notifications/progress",
            params={"progress": 1, "progressToken": params["_meta"]["progressToken"]},
        )
    else:
        ask_together(call, params["arguments"])


for line in sys.stdin:
    message = json.loads(line)
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    match method:
        case None:
            hear(message)
        case "initialize" if not modern:
            announced = params["capabilities"]
            result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            say(id=request_id, result=result | {"serverInfo": {"name": "asking", "version": "1"}})
        case "server/discover" if modern:
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            say(id=request_id, result=result | {**DONE, "ttlMs": 0, "cacheScope": "private"})
        case "notifications/cancelled":
            heard_so_far["cancelled"] += 1
            while late:
                threading.Timer(0.2, ask, late.pop()).start()
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            say(id=request_id, result={"tools": tools, **DONE, "ttlMs": 0, "cacheScope": "private"})
        case "tools/call":
            run(request_id, params["name"], params)
        case "ping":
            say(id=request_id, result={})
        case str() if request_id is not None:
            say(id=request_id, error={"code": -32602 if modern else -32601, "message": "no such method"})
