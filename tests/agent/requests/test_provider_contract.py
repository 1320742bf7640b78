"""Providers and extensions: who is asked when, what is left out, and what becomes of the answer."""

from __future__ import annotations

import asyncio

import pytest
from callboard.agent.errors import PROVIDER_CODES, ProviderError
from callboard.agent.requests.exchange import exchange, exchange_async
from callboard.agent.requests.provider_adapter import ProviderAdapter
from callboard.agent.requests.provider_contract import Provider, ProviderExtension
from callboard.agent.requests.provider_stack import ProviderStack
from callboard.base.errors import ContractError, HookError
from callboard.interop.default_registry import ToolInteropContribution, compose_registry

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
USER = {"role": "user", "content": "hello"}
CONTEXT = {"tool_interop": {"registry": compose_registry(), "schema_target_formats": []}}


class Says:
    """A provider that yields what it is told to; an exception is raised."""

    name = "says"

    def __init__(self, *events):
        self.events = events
        self.closed = False

    def send_request_stream(self, native_messages, state, *, context=None):
        self.native, self.state, self.context = native_messages, state, context
        try:
            for event in self.events:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            self.closed = True


def text(said):
    return {"type": "text", "text": said}


def called(call):
    return {"type": "tool_call", "tool_call": call}


def ask(provider, *extensions, messages=(USER,)):
    stack = ProviderStack(provider, extensions)
    return list(exchange(stack, messages, stack.init({"model": "m"}, tools=[]), context=CONTEXT))


def the_message(events):
    assert events[-1]["type"] == "message"
    return events[-1]["message"]


def test_a_provider_of_one_hook_is_complete():
    provider = Says(text("hel"), text("lo"), called(CALL))

    events = ask(provider)

    assert [event["type"] for event in events] == ["text", "text", "tool_call", "message"]
    assert the_message(events) == {
        "role": "assistant",
        "content": "hello",
        "metadata": {"tool_calls": [CALL]},
    }
    assert provider.native == [USER]
    assert provider.context is CONTEXT


def test_a_request_takes_the_same_course_when_it_is_awaited():
    class Awaited:
        async def send_request_stream_async(self, native_messages):
            yield text("hello")

    async def gathered(provider):
        stack = ProviderStack(provider)
        return [event async for event in exchange_async(stack, [USER], stack.init({}), context=CONTEXT)]

    expected = ask(Says(text("hello")))

    assert asyncio.run(gathered(Says(text("hello")))) == expected
    assert asyncio.run(gathered(Awaited())) == expected
    assert ask(Awaited()) == expected


def test_extensions_come_before_the_provider_and_one_state_flows_through_all():
    order = []

    def extension(label):
        class Extension:
            name = label

            def init(self, config):
                return {label: config["model"]}

            def initialize_request(self, native_messages, state, *, context=None):
                order.append(("initialize", label))
                return [*native_messages, label], {**state, "seen": [*state.get("seen", []), label]}

            def finalize(self, final_messages, native_messages, state):
                order.append(("finalize", label))
                return final_messages, native_messages, state

        return Extension()

    class Asked(Says, extension("provider").__class__):
        pass

    provider = Asked(text("x"))
    stack = ProviderStack(provider, [extension("one"), extension("two")])
    state = stack.init({"model": "m"}, tools=[{"name": "add"}])

    list(exchange(stack, [USER], state, context=CONTEXT))

    assert order == [
        (step, label) for step in ("initialize", "finalize") for label in ("one", "two", "provider")
    ]
    assert provider.native == [USER, "one", "two", "provider"]
    assert provider.state["seen"] == ["one", "two", "provider"]
    assert {key: state[key] for key in ("one", "two", "provider", "_tools")} == {
        "one": "m",
        "two": "m",
        "provider": "m",
        "_tools": [{"name": "add"}],
    }


def test_the_first_that_has_a_word_for_a_history_has_spoken():
    class Silent:
        def to_native_messages(self, messages, state):
            return None

    class Speaks:
        def to_native_messages(self, messages):
            return [["native", message["content"]] for message in messages]

        def finalize(self, final_messages, native_messages, state, *, context=None):
            return final_messages, [*native_messages, ["native", "answer"]], state

        def from_native_messages(self, native_messages, state):
            return [{"role": "assistant", "content": said} for _, said in native_messages]

    class Never(Says):
        def to_native_messages(self, messages, state):
            raise AssertionError

    provider = Never(text("not this"))

    events = ask(provider, Silent, Speaks())

    assert provider.native == [["native", "hello"]]
    assert the_message(events) == {"role": "assistant", "content": "answer"}


def test_what_broke_off_is_told_and_then_said_as_far_as_it_came():
    error = ProviderError("it broke off", provider="says", code="cut_off", status=200, retryable=True)
    half = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":'}}

    events = ask(Says(text("so f"), called(half), error))
    nothing = ask(Says(error))

    assert events[-2] == {
        "type": "error",
        "error": "it broke off",
        "code": "cut_off",
        "provider": "says",
        "retryable": True,
        "status": 200,
    }
    assert the_message(events)["content"] == "so f"
    assert the_message(events)["metadata"]["incomplete"] == {"code": "cut_off", "error": "it broke off"}
    assert [event["type"] for event in nothing] == ["error"]


@pytest.mark.parametrize("arguments", ['{"a":', "[1]", '{"a":1}{"a":2}', '{"a":1,"a":2}', '{"a":NaN}', '"a"'])
def test_a_broken_call_is_safe_to_replay_and_never_runs(arguments):
    registry = compose_registry()
    broken = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": arguments}}

    class Sanitizes(Says):
        def finalize(self, final_messages, native_messages, state, *, context=None):
            partial = state["partial"]
            partial["tool_calls"] = [registry.sanitize_tool_call(call) for call in partial["tool_calls"]]
            return final_messages, native_messages, state

    class Gathers(Sanitizes):
        def send_request_stream(self, native_messages, state, *, context=None):
            state["partial"] = {"content": "", "tool_calls": [broken, CALL | {"id": "c2"}]}
            yield from ()

    for provider in (Says(called(broken), called(CALL | {"id": "c2"})), Gathers()):
        first, second = the_message(ask(provider))["metadata"]["tool_calls"]

        assert first["function"] == {"name": "add", "arguments": "{}"}
        assert registry.inspect_call(first).payload_kind == "malformed"
        assert registry.inspect_call(second).payload == {"a": 1}


def test_calls_of_one_answer_have_ids_and_no_two_the_same():
    unnamed = {"type": "function", "function": {"name": "add", "arguments": "{}"}}

    calls = the_message(ask(Says(*map(called, (CALL, CALL, unnamed, unnamed)))))["metadata"]["tool_calls"]

    assert [call["id"] for call in calls[:2]] == ["c1", "c1_2"]
    assert len({call["id"] for call in calls}) == 4


def test_what_a_hook_raises_or_answers_wrongly_names_provider_and_hook():
    class Raises(Says):
        def to_native_messages(self, messages, state):
            raise ValueError("no")

    class Answers(Says):
        def initialize_request(self, native_messages, state):
            return state

    class Late(Says):
        def from_native_messages(self, native_messages, state):
            return {}

        def finalize(self, final_messages, native_messages, state):
            return [], [*native_messages, "answer"], state

    with pytest.raises(HookError, match=r"'says': to_native_messages raised ValueError: no"):
        ask(Raises())
    with pytest.raises(
        ContractError, match=r"'says': initialize_request has to return .native_messages, state."
    ):
        ask(Answers())
    with pytest.raises(ContractError, match=r"from_native_messages has to return a list of messages"):
        ask(Late(text("x")))
    with pytest.raises(HookError, match=r"send_request_stream raised SystemExit"):
        ask(Says(SystemExit(3)))


def test_what_is_no_provider_is_refused_when_it_is_made():
    class Waits:
        async def initialize_request(self, native_messages, state): ...

    with pytest.raises(ContractError, match=r"has to offer one of send_request_stream"):
        ProviderAdapter(object())
    with pytest.raises(ContractError, match=r"initialize_request is asynchronous"):
        ProviderAdapter(Waits(), extension=True)
    assert ProviderAdapter(object(), extension=True).offers("send_request_stream") is False


def test_what_a_class_merely_inherits_from_the_protocols_is_not_its_own():
    class Mine(Provider):
        name = "mine"

        def send_request_stream(self, native_messages, state, *, context=None):
            yield text("x")

    class Extends(ProviderExtension):
        name = "extends"

    adapter = ProviderAdapter(Mine)

    assert [hook for hook in ("finalize", "send_request_stream_async", "init") if adapter.offers(hook)] == []
    assert the_message(ask(adapter, Extends())) == {"role": "assistant", "content": "x"}


def test_closing_an_exchange_closes_the_provider():
    provider = Says(text("x"), text("y"))
    stack = ProviderStack(provider)
    events = exchange(stack, [USER], stack.init({}))

    next(events)
    events.close()

    assert provider.closed


def test_the_configuration_of_a_request_beats_the_one_of_the_registration():
    class Configured(Says):
        def __init__(self):
            super().__init__(text("x"))

        def init(self, config):
            return {"config": config}

    adapter = ProviderAdapter(Configured, name="mine", config={"model": "a", "base_url": "b"})

    assert adapter.init({"model": "c"}) == {"config": {"model": "c", "base_url": "b"}}
    assert repr(adapter) == "ProviderAdapter('mine', version='0')"
    assert "cut_off" in PROVIDER_CODES


def test_what_can_be_sent_and_what_is_contributed_is_the_plugins_word():
    contribution = ToolInteropContribution()

    class Speaks(Says):
        def accepted_tool_schema_formats(self, state):
            return ("one", state["two"])

        def get_tool_interop_contribution(self, state):
            return contribution

    class Mumbles(Says):
        def accepted_tool_schema_formats(self):
            return "one"

    speaks, silent = ProviderAdapter(Speaks()), ProviderAdapter(Says())

    assert speaks.accepted_tool_schema_formats({"two": "2"}) == ["one", "2"]
    assert speaks.interop_contribution({}) is contribution
    assert (silent.accepted_tool_schema_formats({}), silent.interop_contribution({})) == ([], None)
    stack = ProviderStack(speaks, [ProviderAdapter(Speaks(), name="extends", extension=True)])
    assert stack.accepted_tool_schema_formats({"two": "2"}) == ["one", "2"]
    assert [str(each) for each in stack.contributions({})] == ["provider 'says'", "extension 'extends'"]
    with pytest.raises(ContractError, match=r"accepted_tool_schema_formats has to return a list of strings"):
        ProviderAdapter(Mumbles()).accepted_tool_schema_formats({})
