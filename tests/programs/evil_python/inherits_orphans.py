"""Embeds hosts where orphans become its own children: as the first process of a namespace, or with ``subreaper``.

Kills each host once it has told of the child that it has left. Tells, as JSON, which of its children have ended and were
not collected, and what became of the one that it has started itself. Not a host itself.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from callboard.hosts.host import Host
from callboard.hosts.process.process import Command

HERE = Path(__file__).parent
PR_SET_CHILD_SUBREAPER = 36
HOW = [(), ("session",), ("twice",), ("session", "twice"), ("session", "twice", "unmarked", "closed")]


class Ear:
    call_id = "call"

    def __init__(self):
        self.told = threading.Event()
        self.children = []

    def on_part(self, payload, size):
        self.children.append(payload)
        self.told.set()

    def ignore(self, *_, **__):
        pass

    on_stray = on_dropped = on_ended = on_gone = on_answer = on_lost = on_released = ignore


def ended_children():
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):  # one of others, which ends meanwhile
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                found += [int(folder.name)] if state == "Z" and int(parent) == os.getpid() else []
    return found


if "subreaper" in sys.argv:
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
own = subprocess.Popen([sys.executable, "-I", "-c", "raise SystemExit(7)"])
os.waitid(os.P_PID, own.pid, os.WEXITED | os.WNOWAIT)
left = []
for how in HOW * 2:
    ear = Ear()
    command = Command((sys.executable, "-I", str(HERE / "leaves_a_child.py"), *how), dict(os.environ))
    host = Host("evil", command, ear)
    host.start()
    host.send("begin", {}, ear)
    assert ear.told.wait(20)
    left += ear.children
    os.kill(host.pid, signal.SIGKILL)
    assert host.join(20)
facts = {
    "first": os.getpid() == 1,
    "left": left,
    "ended": ended_children(),
    "own": own.pid,
    "code": own.wait(),
}
print(json.dumps(facts), flush=True)
