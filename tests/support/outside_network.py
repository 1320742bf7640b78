"""The outside of a machine, as a test makes it: a network namespace with a server, at the other end of a cable. And what is needed for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NETWORK = ip_address("198.18.0.0") + 4 * (os.getpid() % 2**15)
"""Of the range for tests of networks four addresses, other ones in each process that runs tests."""

HERE, THERE = str(_NETWORK + 1), str(_NETWORK + 2)

_SERVER = """
import socket
server = socket.create_server(("0.0.0.0", 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    connection.sendall(b"OUTSIDE")
    connection.close()
"""


def untried() -> dict[str, str]:
    """The marks of tests that cannot be tried here, and why."""
    why = {}
    for kind in ("pasta", "slirp4netns"):
        if shutil.which(kind) is None:
            why[f"needs_{kind}"] = f"{kind} is not installed"
        elif not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            why[f"needs_{kind}"] = "this user may not open /dev/net/tun"
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None:
        why["needs_netns"] = "it takes root and the program ip to make a network that is outside"
    return why


@contextmanager
def outside() -> Iterator[tuple[str, int]]:
    """The address and the port of a server that is not on this machine, as far as its addresses go."""
    name = f"callboard-{os.getpid()}"
    cable = (f"cb{os.getpid() % 10**9}a", f"cb{os.getpid() % 10**9}b")

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    ip("netns", "add", name)
    try:
        ip("link", "add", cable[0], "type", "veth", "peer", "name", cable[1], "netns", name)
        try:
            ip("addr", "add", f"{HERE}/30", "dev", cable[0])
            ip("link", "set", cable[0], "up")
            ip("-n", name, "addr", "add", f"{THERE}/30", "dev", cable[1])
            ip("-n", name, "link", "set", cable[1], "up")
            served = ["ip", "netns", "exec", name, sys.executable, "-I", "-c", _SERVER]
            with subprocess.Popen(served, stdout=subprocess.PIPE) as server:
                try:
                    assert server.stdout is not None
                    yield THERE, int(server.stdout.readline())
                finally:
                    server.kill()
        finally:
            ip("link", "delete", cable[0])  # with the namespace it would go some time later
    finally:
        ip("netns", "delete", name)
