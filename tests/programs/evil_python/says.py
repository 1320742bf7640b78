"""Answers each request with the lines it was started with, the request's id put in for ID."""

import json
import sys

for line in sys.stdin.buffer:
    request = json.loads(line)
    for text in sys.argv[1:]:
        print(text.replace("ID", request["id"]))
    sys.stdout.flush()
