"""Stands for a server that ``ready_servers.py`` makes: ``python -I -S ready_server.py SOCKET ARGUMENTS``.

It lends that its own streams, hands on the signals that it gets, and ends as the server does.
"""

import json
import os
import signal
import socket
import struct
import sys

NUMBER = struct.Struct("!i")


def number(connection: socket.socket) -> int:
    """The next number that is told."""
    told = connection.recv(NUMBER.size, socket.MSG_WAITALL)
    return NUMBER.unpack(told)[0] if told else -signal.SIGKILL


path, *arguments = sys.argv[1:]
order = {"arguments": arguments, "env": dict(os.environ), "cwd": os.getcwd()}  # noqa: PTH109 - `pathlib` is half of what it takes to start
with socket.socket(socket.AF_UNIX) as server:
    server.connect(path)
    socket.send_fds(server, [json.dumps(order).encode() + b"\n"], [0, 1, 2])
    pid = number(server)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda signum, _: os.kill(pid, signum))
    status = number(server)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
