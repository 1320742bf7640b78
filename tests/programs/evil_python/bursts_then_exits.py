"""Says a line, and then as much as its stdout holds, and exits."""

import fcntl
import os
import sys

sys.stdin.buffer.readline()
os.write(1, b"a line\n")
sys.stdin.buffer.readline()
os.write(1, b"x" * (fcntl.fcntl(1, fcntl.F_GETPIPE_SZ) - 8192) + b"\n")
os._exit(0)
