"""What the JavaScript host does beyond version 1, as a client on the wire sees it."""

from __future__ import annotations

from bare_host import BareHost
from programs import EVIL_NODE, NODE

TOOL = NODE / "extended_tool.mjs"


def execute(host, tool, request_id=None, **params):
    return host.send("execute_tool", {"tool_name": tool, "state": {"calls": 0}, **params}, id=request_id)


def test_what_is_prepared_comes_with_every_request_that_may_use_it():
    with BareHost(TOOL) as host:
        methods = host.value("describe")["methods"]
        state = host.value("init", {"config": {"greeting": "salve"}})
        prepared = host.value("prepare", {"config": {"greeting": "salve"}, "state": state})
        schemas = host.value("get_tool_schemas", {"state": state, "prepared": prepared})
        greeting = host.answer(execute(host, "greet", arguments={"name": "you"}, prepared=prepared))
        failed = host.error("prepare", {"config": {"unprepared": True}, "state": state})

    assert {"prepare", "can_handle_tool_call", "shutdown"} <= set(methods)
    assert prepared == {"greeting": "salve", "calls": 0}
    assert schemas[-1]["function"]["name"] == "salve"
    assert greeting["result"]["value"] == {"success": True, "result": "salve you"}
    assert failed["detail"] == "the index cannot be read"


def test_a_call_may_be_of_raw_text_and_a_tool_is_told_all_about_it():
    facts = {
        "payload": "@cat README",
        "payload_kind": "text",
        "payload_format": "lark",
        "payload_metadata": {"line": 1},
        "tool_call": {"type": "custom_tool_call"},
        "tool_schema": {"type": "custom"},
    }
    with BareHost(TOOL) as host:
        host.value("describe")
        claims = [
            host.value("can_handle_tool_call", {"tool_name": None, "state": {}, **params})
            for params in (facts, facts | {"payload": "cat"}, {"arguments": {}})
        ]
        told = host.answer(execute(host, "tell", **facts))["result"]["value"]["result"]
        plain = host.answer(execute(host, "tell", arguments={"a": 1}))["result"]["value"]["result"]
        preview = host.value("format_tool_call_preview", {"tool_name": "tell", "state": {}, **facts})

    assert claims == [True, False, None]
    assert told == {
        "args": "@cat README",
        "payload": "@cat README",
        "payloadKind": "text",
        "payloadFormat": "lark",
        "payloadMetadata": {"line": 1},
        "toolCall": {"type": "custom_tool_call"},
        "toolSchema": {"type": "custom"},
        "aborted": False,
    }
    assert (plain["args"], plain["payload"], plain["payloadKind"], plain["toolCall"]) == (
        {"a": 1},
        {"a": 1},
        "object",
        None,
    )
    assert preview == 'tell text "@cat README"'


def test_a_cancelled_call_is_answered_by_the_tool_and_at_once_if_it_has_not_begun():
    with BareHost(TOOL) as host:
        host.value("describe")
        waiting = execute(host, "wait", ack=True)
        ack, part = host.read()["event"], host.read()["event"]
        cancelled = host.send("cancel", {"id": waiting, "reason": "nobody waits any more"})
        ends = {answer["id"]: answer for answer in (host.read(), host.read())}
        unknown = host.value("cancel", {"id": waiting})
    with BareHost(EVIL_NODE / "never_loads.mjs") as host:
        host.send("describe")
        early = execute(host, "tell")
        cancel = host.send("cancel", {"id": early})
        end, answer = host.read(), host.read()

    assert (ack, part) == ({"type": "ack"}, {"type": "part", "payload": "waiting"})
    assert ends[cancelled]["result"]["value"] is True
    assert ends[waiting]["error"]["type"] == "Cancelled"
    assert ends[waiting]["error"]["detail"] == "nobody waits any more"
    assert unknown is False
    assert (end["id"], end["error"]["type"]) == (early, "Cancelled")
    assert (answer["id"], answer["result"]["value"]) == (cancel, True)


def test_a_tool_that_shuts_down_is_waited_for_at_the_end_of_stdin():
    with BareHost(TOOL) as host:
        host.value("describe")
        farewell = host.send("shutdown", {"state": {"calls": 7}})
        host.close_stdin()
        answers, code = host.rest(), host.exit_code()
        said = host.stderr

    assert [(answer["id"], answer["ok"]) for answer in answers] == [(farewell, True)]
    assert code == 0
    assert "farewell after 7 calls" in said


def test_a_client_of_version_1_sees_version_1():
    more = ("prepare", "can_handle_tool_call", "shutdown", "cancel")
    with BareHost(NODE / "records_arguments.mjs") as host:
        unknown = {method: host.error(method)["type"] for method in more}
        given = host.value(
            "execute_tool", {"tool_name": "t", "state": {}, "ack": True, "payload_kind": "text"}
        )

    assert unknown == dict.fromkeys(more, "MethodNotFound")
    assert given == ["t", {}, {}, "a function"]
