"""The way to one value in a JSON document, as a JSON Path spells it: ``$.a.b[0]['c.d']``.

Only what leads to exactly one value (RFC 9535, singular queries) is read: no wildcards, no filters, no
counting from the end.
"""

from __future__ import annotations

import json
import re

from ..limits import MAX_DEPTH

Step = str | int
"""A key of an object, or a place in an array."""

_STEP = re.compile(
    r"\.(?P<name>[^.\[\]'\"\s]+)"
    r"|\[(?P<index>0|[1-9][0-9]{0,9})\]"
    r"|\[(?P<quoted>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\]",
    re.DOTALL,
)


def parse_path(path: str) -> tuple[Step, ...] | None:
    """Return the steps from the root; ``None`` if it is no path to one value below the root."""
    if not path.startswith("$"):
        return None
    steps: list[Step] = []
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None or len(steps) == MAX_DEPTH:
            return None
        name, index, quoted = found["name"], found["index"], found["quoted"]
        step = name if name is not None else int(index) if index is not None else _unquoted(quoted)
        if step is None:
            return None
        steps.append(step)
        position = found.end()
    return tuple(steps) or None


def _unquoted(quoted: str) -> str | None:
    """Return what stands in the quotes. In single ones a single quote is escaped, a double one is not."""
    if quoted[0] == "'":
        body = re.sub(r"\\.|\"", _requoted, quoted[1:-1], flags=re.DOTALL)
        quoted = f'"{body}"'
    try:
        text = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return text if isinstance(text, str) else None


def _requoted(found: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(found[0], found[0])
