"""Which revision of MCP is spoken with a server that says which it knows."""

from __future__ import annotations

import pytest
from callboard.hosts.mcp.revision import (
    HANDSHAKES,
    STATELESS,
    NotOpened,
    Opened,
    ShakeHands,
    after_discovery,
)

BOTH = {"supportedVersions": [STATELESS, "2025-06-18"]}


@pytest.mark.parametrize(
    ("wanted", "handshake", "result", "step"),
    [
        (None, False, BOTH, Opened(STATELESS)),
        (None, True, BOTH, ShakeHands("2025-06-18")),
        (STATELESS, True, BOTH, Opened(STATELESS)),
        (None, True, {"supportedVersions": [STATELESS]}, Opened(STATELESS)),
        (None, True, {"supportedVersions": ["2025-11-25"]}, ShakeHands("2025-11-25")),
        (None, True, {}, ShakeHands(HANDSHAKES[0])),
    ],
)
def test_where_a_server_speaks_both_eras_the_client_s_is_spoken(wanted, handshake, result, step):
    assert after_discovery(wanted, result, None, handshake=handshake) == step


def test_a_server_that_knows_none_of_the_revisions_is_refused():
    assert isinstance(after_discovery(None, {"supportedVersions": ["1999-01-01"]}, None), NotOpened)
