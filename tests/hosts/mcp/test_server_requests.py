"""What a server asks is handed over once, answered once, and withdrawn when nobody waits for it; every line is one of MCP's."""

from __future__ import annotations

import pytest
from callboard.base.errors import JsonValueError
from callboard.hosts.mcp.elicitation import (
    MOST_BYTES,
    MOST_CHOICES,
    MOST_FIELDS,
    NotAsked,
    form_of,
)
from callboard.hosts.mcp.server_requests import MOST_OPEN, MOST_QUESTIONS
from callboard.hosts.protocol.input_request import ANSWER
from callboard.hosts.protocol.wire import ErrorResponse, Response
from callboard.plugins.hooks.forms import FormAnswer
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from mcp_sessions import MODERN, Talk, answer, modern, old
from mcp_types import methods
from mcp_types._v2026_07_28 import ElicitResult
from sdks import needs_sdk

pytestmark = needs_sdk

FORM = {"message": "m", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
MODERN_FORM = {"method": "elicitation/create", "params": FORM}


class Source:
    """Answers when it is told to."""

    def __init__(self, *offers):
        self.offered = frozenset(offers)
        self.open = {}

    def offers(self):
        return self.offered

    def ask(self, request):
        assert request.key not in self.open
        self.open[request.key] = request

    def of_handshake(self):
        return False

    def log_level(self):
        return None

    def withdraw(self, key, _host):
        del self.open[key]


def talk_with(server, source=None, **options):
    source = source or Source("elicitation")
    talk = Talk(server, source=source, **options)
    talk.session.begin(talk)
    talk.source = source
    return talk.open()


def answer_to(talk, key, value=None, refusal="no"):
    talk.source.open.pop(key, None)
    talk.ask(ANSWER, key=key, value=value, refusal=refusal)


def silent(era):
    """A server that leaves calls unanswered."""

    def answers(asked):
        return [] if asked["method"] == "tools/call" else era(asked)

    return answers


def asks(number=7, params=FORM):
    return {"jsonrpc": "2.0", "id": number, "method": "elicitation/create", "params": params}


def requires(asked_id, requests=None, state=None):
    result = {"resultType": "input_required"}
    result |= {} if requests is None else {"inputRequests": requests}
    result |= {} if state is None else {"requestState": state}
    return answer({"id": asked_id}, result)


def said_to(talk, number):
    return [each for each in talk.sent if each.get("id") == number and "method" not in each]


def test_a_question_belongs_to_the_one_call_that_is_under_way():
    talk = talk_with(silent(old))
    call = talk.ask("execute_tool", tool_name="echo", arguments={})

    talk.say(asks())

    (asked,) = talk.source.open.values()
    assert (asked.request_ids, asked.tool, asked.asked.message, asked.asked.plugin) == (
        (call,),
        "echo",
        "m",
        "mcp",
    )
    answer_to(talk, asked.key, FormAnswer("accept", {"a": "b"}))
    assert said_to(talk, 7)[0]["result"] == {"action": "accept", "content": {"a": "b"}}


def test_a_question_outside_of_a_call_is_put_to_nobody():
    talk = talk_with(old)

    talk.say(asks())

    assert talk.source.open == {}
    assert said_to(talk, 7)[0]["result"] == {"action": "cancel"}


def test_a_question_that_several_calls_may_mean_ends_with_the_last_of_them():
    talk = talk_with(silent(old))
    first, second = (talk.ask("execute_tool", tool_name="echo", arguments={}) for _ in range(2))
    talk.say(asks())
    (asked,) = talk.source.open.values()

    talk.ask("cancel", id=first)
    still = dict(talk.source.open)
    talk.say(answer({"id": second}, {"content": []}))

    assert set(asked.request_ids) == {first, second}
    assert (list(still), talk.source.open) == ([asked.key], {})
    assert said_to(talk, 7)[0]["result"] == {"action": "cancel"}
    answer_to(talk, asked.key, FormAnswer("accept", {}))
    assert len(said_to(talk, 7)) == 1


def test_a_call_is_made_anew_with_the_answers_and_the_state_as_it_came():
    talk = talk_with(silent(modern), roots=["file:///a"])
    call = talk.ask("execute_tool", tool_name="echo", arguments={"x": 1})

    talk.say(requires(call, {"who": MODERN_FORM, "where": {"method": "roots/list"}}, state="opaque é"))
    (asked,) = talk.source.open.values()
    answer_to(talk, asked.key, FormAnswer("accept", {"a": "b"}))

    first, again = [each for each in talk.sent if each.get("method") == "tools/call"]
    assert again["id"] != first["id"] == call
    assert again["params"] == first["params"] | {
        "inputResponses": {
            "who": {"action": "accept", "content": {"a": "b"}},
            "where": {"roots": [{"uri": "file:///a"}]},
        },
        "requestState": "opaque é",
    }
    # This answer is late, and of a request that is over.
    talk.say(answer({"id": call}, {"content": [], "resultType": "complete"}))
    assert talk.of(call) == [Response(call, None, None)]
    talk.say(answer(again, {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}))
    assert [each.value for each in talk.of(call)[1:]] == [{"success": True, "result": "done"}]


def test_a_call_that_only_has_to_be_made_anew_is():
    talk = talk_with(silent(modern))
    call = talk.ask("execute_tool", tool_name="echo", arguments={})

    talk.say(requires(call, state="s"))

    again = talk.sent[-1]
    assert again["params"]["requestState"] == "s"
    assert "inputResponses" not in again["params"]
    talk.ask("cancel", id=call)
    assert talk.sent[-1]["params"]["requestId"] == again["id"]


@pytest.mark.parametrize(
    "required",
    [
        {},
        {"requests": {}},
        {"state": 7},
        {"requests": [1]},
        {"requests": {"it": 7}},
        {"requests": {"it": {"method": "sampling/createMessage", "params": {}}}},
        {"requests": {"it": {"method": "roots/list"}}},
        {"requests": {"it": {"method": "elicitation/create"}}},
        {"requests": {str(number): MODERN_FORM for number in range(MOST_QUESTIONS + 1)}},
    ],
)
def test_a_call_that_requires_what_is_not_to_be_had_fails_and_nothing_stays_open(required):
    talk = talk_with(silent(modern))
    call = talk.ask("execute_tool", tool_name="echo", arguments={})

    talk.say(requires(call, **required))

    (failed,) = talk.of(call)
    assert isinstance(failed, ErrorResponse)
    assert failed.error["type"] == "InputRequired"
    assert talk.source.open == {}


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_as_many_calls_as_run_side_by_side_may_each_ask(era):
    talk = talk_with(silent(old if era == "handshake" else modern))
    calls = [talk.ask("execute_tool", tool_name="echo", arguments={}) for _ in range(100)]

    for number, call in enumerate(calls):
        talk.say(requires(call, {"it": MODERN_FORM}) if era == "stateless" else asks(number))

    assert len(talk.source.open) == len(calls)


def test_a_server_has_no_more_questions_open_than_calls_may_run_side_by_side():
    talk = talk_with(silent(old))
    for _ in range(10):
        talk.ask("execute_tool", tool_name="echo", arguments={})

    for number in range(MOST_OPEN + 1):
        talk.say(asks(number))

    assert len(talk.source.open) == MOST_OPEN
    assert talk.sent[-1] == {"jsonrpc": "2.0", "id": MOST_OPEN, "result": {"action": "cancel"}}


def test_what_a_reader_of_resources_has_to_answer_is_asked_too():
    def server(asked):
        if asked["method"] == "server/discover":
            return [answer(asked, MODERN | {"capabilities": {"tools": {}, "resources": {}}})]
        return [] if asked["method"] == "resources/read" else modern(asked)

    talk = talk_with(server)
    read = talk.ask("resources/read", uri="a://b")
    talk.say(requires(read, {"it": MODERN_FORM}))
    answer_to(talk, "1", FormAnswer("decline"))

    assert talk.sent[-1]["params"]["inputResponses"] == {"it": {"action": "decline"}}
    talk.say(answer(talk.sent[-1], {"contents": [], "resultType": "complete"}))
    assert talk.of(read) == [Response(read, {"contents": [], "resultType": "complete"}, None)]


def test_what_cannot_be_sent_leaves_the_question_open_for_an_answer_that_can():
    talk = talk_with(silent(old))
    talk.ask("execute_tool", tool_name="echo", arguments={})
    talk.say(asks())

    with pytest.raises(JsonValueError):
        talk.ask(ANSWER, key="1", value={"action": object()}, refusal="")
    answer_to(talk, "1", None)

    assert said_to(talk, 7)[0]["result"] == {"action": "cancel"}


class Conversation(RuleBasedStateMachine):
    """Any order of calls, questions, answers and ends."""

    era = staticmethod(old)

    def __init__(self):
        super().__init__()
        self.talk = talk_with(silent(self.era))
        self.calls = []
        self.numbers = 0

    @rule()
    def call(self):
        self.calls.append(self.talk.ask("execute_tool", tool_name="echo", arguments={}))

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def cancel(self, data):
        self.talk.ask("cancel", id=data.draw(st.sampled_from(self.calls)))

    @rule(data=st.data(), times=st.integers(1, 3))
    def server_says(self, data, times):
        self.numbers += 1
        if self.era is old:
            self.talk.say(*[asks(self.numbers * 10 + each) for each in range(times)])
        elif open_ := self.awaited():
            wanted = {str(each): MODERN_FORM for each in range(times)}
            self.talk.say(requires(data.draw(st.sampled_from(open_)), wanted))

    @rule(data=st.data())
    def server_ends(self, data):
        if open_ := self.awaited():
            result = {"content": [], **({} if self.era is old else {"resultType": "complete"})}
            self.talk.say(answer({"id": data.draw(st.sampled_from(open_))}, result))

    @precondition(lambda self: self.talk.source.open)
    @rule(
        data=st.data(), value=st.sampled_from([None, FormAnswer("decline"), FormAnswer("accept", {"a": "b"})])
    )
    def person_answers(self, data, value):
        answer_to(self.talk, data.draw(st.sampled_from(sorted(self.talk.source.open))), value)

    @rule(key=st.sampled_from(["0", "1", "999"]))
    def nobody_waits_for_that(self, key):
        if key not in self.talk.source.open:
            answer_to(self.talk, key, FormAnswer("accept", {}))

    def awaited(self):
        return list(self.talk.session._calls._running)

    @invariant()
    def each_call_ends_at_most_once_and_no_question_outlives_its_calls(self):
        ended = {call for call in self.calls if self.talk.of(call)}
        for call in self.calls:
            said = [each for each in self.talk.of(call) if each != Response(call, None, None)]
            assert len(said) <= 1
        for asked in self.talk.source.open.values():
            assert not set(asked.request_ids) <= ended
        if len(ended) == len(self.calls):
            assert self.talk.source.open == {}

    @invariant()
    def each_question_is_answered_at_most_once_and_in_the_words_of_mcp(self):
        replies = [each for each in self.talk.sent if "method" not in each]
        assert len({each["id"] for each in replies}) == len(replies)
        for each in replies:
            methods.validate_client_result("elicitation/create", "2025-11-25", each["result"])
        for each in self.talk.sent:
            if "inputResponses" in each.get("params", {}):
                for said in each["params"]["inputResponses"].values():
                    ElicitResult.model_validate(said)


class StatelessConversation(Conversation):
    era = staticmethod(modern)


TestHandshake = Conversation.TestCase
TestStateless = StatelessConversation.TestCase

# A request was read by `load_json`, which knows no infinity and no NaN.
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
FIELD = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "number", "integer", "boolean", "array", "object", 7])},
    optional={
        "title": LEAF,
        "enum": st.lists(LEAF, max_size=3),
        "oneOf": st.lists(st.dictionaries(st.sampled_from(["const", "title"]), LEAF), max_size=3),
        "items": st.dictionaries(st.sampled_from(["enum", "anyOf"]), st.lists(LEAF, max_size=3)),
        "default": LEAF | st.lists(LEAF, max_size=2),
        "minimum": LEAF,
        "minLength": LEAF,
        "format": LEAF | st.sampled_from(["email", "uri", "date", "date-time"]),
    },
)
ASKED = st.fixed_dictionaries(
    {"message": st.text(max_size=5)},
    optional={
        "mode": st.sampled_from(["form", "url", "other", 3]),
        "url": LEAF | st.just("https://example.org/"),
        "requestedSchema": LEAF
        | st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.text(max_size=3), FIELD | LEAF, max_size=4),
            },
            optional={"required": st.lists(LEAF, max_size=3)},
        ),
    },
)


@given(ASKED)
def test_any_question_is_a_form_or_is_refused_and_a_default_is_an_answer(asked):
    try:
        form = form_of(asked, "server", None)
    except NotAsked:
        return
    defaults = {field.name: field.default for field in form.fields if field.default is not None}
    assert all(field.misfit(field.default) is None for field in form.fields if field.default is not None)
    if {field.name for field in form.fields if field.required} <= defaults.keys():
        assert form.misfit(defaults) is None


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd", 7, None]),
        ({"type": "string", "format": "email"}, ["a@b.org"], ["a", "@", "a b@c"]),
        ({"type": "string", "format": "uri"}, ["https://a.b/c"], ["a b", "none"]),
        ({"type": "string", "format": "date"}, ["2026-01-31"], ["2026-02-31", "20260131", "x"]),
        ({"type": "string", "format": "date-time"}, ["2026-01-31T10:00:00Z"], ["2026-01-31", "x"]),
        ({"type": "integer", "minimum": 1}, [1, 2], [0, 1.5, True, "1", 10**30]),
        ({"type": "number", "maximum": 1}, [0.5, 1], [2, float("nan"), "0"]),
        ({"type": "boolean"}, [True, False], [1, "yes"]),
        ({"type": "string", "enum": ["x", "y"]}, ["x"], ["z", 1]),
        ({"type": "string", "oneOf": [{"const": "x", "title": "The x"}]}, ["x"], ["The x"]),
        (
            {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 1},
            [["x"], ["x", "y"]],
            [[], ["x", "x"], "x"],
        ),
        ({"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}]}}, [["x"], []], [["X"]]),
    ],
)
def test_each_kind_of_field_takes_its_answers_and_no_others(schema, good, bad):
    asked = {"message": "m", "requestedSchema": {"type": "object", "properties": {"f": schema}}}
    (field,) = form_of(asked, "server", None).fields

    assert [field.misfit(each) for each in good] == [None] * len(good)
    assert None not in [field.misfit(each) for each in bad]


def one(field):
    return {"type": "object", "properties": {"f": field}}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "object"},
        {"type": "object", "properties": {"f": {"type": "object"}}},
        {"type": "object", "properties": {}, "required": ["f"]},
        one({"type": "array", "items": {"type": "object"}}),
        one({"type": "string", "enum": [str(each) for each in range(MOST_CHOICES + 1)]}),
        {"type": "object", "properties": {str(each): {"type": "string"} for each in range(MOST_FIELDS + 1)}},
        one({"type": "string", "title": "x" * MOST_BYTES}),
    ],
)
def test_what_is_no_form_or_too_much_is_refused(schema):
    with pytest.raises(NotAsked):
        form_of({"message": "m", "requestedSchema": schema}, "server", None)


@pytest.mark.parametrize("url", [None, "file:///etc/passwd", "javascript:x", "https://a b", "https://a\n"])
def test_a_page_has_an_address_of_the_web(url):
    with pytest.raises(NotAsked):
        form_of({"mode": "url", "message": "m", "url": url}, "server", None)
