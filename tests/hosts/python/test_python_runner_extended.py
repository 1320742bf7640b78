"""What the Python host does beyond version 1, as a client on the wire sees it."""

from __future__ import annotations

import pytest
from callboard.hosts.protocol.call_params import FACTS
from callboard.hosts.python.runner.self_description import description
from python_runner import python_host

TOOL = """
import asyncio

class Tool:
    def get_tool_schemas(self, state, *, prepared=None):
        return [prepared or {}]

    def prepare(self, config, state):
        if config.get("unprepared"):
            raise OSError("the index cannot be read")
        return {"greeting": "salve"}

    def can_handle_tool_call(self, tool_name, payload, state, *, payload_kind=None, prepared=None):
        return payload.startswith(prepared["greeting"]) if payload_kind == "text" else None

    async def execute_tool_async(
        self, tool_name, payload, state, *, prepared=None, payload_kind=None, tool_call=None, tool_schema=None, **_
    ):
        if tool_name == "tell":
            return {"success": True, "result": [payload, payload_kind, prepared, tool_call, tool_schema]}
        try:
            await asyncio.Event().wait()
        finally:
            state["cleaned"] = True

    async def stream_tool_async(self, tool_name, payload, state, **facts):
        yield {"part": "begun"}
        yield await self.execute_tool_async(tool_name, payload, state, **facts)


class Counter:
    def get_tool_schemas(self, state):
        return []

    def stream_tool(self, tool_name, payload, state):
        for number in range(10**9):
            yield {"part": number}
"""

CLIENT = {"features": ["prepare", "payload", "cancel", "can_handle"]}


@pytest.fixture(name="file")
def _file(tmp_path):
    file = tmp_path / "extended.py"
    file.write_text(TOOL)
    return file


def test_a_plugin_is_described_prepared_claims_and_is_told_all_that_it_asks_for(file):
    raw = {"payload": "salve", "payload_kind": "text", "tool_call": {"c": 1}, "tool_schema": {"s": 1}}
    with python_host("extended.Tool", file) as host:
        ids = [host.send("describe", CLIENT), host.send("init", {"config": {}})]
        first, second = host.read(), host.read()
        prepared = host.value("prepare", {"config": {}, "state": {}})
        schemas = host.value("get_tool_schemas", {"state": {}, "prepared": prepared})
        failed = host.error("prepare", {"config": {"unprepared": True}, "state": {}})
        claims = [
            host.value(
                "can_handle_tool_call", {"tool_name": None, "state": {}, "prepared": prepared} | params
            )
            for params in (raw, raw | {"payload": "vale"}, {"arguments": {}})
        ]
        call = {"tool_name": "tell", "state": {}, "prepared": prepared, "stream": False}
        told = host.value("execute_tool", call | raw)

    described = first["result"]["value"]
    assert [first["id"], second["id"]] == ids
    assert described["host"]["name"] == "callboard-python"
    assert {"prepare", "can_handle_tool_call", "execute_tool"} <= set(described["methods"])
    assert "get_tags" not in described["methods"]
    # One of its methods takes whatever there is, but for what is given to who names it alone.
    assert described["wants"] == [fact for fact in FACTS if fact != "key"]
    assert schemas == [{"greeting": "salve"}]
    assert (failed["type"], failed["detail"]) == ("OSError", "the index cannot be read")
    assert claims == [True, False, None]
    assert told["result"] == ["salve", "text", {"greeting": "salve"}, {"c": 1}, {"s": 1}]


def test_a_coroutine_and_a_generator_are_cancelled(file):
    with python_host("extended.Tool", file) as host:
        host.value("describe", CLIENT)
        waiting = host.send("execute_tool", {"tool_name": "wait", "arguments": {}, "state": {}, "ack": True})
        events = [host.read()["event"], host.read()["event"]]
        cancel = host.send("cancel", {"id": waiting, "reason": "nobody waits"})
        ends = {answer["id"]: answer for answer in (host.read(), host.read())}
        after = host.value(
            "execute_tool", {"tool_name": "tell", "arguments": {}, "state": {}, "stream": False}
        )
        over = host.value("cancel", {"id": waiting})
    with python_host("extended.Counter", file) as host:
        host.value("describe", CLIENT)
        counting = host.execute()
        host.read()
        host.send("cancel", {"id": counting, "reason": "enough"})
        while "error" not in (end := host.read()):
            pass

    assert events == [{"type": "ack"}, {"type": "part", "payload": "begun"}]
    assert ends[cancel]["result"]["value"] is True
    assert (ends[waiting]["error"]["type"], ends[waiting]["error"]["detail"]) == ("Cancelled", "nobody waits")
    assert after["success"]
    assert over is False
    assert (end["id"], end["error"]["type"]) == (counting, "Cancelled")


def test_a_call_that_is_cancelled_before_it_begins_is_answered_at_once(tmp_path):
    file = tmp_path / "never_loads.py"
    file.write_text("import threading\nthreading.Event().wait()\n")
    with python_host("never_loads.Tool", file) as host:
        host.send("describe", CLIENT)
        waiting = host.execute("tell")
        cancel = host.send("cancel", {"id": waiting, "reason": "it loads for ever"})
        end, cancelled = host.read(), host.read()

    assert (end["id"], end["error"]["type"]) == (waiting, "Cancelled")
    assert (cancelled["id"], cancelled["result"]["value"]) == (cancel, True)


class Wants:
    def execute_tool(self, tool_name, payload, state, *, tool_call=None):
        """Run."""

    def prepare_async(self, config, state):
        """Prepare."""


@pytest.mark.parametrize(
    ("found", "methods", "wants"),
    [
        (Wants, ["init", "get_tool_schemas", "execute_tool", "prepare"], ["tool_call"]),
        (Wants(), ["init", "get_tool_schemas", "execute_tool", "prepare"], ["tool_call"]),
        (object, ["init", "get_tool_schemas", "execute_tool"], []),
        (None, None, None),
    ],
)
def test_a_plugin_is_described_by_what_it_is_written_to_take(found, methods, wants):
    described = description(found)

    assert (described.get("methods"), described.get("wants")) == (methods, wants)
    assert "plugins" not in described["features"]
