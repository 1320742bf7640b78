"""Embeds ten hosts, tells their pids, and waits to be killed.

Its arguments are the tiny programs to run, as ``name`` or ``name:argument``. Not a host itself.
"""

import os
import signal
import sys
from pathlib import Path

from callboard.hosts.host import Host
from callboard.hosts.process import Command
from callboard.hosts.watchdog import Watchdog

HERE = Path(__file__).parent


class Ear:
    def on_stray(self, text):
        print("told", int(text), flush=True)

    def on_ended(self, exit_, report, *, breach):
        print("ended", report.summary, flush=True)

    def on_gone(self, leftovers):
        pass


class Owner(Ear):
    call_id = "call"

    def on_part(self, payload):
        print("told", payload, flush=True)

    def on_answer(self, value, state):
        pass

    def on_lost(self, report):
        pass

    def on_released(self):
        pass


watchdog, ear = Watchdog(), Ear()
hosts = []
for argument in sys.argv[1:]:
    name, *more = argument.split(":")
    command = Command((sys.executable, "-I", str(HERE / f"{name}.py"), *more), dict(os.environ))
    host = Host(name, command, ear, watchdog=watchdog)
    host.start()
    host.send("begin", {}, Owner())
    hosts.append(host)
    print("told", host.pid, flush=True)
print("watchdog", watchdog.pid, flush=True)
signal.pause()
