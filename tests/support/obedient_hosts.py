"""Boards with real Python hosts that end as they are told; see ``programs/python/obedient.py``."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from boards import QUICK, Recorder
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.process import Command
from callboard.hosts.process.stop_ladder import StopLadder
from callboard.plugins.adapter.adapter import PluginAdapter
from leaks import TEST_MARK
from programs import PROGRAMS
from tools import tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callboard.actors.calls.call import Call
    from callboard.supervision.restart.policy import RestartPolicy

PROGRAM = PROGRAMS / "python" / "obedient.py"

PATIENCE = 30.0
"""Seconds after which something that a test waits for is taken never to come."""

UNHURRIED = StopLadder(polite=PATIENCE, firm=PATIENCE)


def obedient(name: str = "obey", *, shell: bool = False, **script: Any) -> HostedToolPlugin:
    """A plugin in a host that follows the script; behind a shell that waits for it, if asked."""
    argv = (sys.executable, "-I", str(PROGRAM), json.dumps({"tool": name} | script))
    if shell:
        argv = ("/bin/sh", "-c", '"$@"; exit $?', "sh", *argv)
    return HostedToolPlugin(name, lambda: Command(argv, dict(TEST_MARK)))


def add_obedient(
    board: Board,
    plugin: HostedToolPlugin,
    *,
    policy: RestartPolicy = QUICK,
    required: bool = True,
    host: dict[str, Any] | None = None,
    **settings: Any,
) -> HostedToolPlugin:
    """Put it on the board and wait for its host."""
    board.begin_hosted(
        PluginAdapter(plugin),
        plugin,
        host=HostSettings({}, **{"start_deadline": PATIENCE, **(host or {})}),
        policy=policy,
        settings=ToolSettings(**settings),
    )
    board.settle_hosted(plugin.name, required=required)
    return plugin


@contextmanager
def obedient_board(
    script: dict[str, Any] | None = None, **options: Any
) -> Iterator[tuple[Board, HostedToolPlugin, Recorder]]:
    """A board with one such host; ``options`` as `add_obedient`."""
    with Board(seed=1) as board:
        recorder = Recorder(board)
        yield board, add_obedient(board, obedient(**(script or {})), **options), recorder


def submit(board: Board, name: str = "obey", *, deadline: float | None = PATIENCE, **arguments: Any) -> Call:
    """Call the tool."""
    return board.submit(tool_call(name, **arguments), deadline=deadline)


def run(board: Board, name: str = "obey", **arguments: Any) -> dict[str, Any]:
    """Call the tool and wait for its result."""
    return submit(board, name, **arguments).result(PATIENCE)
