"""The states of a board's hosts, as a caller meets them.

A supervisor learns of the end of a generation when nothing of its process tree is left. Until then it says ``ready`` of a host whose
process has ended, or is about to be ended: no call is answered by that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...actors.hosted.hosted_plugin import HostedPlugin

if TYPE_CHECKING:
    from ...actors.board import Board

ENDING: Final = "ending"
"""The state of a host that its supervisor still takes for ready."""


def host_states(board: Board) -> dict[str, str]:
    """Return the state of the host of each plugin that has one, by plugin: its supervisor's word for it, or `ENDING`."""
    handles = [one for one in board.plugin_manager.handles().values() if isinstance(one, HostedPlugin)]
    # Before the look at the states: of a generation that has ended by now, no later ``ready`` is told.
    answering = {handle.host_name for handle in handles if _answers(handle)}
    found: dict[str, str] = {}
    for name, status in board.status()["plugins"].items():
        if (host := status.get("host")) is not None:
            ends = host["state"] == "ready" and host["name"] not in answering
            found[name] = ENDING if ends else host["state"]
    return found


def _answers(handle: HostedPlugin) -> bool:
    """Whether its present generation is neither ended nor about to be. A shared host may have left this plugin out."""
    host = handle.plugin.host
    return host is not None and not host.ended and host.stopped is None
