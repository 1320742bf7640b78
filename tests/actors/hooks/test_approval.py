"""A person decides about a call; idle_timeout, a fault and nobody at all are a no."""

from __future__ import annotations

import threading

import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.hooks.approval import Answer
from manual_clock import ManualClock
from tools import a_tool, schema, tool_call

PATIENCE = 20.0


def echo(name: str = "t"):
    return a_tool(lambda arguments, _: {"success": True, "result": arguments}, name)


def ask(_event, _data):
    return {"action": "ask_user", "approval_timeout": 30.0}


class Person:
    """Answers what it is told to, or when it is told to."""

    def __init__(self, answer=None):
        self.answer = answer
        self.questions = []
        self.withdrawn = threading.Event()
        self.asked = threading.Event()
        self.go = threading.Event()

    def ask(self, question):
        self.questions.append(question)
        self.asked.set()
        if self.answer is None:
            assert self.go.wait(PATIENCE)
            return True
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def withdraw(self, _question):
        self.withdrawn.set()


@pytest.fixture
def board():
    with Board() as board:
        board.add(echo(), config={})
        yield board


def run(board, _name="t", **arguments):
    return board.submit(tool_call(_name, **arguments)).result(PATIENCE)


@pytest.mark.parametrize(
    ("person", "allowed", "by"),
    [
        (Person(answer=True), True, "person"),
        (Person(answer="Allow"), True, "person"),
        (Person(answer="Allow once"), False, "person"),
        (Person(answer="Deny"), False, "person"),
        (Person(answer=Answer(allowed=False, reason="no way")), False, "person"),
        (Person(answer=OSError("no terminal")), False, "error"),
        (Person(answer=7), False, "error"),
        (None, False, "nobody"),
    ],
)
def test_a_person_decides_and_no_answer_is_a_no(board, person, allowed, by):
    recorder = Recorder(board)
    board.hooks.approver = person
    board.hooks.add("tool:pre", ask, name="asker")

    result = run(board, x=1)

    assert result["success"] == allowed
    assert recorder.wait("approval_asked")[0].subject == "asker"
    answered = recorder.wait("approval_answered")[0].facts
    assert (answered["allowed"], answered["by"]) == (allowed, by)
    assert board.hooks.approver is person
    if person is not None:
        assert person.questions[0].tool_input == {"x": 1}
    if not allowed:
        assert result["code"] == "denied"


def test_a_yes_for_good_is_remembered_for_that_tool_alone(board):
    person = board.hooks.approver = Person(answer="Allow always")
    board.add(echo("other"), config={})
    board.hooks.add("tool:pre", ask)

    results = [run(board, name)["success"] for name in ("t", "t", "other", "t")]

    assert results == [True] * 4
    assert [question.tool_name for question in person.questions] == ["t", "other"]


def test_people_are_asked_one_question_at_a_time_and_not_longer_than_it_matters():
    clock = ManualClock()
    with Board(clock=clock) as board:
        for name in ("a", "b", "c"):
            board.add(echo(name), config={})
        recorder = Recorder(board)
        person = board.hooks.approver = Person()
        board.hooks.add("tool:pre", ask, deadline=500.0)
        calls = {"a": board.submit(tool_call("a"), deadline=1000.0)}
        assert person.asked.wait(PATIENCE)
        calls |= {name: board.submit(tool_call(name), deadline=1000.0) for name in "bc"}
        asked_at_first = [question.tool_name for question in person.questions]
        calls["b"].cancel()  # waits to be asked, and never is
        person.asked.clear()
        clock.advance(30.0)  # the first question's time is over
        assert person.asked.wait(PATIENCE)
        assert person.withdrawn.wait(PATIENCE)
        calls["c"].cancel()
        recorder.wait("approval_answered", 2)
        person.go.set()
        results = {name: call.result(PATIENCE)["code"] for name, call in calls.items()}

    assert asked_at_first == ["a"]
    assert [question.tool_name for question in person.questions] == ["a", "c"]
    assert results == {"a": "denied", "b": "cancelled", "c": "cancelled"}
    assert [event.facts["by"] for event in recorder.of("approval_answered")] == ["timeout", "withdrawn"]


def test_a_yes_for_good_does_not_pass_to_another_plugin_of_the_same_name(board):
    person = board.hooks.approver = Person(answer="Allow always")
    board.hooks.add("tool:pre", ask)
    run(board)

    board.remove("t")
    board.add(echo(), config={})
    run(board)

    assert len(person.questions) == 2


class Claims:
    """Takes every call."""

    def __init__(self, name):
        self.name = name

    def get_tool_schemas(self, _state):
        return [schema(self.name)]

    def can_handle_tool_call(self, *_):
        return True

    def execute_tool(self, _name, arguments, _state):
        return {"success": True, "result": arguments}


def test_a_yes_for_good_is_not_remembered_where_it_is_not_known_which_plugin_takes_the_call(board):
    person = board.hooks.approver = Person(answer="Allow always")
    for name in ("one", "two"):
        board.add(PluginAdapter(Claims(name)), config={})
    board.hooks.add("tool:pre", ask)

    for _ in range(2):
        run(board, "whose")

    assert [question.plugin for question in person.questions] == [None, None]
