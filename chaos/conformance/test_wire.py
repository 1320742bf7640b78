"""What a host says, and how it answers what it is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .fixtures import Given
    from .raw_host import RawHost

Json = dict[str, Any]

ODD_IDS = ("7", "two words", "Grüße-世界-\U0001f600", 'quotes " and \\ backslashes', "x" * 500)


@pytest.mark.must
def test_init_is_answered_with_the_state(fresh: RawHost, given: Given) -> None:
    answer = fresh.ask("init", {"config": given.config})

    assert answer["ok"] is True, fresh.tell("init was answered with an error")
    state = answer["result"].get("state", answer["result"].get("value"))
    assert isinstance(state, dict), fresh.tell(f"the state is {state!r:.100}; it has to be an object")


@pytest.mark.must
def test_schemas_are_a_list_of_objects(host: RawHost, state: Json) -> None:
    answer = host.ask("get_tool_schemas", {"state": state})

    assert answer["ok"] is True, host.tell("get_tool_schemas was answered with an error")
    schemas = answer["result"]["value"]
    assert isinstance(schemas, list), host.tell("the schemas are no list")
    assert all(isinstance(schema, dict) for schema in schemas), host.tell("a schema is no object")


@pytest.mark.must
def test_a_call_is_answered_with_a_result(host: RawHost, call: Json) -> None:
    answer = host.ask("execute_tool", call)

    assert answer["ok"] is True, host.tell("the call was answered with an error")
    value = answer["result"]["value"]
    assert isinstance(value, dict), host.tell("the result is no object")
    assert isinstance(value.get("success"), bool), host.tell("the result says not whether it is a success")
    assert ("result" if value["success"] else "error") in value, host.tell(
        "the result has neither result nor error"
    )


@pytest.mark.must
def test_the_state_that_came_goes_back(host: RawHost, call: Json) -> None:
    answer = host.ask("execute_tool", call)

    assert isinstance(answer["result"].get("state"), dict), host.tell(
        "the answer has no state beside its value"
    )


@pytest.mark.must
def test_every_message_is_of_version_one_and_bears_a_known_id(host: RawHost, call: Json) -> None:
    asked = {host.request("execute_tool", call) for _ in range(3)}
    for request_id in asked:
        host.answer(request_id)

    assert {message["v"] for message in host.messages()} == {1}, host.tell("a message is of another version")
    strangers = [message for message in host.messages()[-3:] if message.get("id") not in asked]
    assert strangers == [], host.tell("a message bears an id that was not asked")


@pytest.mark.must
@pytest.mark.parametrize("request_id", ODD_IDS, ids=["digits", "spaces", "beyond-ascii", "quotes", "long"])
def test_an_id_comes_back_as_it_was(host: RawHost, call: Json, request_id: str) -> None:
    assert host.ask("execute_tool", call, request_id=request_id)["id"] == request_id


@pytest.mark.must
def test_each_request_is_answered_once(host: RawHost, call: Json) -> None:
    asked = [host.request("execute_tool", call) for _ in range(5)]
    for request_id in asked:
        host.answer(request_id)
    host.close_stdin()

    counts = {request_id: len(host.answers(request_id)) for request_id in asked}
    assert set(counts.values()) == {1}, host.tell(f"answers to each request: {counts}")


@pytest.mark.must
def test_many_requests_may_be_under_way(host: RawHost, call: Json) -> None:
    asked = [host.request("execute_tool", call) for _ in range(50)]

    assert all(host.answer(request_id)["ok"] for request_id in asked), host.tell(
        "not all of 50 calls went well"
    )


@pytest.mark.must
def test_requests_may_come_in_one_piece_or_byte_by_byte(host: RawHost, call: Json) -> None:
    lines = [
        json.dumps({"v": 1, "id": request_id, "method": "execute_tool", "params": call}).encode() + b"\n"
        for request_id in ("joined-1", "joined-2", "split")
    ]
    host.send(lines[0] + lines[1])
    for byte in lines[2]:
        host.send(bytes([byte]))

    assert all(host.answer(request_id)["ok"] for request_id in ("joined-1", "joined-2", "split"))


@pytest.mark.must
def test_a_request_of_a_mebibyte_is_answered(host: RawHost, call: Json) -> None:
    arguments = call["arguments"] | {"padding": "ü" * (512 * 1024)}

    answer = host.ask("execute_tool", call | {"arguments": arguments})

    assert isinstance(answer["ok"], bool)
    assert host.ask("execute_tool", call)["ok"], host.tell("after a large request the next one failed")


@pytest.mark.must
def test_an_unknown_method_is_refused_and_the_host_lives(host: RawHost, call: Json) -> None:
    answer = host.ask("a_method_of_tomorrow", {"state": call["state"]})

    assert answer["ok"] is False, host.tell("an unknown method was answered as if it were known")
    assert isinstance(answer.get("error"), dict), host.tell("the error is no object")
    assert isinstance(answer["error"].get("type"), str), host.tell("the error has no type")
    assert host.ask("execute_tool", call)["ok"], host.tell("after an unknown method the next call failed")


@pytest.mark.should
def test_an_unknown_method_is_refused_by_its_name(host: RawHost) -> None:
    error = host.ask("a_method_of_tomorrow", {})["error"]

    assert error["type"] == "MethodNotFound", host.tell("then the method is asked for again and again")


@pytest.mark.must
def test_unknown_fields_are_ignored(host: RawHost, call: Json) -> None:
    answer = host.ask("execute_tool", call | {"of_tomorrow": [1]}, trace={"id": "t-1"})

    assert answer["ok"] is True, host.tell("a field that it does not know made a call fail")


@pytest.mark.must
def test_an_unknown_tool_is_answered_and_the_host_lives(host: RawHost, call: Json) -> None:
    """Refused, or run all the same by a host that has one tool only: Callboard asks for none but those offered."""
    answer = host.ask("execute_tool", call | {"tool_name": "there_is_no_such_tool"})

    assert isinstance(answer["ok"], bool), host.tell("the answer is neither a value nor an error")
    assert host.ask("execute_tool", call)["ok"], host.tell("after an unknown tool the next call failed")


@pytest.mark.must
def test_a_tool_that_fails_is_an_answer_and_the_host_lives(host: RawHost, call: Json, failing: Json) -> None:
    answer = host.ask("execute_tool", failing)

    if answer["ok"]:
        assert answer["result"]["value"]["success"] is False, host.tell("it was to fail and did not")
        assert isinstance(answer["result"]["value"].get("error"), str), host.tell(
            "the failure has no error text"
        )
    else:
        assert {"type", "detail"} <= answer["error"].keys(), host.tell("the error needs a type and a detail")
    assert host.ask("execute_tool", call)["ok"], host.tell("after a failure the next call failed")


@pytest.mark.must
def test_parts_come_before_the_answer_and_bear_its_id(host: RawHost, streamed: Json) -> None:
    request_id = host.request("execute_tool", streamed)
    host.answer(request_id)
    host.close_stdin()
    talk = [message for message in host.messages() if message.get("id") == request_id]

    assert len(talk) > 1, host.tell("there were no parts")
    assert "ok" in talk[-1], host.tell("a part came after the answer")
    assert all(message["event"]["type"] == "part" for message in talk[:-1]), host.tell("an event is no part")
    assert all("payload" in message["event"] for message in talk[:-1]), host.tell("a part has no payload")


@pytest.mark.should
def test_nothing_but_messages_is_on_stdout(host: RawHost, call: Json) -> None:
    host.ask("execute_tool", call)
    host.close_stdin()

    assert host.strays() == [], host.tell("logs belong to stderr; what is no message is only borne with")


@pytest.mark.should
def test_a_line_that_is_no_request_harms_nobody(host: RawHost, call: Json) -> None:
    host.send(b"this is no JSON\n[1, 2]\n\n")

    assert host.ask("execute_tool", call)["ok"], host.tell("after a broken line the next call failed")
