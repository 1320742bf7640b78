"""Writes 8 MiB to stderr before it answers."""

import json
import os
import sys

request = json.loads(sys.stdin.buffer.readline())
for number in range(8 * 1024):
    os.write(2, f"{number:07}".encode() + b"." * 1016 + b"\n")
print(json.dumps({"v": 1, "id": request["id"], "ok": True, "result": {"value": "done"}}), flush=True)
sys.stdin.buffer.readline()
