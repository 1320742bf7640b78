"""An address of a server is shown by the host that a browser would open, and a form that asks for a secret is known."""

from __future__ import annotations

import pytest
from callboard.plugins.hooks.form_safety import host_of, names_a_secret
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org/pay?x=1", "example.org"),
        ("http://EXAMPLE.org:8080", "example.org"),
        ("https://example.org?next=https://evil.example@x", "example.org"),
        ("https://example.org#@evil.example", "example.org"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://\u0430pple.com/", "xn--pple-43d.com"),  # the first letter is Cyrillic
        ("https://example。org/", "example.org"),
        ("http://127.0.0.1:3000/x", "127.0.0.1"),
        ("http://[::1]:3000/x", "[::1]"),
    ],
)
def test_the_host_of_a_page_is_what_a_browser_looks_up(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com@evil.example\\@login.github.com/",
        "https://github.com@evil.example/",
        "https://github.com:443@evil.example/",
        "https://@evil.example/",
        "https://evil.example\\@github.com/",
        "https:///evil.example",
        "https://evil%2Eexample/",
        "https://evil.example%2f.github.com/",
        "https://evil.example\u202e/moc.buhtig",
        "https://evil\u200b.example/",
        "https://evil.example/\t",
        "https://evil.example:port/",
        "https://evil..example/",
        "https://[::1",
        "https://" + "a" * 64 + ".example",
        "javascript://example.org/%0aalert(1)",
        "//example.org",
        "https:example.org",
        "HTTPS:\\\\example.org",
        "",
    ],
)
def test_an_address_that_can_be_read_in_two_ways_is_refused(url):
    with pytest.raises(ValueError, match=r"\w"):
        host_of(url)


@given(st.text(st.sampled_from("ab.@:/\\?#[]%é。\u202e\t "), max_size=20))
def test_every_host_that_is_shown_is_plain_ascii_and_stands_in_its_address(rest):
    try:
        host = host_of(f"https://{rest}")
    except ValueError:
        return
    assert host.isascii()
    assert not set(host) & set("@/\\%? #")


@pytest.mark.parametrize(
    "text",
    [
        "password", "userPassword", "API_KEY", "apiKey", "Your PIN", "The one-time code that we have sent you", "Card number",
        "Passwort", "パスワード", "access-token",
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_words(text):
    assert names_a_secret(text)


@pytest.mark.parametrize(
    "text", ["name", "pinned", "tokenizer", "Passenger", "secretary", "Which key of the map?", ""]
)
def test_other_words_name_no_secret(text):
    assert not names_a_secret(text)
