"""Exits, and leaves two children in sessions of their own that flood its stdout and its stderr for ever."""

import os
import sys

sys.stdin.buffer.readline()
reader, writer = os.pipe()
for flooded in (1, 2):
    if os.fork() == 0:
        os.setsid()
        os.write(writer, b"!")
        while True:
            os.write(flooded, b"y" * 4095 + b"\n")
for _ in range(2):
    os.read(reader, 1)
os._exit(3)
