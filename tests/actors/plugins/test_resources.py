"""Live resources of tools are made once, when they are first asked for, and closed in reverse."""

from __future__ import annotations

import asyncio
import threading

import pytest
from callboard.actors.plugins.resources import ToolRuntime, ToolRuntimeError


class Client:
    """Notes its end in a list."""

    def __init__(self, name, closed):
        self.name = name
        self.closed = closed

    def close(self):
        self.closed.append(self.name)


def test_a_resource_is_made_when_it_is_first_asked_for_and_only_then():
    made = []
    runtime = ToolRuntime()

    first = runtime.get("client", lambda: made.append(1) or object())
    again = runtime.get("client", lambda: made.append(2) or object())

    assert first is again
    assert made == [1]
    assert runtime.names() == ["client"]


def test_whoever_asks_while_it_is_made_waits_for_the_same():
    runtime = ToolRuntime()
    begun, go = threading.Event(), threading.Event()
    got = []

    def make():
        begun.set()
        go.wait()
        return object()

    threads = [threading.Thread(target=lambda: got.append(runtime.get("slow", make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    begun.wait()
    assert runtime.names() == []
    assert runtime.get("other", lambda: 1) == 1
    go.set()
    for thread in threads:
        thread.join()

    assert len(got) == 4
    assert len(set(map(id, got))) == 1


def test_one_that_cannot_be_made_is_tried_again_by_the_next():
    runtime = ToolRuntime()

    def broken():
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        runtime.get("client", broken)

    assert runtime.get("client", lambda: 7) == 7


def test_what_asks_for_itself_is_told_so_and_does_not_hang():
    runtime = ToolRuntime()

    with pytest.raises(ToolRuntimeError, match="asked for by what makes it") as caught:
        runtime.get("a", lambda: runtime.get("a", object))

    assert caught.value.resource == "a"


def test_resources_are_closed_in_the_reverse_of_the_order_in_which_they_were_made():
    closed = []
    runtime = ToolRuntime()
    runtime.get("pool", lambda: Client("pool", closed))
    runtime.get(
        "outer", lambda: (runtime.get("inner", lambda: Client("inner", closed)), Client("outer", closed))[1]
    )
    runtime.get("by hand", lambda: 1, close=lambda value: closed.append(f"by hand {value}"))

    left = runtime.close()

    assert closed == ["by hand 1", "outer", "inner", "pool"]
    assert left == []
    with pytest.raises(ToolRuntimeError, match="after the tool runtime was closed"):
        runtime.get("pool", object)


def test_a_close_that_raises_or_hangs_keeps_the_others_open_no_longer(caplog):
    closed = []
    go = threading.Event()
    runtime = ToolRuntime()
    runtime.get("first", lambda: Client("first", closed))
    runtime.get("exits", object, close=lambda _: (_ for _ in ()).throw(SystemExit))
    runtime.get("hangs", object, close=lambda _: go.wait())

    left = runtime.close(timeout=0.2)

    assert left == ["hangs"]
    assert closed == ["first"]
    assert "closing the resource 'exits' raised SystemExit" in caplog.text
    assert "'hangs' did not close within" in caplog.text
    go.set()


def test_what_is_made_and_closed_asynchronously_is_awaited():
    closed = []

    class Session:
        async def aclose(self):
            await asyncio.sleep(0)
            closed.append("session")

    async def make():
        await asyncio.sleep(0)
        return Session()

    async def both():
        return await asyncio.gather(runtime.get_async("session", make), runtime.get_async("session", make))

    with ToolRuntime() as runtime:
        one, other = asyncio.run(both())
        assert one is other
        assert runtime.get("session", make) is one
        assert runtime.get("second", make) is not one

    assert closed == ["session", "session"]


def test_a_waiter_that_is_cancelled_does_not_take_the_resource_from_the_others():
    runtime = ToolRuntime()

    async def scene():
        go = asyncio.Event()

        async def make():
            await go.wait()
            return 7

        maker = asyncio.create_task(runtime.get_async("slow", make))
        await asyncio.sleep(0)
        waiters = [asyncio.create_task(runtime.get_async("slow", make)) for _ in range(2)]
        await asyncio.sleep(0)
        waiters[0].cancel()
        go.set()
        return await maker, await waiters[1]

    assert asyncio.run(scene()) == (7, 7)


def test_what_is_ready_only_after_the_end_is_closed_at_once():
    closed = []
    runtime = ToolRuntime()

    def late():
        runtime.close()
        return Client("late", closed)

    with pytest.raises(ToolRuntimeError, match="was closed while the resource 'late' was made"):
        runtime.get("late", late)

    assert closed == ["late"]
