"""The plugins of the demonstration, as a configuration that anybody could write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .plan import LANES

Json = dict[str, Any]

TOOLS = Path(__file__).with_name("tools")
"""Where the JavaScript tools are."""

_PYTHON_TOOLS = {"sums": "Sums", "moody": "Moody"}


def configuration(patience: float) -> Json:
    """A board that restarts its hosts as often as they are killed.

    Args:
        patience: seconds for a call, and for the start of a host.
    """
    plugins: list[Json] = []
    for lane in LANES:
        if lane.hosted:
            source: Json = {"node_tool": {"file": str(TOOLS / f"{lane.name}.mjs"), "id": lane.name}}
        else:
            source = {"plugin": f"{__package__}.python_tools.{_PYTHON_TOOLS[lane.name]}"}
        plugins.append({**source, "required": True, "idempotent": lane.idempotent})
    return {
        "plugins": plugins,
        "supervision": {"intensity": 1000, "backoff": {"first": 0.0, "min": 0.01, "max": 0.2}},
        "calls": {"deadline": patience},
        "start_deadline": patience,
    }
