"""No address counts as farther away than it is, however it is written."""

from __future__ import annotations

import pytest
from callboard.hosts.mcp_oauth.reach import Nearness, nearness_of
from sdks import needs_sdk

pytestmark = needs_sdk


@pytest.mark.parametrize(
    ("host", "nearness"),
    [
        ("127.0.0.1", Nearness.LOOPBACK),
        ("127.255.0.9", Nearness.LOOPBACK),
        ("127.1", Nearness.LOOPBACK),
        ("0x7f000001", Nearness.LOOPBACK),
        ("2130706433", Nearness.LOOPBACK),
        ("0.0.0.0", Nearness.LOOPBACK),
        ("::1", Nearness.LOOPBACK),
        ("[::1]", Nearness.LOOPBACK),
        ("::", Nearness.LOOPBACK),
        ("::ffff:127.0.0.1", Nearness.LOOPBACK),
        ("64:ff9b::7f00:1", Nearness.LOOPBACK),
        ("localhost", Nearness.LOOPBACK),
        ("LOCALHOST.", Nearness.LOOPBACK),
        ("app.localhost", Nearness.LOOPBACK),
        ("10.1.2.3", Nearness.PRIVATE),
        ("172.16.0.1", Nearness.PRIVATE),
        ("192.168.1.1", Nearness.PRIVATE),
        ("169.254.169.254", Nearness.PRIVATE),
        ("100.64.0.1", Nearness.PRIVATE),
        ("224.0.0.1", Nearness.PRIVATE),
        ("fe80::1%eth0", Nearness.PRIVATE),
        ("fd00::1", Nearness.PRIVATE),
        ("::ffff:10.0.0.1", Nearness.PRIVATE),
        ("2002:0a00:0001::", Nearness.PRIVATE),
        ("64:ff9b::a00:1", Nearness.PRIVATE),
        ("8.8.8.8", Nearness.PUBLIC),
        ("2001:4860:4860::8888", Nearness.PUBLIC),
        ("64:ff9b::808:808", Nearness.PUBLIC),
        ("example.com", Nearness.PUBLIC),
        ("localhost.example.com", Nearness.PUBLIC),
    ],
)
def test_how_near_an_address_is_does_not_depend_on_how_it_is_written(host, nearness):
    assert nearness_of(host) is nearness
