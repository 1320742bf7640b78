"""Looking where threads are never hangs the process, whatever garbage waits to be collected."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc, threading
from callboard.base.threads import current_frames

class Node:
    pass

def garbage():
    node = Node()
    node.own, node.local = node, threading.local()

def wait():
    here.set()
    go_on.wait()

here, go_on = threading.Event(), threading.Event()
thread = threading.Thread(target=wait)
thread.start()
here.wait()
gc.disable()
for _ in range(5_000):
    garbage()
spare = [{} for _ in range(50)]
ident = thread.ident
del spare
gc.enable()
print(ident in current_frames(), gc.isenabled())
go_on.set()
"""


def test_looking_where_threads_are_collects_no_garbage_under_the_lock_of_their_list():
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )

    assert (ended.stdout, ended.stderr) == ("True True\n", "")
