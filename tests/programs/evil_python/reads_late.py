"""Begins to read its stdin when it is sent SIGUSR1; then tells how many bytes the first line had."""

import json
import signal
import sys

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("waiting", flush=True)
signal.sigwait({signal.SIGUSR1})
for line in sys.stdin.buffer:
    request = json.loads(line)
    answer = {"v": 1, "id": request["id"], "ok": True, "result": {"value": len(line)}}
    print(json.dumps(answer), flush=True)
