"""A tool is run the way it is written, and can be run from either side whatever that is."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading

import pytest
from callboard.plugins import ContractError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.call_modes import CallMode
from callboard.plugins.contract.invocation import Invocation
from callboard.plugins.results.normalise import NormalisedResult
from plugin_tools import CALL, GOOD, adapted, both_ways, plugin

PART = {"part": "half"}


def execute(tool_name, payload, state):
    return dict(GOOD)


async def execute_async(tool_name, payload, state):
    await asyncio.sleep(0)
    return dict(GOOD)


def stream(tool_name, payload, state):
    yield dict(PART)
    yield dict(GOOD)


def plain_stream(tool_name, payload, state):
    return stream(tool_name, payload, state)


def plain_stream_async(tool_name, payload, state):
    return stream_async(tool_name, payload, state)


async def stream_async(tool_name, payload, state):
    yield dict(PART)
    await asyncio.sleep(0)
    yield dict(GOOD)


class AsyncCallable:
    async def __call__(self, tool_name, payload, state):
        return dict(GOOD)


@functools.wraps(execute)
def hidden_async(tool_name, payload, state):
    return execute_async(tool_name, payload, state)


E, EA, S, SA = CallMode.EXECUTE, CallMode.EXECUTE_ASYNC, CallMode.STREAM, CallMode.STREAM_ASYNC

WRITTEN = {
    "execute_tool": ({"execute_tool": execute}, E, E),
    "execute_tool_async": ({"execute_tool_async": execute_async}, EA, EA),
    "stream_tool": ({"stream_tool": stream}, S, S),
    "stream_tool_async": ({"stream_tool_async": stream_async}, SA, SA),
    "async execute_tool": ({"execute_tool": execute_async}, EA, EA),
    "plain execute_tool_async": ({"execute_tool_async": execute}, EA, EA),
    "execute_tool that yields": ({"execute_tool": stream}, S, S),
    "execute_tool that yields and awaits": ({"execute_tool": stream_async}, SA, SA),
    "stream_tool that awaits": ({"stream_tool": stream_async}, SA, SA),
    "stream_tool_async that only yields": ({"stream_tool_async": stream}, SA, SA),
    "stream_tool that awaits and returns": ({"stream_tool": execute_async}, SA, SA),
    "stream_tool that returns a result": ({"stream_tool": execute}, S, S),
    "callable object": ({"execute_tool": AsyncCallable()}, EA, EA),
    "partial of a callable object": ({"execute_tool": functools.partial(AsyncCallable())}, EA, EA),
    "partial": ({"execute_tool": functools.partial(execute_async)}, EA, EA),
    "awaitable out of a plain function": ({"execute_tool": hidden_async}, E, E),
    "stream out of a plain function": ({"stream_tool": plain_stream}, S, S),
    "asynchronous stream out of a plain function": ({"stream_tool": plain_stream_async}, S, S),
    "list of chunks": ({"stream_tool": lambda *call: [PART, GOOD]}, S, S),
    "result and parts": ({"execute_tool": execute, "stream_tool": stream}, E, S),
    "sync and async": ({"execute_tool": execute, "execute_tool_async": execute_async}, E, E),
    "both streams": ({"stream_tool": stream, "stream_tool_async": stream_async}, S, S),
    "result, and parts async": ({"execute_tool": execute, "stream_tool_async": stream_async}, E, SA),
    "result async, and parts": ({"execute_tool_async": execute_async, "stream_tool": stream}, EA, S),
    "the named one wins": ({"execute_tool": stream_async, "stream_tool_async": stream_async}, SA, SA),
}


@pytest.mark.parametrize(("hooks", "for_result", "for_parts"), WRITTEN.values(), ids=WRITTEN)
def test_the_mode_follows_from_what_is_offered(hooks, for_result, for_parts):
    adapter = adapted(**hooks)

    assert adapter.call_mode(stream=False) is for_result
    assert adapter.call_mode(stream=True) is for_parts


@pytest.mark.parametrize("hooks", [hooks for hooks, *_ in WRITTEN.values()], ids=WRITTEN)
def test_every_tool_gives_its_result_from_a_thread_and_from_an_event_loop(hooks):
    adapter = adapted(**hooks)

    assert adapter.execute(CALL, {}) == (GOOD, True)
    assert asyncio.run(adapter.execute_async(CALL, {})) == (GOOD, True)


@pytest.mark.parametrize("hooks", [hooks for hooks, *_ in WRITTEN.values()], ids=WRITTEN)
def test_every_tool_gives_one_result_after_its_parts_from_either_side(hooks):
    for chunks in both_ways(adapted(**hooks)):
        *parts, last = chunks
        assert last == NormalisedResult(GOOD, valid=True)
        assert [part.chunk for part in parts] in ([], [PART])


@pytest.mark.parametrize("mode", CallMode)
def test_a_mode_says_whether_it_streams_and_whether_it_awaits(mode):
    assert mode.streams is mode.name.startswith("STREAM")
    assert mode.awaits is mode.name.endswith("ASYNC")


def test_the_call_reaches_the_tool_as_it_is():
    seen = []

    def tool(tool_name, payload, state, *, payload_kind=None, tool_call=None, context=None):
        seen.append((tool_name, payload, state, payload_kind, tool_call, context))
        return GOOD

    state, context = {"n": 1}, {"core": object()}
    adapted(execute_tool=tool).execute(
        Invocation("echo", "raw", "text", tool_call={"id": "1"}, context=context), state
    )

    assert seen == [("echo", "raw", {"n": 1}, "text", {"id": "1"}, context)]
    assert seen[0][2] is state
    assert seen[0][5] is context


@pytest.mark.parametrize(
    "hooks",
    [
        {"execute_tool": lambda tool_name, arguments, state: arguments["value"]},
        {"stream_tool": lambda tool_name, arguments, state: arguments["value"]},
        {"execute_tool_async": lambda tool_name, arguments, state: arguments["value"]},
        {"stream_tool_async": lambda tool_name, arguments, state: arguments["value"]},
    ],
)
@pytest.mark.parametrize(
    "call", [Invocation("echo", "text", "text"), Invocation("echo", [1]), Invocation("echo", None)]
)
def test_a_tool_of_the_older_contract_is_never_run_with_what_is_no_object(hooks, call):
    adapter = adapted(**hooks)
    kind = call.payload_kind or type(call.payload).__name__

    results = [adapter.execute(call, {}), asyncio.run(adapter.execute_async(call, {}))]
    for chunks in both_ways(adapter, call):
        results += chunks

    assert adapter.objects_only
    assert len(results) == 4
    for result, valid in results:
        assert not valid
        assert (result["code"], result["outcome"]) == ("invalid_call", "not_sent")
        assert f"the payload of this call is of kind {kind!r}" in result["error"]
        assert next(iter(hooks)) in result["error"]


def test_a_payload_first_tool_takes_any_payload():
    adapter = adapted(execute_tool=lambda tool_name, payload, state: {"success": True, "result": payload})

    assert not adapter.objects_only
    assert adapter.execute(Invocation(None, "raw", "text"), {}).result["result"] == "raw"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
@pytest.mark.parametrize("hook", ["execute_tool", "stream_tool"])
def test_what_a_tool_raises_reaches_the_one_who_runs_it(hook, error):
    def tool(tool_name, payload, state):
        raise error

    adapter = adapted(**{hook: tool})

    with pytest.raises(type(error)):
        adapter.execute(CALL, {})
    with pytest.raises(type(error)):
        list(adapter.stream(CALL, {}))


def test_what_an_asynchronous_tool_raises_reaches_the_one_who_awaits_it():
    async def tool(tool_name, payload, state):
        raise ValueError("x")

    adapter = adapted(execute_tool_async=tool)

    with pytest.raises(ValueError, match="x"):
        asyncio.run(adapter.execute_async(CALL, {}))
    with pytest.raises(ValueError, match="x"):
        adapter.execute(CALL, {})


def test_a_tool_that_is_not_asynchronous_leaves_the_event_loop_free():
    loop_runs, seen = threading.Event(), []

    def tool(tool_name, payload, state):
        seen.append(loop_runs.wait(10))
        return GOOD

    async def main():
        asyncio.get_running_loop().call_soon(loop_runs.set)
        return await adapted(execute_tool=tool).execute_async(CALL, {})

    assert asyncio.run(main()).valid
    assert seen == [True]


def test_context_variables_reach_a_tool_in_a_worker_thread():
    variable = contextvars.ContextVar("variable", default="unset")

    async def main():
        variable.set("set")
        tool = adapted(execute_tool=lambda *call: {"success": True, "result": variable.get()})
        return await tool.execute_async(CALL, {})

    assert asyncio.run(main()).result["result"] == "set"


def test_an_asynchronous_tool_cannot_be_waited_for_inside_an_event_loop():
    async def main(run):
        run()

    for run in (
        lambda: adapted(execute_tool_async=execute_async).execute(CALL, {}),
        lambda: list(adapted(stream_tool_async=stream_async).stream(CALL, {})),
    ):
        with pytest.raises(RuntimeError, match="await execute_async, stream_async or prepare_async"):
            asyncio.run(main(run))


def test_a_plugin_that_can_run_no_tool_is_refused():
    with pytest.raises(ContractError, match="it has none of execute_tool, execute_tool_async"):
        PluginAdapter(plugin(get_tool_schemas=lambda state: []))
