"""Is stopped by SIGSTOP, from which only SIGCONT and SIGKILL lead; tells its pid before."""

import os
import signal

print(os.getpid(), flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
signal.pause()
