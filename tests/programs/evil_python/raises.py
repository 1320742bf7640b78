"""Ends by an exception that nothing caught."""

import sys

sys.stdin.buffer.readline()
raise RuntimeError("nothing caught this")
