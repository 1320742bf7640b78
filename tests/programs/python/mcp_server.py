"""An MCP server of the handshake era on the standard library, which does what its arguments say.

Words: ``modern`` (the stateless era), ``silent`` (never answers what it does not know), ``ends`` (ends when it is asked what it does not
know), ``holds`` (starts a child that holds its stdout), ``lingers`` (goes on after the end of its input), ``shares`` (has resources and
prompts), ``endless`` (a list of them that has no end), ``waits=FILE`` (says nothing until the
file is there), ``tools=NAME,NAME`` (offers these), ``dies_once=FILE`` (is killed in the first call, and makes the file), ``misdeclares=NAME``
(says of that tool what no tool can be), ``extends`` (declares keys that MCP does not know), ``instructs=TEXT`` (has these instructions), ``logs`` (logs what it is called with, and says of which level it was told), ``forgets=FILE`` (makes the file, and does not answer the second listing), ``hears=FILE`` (writes the method of each message there, a line each).
"""

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

words = set(sys.argv[1:])
values = dict(word.split("=", 1) for word in words if "=" in word)
modern = "modern" in words
TOOLS = [
    "echo",
    "crash",
    "hang",
    "steps",
    "fail",
    "refuse",
    "image",
    "count",
    "pid",
    "environment",
    "argv",
    "learn",
    "listed",
    "odd",
    "meta",
    "say",
]
if "tools" in values:
    TOOLS = values["tools"].split(",")
counter = itertools.count(1)
INSTRUCTIONS = {"instructions": values["instructs"]} if "instructs" in values else {}
SHARED = {"resources": {}, "prompts": {}} if "shares" in words else {}
LOGS = {"logging": {}} if "logs" in words else {}
told_level = None
listings = []
listens = []


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(*texts, **more):
    complete = {"resultType": "complete"} if modern else {}
    return {"content": [{"type": "text", "text": each} for each in texts], **complete, **more}


def share(request_id, method, params):
    match method:
        case "resources/list" if "cursor" not in params:
            result = {"resources": [{"uri": "note://one", "name": "one"}], "nextCursor": "more"}
        case "resources/list":
            endless = {"nextCursor": "more"} if "endless" in words else {}
            result = {"resources": [{"uri": "note://two", "name": "two"}, "no resource"], **endless}
        case "resources/templates/list":
            result = {"resourceTemplates": [{"uriTemplate": "note://{name}", "name": "note"}]}
        case "resources/read" if params["uri"] == "note://one":
            result = {"contents": [{"uri": "note://one", "text": "the first note"}]}
        case "prompts/list":
            result = {"prompts": [{"name": "greet", "arguments": [{"name": "who"}]}]}
        case "prompts/get" if params["name"] == "greet":
            greeting = {"type": "text", "text": f"Hello {params['arguments']['who']}"}
            result = {"messages": [{"role": "user", "content": greeting}]}
        case _:
            say(id=request_id, error={"code": -32602, "message": "there is none"})
            return
    cached = {"ttlMs": 0, "cacheScope": "private"} if not method.endswith("get") else {}
    say(id=request_id, result={**result, "resultType": "complete", **cached} if modern else result)


def learn(names):
    TOOLS[:] = names
    if listens or not modern:
        about = {"_meta": {"io.modelcontextprotocol/subscriptionId": listens[-1]}} if modern else {}
        say(method="notifications/tools/list_changed", params=about)
    return text("")


BLOCKS = {
    "image": [{"type": "text", "text": "look"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}],
    "odd": [{"type": "image"}],
}
FACTS = {"pid": os.getpid, "listed": lambda: len(listings), "level": lambda: told_level}


def take_steps(arguments, meta):
    for step in range(3):
        told = {"progressToken": meta["progressToken"], "progress": step, "total": 3}
        say(method="notifications/progress", params=told)
        while "noted" in arguments and not Path(arguments["noted"], f"step{step}").exists():
            time.sleep(0.01)


def result_of(name, arguments, meta):
    if name in BLOCKS:
        return text() | {"content": BLOCKS[name]}
    if name in FACTS:
        return text(str(FACTS[name]()))
    match name:
        case "meta":
            return text("", structuredContent=meta)
        case "steps":
            take_steps(arguments, meta)
        case "fail":
            return text("it failed", isError=True)
        case "count":
            return text("", structuredContent={"count": next(counter)})
        case "environment":
            return text(json.dumps({each: os.environ.get(each) for each in arguments["names"]}))
        case "argv":
            return text(json.dumps(sys.argv[1:]))
        case "learn":
            return learn(arguments["tools"])
    return text(json.dumps(arguments))


def call(request_id, name, arguments, meta):
    if name == "crash":
        os.kill(os.getpid(), 9)
    if "dies_once" in values and not Path(values["dies_once"]).exists():
        Path(values["dies_once"]).touch()
        os.kill(os.getpid(), 9)
    if LOGS and "log" in arguments:
        say(method="notifications/message", params=arguments["log"])
    if name == "say":  # the members of the answer, as text
        print(f'{{"jsonrpc": "2.0", "id": {json.dumps(request_id)}, {arguments["answer"]}}}', flush=True)
    elif name == "refuse":
        say(id=request_id, error={"code": -32602, "message": "no"})
    elif name == "hang" and arguments.get("begins"):
        say(method="notifications/progress", params={"progressToken": meta["progressToken"], "progress": 1})
    elif name != "hang":
        say(id=request_id, result=result_of(name, arguments, meta))


if "holds" in words:
    subprocess.Popen(["sleep", "600"])
print("the server runs on stdio", file=sys.stderr)
while "waits" in values and not Path(values["waits"]).exists():
    time.sleep(0.02)
for line in sys.stdin:
    message = json.loads(line)
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if "hears" in values:
        with Path(values["hears"]).open("a") as heard:
            heard.write(f"{method}\n")
    match method:
        case "initialize" if not modern:
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}, **SHARED, **LOGS},
            }
            say(
                id=request_id, result=result | INSTRUCTIONS | {"serverInfo": {"name": "test", "version": "7"}}
            )
        case "server/discover" if modern:
            result = {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {"listChanged": True}, **SHARED, **LOGS},
                "resultType": "complete",
            }
            say(id=request_id, result=result | INSTRUCTIONS | {"ttlMs": 0, "cacheScope": "private"})
        case "tools/list" if "forgets" in values and listings == [1] and not Path(values["forgets"]).exists():
            Path(values["forgets"]).touch()
        case "tools/list":
            listings.append(1)
            say(method="notifications/tools/list_changed")  # as real servers do before they answer
            say(id=0, method="roots/list")
            tools = [
                {
                    "name": name,
                    "inputSchema": {"type": "object"},
                    "annotations": {"readOnlyHint": "no bool" if name == values.get("misdeclares") else True},
                }
                for name in TOOLS
            ]
            if "extends" in words:
                tools = [{"own": {"b": None, "a": 1}, **each, "_meta": {"own": None}} for each in tools]
            cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}
            say(id=request_id, result={"tools": tools, **cached})
        case "tools/call":
            if modern:
                told_level = params["_meta"].get("io.modelcontextprotocol/logLevel")
            call(request_id, params["name"], params.get("arguments", {}), params.get("_meta", {}))
        case str() if SHARED and method.startswith(("resources/", "prompts/")):
            share(request_id, method, params)
        case "subscriptions/listen" if modern:
            listens.append(request_id)
            about = {"io.modelcontextprotocol/subscriptionId": request_id}
            say(
                method="notifications/subscriptions/acknowledged",
                params={"notifications": params["notifications"], "_meta": about},
            )
        case "logging/setLevel" if LOGS:
            told_level = params["level"]
            say(id=request_id, result={})
        case "ping":
            say(id=request_id, result={})
        case str() if request_id is not None:
            if "ends" in words:
                sys.exit(3)
            if "silent" not in words:
                say(id=request_id, error={"code": -32602 if modern else -32601, "message": "no such method"})
if "lingers" in words:
    time.sleep(600)
