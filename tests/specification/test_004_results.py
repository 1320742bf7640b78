"""The page on the interop flow, on results: their adapters, both ways of a native history, and its "Practical responsibilities"."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard import AgentCore
from callboard.agent.requests.request import compose_request
from callboard.interop.hub import InspectedResult
from callboard.interop.parts import TextPart
from callboard.plugins.contract.context import core_context
from callboard.tool_interop import ToolInteropContribution, get_registry_from_context
from callboard.types import ToolPlugin
from conversations import chat_call
from scripted_provider import Scripted, said
from toolbox import asked
from tools import schema

CALL = chat_call("read_file", "call_123", '{"path":"README.md"}')


class Reader(ToolPlugin):
    name = "reader"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("read_file")]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"path": payload["path"], "content": "# Project title"}


class Acme:
    """Speaks in turns of its own, and back: `to_native_messages` and `from_native_messages` are each other's mirror."""

    name = "acme"

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def to_native_messages(self, messages, state, *, context=None):
        registry = get_registry_from_context(context)
        native = []
        for message in messages:
            if message["role"] == "tool":
                result = registry.inspect_result(message)
                native.append({"observed": result.parts[0].text, "of": result.call_id})
            else:
                native.append({"by": message["role"], "says": message["content"]})
        return native

    def send_request_stream(self, native_messages, state, *, context=None):
        self.sent.append(json.loads(json.dumps(native_messages)))
        state["answer"] = {"wants": CALL} if len(self.sent) == 1 else {"by": "assistant", "says": "read"}
        return iter(())

    def finalize(self, final_messages, native_messages, state, *, context=None):
        return final_messages, [*native_messages, state["answer"]], state

    def from_native_messages(self, native_messages, state, *, context=None):
        return [
            {"role": "assistant", "content": "", "metadata": {"tool_calls": [turn["wants"]]}}
            if "wants" in turn
            else {"role": turn["by"], "content": turn["says"]}
            for turn in native_messages
        ]


def test_a_result_is_rebuilt_as_the_provider_says_it_and_what_it_answers_becomes_core_messages_again():
    acme = Acme()
    with AgentCore() as core:
        core.register_tool(Reader)
        core.register_provider(acme)

        *_, done = core.run(asked(core), {})

    assert acme.sent[1][-1] == {
        "observed": '{"path":"README.md","content":"# Project title"}',
        "of": "call_123",
    }
    assert [message["role"] for message in done["session"].messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert done["session"].messages[1]["metadata"]["tool_calls"] == [CALL]
    assert done["session"].messages[3]["content"] == "read"


class Observations:
    """Reads the results of a tool whose envelope is its own."""

    format = "acme.observation"

    def matches(self, value):
        return isinstance(value, dict) and "observed" in value

    def inspect(self, value):
        return InspectedResult(format=self.format, call_id=value["of"], parts=(TextPart(value["observed"]),))


class Contributes:
    """A provider, an extension or a tool: whoever has a format of results contributes it."""

    name = "contributes"

    def get_tool_interop_contribution(self, state):
        return ToolInteropContribution(result_accessors=(Observations(),))


class ContributingTool(Contributes, Reader):
    name = "contributing_tool"


class ContributingProvider(Contributes, Scripted):
    name = "contributing_provider"


@pytest.mark.parametrize("who", ["tool", "provider", "extension"])
def test_who_has_a_structured_envelope_of_its_own_contributes_how_it_is_read(who):
    with AgentCore() as core:
        model = ContributingProvider(said("x")) if who == "provider" else Scripted(said("x"))
        core.register_provider(model)
        if who == "tool":
            core.register_tool(ContributingTool)
        if who == "extension":
            core.register_provider_extension(Contributes)
        list(core.run(asked(core), {}))

    inspected = get_registry_from_context(model.contexts[0]).inspect_result({"observed": "4", "of": "call_1"})
    assert (inspected.call_id, inspected.parts) == ("call_1", (TextPart("4"),))


def test_providers_and_extensions_receive_the_core_the_config_and_the_interop_in_every_hook():
    seen = {}

    class Notes:
        name = "notes"

        def initialize_request(self, native_messages, state, *, context=None):
            seen["initialize_request"] = context

        def finalize(self, final_messages, native_messages, state, *, context=None):
            seen["finalize"] = context

    with AgentCore() as core:
        core.register_provider(Scripted(said("x")))
        core.register_provider_extension(Notes)
        list(core.run(asked(core), {"model": "m"}))

        for context in seen.values():
            assert context["core"] is core
            assert context["config"] == {"model": "m"}
            assert context["tool_interop"].keys() == {"registry", "schema_target_formats"}
    assert seen.keys() == {"initialize_request", "finalize"}


def test_a_tool_need_not_know_the_wire_and_is_routed_the_same_without_a_provider():
    with AgentCore() as core:
        core.register_tool(Reader)
        request = compose_request(core.board, None, [], {}, context=core_context(core, {}))

        (message,) = core.execute_tool_calls([CALL], {})

    assert request.schemas == [schema("read_file")]
    assert request.schema_target_formats == ()
    assert message["metadata"]["tool_plugin"] == "reader"
