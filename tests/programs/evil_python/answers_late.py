"""Answers a request when the next one has come."""

import json
import sys

before = None
for line in sys.stdin.buffer:
    request = json.loads(line)
    if before is not None:
        part = {"v": 1, "id": before["id"], "event": {"type": "part", "payload": "late"}}
        answer = {"v": 1, "id": before["id"], "ok": True, "result": {"value": "late"}}
        print(json.dumps(part), json.dumps(answer), sep="\n", flush=True)
    before = request
