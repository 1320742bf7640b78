"""One event's way through the hooks: tables of answers, and laws that hold for any of them."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.plugins.hooks.answers import UnreadableAnswer, read_answer
from callboard.plugins.hooks.approval import Answer
from callboard.plugins.hooks.chain import Ask, Chain, Consult, Passed, Refused
from callboard.plugins.hooks.payload import InputData, ResultData, hook_data
from callboard.plugins.hooks.terms import Listener, in_order
from hypothesis import given
from hypothesis import strategies as st

FACTS = {"tool_name": "t", "tool_call_id": "1"}


def setting(**values: Any):
    """A hook that sets arguments, as Amplifier's do: in the data that it was handed."""

    def hook(_event, data):
        data["tool_input"] |= values
        return {"action": "modify", "data": data}

    return hook


def saying(action: str, **fields: Any):
    return lambda _event, _data: {"action": action, **fields}


def broken(_event, _data):
    raise OSError("no disk")


def walk(chain: Chain, decision: Answer | None = None):
    """Ask each hook; returns all steps and the news."""
    steps, news = [chain.begin()], []
    while True:
        news += chain.news()
        match steps[-1]:
            case Consult(listener, data):
                try:
                    answer = read_answer(listener.hook(listener.event, data))
                except (OSError, UnreadableAnswer) as error:
                    steps.append(chain.failed(str(error)))
                else:
                    steps.append(chain.answered(answer))
            case Ask():
                assert decision is not None, "nobody was to be asked"
                steps.append(chain.decided(decision))
            case _:
                return steps, news


def pre(*hooks: Any, value: Any = None, observing: tuple[int, ...] = ()) -> Chain:
    listeners = tuple(
        Listener(f"h{i}", "tool:pre", hook, observes=i in observing) for i, hook in enumerate(hooks)
    )
    return Chain("tool:pre", listeners, InputData({"x": 1} if value is None else value, FACTS))


def test_without_hooks_it_passes():
    assert pre().begin() == Passed({"x": 1})


def test_hooks_go_by_priority_and_then_by_registration():
    made = [
        Listener(name, "tool:pre", print, priority)
        for name, priority in (("a", 5), ("b", 0), ("c", 5), ("d", -1))
    ]

    assert [listener.name for listener in in_order(made)] == ["d", "b", "a", "c"]


def test_each_hook_sees_the_input_as_changed_so_far_and_a_change_survives_other_answers():
    seen = []
    chain = pre(
        setting(x=2),
        lambda _e, data: seen.append(data),
        saying("inject_context", context_injection="note"),
        setting(y=3),
    )

    steps, news = walk(chain)

    assert steps[-1] == Passed({"x": 2, "y": 3})
    assert seen[0]["tool_input"] == seen[0]["input"] == {"x": 2}
    assert chain.changed
    assert [(each.kind, each.hook) for each in news] == [("call_modified", "h0"), ("call_modified", "h3")]
    assert chain.notes == [{"hook": "h2", "event": "tool:pre", "context_injection": "note"}]


def test_a_hook_that_only_writes_into_its_data_changes_nothing():
    chain = pre(lambda _e, data: data["tool_input"].clear())

    steps, _ = walk(chain)

    assert steps[-1] == Passed({"x": 1})
    assert not chain.changed


def test_what_a_hook_adds_is_handed_on():
    seen = []
    chain = pre(
        lambda _e, data: {"action": "modify", "data": {**data, "risk": "low"}}, lambda _e, d: seen.append(d)
    )

    walk(chain)

    assert seen[0]["risk"] == "low"
    assert not chain.changed


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ({"tool_input": {"x": 2}}, {"x": 2}),
        ({"input": {"x": 2}}, {"x": 2}),
        ({"tool_input": {"x": 2}, "input": {"x": 1}}, {"x": 2}),
        ({"tool_input": {"x": 1}, "input": {"x": 2}}, {"x": 2}),
        ({"tool_input": {"x": 2}, "input": {"x": 2}}, {"x": 2}),
        ({"tool_input": {"x": True}}, {"x": True}),
        ({"tool_name": "t"}, {"x": 1}),
        ({}, {"x": 1}),
    ],
)
def test_the_input_may_be_changed_under_either_of_its_names(data, value):
    steps, _ = walk(pre(saying("modify", data=data)))

    assert steps[-1] == Passed(value)
    assert type(steps[-1].value["x"]) is type(value["x"])


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"tool_name": "other"}, "'tool_name', which no hook can change"),
        ({"tool_call_id": None}, "'tool_call_id'"),
        ({"tool_input": {"x": 2}, "input": {"x": 3}}, "different values"),
        ({"tool_input": "text"}, "made the call's input a str; it was a dict"),
        ({"tool_input": None}, "NoneType"),
    ],
)
def test_a_change_that_cannot_be_made_refuses_the_call(data, complaint):
    steps, news = walk(pre(saying("modify", data=data)))

    assert isinstance(steps[-1], Refused)
    assert complaint in steps[-1].why
    assert [each.kind for each in news] == ["hook_failed"]


def test_raw_text_stays_text():
    steps, _ = walk(pre(saying("modify", data={"input": "ls"}), value="rm -r /"))

    assert steps[-1] == Passed("ls")


def test_deny_ends_the_chain_at_once_and_says_who_and_why():
    steps, _ = walk(pre(saying("deny", reason="not on Sundays"), broken))

    assert len(steps) == 2
    assert steps[-1] == Refused("h0", "'h0' refused it: not on Sundays", "not on Sundays")


def test_a_gate_that_fails_refuses_and_an_observer_that_fails_does_not():
    gate, _ = walk(pre(broken))
    observer, news = walk(pre(broken, observing=(0,)))

    assert gate[-1] == Refused("h0", "'h0' failed, and what it guards stays shut: no disk")
    assert observer[-1] == Passed({"x": 1})
    assert [(each.kind, each.said) for each in news] == [("hook_failed", "no disk")]


@pytest.mark.parametrize("action", ["deny", "ask", "modify"])
def test_an_observer_decides_nothing(action):
    steps, news = walk(pre(saying(action, data={"input": {"x": 9}}), observing=(0,)))

    assert steps[-1] == Passed({"x": 1})
    assert "it observes, and decides nothing" in news[0].said


def test_a_person_is_asked_once_after_all_gates_about_what_would_run():
    chain = pre(saying("ask", approval_prompt="Sure?"), setting(x=7), saying("ask", approval_prompt="Sure?"))

    steps, _ = walk(chain, Answer(allowed=True))

    questions = [step.question for step in steps if isinstance(step, Ask)]
    assert [(q.prompt, q.tool_input, q.asked_by) for q in questions] == [("Sure?", {"x": 7}, ("h0", "h2"))]
    assert steps[-1] == Passed({"x": 7})


def test_a_persons_no_refuses_in_the_name_of_who_had_it_asked():
    steps, _ = walk(pre(saying("ask")), Answer(allowed=False, reason="too risky"))

    assert steps[-2].question.prompt == "Run t?"
    assert steps[-1] == Refused("h0", "it was not approved: too risky", "too risky")


def test_nobody_is_asked_about_what_is_denied():
    steps, _ = walk(pre(saying("ask"), saying("deny")))

    assert isinstance(steps[-1], Refused)
    assert not any(isinstance(step, Ask) for step in steps)


def post(*hooks: Any, result: dict[str, Any]) -> Chain:
    listeners = tuple(Listener(f"h{i}", "tool:post", hook) for i, hook in enumerate(hooks))
    return Chain("tool:post", listeners, ResultData(result, FACTS))


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ({"result": {"success": True, "result": 2}}, {"success": True, "result": 2}),
        ({"tool_result": {"success": True, "output": 2}}, {"success": True, "result": 2}),
        ({"tool_result": {"success": True, "output": 2, "result": 1}}, {"success": True, "result": 2}),
        ({"tool_result": {"success": True, "output": 1, "result": 2}}, {"success": True, "result": 2}),
        ({"result": {"success": False, "error": "no"}}, {"success": False, "error": "no"}),
        (
            {"result": {"success": True, "result": 1, "note": "n"}},
            {"success": True, "result": 1, "note": "n"},
        ),
    ],
)
def test_a_result_may_be_changed_in_the_specifications_words_or_in_amplifiers(data, value):
    steps, _ = walk(post(saying("modify", data=data), result={"success": True, "result": 1}))

    assert steps[-1] == Passed(value)


@pytest.mark.parametrize("result", ["text", {"success": "yes"}, None])
def test_what_is_no_result_withholds_it(result):
    steps, _ = walk(post(saying("modify", data={"result": result}), result={"success": True, "result": 1}))

    assert isinstance(steps[-1], Refused)


RAISED = {
    "success": False,
    "error": "OSError: no /secret",
    "code": "tool_raised",
    "outcome": "outcome_unknown",
    "type": "OSError",
    "message": "no /secret",
    "traceback": "… no /secret",
}
KEPT = {"success": False, "code": "tool_raised", "outcome": "outcome_unknown"}


def review(result):
    chain = Chain(
        "tool:post",
        (Listener("h", "tool:post", saying("modify", data={"result": result})),),
        hook_data("tool:post", RAISED, FACTS, failed=True),
    )
    steps, _ = walk(chain)
    return steps


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (RAISED, RAISED),
        ({"error": "no"}, {**KEPT, "error": "no"}),
        (RAISED | {"error": "no"}, {**KEPT, "error": "no", "type": "OSError"}),
        (
            RAISED | {"error": "no", "message": "m"},
            {**KEPT, "error": "no", "type": "OSError", "message": "m"},
        ),
        ({**RAISED, "traceback": "t"}, RAISED | {"traceback": "t"}),
        ({"success": True, "error": "no"}, None),
        ({"success": False, "error": "no", "code": "cancelled"}, None),
        ({"error": "no", "outcome": "not_sent"}, None),
        ({"error": "no", "result": 1}, None),
        ({"success": False}, None),
        ("no", None),
    ],
)
def test_the_words_of_a_failure_may_be_changed_and_what_became_of_the_call_may_not(result, value):
    consult, *_, end = review(result)

    assert {name: consult.data[name] for name in KEPT} == KEPT
    assert consult.data["result"] == consult.data["tool_result"] == RAISED
    assert end == Passed(value) if value else isinstance(end, Refused)


def test_a_person_may_be_asked_whether_a_result_is_handed_out():
    result = {"success": True, "result": "secret"}

    steps, _ = walk(post(saying("ask"), result=result), Answer(allowed=True))

    assert steps[-2].question.result == result
    assert steps[-2].question.prompt == "Hand out what t answered?"
    assert steps[-1] == Passed(result)


HOOKS = st.sampled_from(
    [
        saying("continue"),
        saying("deny"),
        saying("ask"),
        saying("inject_context", context_injection="c"),
        saying("nonsense"),
        broken,
        setting(x=2),
        setting(y=3),
    ]
)


@given(st.lists(st.tuples(HOOKS, st.booleans()), max_size=8), st.booleans())
def test_it_passes_if_and_only_if_every_gate_and_the_person_let_it(hooks, allowed):
    observing = tuple(i for i, (_, observes) in enumerate(hooks) if observes)
    chain = pre(*(hook for hook, _ in hooks), observing=observing)

    steps, _ = walk(chain, Answer(allowed=allowed))

    gates = [hook for hook, observes in hooks if not observes]
    answers = [None if hook is broken else hook("tool:pre", {"tool_input": {}})["action"] for hook in gates]
    barred = any(answer in {None, "deny", "nonsense"} for answer in answers)
    assert isinstance(steps[-1], Passed) == (not barred and ("ask" not in answers or allowed))
    assert sum(isinstance(step, Ask) for step in steps) == int(not barred and "ask" in answers)
    assert sum(isinstance(step, Consult) for step in steps) <= len(hooks)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 9), max_size=3), max_size=6))
def test_all_changes_are_in_the_end_each_over_the_ones_before(changes):
    steps, _ = walk(pre(*(setting(**change) for change in changes)))

    expected = {"x": 1}
    for change in changes:
        expected |= change
    assert steps[-1] == Passed(expected)
