"""Whether a board can do its work, from its status, and what its clients are told of what it leaves out. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


def health_of(status: Mapping[str, Any], *, starting: bool) -> dict[str, Any]:
    """``{"ok", "starting", "plugins": {name: {"available", "state", "why", "left_out", "differing"}}, "failed": [{"plugin", "why"}]}``.

    ``ok`` while the board runs, all its plugins take calls, and none is missing.

    Args:
        status: of a `Callboard`.
        starting: not all of its plugins have been begun yet.
    """
    plugins = {}
    for name, plugin in status["plugins"].items():
        host = plugin.get("host") or {}
        plugins[name] = {
            "available": plugin["available"],
            "state": host.get("state"),
            "why": plugin.get("problem") or host.get("why") or None,
            "left_out": plugin.get("left_out", {}),
            "differing": plugin.get("differing", {}),
        }
    failed = [{"plugin": each["plugin"] or each["source"], "why": each["error"]} for each in status["failed"]]
    all_take_calls = all(plugin["available"] for plugin in plugins.values())
    well = status["running"] and not starting and not failed and all_take_calls
    return {"ok": well, "starting": starting, "plugins": plugins, "failed": failed}


_PLAIN: Final = re.compile(r"[A-Za-z0-9@:._/-]{1,60}")
_MOST: Final = 20
"""Entries that clients are told of by name."""


def instructions_of(left_out: Mapping[str, str]) -> str | None:
    """Return what a client is told of entries that are not run; ``None`` if there are none.

    A model may read it. So an entry that a file calls by other than plain words is counted, and not named.

    Args:
        left_out: why each is not run, by its source.
    """
    if not left_out:
        return None
    named = [source for source in left_out if _PLAIN.fullmatch(source)][:_MOST]
    others = len(left_out) - len(named)
    names = [*named, *([f"{others} more" if named else f"{others} in all"] if others else [])]
    why = next(iter(left_out.values()))
    return f"Some tools are missing, since these servers of the configuration are left out: {', '.join(names)}. Tell the user: {why}"
