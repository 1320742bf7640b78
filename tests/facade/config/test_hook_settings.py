"""Hooks and rules about approval in a configuration."""

from __future__ import annotations

import sys

import pytest
from callboard import Callboard, ConfigurationError, read_configuration
from tools import Tool, tool_call

POLICY = """
def gate(event, data):
    if data["tool_input"].get("bad"):
        return {"action": "deny", "reason": "bad"}

class Watch:
    seen = []
    def __call__(self, event, data):
        self.seen.append(event)

VALUE = 5

class Needy:
    def __init__(self, what): ...
"""


@pytest.fixture
def policy(tmp_path, monkeypatch):
    (tmp_path / "policy_of_tests.py").write_text(POLICY)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("policy_of_tests", None)


def echo():
    return Tool(lambda arguments, _: {"success": True, "result": arguments}, "write_file")


def run(board, **arguments):
    return board.execute(tool_call("write_file", **arguments))


@pytest.mark.usefixtures("policy")
def test_configured_hooks_are_there_from_the_first_call_on_at_each_start():
    hooks = [
        {"event": "tool:pre", "hook": "policy_of_tests.gate", "priority": 3, "deadline": 2},
        {"event": "tool:post", "hook": "policy_of_tests.Watch", "observes": True, "name": "watch"},
    ]
    board = Callboard({"hooks": hooks})
    for _ in range(2):
        with board:
            board.register(echo())
            good, bad = run(board), run(board, bad=True)
            more = board.hook("tool:pre", lambda _e, _d: {"action": "deny"}, name="more")
            denied = run(board)
            more.close()

    assert good["success"]
    assert (bad["code"], bad["hook"], bad["reason"]) == ("denied", "policy_of_tests.gate", "bad")
    assert denied["hook"] == "more"
    assert sys.modules["policy_of_tests"].Watch.seen == ["tool:post"] * 2


def test_the_rules_deny_and_ask_and_the_approver_may_be_set_at_any_time():
    class Yes:
        def ask(self, question):
            return "allow" in question.tool_input

    board = Callboard({"approval": {"ask": ["write*"], "deny": ["rm*"]}})
    board.approver = Yes()
    with board:
        board.register(echo())
        board.register(Tool(lambda _a, _s: {"success": True}, "rm_all"))
        yes, no = run(board, allow=1), run(board)
        never = board.execute(tool_call("rm_all"))
        board.approver = None
        nobody = run(board, allow=1)

    assert yes["success"]
    assert (no["code"], no["hook"]) == ("denied", "approval")
    assert "the configuration forbids 'rm_all' (by 'rm*')" in never["error"]
    assert nobody["reason"].startswith("there is nobody to ask; ")
    assert "'approval.ask'" in nobody["error"]


def test_a_rule_is_not_called_misspelt_before_there_is_any_tool(caplog):
    with Callboard({"approval": {"ask": ["write*"]}}) as board:
        before = board.status()["idle_rules"]
        board.register(echo())
        after = board.status()["idle_rules"]

    assert (before, after) == (["ask 'write*'"], [])
    assert "write*" not in caplog.text


def test_a_rule_that_fits_none_of_the_tools_at_the_start_is_told_as_that(caplog):
    board = Callboard({"approval": {"ask": ["write*"], "deny": ["later"]}})
    board.tool(lambda: None, name="write_file", description="Write.")
    with board:
        board.tool(lambda: None, name="later", description="Come later.")

    assert (
        "the rule deny 'later' fits no tool so far; correct its name, unless its tool comes later"
        in caplog.text
    )
    assert "write*" not in caplog.text


@pytest.mark.parametrize(
    ("given", "path", "complaint"),
    [
        ({"hooks": {}}, "$.hooks", "a list"),
        ({"hooks": ["x"]}, "$.hooks[0]", "an object"),
        ({"hooks": [{"event": "tool:pre"}]}, "$.hooks[0]", "has no 'hook'"),
        ({"hooks": [{"event": "pre", "hook": "a.b"}]}, "$.hooks[0].event", "one of: tool:pre"),
        ({"hooks": [{"event": ["tool:pre"], "hook": "a.b"}]}, "$.hooks[0].event", "one of"),
        ({"hooks": [{"event": "tool:pre", "hook": "gate"}]}, "$.hooks[0].hook", "dotted path"),
        (
            {"hooks": [{"event": "tool:pre", "hook": "a.b", "prio": 1}]},
            "$.hooks[0].prio",
            "did you mean 'priority'",
        ),
        ({"hooks": [{"event": "tool:pre", "hook": "a.b", "deadline": 0}]}, "$.hooks[0].deadline", "seconds"),
        (
            {"hooks": [{"event": "tool:pre", "hook": "a.b", "observes": 1}]},
            "$.hooks[0].observes",
            "true or false",
        ),
        ({"approval": []}, "$.approval", "an object"),
        ({"approval": {"asks": []}}, "$.approval.asks", "did you mean 'ask'"),
        ({"approval": {"ask": "rm"}}, "$.approval.ask", "a list of names"),
        ({"approval": {"timeout": -1}}, "$.approval.timeout", "seconds"),
        ({"approval": {"default": "maybe"}}, "$.approval.default", "'allow' or 'deny'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(given, path, complaint):
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        read_configuration(given)

    assert caught.value.path == path


@pytest.mark.usefixtures("policy")
@pytest.mark.parametrize(
    ("hook", "complaint"),
    [
        ("policy_of_tests.gat", "cannot load the hook policy_of_tests.gat: policy_of_tests has no 'gat'"),
        (
            "no_such_policy.gate",
            "there is no module 'no_such_policy' here; install the package that has it, or set PYTHONPATH",
        ),
        ("policy_of_tests.VALUE", "is 5, which cannot be called"),
        ("policy_of_tests.Needy", "making policy_of_tests.Needy raised TypeError"),
    ],
)
def test_nothing_is_started_without_a_gate_that_is_configured(hook, complaint):
    board = Callboard({"hooks": [{"event": "tool:pre", "hook": hook}]})

    with pytest.raises(ConfigurationError, match=complaint):
        board.start()

    assert board.status()["running"] is False
