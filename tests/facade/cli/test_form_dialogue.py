"""A form is filled in line by line; nothing of the server's can pass for something else, and nothing is sent unseen."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.cli.approval.form_dialogue import FormDialogue
from callboard.cli.approval.question import Step
from callboard.cli.approval.terminal import TerminalApprover
from callboard.plugins.hooks.forms import Field, Form, FormAnswer
from hypothesis import given
from hypothesis import strategies as st

COLORS = (("r", "Red"), ("g", "Green"), ("b", "b"))


def form(*fields: Field, **facts: Any) -> Form:
    return Form(**{"message": "Who?", "plugin": "server", "fields": fields, **facts})


def typed(form_: Form, *lines: str) -> FormAnswer | Step:
    dialogue = FormDialogue(form_, 80)
    come: FormAnswer | Step = dialogue.begin()
    for line in lines:
        assert isinstance(come, Step), "it was answered before"
        come = dialogue.take(line)
    return come


@pytest.mark.parametrize(
    ("field", "line", "value"),
    [
        (Field("f", "text"), " a b \n", " a b "),
        (Field("f", "text", default="x"), "", "x"),
        (Field("f", "integer"), "7", 7),
        (Field("f", "number"), "7.5", 7.5),
        (Field("f", "boolean"), "YES", True),
        (Field("f", "boolean", default=True), "n", False),
        (Field("f", "choice", choices=COLORS), "2", "g"),
        (Field("f", "choice", choices=COLORS), "Red", "r"),
        (Field("f", "choices", choices=COLORS), "1, 3", ["r", "b"]),
    ],
)
def test_a_line_is_the_answer_to_a_field_and_is_sent_after_a_look(field, line, value):
    assert isinstance(typed(form(field), line), Step)
    assert typed(form(field), line, "y") == FormAnswer("accept", {"f": value})


@pytest.mark.parametrize(
    ("field", "line"),
    [
        (Field("f", "text", least=3), "ab"),
        (Field("f", "text", format="email"), "ab"),
        (Field("f", "integer"), "7.5"),
        (Field("f", "number"), "nan"),
        (Field("f", "boolean"), "perhaps"),
        (Field("f", "choice", choices=COLORS), "4"),
        (Field("f", "choices", choices=COLORS, most=1), "1,2"),
        (Field("f", "text", required=True), ""),
        (Field("f", "text", required=True, least=2), "-"),
    ],
)
def test_what_is_no_answer_is_asked_for_again(field, line):
    good = {"text": "a@bc", "integer": "1", "number": "1", "boolean": "y"}.get(field.kind, "1")
    answered = typed(form(field), line, good, "y")

    assert isinstance(answered, FormAnswer)
    assert answered.action == "accept"


def test_what_need_not_be_answered_is_left_out():
    fields = (Field("a", "text"), Field("b", "integer", default=7), Field("c", "text", required=True))

    assert typed(form(*fields), "", "-", "x", "y") == FormAnswer("accept", {"c": "x"})


def test_answers_can_be_changed_before_they_are_sent():
    fields = (Field("a", "text"), Field("b", "text"))

    assert typed(form(*fields), "1", "2", "e", "", "3", "y") == FormAnswer("accept", {"a": "1", "b": "3"})


@pytest.mark.parametrize(
    ("lines", "action"),
    [
        (("/decline",), "decline"),
        (("/cancel",), "cancel"),
        (("x", "n"), "decline"),
        (("x", " /CANCEL "), "cancel"),
    ],
)
def test_it_can_be_declined_at_any_place(lines, action):
    assert typed(form(Field("f", "text")), *lines) == FormAnswer(action)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("y",), FormAnswer("accept")),
        (("what", "n"), FormAnswer("decline")),
        (("/cancel",), FormAnswer("cancel")),
    ],
)
def test_an_address_is_shown_with_its_host_and_agreed_to(lines, answer):
    page = form(url="https://example.org/pay?x=1")
    shown = FormDialogue(page, 80).begin().lines

    assert "  address   https://example.org/pay?x=1" in shown
    assert "  of        example.org" in shown
    assert typed(page, *lines) == answer


def test_the_host_of_an_address_is_shown_as_it_is_looked_up():
    shown = (
        FormDialogue(form(url="https://\u0430pple.com/"), 80).begin().lines
    )  # the first letter is Cyrillic

    assert "  of        xn--pple-43d.com" in shown


def test_a_form_that_asks_for_a_password_is_warned_of():
    shown = FormDialogue(form(Field("user", "text"), Field("password", "text")), 200).begin().lines
    peaceful = FormDialogue(form(Field("user", "text")), 200).begin().lines

    assert [line for line in shown if line.startswith("  warning") and "password" in line]
    assert not [line for line in peaceful if line.startswith("  warning")]


EVIL = st.text(st.sampled_from("\x1b\n\r\u202e\u200b\x9bab\u2028 "), min_size=1, max_size=8)


@given(EVIL, EVIL, EVIL, EVIL)
def test_nothing_of_the_server_is_shown_that_is_not_seen(message, title, name, choice):
    fields = (
        Field(name, "choice", title, message, choices=((choice, title),)),
        Field(name + "2", "text", default=message),
    )
    dialogue = FormDialogue(form(*fields, message=message, plugin=name, tool_name=title), 40)
    steps = [dialogue.begin(), dialogue.take("1"), dialogue.take("")]

    for step in steps:
        assert isinstance(step, Step)
        for line in [*step.lines, step.prompt]:
            assert line.isprintable()
            assert "\u200b" not in line


def test_the_end_of_the_input_is_no_answer_to_a_form(capsys):
    approver = TerminalApprover()
    approver.put(None)

    assert approver.ask_form(form(Field("f", "text"))).action == "cancel"
    assert "Who?" in capsys.readouterr().err
