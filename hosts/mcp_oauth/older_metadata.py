"""Metadata of an authorization up to 2025-03-26, which a server that names none has at the root of its own origin.

Such a description may say an issuer with a path, though it was asked for at the root. Of the server's own origin that is taken, as clients of
that revision did; the official SDK would refuse it, as RFC 8414 wants of what is found by an issuer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx2

from ...base.errors import JsonValueError
from ...base.json import dump_json, load_json

if TYPE_CHECKING:
    from typing import Any

_PLACE: Final = "/.well-known/oauth-authorization-server"


def as_of_origin(server: httpx2.URL, answer: httpx2.Response) -> httpx2.Response:
    """The answer, with the origin of the server as issuer if it is that description; else as it is.

    Args:
        server: where the server is, which has named no authorization.
        answer: to a request of a login.
    """
    asked = answer.request.url
    if asked.path != _PLACE or _origin(asked) != _origin(server) or not answer.is_success:
        return answer
    try:
        said: Any = load_json(answer.content)
    except JsonValueError:
        return answer
    issuer = said.get("issuer") if isinstance(said, dict) else None
    if not isinstance(issuer, str) or _origin_of(issuer) != _origin(server):
        return answer
    own = str(server.copy_with(path="/", query=None, fragment=None)).rstrip("/")
    headers = [(name, value) for name, value in answer.headers.multi_items() if name != "content-length"]
    content = dump_json({**said, "issuer": own})
    return httpx2.Response(answer.status_code, headers=headers, content=content, request=answer.request)


def _origin_of(url: str) -> tuple[str, str, int | None] | None:
    try:
        return _origin(httpx2.URL(url))
    except httpx2.InvalidURL:
        return None


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
