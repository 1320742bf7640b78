"""What `callboard chat --demo` needs: a server that is the model, plugins, and a thread that kills a host."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..agent.replay.server import ReplayServer
from ..hosts.process_tree.tree_kill import kill
from .journey import LINES, PRICES, SCRIPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..callboard import Callboard

Json = dict[str, Any]

_TOOLS = Path(__file__).with_name("tools")
_PACE = 0.03
"""Seconds before each word of the model's."""


class Journey:
    """See the module. A context manager.

    Args:
        fast: neither the model nor the tools take their time.

    Attributes:
        lines: what the person says.
    """

    lines = LINES

    def __init__(self, *, fast: bool) -> None:
        self._fast = fast
        self._server = ReplayServer(SCRIPT, pace=0.0 if fast else _PACE)

    def __enter__(self) -> Self:
        self._server.start()
        self._line = socket.create_server(("127.0.0.1", 0))
        self._line_port: int = self._line.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._server.close()

    @property
    def configuration(self) -> Json:
        """As anybody could write it; once it is entered."""
        work = {"work": 20 if self._fast else 450}
        nodes = {"weather": work, "trains": work, PRICES: work | {"line": self._line_port}}
        return {
            "plugins": [
                *(
                    {
                        "node_tool": {"file": str(_TOOLS / f"{name}.mjs"), "id": name},
                        "config": config,
                        "required": True,
                    }
                    for name, config in nodes.items()
                ),
                *({"plugin": f"{__package__}.journey_tools.{name}"} for name in ("Distance", "Booking")),
            ],
            "agent": {"provider": {"type": "openai_chat", "model": "a-script", "base_url": self._server.url}},
            "approval": {"ask": ["book_*"], "timeout": 60},
        }

    def mishap(self, board: Callboard) -> Callable[[Json], None]:
        """Return what hears a turn's events, and kills a host in the midst of its first call.

        That call does not end before: its tool waits for the line to be closed, which is done when its host has been
        sent SIGKILL and can see nothing any more. How late its first part is heard does not matter.
        """
        done = False

        def hear(event: Json) -> None:
            nonlocal done
            if done or event["type"] != "part" or event["tool_name"] != "ask_prices":
                return
            done = True
            pid = board.status()["plugins"][PRICES]["host"].get("pid")
            if pid is not None:
                kill(pid)
            self._line.close()

        return hear
