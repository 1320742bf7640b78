"""An MCP server as a plugin that is reached over HTTP: a host without a process. A generation of it is a session."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...base.errors import CallboardError
from ..errors import HostStartError
from ..mcp.result_bound import DEFAULT_LIMIT
from ..mcp.revision import HANDSHAKES
from ..mcp.selection import ALL, Selection
from ..mcp.server_requests import call_of
from ..mcp.tool import McpToolPlugin
from ..mcp_oauth.oauth_client import REGISTERS, OAuthClient
from ..mcp_oauth.token_file import token_file
from ..process.process import Command
from ..protocol.wire import MAX_LINE_BYTES, ErrorResponse, Malformed
from .exchange import Fate, failed, has_missed, require_headers, require_url, shown_url, told_fate
from .param_headers import invalid_header

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..mcp.session import Session
    from ..process.process import ProcessListener
    from ..process.transport import Carry
    from ..process_tree.watchdog import Watchdog
    from ..protocol.dialect import Aside, Dialect
    from ..protocol.input_request import SpeaksThrough
    from ..protocol.wire import Message
    from .http_transport import HttpTransport


class HttpDialect:
    """A session whose transport, too, has something to say: what became of a call that nobody has answered."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.given_up: set[str] = session.given_up
        self.begin: Callable[[SpeaksThrough], None] = session.begin
        self.end: Callable[[], None] = session.end
        self.encode: Callable[[str, str, dict[str, Any]], bytes] = session.encode
        self.forget: Callable[[str], None] = session.forget
        self.take: Callable[[], tuple[bytes, Sequence[Message]]] = session.take

    @property
    def has_more(self) -> bool:
        return self._session.has_more

    def decode(self, line: bytes) -> Sequence[Message | Aside]:
        if has_missed(line):
            self._session.missed()
            return ()
        if (told := told_fate(line)) is None:
            return self._session.decode(line)
        if told.fate is Fate.REFUSED:
            refused = self._session.decode(failed(told.id, {"code": -32000, "message": told.detail}))
            return [each._replace(raw=None) if isinstance(each, ErrorResponse) else each for each in refused]
        self._session.forget(told.id)
        return (Malformed(told.fate.value, told.detail, call_of(told.id), told.facts),)


class McpHttpPlugin(McpToolPlugin):
    """The tools of one MCP server that is reached over HTTP.

    Args:
        name: the plugin's name, unique on its board.
        url: of the server.
        headers: of every request; their values are secrets.
        revision, roots, selection, result_limit: as `McpToolPlugin`.
        max_answer: the most bytes of one message of the server.
        oauth: what is said of us where the server wants a login.
        older: the server speaks the transport of 2024-11-05; else that is tried if it refuses the newer one.

    Attributes:
        address: the url, without what may be a secret in it.

    Raises:
        ValueError: the url is no address, or a header cannot be sent or is the protocol's own.
    """

    _unfit = staticmethod(invalid_header)

    def __init__(
        self,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        revision: str | None = None,
        roots: Sequence[str] = (),
        selection: Selection = ALL,
        result_limit: int = DEFAULT_LIMIT,
        max_answer: int = MAX_LINE_BYTES,
        oauth: OAuthClient = REGISTERS,
        older: bool = False,
    ) -> None:
        super().__init__(
            name, (), revision=revision, roots=roots, selection=selection, result_limit=result_limit
        )
        self._url = url
        self._headers = dict(headers or {})
        require_url(url)
        require_headers(self._headers)
        self.address: str = shown_url(url)
        self._max_answer = max_answer
        self._oauth = oauth
        self._older = older
        has_own = any(name.lower() == "authorization" for name in self._headers)
        self._tokens = None if has_own else token_file(url)
        self._last: HttpTransport | None = None
        self.carry: Carry | None = self._carry
        self.dialect: Callable[[], Dialect] | None = lambda: HttpDialect(self._new_session())

    def _command(self) -> Command:
        if find_spec("httpx2") is None:
            problem = (
                f"cannot start host {self.name!r}: a server over HTTP needs the package 'httpx2', which the extra 'mcp-http' "
                "brings; run: pip install httpx2"
            )
            raise HostStartError(problem, host=self.name, permanent=True)
        secrets = secrets_in(self._url, self._headers)
        secrets += (self._oauth.client_secret,) if self._oauth.client_secret else ()
        if self._tokens is not None and (kept := self._tokens.read()) is not None:
            secrets += tuple(str(kept["tokens"].get(name, "")) for name in ("access_token", "refresh_token"))
        return Command((str(self.address),), {}, extended=True, secrets=secrets)

    def login(self, show: Callable[[str], object]) -> bool:
        """Get a token for it with the user's help; False if it asks for none. It blocks, for some minutes at the most.

        Args:
            show: shows the user the address of the page on which to agree.

        Raises:
            CallboardError: there is none to be had, or it has a header of its own for that.
            OSError: it cannot be kept.
            ModuleNotFoundError: the package ``mcp`` is not there.
        """
        if self._tokens is None:
            raise CallboardError(
                f"{self.name!r} has its own header 'Authorization'; leave that out, to log in"
            )
        from ..mcp_oauth.oauth import login  # noqa: PLC0415 - an extra, and it takes a second

        return login(self._url, self._tokens, show, self._oauth, older=self._older)

    def _carry(self, name: str, _: Command, listener: ProcessListener, __: Watchdog | None) -> HttpTransport:
        from ..mcp_oauth.authorization import Authorization  # noqa: PLC0415 - as the next one
        from .connection import Connection  # noqa: PLC0415 - an extra, and it brings asyncio: only such a server needs it
        from .http_transport import HttpTransport  # noqa: PLC0415 - as the one before

        def connection() -> Any:
            auth = None if self._tokens is None else Authorization(self._url, self._tokens, self._oauth)
            return Connection(self._url, self._headers, auth)

        self._last = HttpTransport(
            name, listener, connection, self._max_answer, self._remedy(), older=self._older
        )
        return self._last

    def _remedy(self) -> str:
        """Where other credentials come from, if the server asks for some."""
        if self._tokens is None:
            return f"correct 'Authorization' under 'headers' in the entry of {self.name!r}, or leave it out and log in"
        login = f"callboard mcp CONFIG --login {shlex.quote(self.name)}"
        return f"give them as 'headers' in its entry, or log in: {login}, where CONFIG is your configuration"

    def _next_revision(self) -> str | None:
        if self._older:  # it knows no other way to begin
            return self._revision or HANDSHAKES[0]
        # A generation that met nobody has not been answered by silence.
        return self._revision if self._last is not None and self._last.unmet else super()._next_revision()


def secrets_in(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What nobody is to read in a report: values of headers, whole and without their scheme, and the query of the address."""
    found = list(headers.values())
    found += [rest for value in headers.values() if (rest := value.partition(" ")[2])]
    query = url.partition("?")[2].partition("#")[0]
    found += [value for part in query.split("&") if (value := part.partition("=")[2] or part)]
    return tuple(found)
