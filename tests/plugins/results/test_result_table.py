"""Every style of answer becomes the result that the table of `results.py` promises."""

from __future__ import annotations

import dataclasses
import types
from collections import UserDict

import pytest
from callboard.plugins.results.codes import Code, Outcome
from callboard.plugins.results.failures import reported
from callboard.plugins.results.normalise import as_answered, complete_result, normalise_result, set_apart
from hypothesis import given
from hypothesis import strategies as st
from interop_json import canonical, containers, objects, values


@dataclasses.dataclass
class ToolResult:
    success: bool
    output: object = None
    error: object = None
    metadata: dict | None = None


class ModelResult:
    """As a pydantic model looks: values behind properties, methods beside them."""

    success = True
    metadata = None

    @property
    def output(self):
        return {"lines": 3}

    def get(self, name):
        raise AssertionError("not a mapping")


class Unreadable:
    @property
    def success(self):
        raise OSError("gone")


GIVEN_BY_THE_TOOL = [
    ({"success": True, "result": 5}, {"success": True, "result": 5}),
    ({"success": True, "result": None}, {"success": True, "result": None}),
    ({"success": True, "bytes_read": 5}, {"success": True, "bytes_read": 5}),
    ({"success": True}, {"success": True}),
    ({"success": False, "error": "no", "code": "E7"}, {"success": False, "error": "no", "code": "E7"}),
    ({"success": True, "result": (1, 2)}, {"success": True, "result": [1, 2]}),
    # the specification's read_file answers without ``success``
    ({"path": "a", "content": "b"}, {"success": True, "path": "a", "content": "b"}),
    ({"error": "no"}, {"success": False, "error": "no"}),
    ({"error": None, "result": 1}, {"success": True, "error": None, "result": 1}),
    ({}, {"success": True}),
    # Amplifier
    ({"success": True, "output": "x"}, {"success": True, "output": "x", "result": "x"}),
    ({"success": True, "output": "x", "result": "y"}, {"success": True, "output": "x", "result": "y"}),
    (
        {"success": False, "output": {"stderr": "boom"}, "error": {"message": "exit 1", "type": "E"}},
        {
            "success": False,
            "output": {"stderr": "boom"},
            "error": "exit 1",
            "error_details": {"message": "exit 1", "type": "E"},
        },
    ),
    (ToolResult(True, "x"), {"success": True, "output": "x", "result": "x"}),
    (ToolResult(False, error="no"), {"success": False, "error": "no"}),
    (
        ToolResult(False, error={"message": "no"}, metadata={"ms": 1}),
        {"success": False, "error": "no", "error_details": {"message": "no"}, "metadata": {"ms": 1}},
    ),
    (ModelResult(), {"success": True, "output": {"lines": 3}, "result": {"lines": 3}}),
    (types.SimpleNamespace(success=True, result=1), {"success": True, "result": 1}),
    # errors that are no text
    (
        {"success": False, "error": {"code": 7}},
        {"success": False, "error": '{"code":7}', "error_details": {"code": 7}},
    ),
    ({"success": False, "error": ["a"]}, {"success": False, "error": '["a"]', "error_details": ["a"]}),
    ({"success": False, "error": ""}, {"success": False, "error": ""}),
    ({"success": False}, {"success": False, "error": "the tool reported a failure and did not say why"}),
    # other mappings
    (UserDict({"success": True, "result": 1}), {"success": True, "result": 1}),
    (types.MappingProxyType({"success": True, "result": 1}), {"success": True, "result": 1}),
]


@pytest.mark.parametrize(("answer", "result"), GIVEN_BY_THE_TOOL)
def test_an_answer_of_any_known_style_is_a_result(answer, result):
    assert normalise_result(answer) == (result, True)


BROKEN = [
    (None, "answered with nothing"),
    ("done", "answered with a str"),
    ([{"success": True}], "answered with a list"),
    (True, "answered with a bool"),
    (ToolResult, "answered with a type"),
    ((chunk for chunk in ()), "answered with a generator"),
    ({"success": "yes"}, "has 'yes' as 'success'"),
    ({"success": 1}, "has 1 as 'success'"),
    ({"success": None}, "has None as 'success'"),
    (ToolResult(None), "has None as 'success'"),
    ({"success": True, "result": {"files": ["a", {1}]}}, "$.result.files[1] is of type set"),
    ({"success": True, "result": float("nan")}, "$.result is nan"),
    ({"success": True, 7: "x"}, "$ has the key 7"),
    (ToolResult(True, output=object()), "$.output is of type object"),
    (Unreadable(), "reading the tool's answer raised OSError: gone"),
]


@pytest.mark.parametrize(("answer", "reason"), BROKEN)
def test_an_answer_that_is_no_result_is_a_failure_that_says_why(answer, reason):
    result, valid = normalise_result(answer)

    assert not valid
    assert reason in result["error"]
    assert (result["success"], result["code"], result["outcome"]) == (
        False,
        Code.INVALID_RESULT,
        Outcome.OUTCOME_UNKNOWN,
    )


def test_a_failure_for_what_is_not_json_carries_the_path():
    result, _ = normalise_result({"success": True, "result": [0, b""]})

    assert result["path"] == "$.result[1]"


@given(objects, values)
def test_a_result_keeps_every_key_and_shares_nothing_with_the_answer(extra, value):
    answer = {**extra, "success": True, "result": value}
    before = canonical(answer)

    result, valid = normalise_result(answer)

    assert valid
    assert canonical(result) == canonical(answer) == before
    assert containers(result).isdisjoint(containers(answer))


@given(objects)
def test_a_failure_always_has_a_text_as_its_error(extra):
    result, valid = normalise_result({**extra, "success": False})

    assert valid
    assert isinstance(result["error"], str)


@given(st.one_of(values, st.dictionaries(st.sampled_from(["success", "result", "output", "error"]), values)))
def test_reading_is_total_and_reading_again_changes_nothing(answer):
    once = normalise_result(answer)

    assert isinstance(once.result["success"], bool)
    assert normalise_result(once.result).result == once.result


@given(objects)
def test_a_hosts_answer_means_what_the_same_answer_in_process_means(answer):
    in_process = normalise_result(answer)

    assert complete_result(answer) == in_process


def test_an_object_whose_error_cannot_be_told_is_still_a_failure():
    class EvilError(Exception):
        def __str__(self):
            raise RuntimeError

    class Answer:
        @property
        def success(self):
            raise EvilError

    result, valid = normalise_result(Answer())

    assert not valid
    assert "raised EvilError: (the exception's own text cannot be read)" in result["error"]


@pytest.mark.parametrize("answer", [None, "done", [], 7, True])
def test_a_hosts_answer_that_is_no_object_is_an_invalid_result(answer):
    result, valid = complete_result(answer)

    assert not valid
    assert result["code"] == Code.INVALID_RESULT


SET_APART = [
    (
        {"success": False, "error": "no", "code": "host_unavailable", "outcome": "not_sent"},
        {
            "success": False,
            "error": "no",
            "said_by_tool": {"code": "host_unavailable", "outcome": "not_sent"},
        },
    ),
    (
        {"success": False, "error": "no", "code": "E7", "outcome": "not_sent"},
        {"success": False, "error": "no", "code": "E7", "said_by_tool": {"outcome": "not_sent"}},
    ),
    (
        {"error": {"code": "denied"}, "code": "denied"},
        {
            "success": False,
            "error": '{"code":"denied"}',
            "error_details": {"code": "denied"},
            "said_by_tool": {"code": "denied"},
        },
    ),
    (
        {"success": True, "result": 1, "code": "cancelled", "state_saved": False},
        {"success": True, "result": 1, "said_by_tool": {"code": "cancelled", "state_saved": False}},
    ),
    (
        {"success": True, "code": ["denied"], "outcome": None},
        {"success": True, "code": ["denied"], "outcome": None},
    ),
]


@pytest.mark.parametrize(("answer", "result"), SET_APART)
def test_what_only_callboard_says_is_set_apart(answer, result):
    assert set_apart(complete_result(answer).result) == result


WORDS = st.sampled_from([*Code, *Outcome, "E7", 7, None])


@given(
    answer=st.fixed_dictionaries(
        {},
        optional={
            "success": st.booleans(),
            "error": values,
            "code": WORDS,
            "outcome": WORDS,
            "state_saved": values,
        },
    )
)
def test_no_answer_can_say_what_only_callboard_says_and_reading_it_twice_changes_nothing(answer):
    once = set_apart(complete_result(dict(answer)).result)
    again = set_apart(complete_result(dict(once)).result)

    assert reported(once) is None
    assert once.get("outcome") not in set(Outcome)
    assert "state_saved" not in once
    assert again == once
    assert {name: as_answered(once).get(name) for name in ("code", "outcome")} == {
        name: answer.get(name) for name in ("code", "outcome")
    }
