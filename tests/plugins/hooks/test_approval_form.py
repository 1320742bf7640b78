"""A question as a form shows all that would run, and only an accepted yes lets it."""

from __future__ import annotations

import pytest
from callboard.plugins.hooks.approval import Question
from callboard.plugins.hooks.approval_form import LONGEST, answer_of, form_of
from callboard.plugins.hooks.forms import FormAnswer
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def question(**facts):
    return Question(
        **{"prompt": "Run it?", "tool_name": "write", "tool_call_id": "1", "tool_input": {}, **facts}
    )


@given(
    st.dictionaries(st.text(max_size=5), JSON, max_size=4),
    st.dictionaries(st.text(max_size=5), JSON, max_size=4),
)
def test_two_inputs_never_look_alike_and_no_character_is_hidden(one, other):
    shown, shown_other = (form_of(question(tool_input=each)).message for each in (one, other))

    assert (shown == shown_other) is (repr(one) == repr(other))
    assert all(each.isprintable() for each in shown.splitlines())


def test_the_form_has_one_truth_value_and_names_tool_plugin_reason_and_changes():
    form = form_of(
        question(plugin="files", reason="it writes", changed=("description is new",), result={"a": 1})
    )

    assert [(field.name, field.kind, field.required) for field in form.fields] == [("allow", "boolean", True)]
    assert form.message.splitlines() == [
        "Run it?",
        "because: it writes",
        'tool: "write"',
        'plugin: "files"',
        "changed since it was always allowed: description is new",
        "input:",
        "{}",
        "result:",
        "{",
        '  "a": 1',
        "}",
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"tool_input": {"a": "x" * LONGEST}},
        {"tool_input": {"a": "\u202e" * (LONGEST // 5)}},
        {"prompt": "x" * (LONGEST + 1)},
        {"options": ("Deny", "Allow: never")},
    ],
)
def test_what_cannot_be_shown_or_allowed_is_no_form(facts):
    assert form_of(question(**facts)) is None


@pytest.mark.parametrize(
    ("answer", "allowed", "why"),
    [
        (FormAnswer("accept", {"allow": True}), True, None),
        (FormAnswer("accept", {"allow": False}), False, "said no"),
        (FormAnswer("accept", {}), False, "said no"),
        (FormAnswer("accept"), False, "said no"),
        (FormAnswer("decline"), False, "declined"),
        (FormAnswer("cancel"), False, "without an answer"),
        (FormAnswer("cancel", reason="it has gone"), False, "it has gone"),
    ],
)
def test_only_an_accepted_yes_is_one(answer, allowed, why):
    read = answer_of(answer)

    assert (read.allowed, read.remember) == (allowed, False)
    assert why is None or why in read.reason
