"""Exits, and leaves a child in a session of its own that floods its stdout and stderr for ever."""

import os
import sys

sys.stdin.buffer.readline()
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(writer, b"!")
    while True:
        os.write(1, b"y" * 4095 + b"\n")
        os.write(2, b"y" * 4095 + b"\n")
os.read(reader, 1)
os._exit(3)
