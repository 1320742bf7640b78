"""Closes its stdin when it is sent SIGUSR1, without having read any of it, says so, and lives on."""

import os
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("waiting", flush=True)
signal.sigwait({signal.SIGUSR1})
os.close(0)
print("closed", flush=True)
signal.pause()
