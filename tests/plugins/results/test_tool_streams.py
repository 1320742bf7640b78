"""What a stream yields is read by the specification's rules, and a stream has one end."""

from __future__ import annotations

import asyncio
import json
from collections import UserDict

import pytest
from callboard.plugins.results.chunks import Part, no_final_result, read_chunk
from callboard.plugins.results.normalise import NormalisedResult, normalise_result
from hypothesis import given
from interop_json import canonical, containers, objects, values
from plugin_tools import CALL, GOOD, adapted, both_ways, collect


def part_of(chunk):
    return Part(chunk, size=len(json.dumps(chunk, separators=(",", ":"))))


FINAL = NormalisedResult(GOOD, valid=True)


@given(objects)
def test_a_chunk_with_success_is_the_final_result_whatever_else_it_has(chunk):
    chunk = {**chunk, "success": True}

    assert read_chunk(chunk) == normalise_result(chunk)


@given(objects, values)
def test_a_chunk_with_part_is_a_part_as_it_is(chunk, payload):
    chunk = {**chunk, "part": payload}
    chunk.pop("success", None)

    read = read_chunk(chunk)

    assert canonical(read.chunk) == canonical(chunk)
    assert containers(read.chunk).isdisjoint(containers(chunk))


@given(values)
def test_any_other_chunk_is_wrapped_as_a_part(chunk):
    if isinstance(chunk, dict):
        chunk = {key: value for key, value in chunk.items() if key not in ("success", "part")}

    read = read_chunk(chunk)

    assert canonical(read.chunk) == canonical({"part": chunk})
    assert read.fault is None


def test_a_mapping_of_another_kind_is_a_mapping():
    assert read_chunk(UserDict(GOOD)) == FINAL
    assert read_chunk(UserDict({"part": 1})) == part_of({"part": 1})
    assert read_chunk(UserDict({"text": 1})) == part_of({"part": {"text": 1}})


@pytest.mark.parametrize("chunk", [{"part": {1}}, {"text": {"at": {1}}}, object()])
def test_a_part_that_is_no_json_gives_way_to_a_text_that_says_so(chunk):
    part = read_chunk(chunk)

    assert part.fault is not None
    assert part.chunk["part"]["type"] == "text"
    assert part.fault in part.chunk["part"]["content"]


def test_a_stream_without_a_final_result_is_an_invalid_result():
    result, valid = no_final_result()

    assert not valid
    assert result["code"] == "invalid_result"


STREAMS = {
    "parts and a result": (
        [{"part": 1}, {"text": 2}, GOOD],
        [part_of({"part": 1}), part_of({"part": {"text": 2}}), FINAL],
    ),
    "a result alone": ([GOOD], [FINAL]),
    "more after the result": ([GOOD, {"part": 1}, {"success": False}], [FINAL]),
    "parts alone": ([{"part": 1}], [part_of({"part": 1}), no_final_result()]),
    "nothing": ([], [no_final_result()]),
    "a failure": (
        [{"success": False, "error": "no"}],
        [NormalisedResult({"success": False, "error": "no"}, valid=True)],
    ),
    "a result that is none": ([{"success": 1}], [normalise_result({"success": 1})]),
}


@pytest.mark.parametrize(("yielded", "chunks"), STREAMS.values(), ids=STREAMS)
def test_a_stream_is_its_parts_and_exactly_one_result(yielded, chunks):
    def stream(tool_name, payload, state):
        yield from yielded

    async def stream_async(tool_name, payload, state):
        for chunk in yielded:
            yield chunk

    for hook in ({"stream_tool": stream}, {"stream_tool_async": stream_async}):
        assert both_ways(adapted(**hook)) == [chunks, chunks]


def test_a_generator_may_return_its_result():
    def stream(tool_name, payload, state):
        yield {"part": 1}
        return dict(GOOD)

    assert both_ways(adapted(stream_tool=stream)) == [[part_of({"part": 1}), FINAL]] * 2


@pytest.mark.parametrize("answer", [None, GOOD, "text", {"text": 1}])
def test_an_answer_that_is_no_stream_is_one_chunk_or_none(answer):
    expected = {
        None: [no_final_result()],
        "text": [part_of({"part": "text"}), no_final_result()],
    }.get(answer if not isinstance(answer, dict) else 0)
    if expected is None:
        expected = [FINAL] if answer is GOOD else [part_of({"part": {"text": 1}}), no_final_result()]

    assert both_ways(adapted(stream_tool=lambda *call: answer)) == [expected] * 2


def test_a_stream_is_closed_after_its_result_has_been_handed_over():
    order = []

    def stream(tool_name, payload, state):
        try:
            yield dict(GOOD)
            order.append("asked for more")
        finally:
            order.append("closed")

    reader = adapted(stream_tool=stream).stream(CALL, {})
    order.append(next(reader))
    order.extend(list(reader))

    assert order == [FINAL, "closed"]


def test_an_asynchronous_stream_is_closed_after_its_result_has_been_handed_over():
    order = []

    async def stream(tool_name, payload, state):
        try:
            yield dict(GOOD)
            order.append("asked for more")
        finally:
            await asyncio.sleep(0)
            order.append("closed")

    async def main():
        reader = adapted(stream_tool_async=stream).stream_async(CALL, {})
        order.append(await anext(reader))
        order.extend(await collect(reader))

    asyncio.run(main())

    assert order == [FINAL, "closed"]


def endless(closed):
    try:
        while True:
            yield {"part": "more"}
    finally:
        closed.append(True)


async def endless_async(closed):
    try:
        while True:
            yield {"part": "more"}
    finally:
        closed.append(True)


@pytest.mark.parametrize("hook", ["stream_tool", "stream_tool_async"])
@pytest.mark.parametrize("source", [endless, endless_async])
def test_who_stops_reading_closes_the_tool(hook, source):
    closed = []
    adapter = adapted(**{hook: lambda *call: source(closed)})

    reader = adapter.stream(CALL, {})
    assert next(reader) == part_of({"part": "more"})
    reader.close()

    async def main():
        reader = adapter.stream_async(CALL, {})
        assert await anext(reader) == part_of({"part": "more"})
        await reader.aclose()

    asyncio.run(main())

    assert closed == [True, True]


def test_a_stream_that_will_not_close_is_reported_and_costs_nothing():
    faults = []

    def stream(tool_name, payload, state):
        try:
            yield dict(GOOD)
        finally:
            raise ValueError("stuck")

    async def stream_async(tool_name, payload, state):
        try:
            yield dict(GOOD)
        finally:
            raise ValueError("stuck")

    for hook in ({"stream_tool": stream}, {"stream_tool_async": stream_async}):
        assert both_ways(adapted(report=faults.append, **hook)) == [[FINAL], [FINAL]]

    assert {fault.problem for fault in faults} == {
        "plugin 'tool': stream_tool raised when its stream was closed: ValueError: stuck",
        "plugin 'tool': stream_tool_async raised when its stream was closed: ValueError: stuck",
    }


def test_a_part_that_is_no_json_is_reported_and_the_result_still_comes():
    faults = []
    chunks = [{"part": {1}}, GOOD]

    first, last = adapted(report=faults.append, stream_tool=lambda *call: iter(chunks)).stream(CALL, {})

    assert first.fault is not None
    assert last == FINAL
    assert [(fault.plugin, fault.hook) for fault in faults] == [("tool", "stream_tool")]
    assert "yielded a part that is not JSON: $.part is of type set" in faults[0].problem


def test_parts_before_an_exception_are_handed_over():
    def stream(tool_name, payload, state):
        yield {"part": 1}
        raise ValueError("late")

    reader = adapted(stream_tool=stream).stream(CALL, {})

    assert next(reader) == part_of({"part": 1})
    with pytest.raises(ValueError, match="late"):
        next(reader)


def test_an_iterator_without_close_needs_none():
    assert asyncio.run(collect(adapted(stream_tool=lambda *call: iter([GOOD])).stream_async(CALL, {}))) == [
        FINAL
    ]
