"""The error that nothing caught and that ended a host, as Node or Python name it last on stderr. Pure."""

from __future__ import annotations

import re

_NODE = re.compile(r"\n[ \t]*\^+[ \t]*\n\n?(?P<said>[^\n]+)(?=\n(?:[^\n]*\n)*Node\.js v\d)")
"""The line below the arrow that points into the source; Node's version is the last that it says."""

_REASON = re.compile(r'rejected with the reason "(?P<said>.*)"\.')

_PYTHON = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)*(?P<said>[^\s][^\n]*)")

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
"""Python has them since 3.13, and Node too, where ``FORCE_COLOR`` asks for them."""

_LONGEST = 200


def thrown(stderr: str) -> str | None:
    """Return the error as ``TypeError: x is not a function``; ``None`` if none is named."""
    stderr = _COLOURS.sub("", stderr)
    said = [match["said"] for pattern in (_NODE, _PYTHON) for match in pattern.finditer(stderr)]
    if not said:
        return None
    reason = _REASON.search(said[-1])
    last = f"a promise was rejected with {reason['said']}" if reason else said[-1].strip()
    return last if len(last) <= _LONGEST else last[:_LONGEST] + "…"
