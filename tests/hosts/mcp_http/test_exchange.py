"""Which headers a message has, and what an answer over HTTP means."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from callboard.hosts.mcp import jsonrpc
from callboard.hosts.mcp.offers import Subscriptions
from callboard.hosts.mcp.session import Session
from callboard.hosts.mcp_http.connection import proxy_for
from callboard.hosts.mcp_http.exchange import (
    MISSED,
    OURS,
    Fate,
    Verdict,
    agreed_in,
    answers,
    endpoint_in,
    error_in,
    explained,
    has_missed,
    header_text,
    headers_of,
    is_alive,
    is_session_id,
    lines_of,
    outgoing,
    require_headers,
    require_url,
    shown_url,
    stream_headers,
    tell_fate,
    told_fate,
    verdict_on,
)
from callboard.hosts.mcp_http.tool import HttpDialect, secrets_in
from hypothesis import given
from hypothesis import strategies as st

ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
SESSION = {"mcp-session-id": "abc", "mcp-protocol-version": "2025-11-25"}


def named(method: str, **params: Any) -> dict[str, str]:
    """The headers that are not the same for all messages, with a session that is known."""
    message = outgoing(jsonrpc.request("1-1", method, params))
    headers = headers_of(message, "2025-11-25", "abc")
    return {name: value for name, value in headers.items() if name.startswith("mcp-")}


@pytest.mark.parametrize(
    ("method", "params", "headers"),
    [
        ("initialize", {}, {}),
        ("tools/list", {}, SESSION),
        ("tools/call", {"name": "echo"}, SESSION),
        (
            "server/discover",
            {"_meta": ENVELOPE},
            {"mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover"},
        ),
        (
            "tools/call",
            {"name": "echo", "_meta": ENVELOPE},
            {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo"},
        ),
        (
            "resources/read",
            {"uri": "note://é", "_meta": ENVELOPE},
            {
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "resources/read",
                "mcp-name": "=?base64?bm90ZTovL8Op?=",
            },
        ),
    ],
)
def test_a_message_has_the_headers_of_its_revision(method: str, params: Any, headers: dict[str, str]) -> None:
    assert named(method, **params) == headers


def test_an_answer_to_the_server_belongs_to_the_session_too() -> None:
    message = outgoing(jsonrpc.result(7, {}))

    assert (message.id, message.method) == (None, None)
    assert headers_of(message, "2025-11-25", "abc").items() >= SESSION.items()


def test_what_became_of_a_call_that_was_made_anew_is_told_of_the_call() -> None:
    session = Session({"name": "callboard", "version": "1"})
    (told,) = HttpDialect(session).decode(tell_fate("1-2~3", Fate.LOST, "gone").rstrip(b"\n"))

    assert (told.reason, told.id) == ("connection_lost", "1-2")


def test_a_stream_is_asked_for_from_where_it_ended() -> None:
    assert stream_headers("2025-11-25", "abc", "7")["last-event-id"] == "7"
    assert "last-event-id" not in stream_headers("2025-11-25", None, None)


@given(st.text())
def test_any_text_can_stand_in_a_header_and_be_read_again(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    said = header_text(text)

    assert said.isascii()
    assert said.isprintable()
    assert said == said.strip()
    if said != text:
        assert base64.b64decode(said[len("=?base64?") : -2]).decode() == text


@pytest.mark.parametrize(
    ("status", "known", "opened", "verdict"),
    [
        (200, True, True, Verdict.ANSWER),
        (202, False, True, Verdict.ANSWER),
        (307, True, True, Verdict.ERROR),
        (400, True, True, Verdict.DOUBTFUL),
        (404, True, True, Verdict.DOUBTFUL),
        (400, False, True, Verdict.ERROR),
        (404, False, False, Verdict.ERROR),
        (401, False, True, Verdict.DOUBTFUL),
        (401, False, False, Verdict.ERROR),
        (403, True, True, Verdict.ERROR),
        (429, True, True, Verdict.ERROR),
        (429, False, False, Verdict.LATER),
        (500, True, True, Verdict.ERROR),
        (503, False, False, Verdict.LATER),
    ],
)
def test_a_status_means_one_thing(status: int, known: bool, opened: bool, verdict: Verdict) -> None:
    assert verdict_on(status, known=known, opened=opened) is verdict


@given(st.integers(100, 599), st.booleans(), st.booleans())
def test_a_call_may_be_sent_again_only_after_what_says_that_it_was_not_run(
    status: int, known: bool, opened: bool
) -> None:
    verdict = verdict_on(status, known=known, opened=opened)

    if verdict is Verdict.DOUBTFUL:
        assert status in {400, 401, 404}
    assert (verdict is Verdict.ANSWER) == (200 <= status < 300)


@pytest.mark.parametrize(
    ("status", "known", "alive"),
    [
        (200, True, True),
        (404, True, False),
        (400, True, False),
        (400, False, True),
        (401, False, False),
        (502, True, False),
    ],
)
def test_a_ping_shows_whether_a_session_goes_on(status: int, known: bool, alive: bool) -> None:
    assert is_alive(status, known=known) is alive


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8811/mcp", "http://127.0.0.1:8811/mcp"),
        ("https://user:s3cret@example.org/mcp?key=s3cret#s3cret", "https://example.org/mcp"),
        ("http://[::1]:80/mcp", "http://[::1]:80/mcp"),
        ("/elsewhere?key=s3cret", "/elsewhere"),
        ("http://[broken", "an address that is none"),
        ("http://x:port/", "an address that is none"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@given(st.text(), st.integers(300, 599))
def test_a_refusal_can_be_told_whatever_a_server_redirects_to(location: str, status: int) -> None:
    assert str(status) in explained(status, location, remedy="log in")


@pytest.mark.parametrize(
    "url", ["", "mcp", "ftp://x/", "http://", "http://a b/", "http://é/", "http://u:p@x/", "http://x:0/"]
)
def test_an_address_that_is_none_is_refused_without_being_said(url: str) -> None:
    with pytest.raises(ValueError, match="'url'") as caught:
        require_url(url)

    assert "u:p" not in str(caught.value)


@pytest.mark.parametrize(
    "headers",
    [
        {"a b": "x"},
        {"": "x"},
        {"X": "a\r\nY: b"},
        {"X": ""},
        {"X": " a"},
        {"X": "\u20ac"},
        *({name: "x"} for name in OURS),
    ],
)
def test_a_header_that_cannot_be_sent_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="header"):
        require_headers(headers)


def test_the_value_of_a_header_is_not_said_in_its_refusal() -> None:
    with pytest.raises(ValueError, match="Authorization") as caught:
        require_headers({"Authorization": "Bearer s3cret\n"})

    assert "s3cret" not in str(caught.value)


def test_the_secrets_of_an_entry_are_its_headers_and_its_query() -> None:
    found = secrets_in("https://x/mcp?key=fromquery&bare", {"Authorization": "Bearer fromheader"})

    assert {"fromquery", "bare", "fromheader", "Bearer fromheader"} <= set(found)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b'{"a": 1}', [b'{"a": 1}\n']),
        (b'\n{\r\n"a": 1\n}\n', [b'{  "a": 1 }\n']),
        (b'[{"a":1},{"b":2},3]', [b'{"a":1}\n', b'{"b":2}\n']),
        (b"[", []),
        (b"<p>", []),
        (b'\0{"id": "1-1", "fate": "unsent"}', []),
        (b"", []),
    ],
)
def test_the_messages_of_a_body_are_lines(body: bytes, lines: list[bytes]) -> None:
    assert lines_of(body) == lines


@given(st.binary())
def test_no_body_of_a_server_can_say_what_became_of_a_call(body: bytes) -> None:
    assert all(told_fate(line) is None and line.count(b"\n") == 1 for line in lines_of(body))


@pytest.mark.parametrize("fate", Fate)
def test_what_became_of_a_call_is_told_in_a_line(fate: Fate) -> None:
    assert told_fate(tell_fate("1-7", fate, "it ended", limit=3)) == ("1-7", fate, "it ended", {"limit": 3})


@pytest.mark.parametrize(
    ("message", "is_answer"),
    [
        ({"id": "1-1", "result": {}}, True),
        ({"id": "1-1", "error": {"code": 1, "message": "x"}}, True),
        ({"id": "1-2", "result": {}}, False),
        ({"id": "1-1", "method": "ping"}, False),
        ({"method": "notifications/message"}, False),
    ],
)
def test_an_answer_is_known_by_its_id(message: dict[str, Any], is_answer: bool) -> None:
    assert answers(json.dumps({"jsonrpc": "2.0", **message}).encode(), "1-1") is is_answer


def test_the_error_of_a_refusal_is_taken_and_nothing_else() -> None:
    assert error_in(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}') == {
        "code": -32000,
        "message": "no",
    }
    assert [error_in(body) for body in (b"", b"<p>", b"[]", b'{"error": "x"}', b'{"error": {}}')] == [
        None
    ] * 5


def test_the_revision_of_a_handshake_is_what_a_header_can_hold() -> None:
    def said(revision: Any) -> str | None:
        return agreed_in(jsonrpc.result("1", {"protocolVersion": revision}))

    assert (said("2025-06-18"), said("a\r\nb"), said(3)) == ("2025-06-18", None, None)
    assert (is_session_id("a-1"), is_session_id("a b"), is_session_id("")) == (True, False, False)


@pytest.mark.parametrize(
    ("url", "environment", "proxy"),
    [
        ("https://x.org/mcp", {}, None),
        ("https://x.org/mcp", {"https_proxy": "http://p:1"}, "http://p:1"),
        ("https://x.org/mcp", {"https_proxy": "p:1"}, "http://p:1"),
        ("https://x.org/mcp", {"all_proxy": "http://p:1"}, "http://p:1"),
        ("https://x.org/mcp", {"https_proxy": "http://p:1", "no_proxy": "x.org"}, None),
        ("http://x.org/mcp", {"https_proxy": "http://p:1"}, None),
        ("http://localhost:1/mcp", {"http_proxy": "http://p:1"}, None),
        ("http://127.0.0.1:1/mcp", {"http_proxy": "http://p:1"}, None),
        ("http://[::1]:1/mcp", {"all_proxy": "http://p:1"}, None),
    ],
)
def test_a_proxy_is_the_environment_s_and_none_for_this_machine(
    url: str, environment: dict[str, str], proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert proxy_for(url) == proxy


@pytest.mark.parametrize(
    ("url", "said", "address"),
    [
        ("http://a.example/sse", b"/messages?session=1", "http://a.example/messages?session=1"),
        ("http://a.example/x/sse", b"messages", "http://a.example/x/messages"),
        ("http://a.example/sse?key=1", b"?session=1", "http://a.example/sse?session=1"),
        ("http://a.example/sse", b"http://a.example:80/m", "http://a.example:80/m"),
        ("https://a.example/sse", b"https://A.example/m#part", "https://a.example/m"),
        ("http://a.example/sse", b" /m ", "http://a.example/m"),
        ("http://a.example/sse", b"https://a.example/m", None),
        ("http://a.example/sse", b"http://a.example:81/m", None),
        ("http://a.example/sse", b"http://b.example/m", None),
        ("http://a.example/sse", b"//b.example/m", None),
        ("http://a.example/sse", b"http://a.example@b.example/m", None),
        ("http://a.example/sse", b"http://me:secret@a.example/m", None),
        ("http://a.example/sse", b"ftp://a.example/m", None),
        ("http://a.example/sse", b"http://[::1/m", None),
        ("http://a.example/sse", b"/m\nx", None),
        ("http://a.example/sse", b"/\xc3\xa4", None),
        ("http://a.example/sse", b"/" + b"x" * 5000, None),
    ],
)
def test_messages_are_sent_to_an_address_of_the_server_s_own(
    url: str, said: bytes, address: str | None
) -> None:
    found = endpoint_in(url, said)

    assert (found or "").lower() == (address or "").lower()


@given(st.binary(), st.sampled_from(["http://a.example/sse", "https://a.example:8443/x/sse"]))
def test_whatever_a_server_says_no_message_leaves_its_origin(said: bytes, url: str) -> None:
    found = endpoint_in(url, said)

    assert found is None or urlsplit(found)[:2] == urlsplit(url)[:2]


def test_news_that_may_have_been_lost_are_told_as_changes() -> None:
    tools: list[bool] = []
    news: list[tuple[str, str | None]] = []
    subscriptions = Subscriptions("server")
    subscriptions.on_news = lambda kind, _, uri=None: news.append((kind, uri))
    subscriptions.add("note://one")
    session = Session(
        {}, revision="2025-11-25", on_tools_changed=lambda: tools.append(True), subscriptions=subscriptions
    )
    session.encode("1-1", "init", {})
    offers = {"tools": {}, "resources": {"subscribe": True}}
    opened = {"protocolVersion": "2025-11-25", "capabilities": offers, "serverInfo": {}}
    session.decode(jsonrpc.result("callboard:initialize", opened).strip())

    assert HttpDialect(session).decode(MISSED.strip(b"\n")) == ()
    assert (tools, news) == ([True], [("resources_changed", None), ("resource_updated", "note://one")])


@given(st.binary())
def test_no_body_of_a_server_can_say_that_news_were_lost(body: bytes) -> None:
    assert not any(has_missed(line) for line in lines_of(body))
