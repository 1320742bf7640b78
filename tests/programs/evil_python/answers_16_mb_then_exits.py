"""Answers with 16 MB, and exits as soon as the last byte is in the pipe."""

import json
import os
import sys

request = json.loads(sys.stdin.buffer.readline())
answer = {"v": 1, "id": request["id"], "ok": True, "result": {"value": "x" * 16_000_000}}
rest = memoryview(json.dumps(answer).encode() + b"\n")
while rest:
    rest = rest[os.write(1, rest) :]
os._exit(0)
