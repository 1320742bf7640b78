"""SIGKILL to the next answer, where the host is one that a hundred plugins share, or that of an isolated Python tool.

Beside each stands the start of the same host program by hand, with all its plugins: spawned, loaded, `init`, the schemas,
one call.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from callboard import Callboard
from callboard.hosts.node.tool import HOST_SCRIPT
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from calls import RESTART_AT_ONCE, SMALL, run, tool_call
from echo_plugin import Echo
from harness import Block, alternate
from measures.hosts.measure_shared import package_of
from peers.bare import node, spawn
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contest import Contest

_COUNT = 100

_ECHO = Path(__file__).parents[2] / "echo_plugin.py"


def measure(contest: Contest) -> list[Row]:
    """No call is in flight when the host is killed; no backoff; unpinned."""
    rounds = contest.times(20, 3)
    with tempfile.TemporaryDirectory() as folder, Callboard() as shared, Callboard() as isolated:
        shared.load(package_of(Path(folder), "many", _COUNT), restart=RESTART_AT_ONCE)
        isolated.register(Echo, isolate=True, restart=RESTART_AT_ONCE)
        samples = alternate(
            {
                "shared": lambda: _kill(shared, "many_99", {}),
                "several": lambda: _several_by_hand(Path(folder) / "many"),
                "isolated": lambda: _kill(isolated, "echo", SMALL),
                "runner": _runner_by_hand,
            },
            rounds,
        )
    return [
        compared(
            f"SIGKILL to next answer, {what}",
            microseconds(samples[ours].median),
            f"{whose} {microseconds(samples[floor].median)}",
            samples[ours].over(samples[floor]),
            goal=at_most(1.3),
        )
        for what, ours, whose, floor in (
            (f"a Node host that {_COUNT} plugins share", "shared", "the same by hand", "several"),
            ("an isolated Python tool", "isolated", "the same by hand", "runner"),
        )
    ]


def _kill(board: Callboard, tool: str, arguments: dict[str, Any]) -> Block:
    """Seconds from the signal to the answer."""
    run(board, tool_call(arguments, tool))
    pid = next(iter(board.status()["plugins"].values()))["host"]["pid"]
    begin = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    while (result := board.submit(tool_call(arguments, tool)).result())["success"] is not True:
        if result["code"] != "host_crashed":  # it was sent to the one that is dying
            raise RuntimeError(f"a measured call failed: {result}")
    return [time.perf_counter() - begin]


def _runner_by_hand() -> Block:
    """Seconds from the start of the runner of Python tools to its first answer."""
    origin = PythonOrigin("echo_plugin.Echo", module="echo_plugin", file=str(_ECHO))
    params = {"tool_name": "echo", "arguments": SMALL, "state": {}}
    requests = [("init", {}), ("get_tool_schemas", {"state": {}}), ("execute_tool", params)]
    return _by_hand(PythonToolPlugin("echo", origin).command().argv, requests)


def _several_by_hand(package: Path) -> Block:
    """Seconds from the start of the Node host to its first answer, with as many plugins in it."""
    requests: list[tuple[str, dict[str, Any]]] = []
    for file in package.glob("*.mjs"):
        name = {"plugin": file.stem}
        requests += [
            ("load", {**name, "entry": str(file)}),
            ("init", name),
            ("get_tool_schemas", {**name, "state": {}}),
        ]
    call = {"plugin": "many_99", "tool_name": "many_99", "arguments": {}, "state": {"count": 0}}
    return _by_hand([node(), str(HOST_SCRIPT), "--several"], [*requests, ("execute_tool", call)])


def _by_hand(argv: Sequence[str], requests: list[tuple[str, dict[str, Any]]]) -> Block:
    lines = [
        orjson.dumps({"v": 1, "id": str(number), "method": method, "params": params}) + b"\n"
        for number, (method, params) in enumerate(requests)
    ]
    begin = time.perf_counter()
    with spawn(list(argv)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(lines))
        said = b""
        while said.count(b"\n") < len(lines):
            said += os.read(process.stdout.fileno(), 65536)
        taken = time.perf_counter() - begin
        process.kill()
    if b'"ok":false' in said:
        raise RuntimeError(f"a host that was started by hand has failed: {said[:1000]!r}")
    return [taken]
