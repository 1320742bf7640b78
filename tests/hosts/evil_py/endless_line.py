"""Says something that never ends."""

import os

while True:
    os.write(1, b"x" * 65536)
