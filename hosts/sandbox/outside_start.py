"""Becomes a program in a network of its own, from which the outside is reached and this machine is not.

A script, started by ``python -I -S`` with one file, which imports nothing of the house. It makes a network, has pasta or slirp4netns
connect it with the outside, takes this machine's own addresses out of it, and becomes the program, with the pid that it has itself.

What connects the network stays beside the program, in its process group, and does not end with it: whoever has started the group ends it.
It holds none of the program's descriptors and has no variables.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import select
import signal
import socket
import struct
import sys

SECONDS = 10.0
"""How long it may take to connect a network."""

ADDRESSES = "/proc/net/fib_trie"
"""Where the kernel says which addresses are its own."""

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_READY = {"pasta": 1, "slirp4netns": 3}
"""The descriptor by which each says that it is done."""

_MULTICAST = ("224.0.0.0", 4)
"""What is sent there comes back to this machine's own services too."""

_NETLINK = 16
_NEW_ROUTE, _REQUEST, _ACK, _EXCL, _CREATE = 24, 1, 4, 0x200, 0x400
_LOCAL_TABLE, _STATIC, _UNREACHABLE, _DESTINATION = 255, 4, 7, 1

_FOUND = re.compile(r"\|-- ([0-9.]+)\n((?:\s+/\d+ .*\n?)+)")
_LOCAL = re.compile(r"/(\d+) host LOCAL")


def own_addresses(table: str) -> tuple[tuple[str, int], ...]:
    """The addresses of this machine and the lengths of their prefixes, without 127.0.0.0/8, which every network has itself."""
    found = {
        (address, int(length))
        for address, routes in _FOUND.findall(table)
        for length in _LOCAL.findall(routes)
        if not address.startswith("127.")
    }
    return tuple(sorted(found))


if sys.platform != "win32":  # for the type checker: nobody starts it there

    def words_of(kind: str, path: str, pid: int) -> list[str]:
        """The words that connect the network of a process: with no way in, and none to this machine's loopback."""
        root = os.geteuid() == 0
        if kind == "pasta":
            closed = ["-t", "none", "-u", "none", "-T", "none", "-U", "none", "--no-map-gw"]
            user = ["--runas", "0"] if root else []
            return [path, "--config-net", "-q", "-f", "-4", *closed, *user, "-P", "/proc/self/fd/1", str(pid)]
        # Its name server answers for the resolver of this machine on every port, that of 127.0.0.53 too.
        closed = ["--disable-host-loopback", "--disable-dns"]
        apart = ["--enable-seccomp", *(["--enable-sandbox"] if root else [])]
        return [path, "-c", *closed, *apart, "-r", str(_READY[kind]), str(pid), "tap0"]

    def _connected(kind: str, path: str) -> None:
        """Put this process into a network of its own, connected. Raises `OSError`; exits with what the program has said."""
        with open(ADDRESSES) as file:  # noqa: PTH123 - `pathlib` takes as long as all the rest
            own = own_addresses(file.read())
        uid, gid, pid = os.geteuid(), os.getegid(), os.getpid()
        (told, tells), (heard, says), (waits, begins) = os.pipe(), os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(begins)
            _become_connector(kind, words_of(kind, path, pid), waits, tells, says)
        for descriptor in (tells, says, waits):
            os.close(descriptor)
        if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER | _NEW_NET):
            number = ctypes.get_errno()
            raise OSError(number, f"no network of its own can be made ({os.strerror(number)})")
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{uid} {uid} 1"),
            ("gid_map", f"{gid} {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - as above
                file.write(text)
        os.write(begins, b".")
        os.close(begins)
        ready, _, _ = select.select([told], [], [], SECONDS)
        if not ready or not os.read(told, 100):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            said = os.read(heard, 4096).decode("utf-8", "replace").split("\n") if ready else []
            last = " ".join(filter(None, said[-3:])) or f"it has not connected a network within {SECONDS:g} s"
            sys.exit(f"{kind}: {last}")
        os.close(told)
        os.close(heard)
        _take_out((*own, _MULTICAST))

    def _become_connector(kind: str, words: list[str], waits: int, tells: int, says: int) -> None:
        """In the child: wait until there is a network, and become the program that connects it."""
        if not os.read(waits, 1):
            os._exit(1)
        nothing, ready = os.open(os.devnull, os.O_RDWR), _READY[kind]
        # All are above what they become, so that none is written over; those below are closed or replaced.
        tells, says, nothing = (_above(each) for each in (tells, says, nothing))
        for descriptor, place in ((nothing, 0), (nothing, 1), (says, 2), (tells, ready)):
            os.dup2(descriptor, place)
        os.closerange(max(3, ready + 1), os.sysconf("SC_OPEN_MAX"))
        if kind == "pasta":  # it takes a signal that is ignored already for an error
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        try:
            os.execve(words[0], words, {})  # noqa: S606 - as everywhere
        except OSError as error:
            os.write(2, f"{words[0]}: {error.strerror}".encode())
        os._exit(1)

    def _above(descriptor: int) -> int:
        while descriptor < _HIGH:
            descriptor = os.dup(descriptor)
        return descriptor

    _HIGH = 10

    def _take_out(prefixes: tuple[tuple[str, int], ...]) -> None:
        """Make addresses unreachable in the network of this process, before all other routes. Raises `OSError`."""
        with socket.socket(_NETLINK, socket.SOCK_RAW) as kernel:
            for address, length in prefixes:
                kernel.send(_route(address, length))
                (number,) = struct.unpack_from("=i", kernel.recv(4096), 16)
                if number in (0, -errno.EEXIST):  # there it is the network's own address
                    continue
                raise OSError(
                    -number, f"{address} cannot be taken out of its network ({os.strerror(-number)})"
                )

    def _route(address: str, length: int) -> bytes:
        route = struct.pack("=8BI", socket.AF_INET, length, 0, 0, _LOCAL_TABLE, _STATIC, 0, _UNREACHABLE, 0)
        body = route + struct.pack("=HH4s", 8, _DESTINATION, socket.inet_aton(address))
        return (
            struct.pack("=IHHII", 16 + len(body), _NEW_ROUTE, _REQUEST | _ACK | _CREATE | _EXCL, 1, 0) + body
        )

    def main(kind: str, path: str, *words: str) -> None:
        """Become a program in such a network.

        Args:
            kind: ``pasta`` or ``slirp4netns``.
            path: where that is.
            words: the program, by its path, and its arguments. It has all variables and descriptors of this process.
        """
        try:
            _connected(kind, path)
            os.execv(words[0], words)  # noqa: S606 - as everywhere
        except OSError as error:
            sys.exit(str(error.strerror or error))

    if __name__ == "__main__":
        main(*sys.argv[1:])
