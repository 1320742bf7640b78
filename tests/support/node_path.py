"""Which Node.js the tests run."""

from __future__ import annotations

from callboard.hosts.node import NodeCandidate, find_node, node_candidates


def node() -> NodeCandidate:
    """The Node the package itself would take: ``CALLBOARD_NODE``, then the one on PATH, then the wheel's."""
    return find_node()


def node_program() -> str:
    """Its path."""
    path = node().path
    assert path is not None
    return path


def newest_node() -> NodeCandidate:
    """The Node of the wheel that the tests install, which runs TypeScript as it is."""
    (wheel,) = [candidate for candidate in node_candidates(environ={}) if candidate.source == "wheel"]
    assert wheel.problem is None, f"{wheel.problem}; the extra 'test' installs it"
    assert wheel.runs_typescript
    return wheel
