"""Which Node.js the tests run."""

from __future__ import annotations

from callboard.hosts.node import NodeCandidate, find_node


def node() -> NodeCandidate:
    """The Node the package itself would take: ``CALLBOARD_NODE``, then the one on PATH, then the wheel's."""
    return find_node()


def node_program() -> str:
    """Its path."""
    path = node().path
    assert path is not None
    return path
