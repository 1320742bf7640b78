"""Answers each request, but for the first line that it was started with comes first, so many times; ID is the request's id.

The second word is what comes, the first how often. ID0 is the id of the first request.
"""

import json
import sys

times, text = int(sys.argv[1]), sys.argv[2]
first = None
for line in sys.stdin.buffer:
    request = json.loads(line)
    first = first or request["id"]
    flood = text.replace("ID0", first).replace("ID", request["id"]) + "\n"
    answer = {"v": 1, "id": request["id"], "ok": True, "result": {"value": "fine"}}
    sys.stdout.write(flood * times + json.dumps(answer) + "\n")
    sys.stdout.flush()
