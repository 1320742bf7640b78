"""Closes its stdin, says so, and lives on."""

import os
import signal

os.close(0)
print("closed", flush=True)
signal.pause()
