"""Starts a child that holds its stdout and stderr and sleeps, tells the child's pid as a part, and waits.

With ``session`` the child leads a session of its own; with ``twice`` its parent is gone too, as a
daemon's is; with ``unmarked`` it has nothing of our environment, and with ``closed`` none of our
descriptors. With ``exit`` the program exits with status 3 when it has told.
"""

import json
import os
import signal
import sys

request = json.loads(sys.stdin.buffer.readline())
reader, writer = os.pipe()
if os.fork() == 0:
    if "session" in sys.argv:
        os.setsid()
    if "twice" in sys.argv and os.fork() != 0:
        os._exit(0)
    os.write(writer, str(os.getpid()).encode())
    if "closed" in sys.argv:
        os.closerange(0, 1000)
    if "unmarked" in sys.argv:
        os.execve(sys.executable, [sys.executable, "-I", "-c", "import signal; signal.pause()"], {})
    while True:
        signal.pause()
pid = int(os.read(reader, 20))
print(json.dumps({"v": 1, "id": request["id"], "event": {"type": "part", "payload": pid}}), flush=True)
if "exit" in sys.argv:
    os._exit(3)
while True:
    signal.pause()
