"""Processes of hosts in memory, for tests of starts in virtual time."""

from __future__ import annotations

import json

from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.process import Command, ProcessExit
from callboard.plugins.adapter.adapter import PluginAdapter
from tools import schema

DEADLINE = 8.0
"""Seconds that a host of `begin` has from its start until it is ready."""


class Process:
    """A process in memory that answers nothing before it is let go. It is a `Transport`."""

    pid = 2**31 - 1
    stderr_tail = ""

    def __init__(self, name, listener):
        self.name, self.listener, self.asked, self.free, self.ended = name, listener, [], False, None

    def start(self):
        pass

    took = None

    def write(self, data):
        self.asked += [json.loads(line) for line in data.splitlines()]
        if self.free:
            self.go()

    def go(self):
        self.free = True
        values = {"init": {"value": {}, "state": {}}, "get_tool_schemas": {"value": [schema(self.name)]}}
        while self.asked:
            request = self.asked.pop(0)
            answer = {"v": 1, "id": request["id"], "ok": True, "result": values[request["method"]]}
            self.listener.on_output(json.dumps(answer).encode() + b"\n")

    def has_ended(self):
        return False

    def stop(self, reason, ladder):
        if self.ended is None:
            self.ended = reason
            self.listener.on_exit(ProcessExit(0, None, 1.0, reason))
            self.listener.on_gone([])

    def join(self, timeout=None):
        return self.ended is not None


def begin(board, name, started, **options):
    """Begin a host on a board; each of its processes is put at the end of ``started``. Returns its plugin."""

    def carry(_host, _command, listener, _watchdog):
        started.append(Process(name, listener))
        return started[-1]

    plugin = HostedToolPlugin(name, lambda: Command((name,), {}), carry=carry)
    adapter = PluginAdapter(plugin)
    board.begin_hosted(adapter, plugin, host=HostSettings({}, start_deadline=DEADLINE), **options)
    return adapter
