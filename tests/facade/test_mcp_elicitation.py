"""A server that asks a person in the middle of a call is answered once, and never holds anything up."""

from __future__ import annotations

import asyncio
import json
import sys
import threading

import pytest
from boards import Recorder
from callboard import Callboard
from callboard.hooks import FormAnswer
from callboard.hosts.mcp.server_requests import MOST_QUESTIONS, MOST_ROUNDS
from callboard.hosts.mcp.tool import McpToolPlugin
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

SERVER = PROGRAMS / "python" / "mcp_asking_server.py"
PATIENCE = 30.0
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "age": {"type": "integer", "default": 7}},
    "required": ["name"],
}
FORM = {"message": "Who are you?", "requestedSchema": SCHEMA}


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


class Person:
    """Fills forms in as it is told to, or when it is told to go."""

    def __init__(self, answer=None):
        self.answer = answer
        self.forms = []
        self.asked = threading.Event()
        self.go = threading.Event()
        self.withdrawn = threading.Event()

    def ask(self, _question):
        return True

    def ask_form(self, form):
        self.forms.append(form)
        self.asked.set()
        if self.answer is None:
            assert self.go.wait(PATIENCE)
            return {"name": "late"}
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def withdraw(self, _form):
        self.withdrawn.set()
        self.go.set()


def board_with(*words, approver=None, **options):
    board = Callboard({"start_deadline": 10.0})
    board.approver = approver
    board.start()
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER), *words], env=TEST_MARK)
    board.register(plugin, **options)
    return board


ERAS = pytest.mark.parametrize("era", [(), ("modern",)], ids=["handshake", "stateless"])


def ask(board, params=FORM, method="elicitation/create", **more):
    call = tool_call("ask", method=method, params=params, **more)
    return board.submit(call)


def answers(result):
    assert result["success"], result
    return json.loads(result["result"])


@ERAS
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"name": "Ann", "age": 3}, {"action": "accept", "content": {"name": "Ann", "age": 3}}),
        (FormAnswer("accept", {"name": "Ann"}), {"action": "accept", "content": {"name": "Ann"}}),
        (FormAnswer("decline"), {"action": "decline"}),
        ({"name": "A"}, {"action": "cancel"}),
        ({"nobody": "asked for that"}, {"action": "cancel"}),
        ("no answer", {"action": "cancel"}),
        (OSError("no terminal"), {"action": "cancel"}),
    ],
)
def test_the_approver_fills_the_form_in_and_what_does_not_fit_is_never_sent(era, said, told):
    person = Person(said)
    with board_with(*era, approver=person) as board:
        recorder = Recorder(board)
        call = ask(board)

        assert answers(call.result(PATIENCE)) == [told]
        (form,) = person.forms
        assert (form.message, form.plugin, form.tool_name, form.tool_call_id) == (
            "Who are you?",
            "server",
            "ask",
            call.id,
        )
        assert [(field.name, field.kind, field.required, field.default) for field in form.fields] == [
            ("name", "text", True, None),
            ("age", "integer", False, 7),
        ]
        assert recorder.wait("form_asked")[0].facts["call"] == call.id
        assert recorder.wait("form_answered")[0].facts["action"] == told["action"]


@ERAS
def test_a_page_is_agreed_to_and_nothing_of_it_comes_back(era):
    person = Person({})
    page = {"mode": "url", "message": "Log in", "url": "https://example.org/in", "elicitationId": "1"}
    with board_with(*era, approver=person) as board:
        assert answers(ask(board, page).result(PATIENCE)) == [{"action": "accept"}]
        assert person.forms[0].url == "https://example.org/in"


@ERAS
def test_a_page_whose_address_hides_its_host_is_shown_to_nobody(era):
    person = Person({})
    url = "https://github.com@evil.example\\@login.github.com/"
    with board_with(*era, approver=person) as board:
        ask(board, {"mode": "url", "message": "Log in", "url": url, "elicitationId": "1"}).result(PATIENCE)

    assert person.forms == []


@ERAS
@pytest.mark.parametrize("approver", [None, object], ids=["nobody", "no forms"])
def test_without_an_approver_for_forms_a_server_is_told_that_it_cannot_ask(era, approver):
    only_asks = None
    if approver is not None:
        only_asks = type("OnlyAsks", (), {"ask": lambda *_: True})()
    with board_with(*era, approver=only_asks) as board:
        assert answers(board.execute(tool_call("can"))) == {}
        refused = ask(board).result(PATIENCE)

    if era:
        assert (refused["code"], refused["type"]) == ("tool_raised", "InputRequired")
    else:
        assert answers(refused)[0]["code"] == -32601


@ERAS
def test_a_server_is_told_what_its_client_can_do(era):
    with board_with(*era, approver=Person({})) as board:
        assert answers(board.execute(tool_call("can"))) == {"elicitation": {"form": {}, "url": {}}}


@ERAS
def test_other_calls_go_on_while_a_person_is_asked(era):
    person = Person()
    with board_with(*era, approver=person, concurrency=2) as board:
        call = ask(board)
        assert person.asked.wait(PATIENCE)
        assert answers(board.execute(tool_call("pid"))) > 0
        person.go.set()

        assert answers(call.result(PATIENCE)) == [{"action": "accept", "content": {"name": "late"}}]


@ERAS
def test_a_call_that_is_awaited_is_asked_for_too(era):
    async def run(board):
        return await board.execute_async(tool_call("ask", method="elicitation/create", params=FORM, times=2))

    with board_with(*era, approver=Person({"name": "Ann"})) as board:
        told = answers(asyncio.run(run(board)))

    assert [each["action"] for each in told] == ["accept"] * 2


@ERAS
@pytest.mark.parametrize("way", ["cancel", "deadline", "crash", "stop"])
def test_a_question_ends_with_its_call(era, way):
    person = Person()
    with board_with(*era, approver=person, deadline=1.0 if way == "deadline" else None) as board:
        call = ask(board, dies=way == "crash")
        if way != "crash":
            assert person.asked.wait(PATIENCE)
        if way == "cancel":
            call.cancel()
        if way == "stop":
            board.stop()
        result = call.result(PATIENCE)

        codes = {
            "cancel": "cancelled",
            "deadline": "deadline_exceeded",
            "crash": "host_crashed",
            "stop": "cancelled",
        }
        assert result["code"] == codes[way]
        assert not person.asked.is_set() or person.withdrawn.wait(PATIENCE)
        if way != "stop":
            person.answer = {"name": "Ann"}
            assert answers(ask(board).result(PATIENCE)) == [{"action": "accept", "content": {"name": "Ann"}}]


def test_a_question_that_the_server_takes_back_is_withdrawn():
    person = Person()
    with board_with(approver=person) as board:
        assert answers(ask(board, leaves=True).result(PATIENCE)) == "left"
        assert not person.asked.is_set() or person.withdrawn.wait(PATIENCE)


def test_a_server_that_asks_too_often_in_a_call_is_answered_by_nobody():
    person = Person({"name": "Ann"})
    with board_with(approver=person) as board:
        told = answers(ask(board, times=MOST_QUESTIONS + 2).result(PATIENCE))

    assert [each["action"] for each in told] == ["accept"] * MOST_QUESTIONS + ["cancel"] * 2
    assert len(person.forms) == MOST_QUESTIONS


def test_a_call_that_requires_input_again_and_again_fails():
    person = Person({"name": "Ann"})
    with board_with("modern", approver=person) as board:
        told = answers(ask(board, times=MOST_ROUNDS).result(PATIENCE))
        refused = ask(board, times=MOST_ROUNDS + 1).result(PATIENCE)

    assert len(told) == MOST_ROUNDS
    assert (refused["code"], refused["type"]) == ("tool_raised", "InputRequired")


@ERAS
def test_what_cannot_be_shown_to_anybody_is_refused(era):
    nested = {"type": "object", "properties": {"deep": {"type": "object", "properties": {}}}}
    person = Person({})
    with board_with(*era, approver=person) as board:
        refused = ask(board, {"message": "m", "requestedSchema": nested}).result(PATIENCE)

        assert person.forms == []
        if era:
            assert (refused["code"], refused["type"]) == ("tool_raised", "InputRequired")
        else:
            assert answers(refused)[0]["code"] == -32602
