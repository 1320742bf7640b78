"""Tries to reach sockets, each said as ``tcp:HOST:PORT``, ``udp:HOST:PORT`` or ``abstract:NAME``, and says what came of it as JSON."""

import errno
import json
import socket
import sys


def reach(said):
    """``CONNECTED``, ``SENT`` or the name of the error."""
    kind, _, rest = said.partition(":")
    host, _, port = rest.rpartition(":")
    family = socket.AF_UNIX if kind == "abstract" else socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as trying:
            trying.settimeout(5)
            if kind == "udp":
                trying.sendto(b"REACHED", socket.getaddrinfo(host, int(port), family)[0][4])
                return "SENT"
            trying.connect(
                f"\0{rest}" if kind == "abstract" else socket.getaddrinfo(host, int(port), family)[0][4]
            )
            return "CONNECTED"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


if __name__ == "__main__":
    print(json.dumps({said: reach(said) for said in sys.argv[1:]}))
