"""What a server may have us connect to: no address that is nearer to this machine than its own.

A login asks for addresses that the server names. One of the internet that names an address of this machine or of its network would have
us ask, with its words, what it cannot reach itself. A name may be looked up to another address each time, so that the address that a
connection has reached counts, before a byte is sent. Behind a proxy, which looks names up, the written address alone is known.
"""

from __future__ import annotations

import socket
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import CallboardError
from ...plugins.hooks.form_safety import host_of

if TYPE_CHECKING:
    import httpx2


class Nearness(IntEnum):
    """How near an address is; a nearer one is greater."""

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2


class TooNear(CallboardError):
    """A server has named an address that is nearer than its own.

    Attributes:
        host: as the server has written it.
        address: that the connection has reached; ``None`` if none was made.
        nearness: of that.
    """

    def __init__(self, host: str, address: str | None, nearness: Nearness) -> None:
        where = "on this machine" if nearness is Nearness.LOOPBACK else "of a private network"
        also = "" if address in {None, host} else f" ({address})"
        super().__init__(
            f"the server names the address {host!r:.100}{also}, which is {where}, and is not there itself; nothing was sent to it"
        )
        self.host = host
        self.address = address
        self.nearness = nearness


_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""Addresses that stand for those of IPv4, RFC 6052."""


def nearness_of(host: str) -> Nearness:
    """Return how near an IP address is, or a host by its name. A name that does not tell counts as public."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return Nearness.LOOPBACK
    address = _address_of(name)
    if address is None or (address.is_global and not address.is_multicast):
        return Nearness.PUBLIC
    return Nearness.LOOPBACK if address.is_loopback or address.is_unspecified else Nearness.PRIVATE


def _address_of(name: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        try:  # 127.1, 0x7f000001 and 2130706433 are addresses to whatever looks names up
            return IPv4Address(socket.inet_aton(name))
        except (OSError, ValueError):
            return None
    if isinstance(address, IPv6Address):
        if address in _TRANSLATED:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


class Reach:
    """Holds the requests of one login to the rule of the module.

    Args:
        url: of the server.
        nearness: of the server, where it is known; else its first connection tells.

    Attributes:
        nearness: of the server.
    """

    def __init__(self, url: httpx2.URL, nearness: Nearness | None = None) -> None:
        self.nearness: Nearness = nearness_of(url.host) if nearness is None else nearness
        self._known = nearness is not None
        self._own = _origin(url)

    def hold(self, request: httpx2.Request) -> None:
        """Hold a request that is about to be sent, and the connection that is made for it.

        Raises:
            TooNear: what it is for is nearer than the server; of the connection's address `httpx2` raises it as it sends.
        """
        host = request.url.host
        own = _origin(request.url) == self._own
        if not own:
            self._require(host, None, nearness_of(host))
        direct = False

        async def trace(event: str, facts: dict[str, Any]) -> None:
            nonlocal direct
            if event == "connection.connect_tcp.started":
                direct = facts["host"] == host
            elif event == "connection.connect_tcp.complete" and direct:
                stream = facts["return_value"]
                try:
                    self._reached(host, stream.get_extra_info("server_addr")[0], own=own)
                except TooNear:
                    await stream.aclose()  # nobody else has it yet
                    raise

        request.extensions = {**request.extensions, "trace": trace}

    def require_page(self, address: str) -> None:
        """Hold the address of a page that the user is sent to. A browser looks names up itself.

        Raises:
            TooNear: its host is nearer than the server.
            ValueError: it is no address of the web, or could be read in two ways.
        """
        host = host_of(address)
        self._require(host, None, nearness_of(host))

    def _reached(self, host: str, address: str, *, own: bool) -> None:
        nearness = nearness_of(address)
        if own and not self._known:
            self.nearness = nearness
            self._known = True
        self._require(host, address, nearness)

    def _require(self, host: str, address: str | None, nearness: Nearness) -> None:
        if nearness > self.nearness:
            raise TooNear(host, address, nearness)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
