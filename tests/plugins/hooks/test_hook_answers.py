"""What a hook answered is read, whatever its shape; what is no answer is named."""

from __future__ import annotations

import dataclasses
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from callboard.plugins.hooks.answers import UnreadableAnswer, Wish, read_answer
from callboard.plugins.hooks.approval import Answer, Question, by_default, joined, read_decision
from callboard.plugins.hooks.approval_rules import ApprovalRules
from callboard.plugins.hooks.terms import Action


class Words(Enum):
    DENY = "deny"


@dataclasses.dataclass
class HookResult:
    """As the newest of Amplifier's, with its defaults."""

    action: str = "continue"
    data: dict[str, Any] | None = None
    reason: str | None = None
    context_injection: str | None = None
    context_injection_role: str = "system"
    ephemeral: bool = False
    approval_prompt: str | None = None
    approval_options: list[str] | None = None
    approval_timeout: float = 300.0
    approval_default: str = "deny"
    suppress_output: bool = False
    user_message: str | None = None
    user_message_level: str = "info"
    append_to_last_tool_result: bool = False
    context_injections: list[Any] = dataclasses.field(default_factory=list)


class Hostile:
    @property
    def action(self):
        raise OSError("no disk")


@pytest.mark.parametrize(
    ("answer", "action", "reason"),
    [
        (None, Action.CONTINUE, None),
        ({"action": "continue"}, Action.CONTINUE, None),
        ({"action": "deny"}, Action.DENY, None),
        ({"action": Words.DENY, "reason": "r"}, Action.DENY, "r"),
        ({"action": "ask"}, Action.ASK, None),
        ({"action": "ask_user", "reason": "r"}, Action.ASK, "r"),
        (HookResult(), Action.CONTINUE, None),
        (HookResult("deny", reason="r"), Action.DENY, "r"),
        (HookResult("inject_context", context_injection="x"), Action.INJECT, None),
        (SimpleNamespace(action="deny"), Action.DENY, None),
    ],
)
def test_an_answer_is_a_mapping_or_an_object_with_an_action(answer, action, reason):
    read = read_answer(answer)

    assert (read.action, read.reason) == (action, reason)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (True, "a bool, which has no 'action'"),
        ("deny", "a str"),
        ({}, "no 'action'"),
        ({"tool_input": {}}, "no 'action'"),
        (HookResult, "a type"),
        ({"action": "stop"}, "the action 'stop'"),
        ({"action": None}, "the action None"),
        ({"action": "deny", "reason": 5}, "its reason is 5"),
        ({"action": "modify"}, "modify with nothing as data"),
        ({"action": "modify", "data": [1]}, "modify with a list as data"),
        ({"action": "modify", "data": {"input": {1}}}, "no JSON"),
        ({"action": "ask", "approval_options": "Allow"}, "approval_options"),
        ({"action": "ask", "approval_options": []}, "approval_options"),
        ({"action": "ask", "approval_timeout": 0}, "approval_timeout"),
        ({"action": "ask", "approval_timeout": "soon"}, "approval_timeout"),
        ({"action": "ask", "approval_default": "maybe"}, "approval_default"),
        ({"action": "ask", "approval_default": ["deny"]}, "approval_default"),
        ({"action": "ask", "approval_prompt": 1}, "approval_prompt"),
        ({"action": "continue", "user_message": {1}}, "no JSON"),
        ({"action": "inject_context", "context_injection": 5}, "its context_injection is 5"),
        (
            {"action": "deny", "context_injection": "x", "context_injection_role": "tool"},
            "one of system, user",
        ),
        ({"action": "continue", "context_injections": "x"}, "a list of objects"),
        ({"action": "continue", "context_injections": [{"role": "user"}]}, "its content is None"),
        (Hostile(), "reading its answer raised OSError: no disk"),
    ],
)
def test_what_is_no_answer_is_named(answer, complaint):
    with pytest.raises(UnreadableAnswer, match=complaint):
        read_answer(answer)


def test_a_question_has_amplifiers_fields_and_its_defaults():
    plain = read_answer({"action": "ask_user"})
    full = read_answer(
        HookResult(
            "ask_user",
            approval_prompt="May it?",
            approval_options=["Allow once", "Deny"],
            approval_timeout=5,
            approval_default="allow",
        )
    )

    assert plain.wish == Wish(None, ("Allow", "Allow always", "Deny"), 300.0, "deny")
    assert full.wish == Wish("May it?", ("Allow once", "Deny"), 5.0, "allow")


def test_what_a_hook_says_beside_its_answer_is_kept_whatever_the_answer():
    injection = SimpleNamespace(model_dump=lambda: {"content": "c"})

    read = read_answer(
        HookResult(
            "deny", context_injection="fix line 3", user_message="1 fault", context_injections=[injection]
        )
    )
    silent = read_answer(HookResult("deny"))

    assert read.notes == {
        "context_injections": [{"content": "c"}],
        "context_injection": "fix line 3",
        "context_injection_role": "system",
        "ephemeral": False,
        "append_to_last_tool_result": False,
        "user_message": "1 fault",
        "user_message_level": "info",
    }
    assert silent.notes == {}


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (True, Answer(allowed=True)),
        (False, Answer(allowed=False)),
        ("Allow", Answer(allowed=True)),
        (" allow  ALWAYS\n", Answer(allowed=True, remember=True)),
        ("Deny", Answer(allowed=False)),
        (Answer(allowed=True, reason="r"), Answer(allowed=True, reason="r")),
        (None, None),
        (1, None),
    ],
)
def test_a_persons_answer_is_read_and_what_cannot_be_read_is_none(answer, decision):
    assert read_decision(answer, ("Allow", "Allow always", "Deny")) == decision


@pytest.mark.parametrize("options", [("Allow", "Allow always", "Deny"), ("Approve", "No")], ids=" ".join)
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "y",
        "yes",
        "ok",
        "sure",
        "Yes please",
        "Allow nothing",
        "Allow: never",
        "Allow once",
        "not",
        "Allow\0",
    ],
)
def test_a_text_that_is_none_of_the_options_is_a_no_which_names_them(answer, options):
    decision = read_decision(answer, options)

    assert decision is not None
    assert (decision.allowed, decision.remember) == (False, False)
    assert decision.reason is not None
    assert repr(answer) in decision.reason
    assert all(repr(option) in decision.reason for option in options)


@pytest.mark.parametrize(
    ("option", "allowed", "remember"),
    [
        ("Allow", True, False),
        ("Allow once", True, False),
        ("Allow always", True, True),
        ("Allow always, here", True, False),
        ("Allow but not always", True, False),
        ("Approve", True, False),
        ("Yes", True, False),
        ("Yes, always", False, False),
        ("OK", True, False),
        ("Allow: never", False, False),
        ("Always allow", False, False),
        ("Do not allow", False, False),
        ("Go on", False, False),
        ("Deny always", False, False),
    ],
)
def test_an_option_is_a_yes_by_its_first_word_and_one_for_good_by_its_second(option, allowed, remember):
    assert read_decision(option, (option, "Deny")) == Answer(allowed, remember=remember)


def question(**facts: Any) -> Question:
    return Question(**{"prompt": "Run t?", "tool_name": "t", "tool_call_id": "1", "tool_input": {}, **facts})


def test_several_questions_about_one_call_become_the_most_careful_one():
    one = question(timeout=9.0, default="allow", asked_by=("a",), reason="x")
    two = question(prompt="Really?", timeout=3.0, options=("Allow", "No"), asked_by=("b",), reason="y")

    asked = joined([one, two, question(asked_by=("c",))])

    assert joined([one]) is one
    assert asked == question(
        prompt="Run t?\nReally?",
        timeout=3.0,
        default="deny",
        options=("Allow", "Deny"),
        asked_by=("a", "b", "c"),
        reason="x; y",
    )
    assert not by_default(asked, "late").allowed
    assert by_default(one, "late").allowed


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("read_file", None),
        ("write_file", "ask_user"),
        ("shell_run", "ask_user"),
        ("rm", "deny"),
        ("rm_shell", "deny"),
        ("RM", None),
        (None, None),
    ],
)
def test_the_rules_of_a_configuration_ask_and_deny_by_patterns_of_names(name, action):
    rules = ApprovalRules(ask=("write_file", "shell*", "rm*"), deny=("rm*",), timeout=7.0, default="allow")

    answer = rules("tool:pre", {"tool_name": name})

    assert (answer and answer["action"]) == action
    if action == "ask_user":
        assert read_answer(answer).wish == Wish(None, ("Allow", "Allow always", "Deny"), 7.0, "allow")


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ("echo", True),
        ("e*", True),
        ("files__echo", True),
        ("files:echo", True),
        ("files:files__echo", True),
        ("files:*", True),
        ("other:echo", False),
        ("Echo", False),
    ],
)
def test_a_rule_fits_a_tool_by_each_of_its_names(rule, fits):
    known_as = ["echo", "files:files__echo", "files:echo"]
    data = {"tool_name": "files__echo", "tool_names": ["files__echo"], "tool_known_as": known_as}

    answer = ApprovalRules(deny=(rule,))("tool:pre", data)

    assert (answer is not None) == fits
    assert (ApprovalRules(ask=(rule,)).idle(["files__echo", *known_as]) == []) == fits


@pytest.mark.parametrize(
    ("plugin", "names", "action", "reason"),
    [
        (
            "shell",
            ["list", "shell", "rm_all", "ls"],
            "deny",
            "'rm_all' (by 'rm*'): the plugin 'shell' claims this",
        ),
        (
            "rm_shell",
            ["list", "rm_shell", "ls"],
            "deny",
            "'rm_shell' (by 'rm*'): the plugin 'rm_shell' claims this",
        ),
        ("files", ["list", "files", "write_file"], "ask_user", "may run 'write_file' for it"),
        (None, ["list", "a", "rm", "b", "write_file"], "deny", "more than one plugin claims this call"),
        ("files", ["list"], None, ""),
    ],
)
def test_the_rules_hold_for_what_a_claimed_call_may_run(plugin, names, action, reason):
    rules = ApprovalRules(ask=("write_file",), deny=("rm*",))

    answer = rules("tool:pre", {"tool_name": "list", "tool_names": names, "plugin": plugin})

    assert (answer and answer["action"]) == action
    assert answer is None or reason in answer["reason"]


@pytest.mark.parametrize(
    ("rule", "name", "fits"), [("r[m]", "r[m]", True), ("r[m]", "rm", True), ("r[m]", "r", False)]
)
def test_a_rule_that_is_a_tool_s_own_name_fits_it_though_it_has_brackets(rule, name, fits):
    denied = ApprovalRules(deny=(rule,))("tool:pre", {"tool_name": name, "tool_names": [name]})

    assert (denied is not None) == fits
    assert ApprovalRules(deny=(rule,)).forbids([name]) == fits
