"""Whether a board can do its work, from its status. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
