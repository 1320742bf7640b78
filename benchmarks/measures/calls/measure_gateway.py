"""A board between a client and its server, over pipes: beside the same client and server without, a bare relay, and fastmcp's proxy."""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Block, Samples, alternate
from peers import gateway_peer
from peers.mcp_peer import PeerMissing
from peers.pipe_client import PipeClient
from table import Bound, Row, at_least, at_most, compared, microseconds, per_second

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contest import Contest

    Turn = Callable[[PipeClient], Block]

_PEERS = Path(__file__).parents[2] / "peers"
SERVER = (sys.executable, str(_PEERS / "echo_server.py"))
_RELAYED = (sys.executable, str(_PEERS / "bare_relay.py"), *SERVER)

_WINDOW = 64
_STEPS = 20
_WHOLE = 64 * 1024 * 1024
"""Bytes of a result that are not cut off, so that all carry the same."""

OURS, DIRECT, RELAY, PROXY = "callboard", "direct", "bare relay", "fastmcp"
_MILLIONTHS = 1e6


def measure(contest: Contest) -> list[Row]:
    """What the way through a board takes, and what it costs the board's process."""
    with ExitStack() as stack:
        clients = {DIRECT: stack.enter_context(PipeClient(SERVER)), OURS: stack.enter_context(_board())}
        clients[RELAY] = stack.enter_context(PipeClient(_RELAYED))
        missing = _add_proxy(contest, clients, stack)
        for client in clients.values():
            client.one_by_one(contest.times(1000, 20), _text(1000))
        return list(_rows(contest, clients, missing))


def _rows(contest: Contest, clients: dict[str, PipeClient], missing: str) -> Iterator[Row]:
    count = contest.times(200, 20)

    def beside(turn: Turn, least: float = 1) -> dict[str, Samples]:
        turns = {name: lambda client=client: turn(client) for name, client in clients.items()}
        return alternate(turns, contest.times(int(10 / least), 2))

    def row(what: str, samples: dict[str, Samples], **more: Any) -> Iterator[Row]:
        yield from _compared(f"gateway, {what}", samples, missing, **more)

    calls = beside(lambda client: client.processor_time(count, _text(1000)))
    plain = beside(lambda client: client.processor_time(count // 4, _text(10), progress=True))
    steps = beside(
        lambda client: client.processor_time(count // 4, _text(10) | {"steps": _STEPS}, progress=True)
    )
    notices = {name: _each_step(plain[name], steps[name]) for name in clients}
    per_call = "gateway, CPU of its process for a call of 1 KB"
    yield from _spent(per_call, calls, missing, 200)
    yield _beside_relay(per_call, microseconds(calls[OURS].median), calls, microseconds)
    yield from _spent("gateway, CPU of its process for a progress notice", notices, missing, 25)
    yield from row(
        "a call of 1 KB", beside(lambda client: client.one_by_one(count, _text(1000))), goal=at_most(2.5)
    )
    many = beside(lambda client: client.pipelined(4 * count, _text(1000), _WINDOW))
    yield from row(f"{_WINDOW} calls of 1 KB at once", many, show=per_second, goal=at_least(0.1))
    yield from row(
        "echo of 64 KB", beside(lambda client: client.one_by_one(count // 4, _text(65_536))), goal=at_most(2)
    )
    yield from row(
        "echo of 1 MB",
        beside(lambda client: client.one_by_one(count // 20, _text(1 << 20)), 2),
        goal=at_most(1.5),
    )


def _text(size: int) -> dict[str, Any]:
    return {"text": "x" * size}


def _each_step(plain: Samples, steps: Samples) -> Samples:
    blocks = zip(plain.blocks, steps.blocks, strict=True)
    return Samples([[max(0.0, (more[0] - less[0]) / _STEPS)] for less, more in blocks])


def _spent(what: str, samples: dict[str, Samples], missing: str, most: float) -> Iterator[Row]:
    """Judged by itself: a server behind no gateway has none that spends anything."""
    ours, theirs = samples[OURS], samples.get(PROXY)
    value, goal = microseconds(ours.median), at_most(most, "µs")
    against = f"{PROXY}: {missing}" if theirs is None else f"{PROXY} {microseconds(theirs.median)}"
    yield Row(what, value, against, judged=ours.median * _MILLIONTHS, goal=goal)


def _compared(
    what: str,
    samples: dict[str, Samples],
    missing: str,
    *,
    show: Callable[[float], str] = microseconds,
    goal: Bound,
) -> Iterator[Row]:
    ours, direct, theirs = samples[OURS], samples[DIRECT], samples.get(PROXY)
    value = show(ours.median)
    yield compared(what, value, f"direct {show(direct.median)}", ours.over(direct), goal=goal)
    yield _beside_relay(what, value, samples, show)
    if theirs is None:
        yield Row(what, value, f"{PROXY}: {missing}")
    else:
        yield compared(what, value, f"{PROXY} {show(theirs.median)}", ours.over(theirs))


def _beside_relay(what: str, value: str, samples: dict[str, Samples], show: Callable[[float], str]) -> Row:
    """Without a goal: it shows what passing on costs that promises nothing."""
    relayed = samples[RELAY]
    return compared(what, value, f"{RELAY} {show(relayed.median)}", samples[OURS].over(relayed))


@contextmanager
def _board() -> Iterator[PipeClient]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "servers.json")
        entry = {"command": SERVER[0], "args": SERVER[1:], "result_limit": _WHOLE}
        file.write_text(json.dumps({"mcpServers": {"echo": entry}}))
        with PipeClient((sys.executable, "-m", "callboard", "mcp", "--trust", str(file))) as client:
            yield client


def _add_proxy(contest: Contest, clients: dict[str, PipeClient], stack: ExitStack) -> str:
    """Have fastmcp take part; returns why it does not, if so."""
    if contest.no_peer == "left out":
        return contest.no_peer
    try:
        argv = gateway_peer.argv(SERVER, install=not contest.quick)
        clients[PROXY] = stack.enter_context(PipeClient(argv))
    except (PeerMissing, EOFError) as error:
        return str(error)
    return ""
