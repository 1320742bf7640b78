"""Takes its time when stdin ends: closes its stdout first, and half a second later tells stderr that it is done."""

import os
import sys
import time

print("ready", flush=True)
sys.stdin.buffer.read()
os.close(1)
time.sleep(0.5)
os.write(2, b"tidy\n")
