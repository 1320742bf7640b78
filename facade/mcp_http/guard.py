"""Who is served over HTTP: one look at each request, whatever its route, before anything else reads it. Pure.

The names are looked at although there is a token: a page in a browser that has got hold of one is still refused.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

HEALTH: Final = "/healthz"
"""The one path that is open to everyone: probes know neither our names nor a token."""

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@frozen
class Limits:
    """What connections are held to, before any request is looked at, and what they carry.

    Attributes:
        most: at one time.
        header_timeout: seconds for a request's headers, from the connection's beginning, or from their first byte.
        event: bytes of one message to a client; the default is what the SDK for Python takes (``max_sse_event_size``).
    """

    most: int = 100
    header_timeout: float = 10.0
    event: int = 1024 * 1024


@frozen
class Refusal:
    """The answer to a request that is not let in: an HTTP status, and a text that says what to do."""

    status: int
    text: str


@frozen
class Guard:
    """See the module.

    Attributes:
        token: what a request has to carry as ``Authorization: Bearer``; none is needed if ``None``.
        names: the hosts by which a request may call this server; any if ``None``, since it is reached from other machines.
        proxied: another server stands before this one and has looked at the names, which are its own.
    """

    token: str | None
    names: frozenset[str] | None = LOOPBACK
    proxied: bool = False

    def refusal(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Why a request is refused; ``None`` if it is let in.

        Args:
            path: of its address, decoded, as it is routed by.
            headers: their names in lower case.
        """
        if path == HEALTH:
            return None
        said: dict[bytes, list[str]] = {}
        for name, value in headers:
            said.setdefault(name, []).append(value.decode("latin-1"))
        refused = None if self.proxied else self._by_names(said.get(b"host", []), said.get(b"origin", []))
        return refused or self._by_token(said.get(b"authorization", []))

    def _by_names(self, hosts: list[str], origins: list[str]) -> Refusal | None:
        host = _authority(f"//{hosts[0]}") if len(hosts) == 1 else None
        if host is None or (self.names is not None and host[0] not in self.names):
            return Refusal(
                421,
                "the header 'Host' does not name this machine; ask for 127.0.0.1 or localhost, "
                "or serve with --behind-proxy if another server passes requests on under its own name",
            )
        trusted = self.names or LOOPBACK
        for origin in origins:
            found = _authority(origin) if origin.startswith(("http://", "https://")) else None
            if found is None or (found[0] not in trusted and found != host):
                return Refusal(
                    403, "the header 'Origin' names a page of another site, which may not ask here"
                )
        return None

    def _by_token(self, authorizations: list[str]) -> Refusal | None:
        if self.token is None:
            return None
        scheme, _, given = (authorizations[0] if len(authorizations) == 1 else "").partition(" ")
        # Compared as bytes: of texts that are not ASCII the comparison raises.
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode()):
            return None
        return Refusal(401, "the token is missing or wrong; send it as 'Authorization: Bearer TOKEN'")


def _authority(address: str) -> tuple[str, int | None] | None:
    """The host's name in lower case, and the port, of an address; ``None`` if it has none, or more than these."""
    try:
        parts = urlsplit(address)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    plain = not (parts.path or parts.query or parts.fragment) and "@" not in parts.netloc
    return (name, port) if name and plain else None
