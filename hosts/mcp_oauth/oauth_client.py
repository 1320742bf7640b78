"""What an entry says of the client that it is to a server's authorization, where that lets none register by itself."""

from __future__ import annotations

from ...base.frozen import frozen


@frozen
class OAuthClient:
    """See the module.

    Attributes:
        client_id: by which the authorization knows us, or the address of a document that says who we are; ``None`` to register.
        client_secret: what proves it; ``None`` for a client without one.
        scopes: what is asked for; none for what the server names.
        port: of this machine, to which the browser comes back; any if ``None``.
    """

    client_id: str | None = None
    client_secret: str | None = None
    scopes: tuple[str, ...] = ()
    port: int | None = None

    @property
    def document(self) -> str | None:
        """The address of a client ID metadata document, if ``client_id`` is one; where it is not taken we register."""
        found = self.client_id
        return found if found is not None and found.startswith("https://") else None


REGISTERS = OAuthClient()
"""An entry that says nothing of it."""
