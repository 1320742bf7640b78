"""A tool host that breaks one rule of the protocol, the one that it is started with."""

import json
import os
import signal
import sys

RUDE = sys.argv[1]
SCHEMA = {"type": "function", "function": {"name": "rude", "parameters": {"type": "object"}}}
kept_back = []


def say(**message):
    if RUDE == "keeps answers back" and len(kept_back) < 100:
        kept_back.append(message)
        return
    ascii_only = RUDE == "ids in ascii"
    if ascii_only:
        message["id"] = message["id"].encode("ascii", "replace").decode()
    line = json.dumps({"v": 2 if RUDE == "version 2" else 1} | message, ensure_ascii=False)
    print(line, flush=True)
    if RUDE == "answers twice" and "ok" in message:
        print(line, flush=True)


def answer(request, params):
    match request["method"]:
        case "init":
            return None if RUDE == "no state from init" else {}, None
        case "get_tool_schemas":
            return SCHEMA if RUDE == "one schema" else [SCHEMA], params.get("state")
        case "execute_tool":
            parts(request)
            if RUDE == "bare result":
                return "done", params["state"]
            return {"success": True, "result": "done"}, params["state"]
    if RUDE == "dies of the unknown":
        sys.exit(1)
    raise LookupError("NoSuchThing" if RUDE == "own error names" else "MethodNotFound")


def parts(request):
    if RUDE != "parts at last":
        say(id=request["id"], event={"type": "part", "payload": 1})


def requests():
    if RUDE == "reads in chunks":
        while chunk := os.read(0, 65_536):
            yield chunk
    else:
        yield from sys.stdin.buffer


if RUDE == "ignores sigterm":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if RUDE == "prints":
    print("hello, here I am")
for line in requests():
    try:
        request = json.loads(line)
        params = request["params"]
    except (ValueError, LookupError, TypeError):
        if RUDE == "dies of rubbish":
            raise
        continue
    try:
        value, state = answer(request, params)
    except LookupError as error:
        say(id=request["id"], ok=False, error={"type": str(error), "detail": "", "stack": ""})
        continue
    result = {"value": value}
    if state is not None and RUDE != "forgets the state":
        result["state"] = state
    say(id=request["id"], ok=True, result=result)
    if RUDE == "parts at last" and request["method"] == "execute_tool":
        say(id=request["id"], event={"type": "part", "payload": 1})
while RUDE == "outlives stdin":
    signal.pause()
sys.exit(RUDE == "exits with 1")
