"""Answers as a recorded MCP server does: by method and params, frame by frame. Its arguments are the files of its sessions, one for each era.

A request that was recorded several times is answered in that order, and from then on as it was the last time. The first request decides which
session it is: one whose era was not recorded is refused as the server has refused it. What was not recorded is an error that says so.
"""

import json
import sys
from pathlib import Path


def read(file):
    exchanges = []
    era = None
    with Path(file).open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            match line[:2]:
                case "# ":
                    era = json.loads(line[2:])["era"]
                case "> ":
                    exchanges.append((json.loads(line[2:]), []))
                case "< ":
                    exchanges[-1][1].append(line[2:].rstrip("\n"))
    return era, exchanges


def key_of(method, params):
    said = {key: each for key, each in (params or {}).items() if key != "_meta"}
    if method in {"initialize", "server/discover"}:
        said = {}
    elif method == "tools/call":
        said.setdefault("arguments", {})
    return json.dumps([method, said], sort_keys=True)


def say(text):
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def refuse(request_id, code, message):
    say(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}))


sessions = dict(map(read, sys.argv[1:]))
answers = None
for asked in map(json.loads, sys.stdin):
    if "id" not in asked or "method" not in asked:
        continue
    request_id, method, params = asked["id"], asked["method"], asked.get("params")
    begins = {"initialize": "handshake", "server/discover": "stateless"}.get(method)
    if begins is not None:
        if begins not in sessions:
            refuse(request_id, -32601, "Method not found")
            continue
        answers = {}
        for one, came in sessions[begins]:
            answers.setdefault(key_of(**one), []).append(came)
    if method == "ping":
        say(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": {}}))
    elif method == "subscriptions/listen":
        continue  # it has news for nobody
    elif answers is None or not (left := answers.get(key_of(method, params))):
        refuse(request_id, -32603, f"not recorded: {key_of(method, params)}")
    else:
        token = json.dumps((params or {}).get("_meta", {}).get("progressToken"))
        for text in left.pop(0) if len(left) > 1 else left[0]:
            if '"%TOKEN%"' not in text or token != "null":
                say(text.replace('"%ID%"', json.dumps(request_id)).replace('"%TOKEN%"', token))
