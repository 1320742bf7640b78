"""What a server says of scopes that a token lacks is read, however it is written, and bounded."""

from __future__ import annotations

import pytest
from callboard.hosts.mcp_oauth.scopes import MOST, insufficient, valid, widened
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("challenge", "scopes"),
    [
        (None, None),
        ("Bearer", None),
        ('Bearer error="invalid_token", scope="a"', None),
        ('Bearer scope="a b", error="insufficient_scope"', ("a", "b")),
        ("Bearer error=insufficient_scope, scope=a", ("a",)),
        ('Bearer error="insufficient_scope"', ()),
        ('Bearer error = "insufficient_scope" , scope = "a a"', ("a",)),
        ('Bearer error="insufficient_scope", scope="a \x07 \u00e9 b"', ("a", "b")),
    ],
)
def test_the_scopes_of_a_refusal_are_read(challenge: str | None, scopes: tuple[str, ...] | None) -> None:
    assert insufficient(challenge) == scopes


@given(st.text())
def test_no_challenge_brings_more_than_is_asked_for(said: str) -> None:
    found = insufficient(f'Bearer error="insufficient_scope", scope="{said}"')

    assert found is None or (len(found) <= MOST and valid(found) == found)


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        (None, ()),
        ({"tokens": {"scope": "a"}}, ()),
        ({"tokens": {"scope": "a"}, "wanted_scopes": ["b", "a", 3]}, ("a", "b")),
        ({"tokens": {}, "wanted_scopes": ["b"]}, ("b",)),
        ({"tokens": {"scope": 3}, "wanted_scopes": "b"}, ()),
    ],
)
def test_the_next_login_asks_for_what_was_granted_and_what_was_wanted(
    kept: dict[str, object] | None, asked: tuple[str, ...]
) -> None:
    assert widened(kept) == asked
