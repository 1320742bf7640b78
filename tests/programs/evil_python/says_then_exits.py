"""Says what it was started with, whatever it is asked, without a newline at the end; exits with the status given first."""

import json
import os
import sys

status, *lines = sys.argv[1:]
request = json.loads(sys.stdin.buffer.readline())
os.write(1, "\n".join(lines).replace("ID", request["id"]).encode())
os._exit(int(status))
