"""The providers' own SDKs, at the same server: they see the calls that we see, and take what we send.

The SDKs are those of the versions that the extra ``sdk`` pins.
"""

from __future__ import annotations

import json

import pytest
from callboard.agent.replay.faults import Fault, stream_reply
from callboard.agent.replay.server import ReplayServer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from provider_rules import breaches
from providers import SCRIPT, TOOLS, Asked, calls_of, result_of, user
from recorded_streams import RECORDED, whole_stream
from sdks import needs_sdk, sdks
from thorough import times

pytestmark = needs_sdk

WEATHER = user("How is the weather?")
FAMILIES = {
    "chat": "openai.chat_completions",
    "responses": "openai.responses",
    "anthropic": "anthropic.messages",
}
FORMATS = {
    "chat": ("openai.chat_completions.function", "openai.chat_completions.custom"),
    "responses": ("openai.responses.function", "openai.responses.custom.tool_schema"),
    "anthropic": ("anthropic.messages.tool", "anthropic.messages.tool"),
}


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


@pytest.fixture(scope="module")
def clients(server):
    clients = {
        "openai": sdks().openai.OpenAI(base_url=server.url, api_key="x", max_retries=0),
        "anthropic": sdks().anthropic.Anthropic(base_url=server.root, api_key="x", max_retries=0),
    }
    yield clients
    for client in clients.values():
        client.close()


def seen_by_sdk(name, clients, *, stream):
    """The text and the calls, as (id, name, payload), that the provider's own SDK reads."""
    if name == "chat":
        chat = clients["openai"].chat.completions
        asked = {"model": "m", "messages": [WEATHER]}
        if stream:
            with chat.stream(**asked) as events:
                message = events.get_final_completion().choices[0].message
        else:
            message = chat.create(**asked).choices[0].message
        calls = message.tool_calls or []
        return message.content, [
            (call.id, call.function.name, json.loads(call.function.arguments or "{}")) for call in calls
        ]
    if name == "responses":
        asked = {"model": "m", "input": [WEATHER]}
        if stream:
            with clients["openai"].responses.stream(**asked) as events:
                response = events.get_final_response()
        else:
            response = clients["openai"].responses.create(**asked)
        calls = [item for item in response.output if item.type in {"function_call", "custom_tool_call"}]
        return response.output_text, [
            (
                call.call_id,
                call.name,
                json.loads(call.arguments) if call.type == "function_call" else call.input,
            )
            for call in calls
        ]
    asked = {"model": "m", "max_tokens": 9, "messages": [WEATHER]}
    if stream:
        with clients["anthropic"].messages.stream(**asked) as events:
            message = events.get_final_message()
    else:
        message = clients["anthropic"].messages.create(**asked)
    text = "".join(block.text for block in message.content if block.type == "text")
    return text, [
        (block.id, block.name, block.input) for block in message.content if block.type == "tool_use"
    ]


def seen_by_us(name, url, tools):
    asked = Asked(name, url)
    message = asked.events(WEATHER, tools=tools)[-1]["message"]
    asked.provider.close()
    calls = []
    for call in calls_of(message):
        if call["type"] == "custom":
            calls.append((call["id"], call["custom"]["name"], call["custom"]["input"]))
        else:
            calls.append((call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])))
    return message["content"], calls


@pytest.mark.parametrize("name", FAMILIES)
def test_the_sdk_reads_what_the_server_says_and_sees_the_calls_that_we_see(server, clients, name):
    ours = seen_by_us(name, server.url, [])

    assert seen_by_sdk(name, clients, stream=True) == ours
    assert seen_by_sdk(name, clients, stream=False) == ours
    assert ours[0] == "Let me look."
    assert len(ours[1]) == 2


BEYOND_THE_SDK = ("langchain-ai/langchain issue #31634",)
"""Recordings that the SDK's own helper cannot read: their calls have no index."""


def test_recorded_streams_are_read_by_the_sdk_as_by_us(server, clients):
    for parameter in RECORDED:
        name, record = parameter.values
        if any(source in record.source for source in BEYOND_THE_SDK):
            continue
        reply = stream_reply(whole_stream(name, record.value), done=name == "chat")

        server.next(reply)
        ours = seen_by_us(name, server.url, [])
        server.next(reply)

        assert seen_by_sdk(name, clients, stream=True)[1] == ours[1] != [], record.source


def test_the_sdk_knows_the_servers_errors_by_their_kind(server, clients):
    for status, of_openai, of_anthropic in (
        (401, sdks().openai.AuthenticationError, sdks().anthropic.AuthenticationError),
        (429, sdks().openai.RateLimitError, sdks().anthropic.RateLimitError),
        (500, sdks().openai.InternalServerError, sdks().anthropic.InternalServerError),
    ):
        server.next(Fault(status=status), Fault(status=status))

        with pytest.raises(of_openai, match=f"the script says {status}"):
            seen_by_sdk("chat", clients, stream=True)
        with pytest.raises(of_anthropic, match=f"the script says {status}"):
            seen_by_sdk("anthropic", clients, stream=True)


def objections(name, body):
    """What the provider's models have against a request."""
    found = [
        f"{key!r} is no parameter" for key in body.keys() - sdks().PARAMETERS[name].__annotations__.keys()
    ]
    for message in body["input" if name == "responses" else "messages"]:
        found += sdks().message_refusals(FAMILIES[name], message)
    for tool in body.get("tools", ()):
        form = FORMATS[name][tool.get("type") == "custom"]
        found += sdks().refusals("schema", form, tool) + breaches("schema", form, tool)
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_every_request_of_a_conversation_is_one_that_the_sdk_could_have_sent(server, name):
    server.requests.clear()
    # The replay server thinks in DeepSeek's key, which OpenAI neither sends nor takes.
    send_back = name != "chat"
    asked = Asked(name, server.url, max_output_tokens=9, custom_tools=True, send_back=send_back)
    messages = [{"role": "system", "content": "Be brief."}, user("think about the weather")]

    for text in ("one", "two"):
        messages.append(asked.message(*messages))
        messages += [result_of(call, text) for call in calls_of(messages[-1])]
        messages += [asked.message(*messages), user("think")]

    asked.provider.close()
    assert len(server.requests) == 4
    assert [objections(name, request.body) for request in server.requests] == [[]] * 4


PIXEL = "data:image/png;base64,AAAA"
IMAGES = [
    {"type": "provider_native_tool_result", "format": family, "content": content}
    for family, content in (
        ("openai.responses", [{"type": "input_image", "image_url": PIXEL, "detail": "auto"}]),
        (
            "mcp",
            [{"type": "image", "data": "AAAA", "mimeType": "image/png"}, {"type": "text", "text": "x"}],
        ),
    )
]
_texts = st.sampled_from(["", " ", "hello", "ü🔧\ud800"[:2], "x" * 300])
_ids = st.sampled_from(["c1", "c 2", "c" * 90, "ü"])
_names = st.sampled_from(["get.weather", "now", "gone/away", "patch"])
_arguments = st.sampled_from(["{}", '{"a": 1}', '{"a":', "[1]", "", '"x"'])
_calls = st.builds(
    lambda call_id, name, arguments: {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    _ids,
    _names,
    _arguments,
) | st.builds(
    lambda call_id, said: {"id": call_id, "type": "custom", "custom": {"name": "patch", "input": said}},
    _ids,
    _texts,
)
_messages = (
    st.builds(user, _texts | st.just([{"type": "image_url", "image_url": {"url": PIXEL}}]))
    | st.builds(lambda said: {"role": "system", "content": said}, _texts)
    | st.builds(
        lambda said, calls: {"role": "assistant", "content": said, "metadata": {"tool_calls": calls}},
        _texts,
        st.lists(_calls, max_size=3),
    )
    | st.builds(lambda its, said: result_of({"id": its}, said), _ids, _texts)
    | st.builds(
        lambda its, said, image: (
            result_of({"id": its}, said, failure={"code": "tool_raised"}) | {"toolResult": image}
        ),
        _ids,
        _texts,
        st.sampled_from(IMAGES),
    )
)

ONE_ID_TWICE = [
    *(
        {"role": "assistant", "content": "", "metadata": {"tool_calls": [{"id": "c1", **call}]}}
        for call in (
            {"type": "custom", "custom": {"name": "patch", "input": ""}},
            {"type": "function", "function": {"name": "get.weather", "arguments": "{}"}},
        )
    ),
    result_of({"id": "c1"}, "", failure={"code": "tool_raised"}) | {"toolResult": IMAGES[1]},
]
"""Nothing stands between the calls of two answers, and the one result is that of the second, of another type."""


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=times(12, 100))
@example(messages=ONE_ID_TWICE)
@given(messages=st.lists(_messages, max_size=8))
def test_every_history_whatever_happened_to_it_is_one_that_the_sdk_could_have_sent(name, messages):
    asked = Asked(name, "http://127.0.0.1:1/v1")
    state, context = asked.state_and_context(TOOLS)

    native = asked.stack.to_native_messages(messages, state, context)
    native, state = asked.stack.initialize_request(native, state, context)

    assert objections(name, state["request"]["payload"]) == []
