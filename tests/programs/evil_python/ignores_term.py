"""Ignores SIGTERM and the end of stdin, and keeps a processor busy; tells its pid once it does."""

import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True:
    pass
