"""Says something that never ends, as soon as it has been asked as often as it was told to wait for."""

import os
import sys

for _ in range(int(sys.argv[1])):
    sys.stdin.buffer.readline()
while True:
    os.write(1, b"x" * 65536)
