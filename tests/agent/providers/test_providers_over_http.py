"""The shipped providers against a server that speaks their APIs, and goes wrong on request."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from callboard.agent.providers.openai_chat import OpenAIChatProvider
from callboard.agent.providers.openai_responses import ResponsesExtension
from callboard.agent.replay.faults import Fault, Reply, stream_reply
from callboard.agent.replay.server import ReplayServer
from callboard.agent.requests.exchange import exchange
from callboard.agent.requests.provider_stack import ProviderStack
from callboard.interop.default_registry import compose_registry
from providers import SCRIPT, STACKS, Asked, but_for_ids, calls_of, kinds, result_of, said, user

WEATHER = user("How is the weather?")
KEY = "sk-a-very-secret-key"


@pytest.fixture(scope="module")
def running():
    with ReplayServer(SCRIPT) as server:
        yield server


@pytest.fixture
def server(running):
    running.requests.clear()
    yield running
    running._coming.clear()


@pytest.fixture(params=STACKS)
def asked(request, server):
    asked = Asked(request.param, server.url)
    yield asked
    asked.provider.close()


def converse(asked):
    """A conversation of three requests, the second of which has the results of two calls."""
    messages = [{"role": "system", "content": "Be brief."}, WEATHER]
    messages.append(asked.message(*messages))
    messages += [result_of(call) for call in calls_of(messages[-1])]
    messages.append(asked.message(*messages))
    messages.append(user("Thank you"))
    messages.append(asked.message(*messages))
    return messages


def test_one_conversation_is_the_same_through_every_provider_but_for_the_ids(server):
    asked = [Asked(name, server.url) for name in STACKS]

    conversations = [converse(each) for each in asked]

    assert len({but_for_ids(each) for each in conversations}) == 1
    assert conversations[0][2] == {
        "role": "assistant",
        "content": "Let me look.",
        "metadata": {
            "tool_calls": [
                {
                    "id": "call_0_0",
                    "type": "function",
                    "function": {
                        "name": "get.weather",
                        "arguments": '{"city":"Oslo","days":[1,2],"note":"größer"}',
                    },
                },
                {"id": "call_0_1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin\n+x"}},
            ]
        },
    }
    assert [message["content"] for message in conversations[0][-3::2]] == [
        "It is 7 degrees there.",
        "You said: Thank you",
    ]
    for each in asked:
        each.provider.close()


def test_an_awaited_request_yields_the_same_events(asked, server):
    server.next(Fault(status=503))
    plain = asked.events(WEATHER)
    server.next(Fault(status=503))
    awaited = asyncio.run(asked.events_async(WEATHER))

    assert awaited == plain
    assert kinds(plain) == ["retry", "text", "usage", "answer_ended", "message"]
    assert said(plain) == "Let me look."
    assert plain[-3].keys() == {"type", "input_tokens", "output_tokens", "stop_reason", "raw"}
    assert plain[-3]["stop_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("fault", "code", "wait"),
    [
        (Fault(status=429, headers={"Retry-After": "7"}), "rate_limited", 7.0),
        (Fault(status=429, headers={"retry-after-ms": "1500"}), "rate_limited", 1.5),
        (Fault(status=500), "server_error", 0.5),
        (Fault(status=529), "overloaded", 0.5),
        (Fault(status=408), "timed_out", 0.5),
        (Fault(event_error=0), "overloaded", 0.5),
        (Fault(cut_after=1), "cut_off", 0.5),
        (Fault(cut_after=0), "cut_off", 0.5),
    ],
)
@pytest.mark.parametrize("name", ["chat", "responses", "anthropic"])
def test_what_may_pass_is_asked_again_after_the_wait_that_the_provider_wants(server, name, fault, code, wait):
    asked = Asked(name, server.url)
    server.next(fault)

    events = asked.events(WEATHER)

    assert (events[0]["type"], events[0]["code"], events[0]["attempt"]) == ("retry", code, 1)
    assert asked.waits == [wait] == [events[0]["delay"]]
    assert said(events) == "Let me look."
    assert len(calls_of(events[-1]["message"])) == 2
    asked.provider.close()


def test_after_the_last_attempt_the_error_says_what_happened_and_how_often(asked, server):
    server.next(*[Fault(status=529, error="Overloaded")] * 3)

    (*retries, error) = asked.events(WEATHER)

    assert [event["type"] for event in retries] == ["retry", "retry"]
    assert asked.waits == [0.5, 1.0]
    assert error == {
        "type": "error",
        "error": f"provider {asked.provider.name!r} answered 529: Overloaded (asked 3 times)",
        "code": "overloaded",
        "provider": asked.provider.name,
        "retryable": True,
        "status": 529,
        "request_id": "req_replay",
    }


@pytest.mark.parametrize(
    ("fault", "code", "status"),
    [
        (Fault(status=401), "unauthorized", 401),
        (Fault(status=400), "refused", 400),
        (Fault(status=307, headers={"location": "http://elsewhere.example/?key=x"}), "refused", 307),
        (Fault(status=429, headers={"Retry-After": "3600"}), "rate_limited", 429),
        (Fault(garbage_after=0), "bad_response", 200),
        (Fault(content_type="text/html"), "bad_response", 200),
    ],
)
def test_what_will_not_pass_is_told_at_once(asked, server, fault, code, status):
    server.next(fault)

    (error,) = asked.events(WEATHER)

    assert (error["type"], error["code"], error["status"]) == ("error", code, status)
    assert len(server.requests) == 1
    assert "key=x" not in error["error"]


@pytest.mark.parametrize("fault", [Fault(cut_after=8), Fault(garbage_after=8), Fault(event_error=8)])
def test_what_breaks_off_is_an_error_and_the_message_that_came_whose_calls_never_run(asked, server, fault):
    registry = compose_registry()
    server.next(fault)

    events = asked.events(WEATHER)

    error, message = events[-2], events[-1]["message"]
    assert error["type"] == "error"
    assert message["metadata"]["incomplete"] == {"code": error["code"], "error": error["error"]}
    assert "retry" not in kinds(events)
    assert {registry.inspect_call(call).payload_kind for call in calls_of(message)} <= {"malformed"}
    again = asked.events(WEATHER, message, user("Go on"))
    assert said(again) == "You said: Go on"


def test_a_call_with_malformed_pieces_comes_out_broken_and_its_neighbours_whole(asked, server):
    registry = compose_registry()
    server.next(Fault(malformed=True))

    events = asked.events(WEATHER)

    assert said(events) == "Let me look."
    broken = [registry.inspect_call(call) for call in calls_of(events[-1]["message"])]
    assert broken[0].payload_kind == "malformed"
    assert broken[0].tool_name == "get.weather"


def test_the_same_id_twice_is_two_ids_in_the_message_and_events_that_nobody_knows_are_passed_over(
    asked, server
):
    server.next(Fault(same_ids=True, unknown_events=True))

    events = asked.events(WEATHER)

    assert [call["id"] for call in calls_of(events[-1]["message"])] == ["the_same", "the_same_2"]
    assert said(events) == "Let me look."


def test_an_answer_that_does_not_go_on_is_given_up(server):
    asked = Asked("chat", server.url, timeout={"idle": 0.2}, max_retries=0)
    server.next(Fault(hang_after=4))

    events = asked.events(WEATHER)

    (error,) = [event for event in events if event["type"] == "error"]
    assert error["code"] == "timed_out"
    assert "Let me look.".startswith(said(events))
    asked.provider.close()


def test_an_answer_that_takes_too_long_or_grows_too_large_is_given_up(server):
    ticks = iter(range(0, 10_000, 100))
    slow = Asked("chat", server.url, timeout={"total": 250})
    slow.provider._shell._clock = lambda: float(next(ticks))
    large = Asked("chat", server.url, max_response_bytes=2000)

    *_, too_slow, _ = slow.events(WEATHER)
    *_, too_large, _ = large.events(WEATHER)

    assert too_slow["error"] == "provider 'openai_chat' did not come to an end in 250 seconds"
    assert too_large["error"] == "provider 'openai_chat' answered with more than 2000 bytes"
    slow.provider.close()
    large.provider.close()


def test_an_error_as_long_as_it_likes_and_a_packed_answer_are_told_in_a_line(server):
    asked = Asked("chat", server.url)
    packed = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    server.next(
        Reply(400, {"content-type": "text/plain"}, (b"no " * 9999,) * 9),
        Reply(200, packed, (b"x",)),
    )

    (long,), (unread,) = asked.events(WEATHER), asyncio.run(asked.events_async(WEATHER))

    assert long["error"].startswith("provider 'openai_chat' answered 400: no no no")
    assert len(long["error"]) < 600
    assert "'text/event-stream, packed as gzip' instead of a stream of events" in unread["error"]
    asked.provider.close()


def test_who_cannot_be_reached_is_told_so(server):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    asked = Asked("chat", f"http://127.0.0.1:{port}/v1", max_retries=1)

    retry, error = asked.events(WEATHER)

    assert retry["code"] == error["code"] == "unreachable"
    asked.provider.close()


def test_closing_the_events_closes_the_connection(server):
    asked = Asked("chat", server.url)
    server.next(Fault(hang_after=6))
    state, context = asked.state_and_context()
    events = exchange(asked.stack, [WEATHER], state, context=context)

    first = next(events)
    events.close()

    assert first == {"type": "text", "text": "Let"}
    assert said(asked.events(WEATHER)) == "Let me look."
    asked.provider.close()


def test_options_of_the_payload_are_sent_as_they_are_configured(server):
    chat = Asked(
        "chat", server.url, max_output_tokens=5, temperature=0, extra={"seed": 1, "stream_options": None}
    )
    anthropic = Asked("anthropic", server.url, max_output_tokens=5, headers={"anthropic-beta": "x"})

    chat.events(WEATHER, tools=[])
    anthropic.events(WEATHER, tools=[])

    one, other = server.requests
    assert one.body == {
        "model": "m",
        "messages": [WEATHER],
        "stream": True,
        "max_tokens": 5,
        "temperature": 0,
        "seed": 1,
    }
    assert other.body["max_tokens"] == 5
    assert (other.headers["anthropic-version"], other.headers["anthropic-beta"]) == ("2023-06-01", "x")
    chat.provider.close()
    anthropic.provider.close()


def test_a_provider_is_closed_and_used_again(server):
    asked = Asked("chat", server.url)

    for _ in range(2):
        assert said(asked.events(WEATHER)) == "Let me look."
        asked.provider.close()

    waiting = OpenAIChatProvider()
    server.next(Fault(status=500), Fault(status=500))
    stack = ProviderStack(waiting)
    events = exchange(stack, [WEATHER], stack.init(asked.config))
    assert next(events)["type"] == "retry"
    waiting.close()
    assert next(events)["error"] == "provider 'openai_chat' was closed"


def test_a_stream_as_the_server_of_another_house_writes_it_is_read(server):
    asked = Asked("chat", server.url)
    chunks = [
        {"choices": [{"delta": {"content": "Hi", "reasoning_content": "hm"}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": None, "id": "x", "function": {"name": "now"}}]}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}},
    ]
    server.next(
        stream_reply(chunks, done=False), Reply(200, {}, (b'{"choices":[{"finish_reason":"stop"}]}\n',))
    )

    events = asked.events(WEATHER)
    nothing = asked.events(WEATHER)

    assert kinds(events) == ["reasoning", "text", "usage", "answer_ended", "message"]
    assert events[-3]["stop_reason"] == "tool_calls"
    assert calls_of(events[-1]["message"])[0]["function"] == {"name": "now", "arguments": "{}"}
    assert kinds(nothing) == ["answer_ended"]
    asked.provider.close()


def test_an_extension_for_another_api_holds_back_and_errors_tell_the_name_of_the_registration(server):
    asked = Asked("anthropic", server.url, provider="main")
    plain = asked.events(WEATHER)
    asked.stack = ProviderStack(asked.provider, [ResponsesExtension])
    server.next(Fault(), Fault(status=400))

    events, (error,) = asked.events(WEATHER), asked.events(WEATHER)

    assert events == plain
    assert (error["provider"], error["error"]) == (
        "main",
        "provider 'main' answered 400: the script says 400",
    )
    asked.provider.close()


def test_one_provider_serves_many_threads_at_a_time(server):
    asked = Asked("chat", server.url)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda number: said(asked.events(user(f"no. {number}"))), range(12)))

    assert answers == [f"You said: no. {number}" for number in range(12)]
    asked.provider.close()
