"""Well behaved: answers each request with its own parameters."""

import json
import sys

for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"v": 1, "id": request["id"], "ok": True, "result": {"value": request["params"]}}
    print(json.dumps(answer), flush=True)
