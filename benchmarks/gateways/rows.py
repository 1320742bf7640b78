"""The rows of the table: what a user of a gateway sees when a server, or the gateway, fails. Each gets a gateway of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from environments import of_node
from ways import FAULTS, WAYS, Said

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ways import Servers, Way

GIVE_UP = 20.0
"""Seconds after which a call counts as hanging."""

RECOVERY = 15.0
"""Seconds that a server may take to be there again."""

BIG = 16 << 20


def alive(mark: str, server: str) -> list[psutil.Process]:
    """The processes of a fault server, by the mark in their command lines."""
    found = []
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            words = each.cmdline()
            if (
                words[1:2] == [FAULTS]
                and words[2:4] == [server, mark]
                and each.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(each)
    return found


class Bench:
    """One gateway in front of two fault servers, ``a`` and ``b``.

    Args:
        name: of the gateway.
        mark: stands in the command lines of the servers.
    """

    def __init__(self, name: str, mark: str) -> None:
        self.name = name
        self.mark = mark

    def way(self, servers: Servers | None = None, *options: str) -> Way:
        """The gateway, not started."""
        return WAYS[self.name](servers or {each: self.server(each) for each in "ab"}, *options)

    def server(self, name: str) -> list[str]:
        """The words of a fault server."""
        return [sys.executable, FAULTS, name, self.mark]

    def alive(self, server: str) -> list[psutil.Process]:
        """Its processes."""
        return alive(self.mark, server)


async def tried(call: Awaitable[Said], limit: float = GIVE_UP) -> tuple[str, float]:
    """What has become of a call, and in how many seconds."""
    begun = time.perf_counter()
    calling = asyncio.ensure_future(call)
    await asyncio.wait({calling}, timeout=limit)
    if not calling.done():
        calling.cancel()
        return "hangs", time.perf_counter() - begun
    try:
        said = calling.result()
    except BaseException as error:  # noqa: BLE001 - whatever the client makes of it, a cancellation of its own too
        return f"error ({str(error)[:60] or type(error).__name__})", time.perf_counter() - begun
    if not said.failed:
        return "answered", time.perf_counter() - begun
    return "error" if said.text.strip() else "error with an empty text", time.perf_counter() - begun


def echo(way: Way, server: str) -> Awaitable[Said]:
    """A call that any server answers."""
    return way.call(server, "echo", {"text": "hello"})


async def until_answered(way: Way, server: str) -> str:
    """How a server comes back that has died."""
    begun, first = time.perf_counter(), ""
    while (passed := time.perf_counter() - begun) < RECOVERY:
        what, took = await tried(echo(way, server))
        if what == "answered":
            failed = f" after {first}" if first else ""
            return f"next call answered, {passed + took:.1f} s{failed}"
        first = first or what
        if what == "hangs":
            return "next call hangs"
        await asyncio.sleep(0.2)
    return f"then {first} for ever"


async def one_at_a_time(bench: Bench) -> str:
    """The median of one call after the other, to server-filesystem."""
    files = [*of_node("@modelcontextprotocol/server-filesystem", "dist/index.js"), str(Path.cwd())]
    memory = of_node("@modelcontextprotocol/server-memory", "dist/index.js")
    async with bench.way({"files": files, "memory": memory}) as way:
        took = []
        begun = time.perf_counter()
        while len(took) < 300 and time.perf_counter() - begun < 30:
            start = time.perf_counter()
            await way.call("files", "list_allowed_directories", {})
            took.append(time.perf_counter() - start)
        return f"{statistics.median(took[len(took) // 10 :]) * 1000:.1f} ms"


async def many_in_flight(bench: Bench) -> str:
    """640 calls, 64 at a time; a gateway that cannot gets fewer in half a minute."""
    async with bench.way() as way:
        await echo(way, "a")
        places, done = asyncio.Semaphore(64), 0

        async def one() -> None:
            nonlocal done
            async with places:
                said = await echo(way, "a")
                assert not said.failed, said.text
                done += 1

        begun = time.perf_counter()
        calls = [asyncio.ensure_future(one()) for _ in range(640)]
        _, waiting = await asyncio.wait(calls, timeout=40)
        took = time.perf_counter() - begun
        failed = next((each.exception() for each in calls if each.done() and each.exception()), None)
        if failed is not None:
            return f"fails ({str(failed)[:60] or type(failed).__name__})"
        return f"{took / max(done, 1) * 1000:.2f} ms" + (f" ({done} of 640 in 40 s)" if waiting else "")


async def killed_while_idle(bench: Bench) -> str:
    """SIGKILL to a server while nobody calls it."""
    async with bench.way() as way:
        await echo(way, "a")
        await echo(way, "b")
        if not (running := bench.alive("a")):
            return "nothing was running: a process for each request"
        for each in running:
            each.kill()
        await asyncio.sleep(0.5)
        if (own := way.own_pids()) and not any(map(psutil.pid_exists, own)):
            return "the whole gateway exits"
        came, (other, _) = await until_answered(way, "a"), await tried(echo(way, "b"))
        gone = [each for each in way.processes if each.returncode is not None]
        return (
            came
            + ("; the gateway has exited" if gone else "")
            + ("" if other == "answered" else f"; other server: {other}")
        )


async def killed_in_a_call(bench: Bench) -> str:
    """A server that is killed while it works."""
    async with bench.way() as way:
        await echo(way, "a")
        what, took = await tried(way.call("a", "crash", {}))
        told = (
            what
            if what == "hangs"
            else f"{what.split(' (')[0]}{' at once' if took < 3 else f' after {took:.1f} s'}"
        )
        return f"{told}, {await until_answered(way, 'a')}"


async def held_stdout(bench: Bench) -> str:
    """A server that is killed, and a child of it keeps its stdout open."""
    async with bench.way() as way:
        await echo(way, "a")
        what, took = await tried(way.call("a", "hold", {}))
        told = (
            what
            if what == "hangs"
            else f"{what.split(' (')[0]}{' at once' if took < 3 else f' after {took:.1f} s'}"
        )
        return f"{told}, {await until_answered(way, 'a')}"


async def one_hangs(bench: Bench) -> str:
    """A call that is never answered, and calls of the same server and of the other one meanwhile."""
    async with bench.way() as way:
        await echo(way, "a")
        await echo(way, "b")
        hanging = asyncio.ensure_future(way.call("a", "hang", {"begun": str(way.folder / "begun")}))
        await _until((way.folder / "begun").exists)
        same, other = await tried(echo(way, "a"), 5), await tried(echo(way, "b"), 5)
        hanging.cancel()
        words = [
            "goes on" if what == "answered" else "waits" if what == "hangs" else what
            for what, _ in (same, other)
        ]
        return words[0] if words[0] == words[1] else " / ".join(words)


async def cancel_reaches(bench: Bench) -> str:
    """A call that the client gives up."""
    async with bench.way() as way:
        await echo(way, "a")
        hanging = asyncio.ensure_future(way.call("a", "hang", {"begun": str(way.folder / "begun")}))
        await _until((way.folder / "begun").exists)
        hanging.cancel()
        await asyncio.wait([hanging])
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                while not (way.folder / "begun.cancelled").exists():  # noqa: ASYNC110 - another process makes the file
                    await asyncio.sleep(0.05)
                return "yes"
        return "no"


async def _killed(bench: Bench, *, deaf: bool) -> str:
    way = bench.way()
    await way.start()
    await echo(way, "a")
    await echo(way, "b")
    if deaf:
        await asyncio.wait_for(way.call("a", "deafen", {}), GIVE_UP)
    if not way.own_pids():
        return "-"
    before = [each for server in "ab" for each in bench.alive(server)]
    if not before:
        return "nothing was running: a process for each request"
    for pid in way.own_pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    end = time.perf_counter() + 10
    while time.perf_counter() < end and (left := [each for server in "ab" for each in bench.alive(server)]):  # noqa: ASYNC110 - other processes tell nobody
        await asyncio.sleep(0.1)
    return "gone" if not left else f"{len(left)} of {len(before)} stay"


async def killed_with_a_deaf_one(bench: Bench) -> str:
    """SIGKILL to the gateway, with a server that reads no more and minds no SIGTERM."""
    return await _killed(bench, deaf=True)


async def killed_with_well_behaved(bench: Bench) -> str:
    """SIGKILL to the gateway."""
    return await _killed(bench, deaf=False)


async def big_result(bench: Bench) -> str:
    """A text of 16 MB."""
    found = await _big(bench)
    if not bench.name.startswith("callboard"):
        return found
    return f"{found}; whole with `result_limit`{' and `--max-event`' if 'HTTP' in bench.name else ''}: {await _big(bench, 'whole')}"


async def _big(bench: Bench, *options: str) -> str:
    way = bench.way(None, *options)
    await way.start()
    begun = time.perf_counter()
    try:
        said = await asyncio.wait_for(way.call("a", "big", {"bytes": BIG}), 60)
    except Exception as error:  # noqa: BLE001 - whatever the client makes of it
        return f"fails ({str(error)[:60] or type(error).__name__})"
    took = time.perf_counter() - begun
    size = said.text.count("x")
    if size >= BIG:
        return f"{took:.1f} s"
    return f"{took:.1f} s: {size / 1e6:.1f} MB, {'and where the rest is' if 'callboard://' in said.text else 'the rest is lost'}"


async def list_changed(bench: Bench) -> str:
    """A server that has a new tool."""
    async with bench.way() as way:
        await way.listed("a")
        await way.call("a", "grow", {})
        for _ in range(50):
            if any("list_changed" in each or "ListChanged" in each for each in way.notices):
                break
            await asyncio.sleep(0.1)
        told = any("list_changed" in each or "ListChanged" in each for each in way.notices)
        listed = any(name.endswith("grown") for name in await way.listed("a"))
        return (
            "yes"
            if told and listed
            else f"{'told' if told else 'not sent'}, {'but listed when asked' if listed else 'new tool never listed'}"
        )


async def one_cannot_start(bench: Bench) -> str:
    """A server that ends at once, beside one that works."""
    if bench.name == "supergateway":
        return "separate processes"
    way = bench.way({"a": bench.server("a"), "b": ["false"]})
    begun = time.perf_counter()
    try:
        await way.start()
        said = await asyncio.wait_for(echo(way, "a"), 60)
    except Exception as error:  # noqa: BLE001 - whatever the client makes of it
        return f"fails ({str(error)[:80] or type(error).__name__})"
    return "fails" if said.failed else f"goes on, {time.perf_counter() - begun:.1f} s"


async def _until(there: Callable[[], Any]) -> None:
    async with asyncio.timeout(GIVE_UP):
        while not there():  # noqa: ASYNC110 - another process makes the file
            await asyncio.sleep(0.02)


ROWS: dict[str, Callable[[Bench], Awaitable[str]]] = {
    "one at a time, p50": one_at_a_time,
    "64 in flight, per call": many_in_flight,
    "backend killed while idle": killed_while_idle,
    "killed in mid-call": killed_in_a_call,
    "grandchild holds stdout": held_stdout,
    "one call hangs: same / other server": one_hangs,
    "cancel reaches the backend": cancel_reaches,
    "gateway SIGKILLed: a backend that does not read stdin": killed_with_a_deaf_one,
    "gateway SIGKILLed: well-behaved backends": killed_with_well_behaved,
    "16 MB result": big_result,
    "`list_changed`": list_changed,
    "one of two servers cannot start": one_cannot_start,
}
