"""A call that its server runs as a task ends once, whatever the server says of that task."""

from __future__ import annotations

import json

import pytest
from callboard.hosts.mcp_tasks.server_tasks import LONGEST, LONGEST_ID, MOST_FAILURES, SHORTEST, TTL
from callboard.hosts.protocol.wire import BegunEvent, ErrorResponse, PartEvent, Response
from hypothesis import given
from hypothesis import strategies as st
from mcp_sessions import MODERN, OLD, Talk, answer, modern, old, refusal
from sdks import needs_sdk

pytestmark = needs_sdk

LONG = {"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}
ABLE = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
TIMES = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}
DONE = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}
NAME = {
    "name": {
        "method": "elicitation/create",
        "params": {
            "message": "Who?",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    }
}


def task(task_id="t", status="working", **more):
    return {"taskId": task_id, "status": status, "ttl": None, **TIMES, **more}


def made(asked, **more):
    return answer(asked, {"task": task(**more)})


def handshake(on_call=made, on_result=lambda _: None, capabilities=ABLE):
    """A server whose tool runs as a task; each answers with a message, or with nothing."""

    def answers(asked):
        match asked["method"]:
            case "initialize":
                return [answer(asked, OLD | {"capabilities": capabilities})]
            case "tools/list":
                return [answer(asked, {"tools": [LONG]})]
            case "tools/call" if (said := on_call(asked)) is not None:
                return [said]
            case "tools/call" | "tasks/cancel":
                return []
            case "tasks/result":
                return [] if (said := on_result(asked)) is None else [said]
        return old(asked)

    return answers


class Clock:
    """An `InputSource` that notes when it is to look again, and what is asked."""

    def __init__(self):
        self.due, self.asked = [], []

    def offers(self):
        return frozenset({"elicitation"})

    def of_handshake(self):
        return False

    def log_level(self):
        return None

    def log(self, plugin, said):
        return None

    def poll_later(self, call, seconds, host):
        self.due.append((call, seconds))

    def ask(self, request):
        self.asked.append(request)

    def withdraw(self, key, host):
        return None


class Polled(Talk):
    """A session with a server of the stateless era, that makes a task of each call and answers looks in turn."""

    def __init__(self, *looks, seed=None):
        self.looks, self.clock = list(looks), Clock()

        def answers(asked):
            match asked["method"]:
                case "tools/call":
                    return [answer(asked, seed or {"resultType": "task", **task(ttlMs=None)})]
                case "tasks/get":
                    look = self.looks.pop(0)
                    return [
                        refusal(asked, *look)
                        if isinstance(look, tuple)
                        else answer(asked, {**task(), **look})
                    ]
                case "tasks/update" | "tasks/cancel":
                    return [answer(asked, {"resultType": "complete"})]
            return modern(asked)

        super().__init__(answers, source=self.clock)
        self.session.begin(object())
        self.open()

    def call(self):
        return self.ask("execute_tool", tool_name="echo", arguments={})

    def look(self):
        call, _ = self.clock.due.pop(0)
        self.ask("poll", call=call)


def methods(talk, *names):
    return [each["method"] for each in talk.sent if each.get("method") in names]


def ends(talk, call):
    return [each for each in talk.of(call) if isinstance(each, Response | ErrorResponse)]


def called(server, **params):
    talk = Talk(server).open()
    return talk, talk.ask("execute_tool", tool_name="long", arguments={}, **params)


def test_a_tool_that_can_be_called_as_a_task_only_is_called_so_and_its_result_is_the_answer():
    talk, call = called(handshake(on_result=lambda asked: answer(asked, DONE)))

    sent = next(each for each in talk.sent if each["method"] == "tools/call")
    asked = next(each for each in talk.sent if each["method"] == "tasks/result")
    assert sent["params"]["task"] == {"ttl": TTL}
    assert asked["params"] == {"taskId": "t"}
    assert [each.value["result"] for each in ends(talk, call)] == ["done"]
    assert asked["id"] != sent["id"]


def test_a_server_that_takes_no_tasks_is_asked_for_none():
    talk, call = called(handshake(lambda asked: answer(asked, DONE), capabilities={"tools": {}}))

    assert "task" not in next(each for each in talk.sent if each["method"] == "tools/call")["params"]
    assert [each.value["result"] for each in ends(talk, call)] == ["done"]


def test_a_server_that_answers_at_once_makes_no_task():
    talk, call = called(handshake(lambda asked: answer(asked, DONE)))

    assert methods(talk, "tasks/result") == []
    assert [each.value["result"] for each in ends(talk, call)] == ["done"]


@pytest.mark.parametrize(
    ("task_id", "why"), [("x" * (LONGEST_ID + 1), "no id"), ("", "no id"), (7, "no id"), (None, "no id")]
)
def test_a_task_whose_id_cannot_be_used_ends_the_call(task_id, why):
    talk, call = called(handshake(lambda asked: made(asked, task_id=task_id)))

    (ended,) = ends(talk, call)
    assert why in ended.error["detail"]
    assert methods(talk, "tasks/result") == []


def test_the_id_of_another_task_ends_the_second_call_and_not_the_first():
    talk, first = called(handshake())
    second = talk.ask("execute_tool", tool_name="long", arguments={})

    (ended,) = ends(talk, second)
    assert "another task" in ended.error["detail"]
    assert ends(talk, first) == []


def test_a_call_that_is_cancelled_cancels_its_task():
    talk, call = called(handshake())
    talk.ask("cancel", id=call)

    assert methods(talk, "tasks/cancel", "notifications/cancelled") == [
        "notifications/cancelled",
        "tasks/cancel",
    ]
    assert len(ends(talk, call)) == 1
    talk.say({"jsonrpc": "2.0", "id": f"{call}~task", "result": DONE})
    assert len(ends(talk, call)) == 1


def test_a_task_that_is_made_after_its_call_was_cancelled_is_cancelled():
    talk, call = called(handshake(lambda _: None))
    talk.ask("cancel", id=call)
    assert methods(talk, "notifications/cancelled") == []

    talk.say(made({"id": call}))

    (told,) = [each for each in talk.sent if each.get("method") == "tasks/cancel"]
    assert told["params"] == {"taskId": "t"}


def test_news_of_a_task_are_signs_of_life_if_they_are_new():
    talk, call = called(handshake())
    before = len(talk.of(call))
    for message in ("half", "half", None):
        more = {} if message is None else {"statusMessage": message}
        talk.say({"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": task(**more)})
    talk.say({"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": task("other")})

    assert talk.of(call)[before:] == [PartEvent(call, {"message": "half"}), BegunEvent(call)]


def test_a_task_of_the_stateless_era_is_looked_at_until_it_ends():
    talk = Polled({"status": "working", "pollIntervalMs": 250}, {"status": "completed", "result": DONE})
    call = talk.call()
    talk.look()
    assert talk.clock.due == [(call, 0.25)]
    talk.look()

    (ended,) = ends(talk, call)
    assert ended.value["result"] == "done"
    assert json.loads(ended.raw.line)["result"] == DONE
    assert talk.clock.due == []


@pytest.mark.parametrize(
    ("said", "seconds"),
    [(0, SHORTEST), (-5, SHORTEST), (1e9, LONGEST), (10**400, LONGEST), ("1", 1.0), (True, 1.0)],
)
def test_looks_are_neither_too_often_nor_too_rare(said, seconds):
    talk = Polled(seed={"resultType": "task", **task(pollIntervalMs=said)})
    call = talk.call()

    assert talk.clock.due == [(call, seconds)]


@pytest.mark.parametrize(
    ("look", "told"),
    [
        ({"status": "failed", "error": {"code": -32603, "message": "it broke"}}, "it broke"),
        ({"status": "cancelled", "statusMessage": "by an admin"}, "by an admin"),
        ({"status": "completed"}, "does not say with what"),
        ({"taskId": "other", "status": "completed", "result": DONE}, "something else"),
        ({"status": 3}, "something else"),
        ((-32602, "Task not found"), "Task not found"),
    ],
)
def test_whatever_a_look_shows_the_call_ends_once_and_says_why(look, told):
    talk = Polled(look)
    call = talk.call()
    talk.look()

    (ended,) = ends(talk, call)
    assert told in ended.error["detail"]


def test_a_look_that_fails_is_repeated_and_not_for_ever():
    talk = Polled(*[(-32000, "the connection ended")] * (MOST_FAILURES + 1))
    call = talk.call()
    for _ in range(MOST_FAILURES):
        talk.look()
        assert ends(talk, call) == []
    talk.look()

    (ended,) = ends(talk, call)
    assert "the connection ended" in ended.error["detail"]


def test_what_a_task_asks_for_is_answered_once_by_an_update():
    asks = {"status": "input_required", "inputRequests": NAME}
    talk = Polled(asks, asks, {"status": "completed", "result": DONE})
    call = talk.call()
    talk.look()
    talk.look()
    (request,) = talk.clock.asked
    talk.ask(
        "answer_input", key=request.key, value={"action": "accept", "content": {"name": "Ann"}}, refusal=""
    )

    (update,) = [each for each in talk.sent if each["method"] == "tasks/update"]
    assert update["params"]["inputResponses"] == {"name": {"action": "accept", "content": {"name": "Ann"}}}
    assert update["params"]["taskId"] == "t"
    talk.look()
    assert [each.value["result"] for each in ends(talk, call)] == ["done"]


def test_a_task_that_asks_for_what_nobody_has_is_cancelled():
    talk = Polled({"status": "input_required", "inputRequests": {"a": {"method": "sampling/createMessage"}}})
    call = talk.call()
    talk.look()

    (ended,) = ends(talk, call)
    assert ended.error["type"] == "InputRequired"
    assert methods(talk, "tasks/cancel") == ["tasks/cancel"]


def test_a_call_that_is_cancelled_between_two_looks_cancels_its_task_and_is_not_looked_at():
    talk = Polled()
    call = talk.call()
    talk.ask("cancel", id=call)
    talk.look()

    assert methods(talk, "tasks/cancel", "tasks/get") == ["tasks/cancel"]
    assert len(ends(talk, call)) == 1


def test_each_request_says_that_tasks_are_known():
    talk = Polled()
    talk.call()

    (sent,) = [each for each in talk.sent if each["method"] == "tools/call"]
    assert sent["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"] == {
        "io.modelcontextprotocol/tasks": {}
    }


STATES = st.sampled_from(
    ["working", "input_required", "completed", "failed", "cancelled", "backwards", "", 1, None]
)
LOOKS = st.one_of(
    st.fixed_dictionaries(
        {"status": STATES},
        optional={
            "taskId": st.sampled_from(["t", "u", "", None]),
            "result": st.sampled_from([DONE, {}, [], None]),
            "error": st.sampled_from([{"code": 1, "message": "no"}, {}, None]),
            "inputRequests": st.sampled_from(
                [NAME, {}, [], None, {"a": None}, {"b": {"method": "roots/list"}}]
            ),
            "pollIntervalMs": st.one_of(st.integers(), st.floats(allow_nan=False), st.none(), st.text()),
        },
    ),
    st.tuples(st.sampled_from([-32602, -32000]), st.text()),
)


@given(st.lists(LOOKS, max_size=8), st.booleans())
def test_every_call_ends_once_whatever_its_task_does(looks, cancels):
    talk = Polled(*looks)
    call = talk.call()
    while talk.clock.due and talk.looks:
        talk.look()
    if cancels or not ends(talk, call):
        talk.ask("cancel", id=call)

    assert len(ends(talk, call)) == 1
    assert all(SHORTEST <= seconds <= LONGEST for _, seconds in talk.clock.due)
    assert MODERN["supportedVersions"] == [talk.session.revision]
