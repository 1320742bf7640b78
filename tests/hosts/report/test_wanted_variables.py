"""Which variables a host may have died for want of: those that are set here, not given, and missed by what it said."""

from __future__ import annotations

import pytest
from callboard.hosts.report.wanted_variables import remedy, wanted_variables
from hypothesis import given
from hypothesis import strategies as st

HERE = frozenset({
    "PATH", "TERM", "HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "SSH_AUTH_SOCK", "DOCKER_HOST", "KUBECONFIG",
    "GITHUB_TOKEN",
})  # fmt: skip


@pytest.mark.parametrize(
    ("stderr", "wanted"),
    [
        ("KeyError: 'SSH_AUTH_SOCK'", ("SSH_AUTH_SOCK",)),
        ("Error: GITHUB_TOKEN environment variable is required", ("GITHUB_TOKEN",)),
        ("starting\nKUBECONFIG is not set\nbye", ("KUBECONFIG",)),
        ("npm error code ENOTFOUND\nnpm error network request failed", ("HTTPS_PROXY", "https_proxy")),
        ("npm error code SELF_SIGNED_CERT_IN_CHAIN", ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")),
        ("ssl.SSLCertVerificationError: certificate verify failed", ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")),
        ("git@github.com: Permission denied (publickey).", ("SSH_AUTH_SOCK",)),
        ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", ("DOCKER_HOST",)),
        ("The connection to the server localhost:8080 was refused", ("KUBECONFIG",)),
        ("_curses.error: setupterm: could not find terminal", ("TERM",)),
        ("using GITHUB_TOKEN of the user", ()),
        ("MY_GITHUB_TOKEN_2 is required", ()),
        ("NOT_SET_HERE is required", ()),
        ("PATH is missing", ()),
        ("", ()),
    ],
)
def test_what_it_misses_is_named(stderr: str, wanted: tuple[str, ...]) -> None:
    assert wanted_variables(stderr, {"PATH"}, HERE) == wanted


@given(st.text(), st.frozensets(st.sampled_from(sorted(HERE))))
def test_nothing_is_named_that_was_given_or_is_not_here(stderr: str, has: frozenset[str]) -> None:
    wanted = wanted_variables(f"{stderr} {' '.join(sorted(HERE))} are not set", has, HERE - {"KUBECONFIG"})

    assert set(wanted) <= HERE - has - {"KUBECONFIG"}
    assert len(wanted) <= 5


def test_the_remedy_can_be_written_as_it_stands() -> None:
    assert '"inherit": ["A", "B"]' in remedy(("A", "B"))
