"""Somebody else's `ActorRegistry.stop_all` takes the house's actors too: callers are told, hosts end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from boards import MOODY

PROGRAM = """
import sys, pykka
from callboard import Callboard

board = Callboard().start()
plugin = board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}}, concurrency=2)
def call(**arguments):
    return {"id": "1", "type": "function", "function": {"name": "moody", "arguments": arguments}}
pid = board.execute(call())["result"]["pid"]
waiting = board.submit(call(do="parts", parts=1, then="wait"))
next(waiting.parts())
pykka.ActorRegistry.stop_all()
late = board.submit(call())
print(pid, waiting.result(30)["code"], late.result(30)["code"])
board.stop()
"""


def test_actors_that_somebody_else_stopped_leave_no_caller_waiting_and_no_host():
    program = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(MOODY)],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        cwd=Path(__file__).parent,
    )

    assert program.stdout.split()[1:] == ["cancelled", "cancelled"], program.stderr
