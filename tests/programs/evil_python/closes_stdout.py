"""Closes its stdout when it is asked anything, and lives on."""

import os
import signal
import sys

sys.stdin.buffer.readline()
os.close(1)
signal.pause()
