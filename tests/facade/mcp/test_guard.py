"""The guard of the routes over HTTP, as a table of requests."""

from __future__ import annotations

import pytest
from callboard.mcp_http.guard import HEALTH, LOOPBACK, Guard

TOKEN = ("authorization", "Bearer word")
HERE = ("host", "127.0.0.1:8811")
LOCAL = Guard("word")
REMOTE = Guard("word", None)
PROXIED = Guard("word", LOOPBACK, proxied=True)
OPEN = Guard(None)


def status(guard, path, *headers):
    found = guard.refusal(path, [(name.encode(), value.encode("latin-1")) for name, value in headers])
    return None if found is None else found.status


@pytest.mark.parametrize(
    ("guard", "headers", "wanted"),
    [
        (LOCAL, [HERE, TOKEN], None),
        (LOCAL, [("host", "LocalHost"), TOKEN], None),
        (LOCAL, [("host", "[::1]:8811"), TOKEN], None),
        (LOCAL, [("host", "127.0.0.1.evil.example"), TOKEN], 421),
        (LOCAL, [("host", "127.0.0.1@evil.example"), TOKEN], 421),
        (LOCAL, [("host", "evil.example#127.0.0.1"), TOKEN], 421),
        (LOCAL, [("host", "127.0.0.1:port"), TOKEN], 421),
        (LOCAL, [("host", ""), TOKEN], 421),
        (LOCAL, [TOKEN], 421),
        (LOCAL, [HERE, ("host", "evil.example"), TOKEN], 421),
        (LOCAL, [HERE, TOKEN, ("origin", "http://localhost:6274")], None),
        (LOCAL, [HERE, TOKEN, ("origin", "http://localhost.evil.example")], 403),
        (LOCAL, [HERE, TOKEN, ("origin", "file://localhost")], 403),
        (LOCAL, [HERE, TOKEN, ("origin", "null")], 403),
        (LOCAL, [HERE, TOKEN, ("origin", "http://localhost"), ("origin", "http://evil.example")], 403),
        (LOCAL, [HERE], 401),
        (LOCAL, [HERE, ("authorization", "word")], 401),
        (LOCAL, [HERE, ("authorization", "Basic word")], 401),
        (LOCAL, [HERE, ("authorization", "Bearer wörd")], 401),
        (LOCAL, [HERE, ("authorization", "bearer  word ")], None),
        (LOCAL, [HERE, TOKEN, ("authorization", "Bearer other")], 401),
        (REMOTE, [("host", "tools.example"), TOKEN], None),
        (REMOTE, [("host", "tools.example:80"), TOKEN, ("origin", "http://tools.example:80")], None),
        (REMOTE, [("host", "tools.example"), TOKEN, ("origin", "http://evil.example")], 403),
        (REMOTE, [("host", "tools.example")], 401),
        (PROXIED, [("host", "tools.example"), ("origin", "https://app.example"), TOKEN], None),
        (PROXIED, [HERE], 401),
        (OPEN, [HERE], None),
        (OPEN, [("host", "evil.example")], 421),
    ],
)
def test_a_request_is_let_in_by_its_host_its_origin_and_its_token(guard, headers, wanted):
    assert status(guard, "/mcp", *headers) == wanted
    assert status(guard, "/status", *headers) == wanted


@pytest.mark.parametrize("guard", [LOCAL, REMOTE, PROXIED, OPEN])
def test_the_health_alone_is_open_to_everyone(guard):
    assert status(guard, HEALTH, ("host", "evil.example")) is None
    assert status(guard, f"{HEALTH}/", ("host", "evil.example")) in {401, 421}
