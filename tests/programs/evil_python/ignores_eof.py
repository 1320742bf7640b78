"""Does not take the end of its stdin for a reason to end; tells its pid once it is there."""

import os
import signal
import sys

print(os.getpid(), flush=True)
for _line in sys.stdin.buffer:
    pass
signal.pause()
