"""Embeds hosts, tells the pids of all that it started, and waits to be killed. Not a host itself.

Its arguments are the tiny programs to run, as ``name`` or ``name:argument``; ``fork`` stands for a
copy of itself, which holds all the descriptors that it holds. It can be one of them, with ``+`` for the
colons of its own arguments: what that tells is told on.
"""

import os
import signal
import sys
from pathlib import Path

from callboard.hosts.host import Host
from callboard.hosts.process.process import Command
from callboard.hosts.process_tree.watchdog import Watchdog

HERE = Path(__file__).parent


def tell(verb, what):
    os.write(1, f"{verb} {what}\n".encode())  # as a whole: several threads tell


class Ear:
    def on_dropped(self, reason, request_id, count, told):
        pass

    def on_stray(self, text, count):
        tell("told", int(text.split()[-1]))

    def on_ended(self, exit_, report, *, breach):
        tell("ended", report.summary)

    def on_gone(self, leftovers):
        pass


class Owner(Ear):
    call_id = "call"

    def on_part(self, payload, size):
        tell("told", payload)

    def on_answer(self, value, state):
        pass

    def on_lost(self, report):
        pass

    def on_released(self):
        pass


watchdog, ear = Watchdog(), Ear()
hosts = []
for argument in sys.argv[1:]:
    if argument == "fork":
        pid = os.fork()
        if pid == 0:
            signal.alarm(60)  # whatever becomes of the test
            signal.pause()
        tell("forked", pid)
        continue
    name, *more = argument.split(":")
    more = [word.replace("+", ":") for word in more]
    command = Command((sys.executable, "-I", str(HERE / f"{name}.py"), *more), dict(os.environ))
    host = Host(name, command, ear, watchdog=watchdog)
    host.start()
    host.send("begin", {}, Owner())
    hosts.append(host)
    tell("told", host.pid)
tell("watchdog", watchdog.pid)
signal.pause()
