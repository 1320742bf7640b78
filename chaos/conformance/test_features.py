"""What a host does beyond version 1 of the protocol, of what it says that it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .fixtures import Given
    from .raw_host import RawHost

Json = dict[str, Any]


@pytest.fixture
def described(fresh: RawHost, describing: Json) -> RawHost:
    """A generation that has described itself, and has been asked nothing else."""
    fresh.ask("describe", describing)
    return fresh


@pytest.fixture
def work(described: RawHost, given: Given) -> Json:
    """The parameters of a call that succeeds, in a host that has described itself."""
    state = described.ask("init", {"config": given.config})["result"]["value"]
    prepared = described.ask("prepare", {"config": given.config, "state": state})
    more = {"prepared": prepared["result"]["value"]} if prepared["ok"] and prepared["result"]["value"] else {}
    schemas = described.ask("get_tool_schemas", {"state": state, **more})["result"]["value"]
    tool = given.tool or schemas[0].get("function", schemas[0])["name"]
    return {"tool_name": tool, "arguments": given.arguments, "state": state, **more}


def generations(host: RawHost, work: Json) -> bool:
    """Whether the next call is answered as if nothing had been."""
    return host.ask("execute_tool", work)["ok"] is True


@pytest.mark.must
@pytest.mark.feature("describe")
def test_a_description_is_the_first_answer_whatever_comes_behind_it(
    fresh: RawHost, given: Given, describing: Json
) -> None:
    asked = [
        fresh.request("describe", describing),
        fresh.request("init", {"config": given.config}),
    ]
    fresh.answer(asked[1])
    first = fresh.messages()[0]

    assert first["id"] == asked[0], fresh.tell("another answer came before the description")
    assert first["ok"] is True, fresh.tell("it cannot describe itself")
    value = first["result"]["value"]
    assert value["protocol"] == describing["protocol"], fresh.tell("it describes another protocol")
    assert all(isinstance(name, str) for name in value["features"]), fresh.tell("a feature is no text")


@pytest.mark.must
@pytest.mark.feature("cancel")
def test_a_call_that_is_cancelled_is_answered_once_and_so_is_its_end(described: RawHost, work: Json) -> None:
    call = described.request("execute_tool", work)
    cancel = described.request("cancel", {"id": call, "reason": "nobody waits"})
    described.answer(call)
    known = described.answer(cancel)
    stranger = described.ask("cancel", {"id": "never asked"})

    assert isinstance(known["result"]["value"], bool), described.tell(
        "a cancel is answered with true or false"
    )
    assert stranger["result"]["value"] is False, described.tell("there is nothing of that id to be cancelled")
    assert generations(described, work), described.tell("the call after it does not work")
    assert len(described.answers(call)) == 1, described.tell("a call has more than one answer")


@pytest.mark.must
@pytest.mark.feature("payload")
def test_raw_text_is_answered_as_any_call_is(described: RawHost, work: Json) -> None:
    raw = {key: value for key, value in work.items() if key != "arguments"}
    answer = described.ask("execute_tool", raw | {"payload": "raw text", "payload_kind": "text"})

    assert isinstance(answer["ok"], bool)
    assert generations(described, work), described.tell("the call after it does not work")


@pytest.mark.must
@pytest.mark.feature("prepare")
def test_what_is_prepared_is_an_object(described: RawHost, given: Given) -> None:
    state = described.ask("init", {"config": given.config})["result"]["value"]
    answer = described.ask("prepare", {"config": given.config, "state": state})

    if answer["ok"] is True:
        value = answer["result"]["value"]
        assert value is None or isinstance(value, dict), described.tell("what is prepared is no object")
    else:
        assert answer["error"]["type"] == "MethodNotFound", described.tell("it cannot be prepared")


@pytest.mark.must
@pytest.mark.feature("can_handle")
def test_a_claim_is_true_false_or_null(described: RawHost, work: Json) -> None:
    answer = described.ask("can_handle_tool_call", work)

    if answer["ok"] is True:
        value = answer["result"]["value"]
        assert value is None or isinstance(value, bool), described.tell(
            "a claim is neither true, false nor null"
        )
    else:
        assert answer["error"]["type"] == "MethodNotFound", described.tell("it cannot be asked for a claim")


@pytest.mark.must
@pytest.mark.feature("is_enabled")
def test_whether_it_takes_part_is_true_false_or_null(described: RawHost) -> None:
    answer = described.ask("is_enabled", {"config": {}, "tags": [], "models": [], "context": {}})

    if answer["ok"] is True:
        value = answer["result"]["value"]
        assert value is None or isinstance(value, bool), described.tell(
            "whether it takes part is neither true, false nor null"
        )
    else:
        assert answer["error"]["type"] == "MethodNotFound", described.tell("it cannot be asked")


@pytest.mark.must
@pytest.mark.feature("ack")
def test_a_call_says_first_that_it_begins_if_that_is_wanted(described: RawHost, work: Json) -> None:
    call = described.request("execute_tool", work | {"ack": True})
    described.answer(call)
    first = next(message for message in described.messages() if message["id"] == call)

    assert first.get("event", {}).get("type") == "ack", described.tell("the call begins without an ack")


@pytest.mark.must
@pytest.mark.feature("plugins")
def test_a_plugin_that_there_is_not_is_refused_by_its_name_and_the_host_lives(
    described: RawHost, work: Json
) -> None:
    answer = described.ask("init", {"plugin": "nobody of that name", "config": {}})

    assert answer["ok"] is False, described.tell("a plugin that was never loaded answers")
    assert answer["error"]["type"] == "PluginNotFound", described.tell("the refusal has another type")
    assert generations(described, work), described.tell("the call after it does not work")


@pytest.mark.must
@pytest.mark.feature("shutdown")
def test_a_farewell_is_answered_before_the_end(described: RawHost, work: Json) -> None:
    farewell = described.request("shutdown", {"state": work["state"]})
    exit_ = described.close_stdin()

    assert len(described.answers(farewell)) == 1, described.tell("it ended without an answer to its farewell")
    assert exit_.signal is None, described.tell("it had to be ended by a signal")


@pytest.mark.must
@pytest.mark.feature("state_version")
def test_a_state_that_has_a_name_may_come_by_that_alone(described: RawHost, work: Json) -> None:
    first = described.ask("execute_tool", work | {"state_version": "s1"}, request_id="first")
    name = "first" if "state" in first["result"] else "s1"
    by_name = {key: value for key, value in work.items() if key != "state"} | {"state_version": name}
    answer = described.ask("execute_tool", by_name)

    assert answer["ok"] is True, described.tell(
        "it does not know the state that it was just sent, or has sent"
    )
    assert isinstance(answer["result"].get("state", {}), dict), described.tell("the state is no object")


@pytest.mark.must
@pytest.mark.feature("state_version")
def test_a_state_whose_name_is_not_known_is_refused_and_the_host_lives(
    described: RawHost, work: Json
) -> None:
    by_name = {key: value for key, value in work.items() if key != "state"} | {"state_version": "nobody's"}
    answer = described.ask("execute_tool", by_name)

    assert answer["ok"] is False, described.tell("a state that it never had was given to a tool")
    assert answer["error"]["type"] == "StateUnknown", described.tell("the refusal has another type")
    assert generations(described, work), described.tell("the call after it does not work")
