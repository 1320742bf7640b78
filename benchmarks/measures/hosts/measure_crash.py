"""SIGKILL to a host: how soon its caller knows, and how soon the next call is answered.

`waitpid` is the floor of the first: no sooner does the system itself say that a process is gone, and
how long that takes depends on how much memory the process holds. So the process that is waited for
is of the same kind: the same runner, with the same tool loaded, that has answered a call.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import orjson
from callboard.hosts.node.tool import HOST_SCRIPT
from calls import RESTART_AT_ONCE, SMALL, TOOL, node_board, run, tool_call
from harness import Block, Samples, alternate
from measures.hosts.measure_start import bare_spawn_to_reply
from peers.bare import node, spawn
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from callboard import Callboard
    from contest import Contest


_SETTLE = 0.05
"""Seconds that a process is left alone before it is killed; the tool waits as long in its own cases."""


def measure(contest: Contest) -> list[Row]:
    """One call in flight when the host is killed; no backoff; unpinned."""
    answered: list[Block] = []

    def kill(*, orphan: bool) -> Block:
        failure, answer = kill_and_ask(board, orphan=orphan)
        if not orphan:
            answered.append([answer])
        return [failure]

    rounds = contest.times(40, 4)
    with node_board(restart=RESTART_AT_ONCE) as board:
        turns = {
            "alone": lambda: kill(orphan=False),
            "orphan": lambda: kill(orphan=True),
            "waitpid": _waitpid,
            "bare": bare_spawn_to_reply,
        }
        samples = alternate(turns, rounds)
    floor, bare = samples["waitpid"], samples["bare"]
    again = Samples(answered[-rounds:])
    rows = [
        compared(
            f"SIGKILL to failure known{whose}",
            microseconds(samples[name].median),
            f"waitpid {microseconds(floor.median)}",
            samples[name].over(floor),
            goal=at_most(1.5),
        )
        for name, whose in (("alone", ""), ("orphan", ", a grandchild holds stdout"))
    ]
    next_answer = compared(
        "SIGKILL to next answer, cold",
        microseconds(again.median),
        f"bare spawn to reply {microseconds(bare.median)}",
        again.over(bare),
        stage=at_most(1.5),
        goal=at_most(1.25),
    )
    return [*rows, next_answer]


def kill_and_ask(board: Callboard, *, orphan: bool) -> tuple[float, float]:
    """Seconds from the signal to the failure, and to the answer to a call made right after it."""
    call = board.submit(tool_call({"orphan": orphan}, "hang"))
    pid = next(call.parts())
    following = tool_call(SMALL)
    begin = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    result = call.result()
    failed = time.perf_counter() - begin
    run(board, following)
    answered = time.perf_counter() - begin
    if result.get("code") != "host_crashed":
        raise RuntimeError(f"a measured call did not fail as it should: {result}")
    return failed, answered


def _waitpid() -> Block:
    with spawn([node(), str(HOST_SCRIPT), "--entry", str(TOOL)]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        params = {"tool_name": "echo", "arguments": SMALL, "state": {}}
        requests = [{"method": "init", "params": {}}, {"method": "execute_tool", "params": params}]
        for number, request in enumerate(requests):
            process.stdin.write(orjson.dumps({"v": 1, "id": str(number), **request}) + b"\n")
            os.read(process.stdout.fileno(), 65536)
        time.sleep(_SETTLE)
        begin = time.perf_counter()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return [time.perf_counter() - begin]
