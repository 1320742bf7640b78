"""What is said about serving over HTTP: the options, what may not go together, and what becomes of them before the board is made."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from ...mcp_http.guard import Limits
from ..ui.options import seconds
from ..ui.streams import complain
from .kept_token import MOST, kept_token, plain_token, token_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...config.configuration import Configuration

Function = TypeVar("Function", bound="Callable[..., Any]")

_LOOPBACK: Final = ("127.", "::1")


def http_options(function: Function) -> Function:
    """Give a command the options of `HttpOptions`."""
    options: list[Callable[[Function], Function]] = [
        click.option(
            "--http",
            "address",
            metavar="HOST:PORT",
            help="Serve over streamable HTTP, and not over stdin and stdout.",
        ),
        click.option(
            "--token-file",
            "given_token",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="With --http: clients have to say the bearer token in FILE, and not one that is made and kept.",
        ),
        click.option(
            "--no-token",
            is_flag=True,
            help="With --http: need no token. Every user and program of this machine may call all tools then.",
        ),
        click.option(
            "--behind-proxy",
            is_flag=True,
            help="With --http: another server stands before it; requests may name any host.",
        ),
        click.option(
            "--max-connections",
            type=click.IntRange(1),
            metavar="N",
            help="With --http: connections at one time; 100 if it is not given.",
        ),
        click.option(
            "--header-timeout",
            type=seconds,
            metavar="SECONDS",
            help="With --http: how long a client may take to send the headers of a request; 10 if it is not given.",
        ),
        click.option(
            "--max-event",
            type=click.IntRange(64 * 1024),
            metavar="BYTES",
            help="With --http: the most bytes of one message to a client; 1048576 if it is not given, which is what clients take.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """What was said.

    Attributes:
        address: ``HOST:PORT``; not over HTTP if ``None``.
        given_token: a file that holds the token.
        no_token: none is needed.
        behind_proxy: another server stands before it.
        max_connections: at one time.
        header_timeout: seconds for a request's headers.
        max_event: bytes of one message to a client; ``None`` for what clients take.

    Raises:
        click.UsageError: it contradicts itself.
    """

    address: str | None
    given_token: Path | None
    no_token: bool
    behind_proxy: bool
    max_connections: int | None
    header_timeout: float | None
    max_event: int | None

    def __post_init__(self) -> None:
        given = {
            "--token-file": self.given_token is not None,
            "--no-token": self.no_token,
            "--behind-proxy": self.behind_proxy,
            "--max-connections": self.max_connections is not None,
            "--header-timeout": self.header_timeout is not None,
            "--max-event": self.max_event is not None,
        }
        if self.address is None and any(given.values()):
            names = ", ".join(name for name, is_given in given.items() if is_given)
            raise click.UsageError(f"without --http there is nothing that this is for: {names}")
        if self.given_token is not None and self.no_token:
            raise click.UsageError("choose one of --token-file and --no-token")

    def require_profile(self, configuration: Configuration) -> None:
        """Raise `click.UsageError` if this is weaker than a configuration's profile allows."""
        if configuration.profile is None:
            return
        usual = Limits()
        weak = [
            "--no-token" if self.no_token else "",
            f"--max-connections above {usual.most}" if self.limits.most > usual.most else "",
            f"--header-timeout above {usual.header_timeout:g}"
            if self.limits.header_timeout > usual.header_timeout
            else "",
        ]
        if any(weak):
            named = " and ".join(filter(None, weak))
            raise click.UsageError(f"the profile {configuration.profile!r} does not allow {named}")

    @property
    def limits(self) -> Limits:
        """What connections are held to."""
        usual = Limits()
        return Limits(
            self.max_connections or usual.most,
            self.header_timeout or usual.header_timeout,
            self.max_event or usual.event,
        )

    def listen(self) -> socket.socket | None:
        """A socket that listens at the address; beyond this machine only if that is said to be meant. ``None``: not over HTTP.

        Raises:
            click.UsageError: it cannot, or may not.
        """
        if self.address is None:
            return None
        host, colon, port = self.address.rpartition(":")
        host = host.strip("[]")
        if not colon or not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:  # noqa: PLR2004 - the last port
            raise click.BadParameter(
                f"it is {self.address!r}; it has to be HOST:PORT, such as 127.0.0.1:8811",
                param_hint="'--http'",
            )
        try:
            family, *_, place = socket.getaddrinfo(
                host, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listening = socket.create_server(place[:2], family=family, reuse_port=False)
        except OSError as error:
            raise click.BadParameter(
                f"cannot listen on {self.address}: {error.strerror or error}", param_hint="'--http'"
            ) from error
        if not (is_local(listening) or self.given_token is not None or self.behind_proxy):
            listening.close()
            raise click.UsageError(
                f"{self.address} can be reached from other machines; give --token-file, or --behind-proxy if another server guards it"
            )
        return listening

    def token(self, config: Path) -> str | None:
        """What clients have to say; ``None`` if nothing.

        Raises:
            click.ClickException: a token cannot be read, or not be kept.
        """
        if self.no_token:
            return None
        if self.given_token is None:
            return kept_token(token_file(config))
        try:
            with self.given_token.open("rb") as opened:
                token = plain_token(opened.read(MOST + 1))
        except OSError as error:
            raise click.BadParameter(
                f"cannot read {self.given_token}: {error.strerror}", param_hint="'--token-file'"
            ) from error
        if token is None:
            raise click.BadParameter(
                f"{self.given_token} has to hold a token of 1 to {MOST} printable characters",
                param_hint="'--token-file'",
            )
        return token

    def announce(self, listening: socket.socket, token: str | None, config: Path) -> None:
        """Say on stderr where clients find it; and of a token that was made here, how they say it."""
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"
        complain(f"serving on {url}")
        if token is None or self.given_token is not None:
            return
        header = f"Bearer {token}"
        entry = {"callboard": {"type": "http", "url": url, "headers": {"Authorization": header}}}
        complain(
            f"clients have to say this header; its token is kept in {token_file(config)}:\nAuthorization: {header}"
        )
        complain(f"this stands for it in the file of a client:\n{json.dumps({'mcpServers': entry})}")


def is_local(listening: socket.socket) -> bool:
    """Whether only programs of this machine can reach a socket that listens."""
    return str(listening.getsockname()[0]).startswith(_LOOPBACK)
